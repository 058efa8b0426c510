"""Values as one word of each shell, and the lines that set or unset a variable there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from doctor.fixes.steps import Shell

_POSIX_BARE = re.compile(r"[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:=@%+,-]*")
_FISH_BARE = re.compile(r"[A-Za-z0-9_./:@+,-][A-Za-z0-9_./:=@+,-]*")
_CMD_SPECIAL = re.compile(r"[%!\"\r\n]")


def posix(value: str, like: str = "") -> str:
    """For sh, bash and zsh; quoted as ``like`` is where that is possible."""
    if like[:1] == '"':
        return '"' + re.sub(r'([\\"$`])', r"\\\1", value) + '"'
    if not like.startswith(("'", "$'")) and _POSIX_BARE.fullmatch(value):
        return value
    return "'" + value.replace("'", "'\\''") + "'"


def fish(value: str, like: str = "") -> str:
    """For fish; quoted as ``like`` is where that is possible."""
    if like[:1] == '"':
        return '"' + re.sub(r'([\\"$])', r"\\\1", value) + '"'
    if not like.startswith("'") and _FISH_BARE.fullmatch(value):
        return value
    return "'" + re.sub(r"([\\'])", r"\\\1", value) + "'"


def powershell(value: str, like: str = "") -> str:
    """For PowerShell; quoted as ``like`` is where that is possible."""
    if like[:1] == '"':
        return '"' + re.sub(r'([`"$])', r"`\1", value) + '"'
    return "'" + value.replace("'", "''") + "'"


def set_line(shell: Shell, name: str, value: str) -> str | None:
    """The line that sets a variable for the running shell and what it starts.

    None where ``value`` cannot be written there safely.
    """
    if shell is Shell.FISH:
        return f"set -gx {name} {fish(value)}"
    if shell is Shell.POWERSHELL:
        return f"$env:{name} = {powershell(value)}"
    if shell is Shell.CMD:
        return None if _CMD_SPECIAL.search(value) else f'set "{name}={value}"'
    return f"export {name}={posix(value)}"


def unset_line(shell: Shell, names: Sequence[str]) -> str:
    """The line that takes variables out of the running shell."""
    if shell is Shell.FISH:
        return "set -e " + " ".join(names)
    if shell is Shell.POWERSHELL:
        return "Remove-Item " + ", ".join(f"Env:{name}" for name in names)
    if shell is Shell.CMD:
        return " & ".join(f"set {name}=" for name in names)
    return "unset " + " ".join(names)


def lasting_line(name: str, value: str | None) -> str:
    """PowerShell's line for the variables that Windows keeps for the user; None removes one."""
    given = "$null" if value is None else powershell(value)
    return f"[Environment]::SetEnvironmentVariable('{name}', {given}, 'User')"
