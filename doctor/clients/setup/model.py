"""What a client is set up for, and what that takes."""

from __future__ import annotations

from doctor.clients.machine import Machine
from doctor.models import FileEntry
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Gateway:
    """A server as one client has to address it.

    ``id`` is a short name for tables of providers, ``label`` for people. ``base_url`` has the form
    that the client wants. ``key_variable`` names the variable that holds the key, None where the
    server takes any. ``window`` is what the server allows prompt and answer together, in tokens.
    ``client`` is the client's id.
    """

    id: str
    label: str
    base_url: str
    key_variable: str | None
    model: str | None = None
    window: int | None = None
    client: str = ""

    @property
    def max_tokens(self) -> int | None:
        """An output budget that leaves three quarters of a small window to the prompt."""
        if self.window is None or self.window >= _ROOMY:
            return None
        return max(self.window // 4, 1)


# Clients ask for 32,000 tokens of their own accord; a window of this size bears it.
_ROOMY = 131_072
ANY_KEY = "EMPTY"


@dataclass(frozen=True, slots=True)
class Block:
    """``entries`` go into files; ``lines`` are for the user to run or to type; ``notes`` say more.
    Empty entries: the client keeps its settings where no editor reaches."""

    entries: tuple[FileEntry, ...] = ()
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def export(machine: Machine, name: str, variable: str | None) -> str:
    """The line that gives ``name`` what ``variable`` holds, in the user's shell; where the server
    takes any key, a word in its place. Empty where they are one."""
    from doctor.fixes.quoting import set_line
    from doctor.fixes.startup import user_shell
    from doctor.fixes.steps import Shell

    shell = user_shell(machine.environment)
    if variable is None:
        return set_line(shell, name, ANY_KEY) or f"export {name}={ANY_KEY}"
    if variable == name:
        return ""
    if shell is Shell.POWERSHELL:
        return f"$env:{name} = $env:{variable}"
    if shell is Shell.FISH:
        return f"set -gx {name} ${variable}"
    return f'export {name}="${variable}"'


def shown(path: object, machine: Machine) -> str:
    """A file as people know it."""
    return machine.places.shown(str(path))
