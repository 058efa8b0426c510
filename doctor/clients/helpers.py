"""The two things of a client that kvdoctor touches only when it is told to: the command that
prints a key (``--run-key-helper``), and the keychain (``--keychain``).

A command that a file of the working folder brings is not run, unless ``--trust-project`` says that
it may be (DESIGN §6.4). Of the keychain only the presence of an item is asked for: no password is
read, so the system asks its user nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

from doctor.clients.machine import Machine
from doctor.connection import Origin, Shadowed
from doctor.facts.settings import SourceProblem
from doctor.secrets import Secret
from doctor.settings.found import Found
from doctor.text import _

_LIMIT_S = 10.0
_LONGEST = 16 * 1024  # bytes; no key is that long
_NOT_FOUND = 44  # errSecItemNotFound, as `security` exits with it


def helper_key(
    command: Shadowed[str], machine: Machine, found: Found, client: str
) -> Shadowed[Secret] | None:
    """What the command prints, without the blanks around it, with the place of the command.

    None where nobody asked for it to be run, where it may not be, and where it fails; a failure is
    a problem of ``found``. It runs once, in the working folder, with the client's own environment,
    for at most 10 seconds.
    """
    if not machine.helpers or machine.environment.platform != sys.platform:
        return None
    if command.origin.project and not machine.trusts_project:
        return None
    try:
        code, printed = _run(command.value, machine)
    except OSError as error:
        why: str = error.strerror or type(error).__name__
    else:
        key = printed.decode("utf-8", "replace").strip()
        if code == 0 and key and len(key) <= _LONGEST:
            return Shadowed(Secret(key), command.origin)
        if code is None:
            why = _("no end within {n:g} s", n=_LIMIT_S)
        elif code != 0:
            why = _("it ends with exit code {n}", n=code)
        else:
            why = _("it prints no key")
    _tell(command.origin, found, client, why)
    return None


def _run(command: str, machine: Machine) -> tuple[int | None, bytes]:
    """The exit code and the beginning of what it printed; None where it had to be ended, with all
    that it started. Raises ``OSError``."""
    import tempfile

    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(  # noqa: S602 - the user asked for it by a flag
            command,
            shell=True,
            cwd=machine.environment.cwd,
            env=machine.environment.variables,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.DEVNULL,
            start_new_session=os.name == "posix",
        )
        try:
            code: int | None = process.wait(_LIMIT_S)
        except subprocess.TimeoutExpired:
            code = None
            if os.name == "posix":
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()
        printed.seek(0)
        return code, printed.read(_LONGEST + 1)


def _tell(origin: Origin, found: Found, client: str, why: str) -> None:
    """What it printed is not told: it may be half a key."""
    message = _("the command in {name} fails: {why}", name=origin.name, why=why)
    found.problems.append(SourceProblem(origin.path or origin.name, origin.line, message, client))


def in_keychain(service: str, machine: Machine) -> bool | None:
    """Whether the login keychain of macOS holds an item of that service; None: not asked for, or
    it cannot be told."""
    if not machine.keychain or not machine.mac or sys.platform != "darwin":
        return None
    try:
        done = subprocess.run(  # noqa: S603 - the name of the item is a constant of the client
            ["/usr/bin/security", "find-generic-password", "-s", service],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode in (0, _NOT_FOUND):
        return done.returncode == 0
    return None
