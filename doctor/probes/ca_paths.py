"""What stands at the paths that variables name as CA certificates."""

from __future__ import annotations

import asyncio
from pathlib import Path

from doctor.facts import ENVIRONMENT
from doctor.facts.machine import CaPath, CaState, Environment
from doctor.facts.store import Facts

FILES = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "CODEX_CA_CERTIFICATE",
)
FOLDERS = ("SSL_CERT_DIR",)
# requests and curl take a folder of hashed certificates in place of a file.
_FILE_OR_FOLDER = frozenset({"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"})
_BEGIN = b"-----BEGIN CERTIFICATE-----"
_BEGIN_TRUSTED = b"-----BEGIN TRUSTED CERTIFICATE-----"
_LIMIT = 8 * 1024 * 1024


async def ca_paths(facts: Facts) -> tuple[CaPath, ...]:
    """One entry for every such variable that is set and not empty."""
    environment = await facts.get(ENVIRONMENT)
    return await asyncio.to_thread(ca_paths_of, environment)


def ca_paths_of(environment: Environment) -> tuple[CaPath, ...]:
    """As ``ca_paths``; reads files, so it belongs in a thread."""
    return tuple(
        _seen(name, environment.variables[name], environment)
        for name in (*FILES, *FOLDERS)
        if environment.variables.get(name)
    )


def _seen(variable: str, value: str, environment: Environment) -> CaPath:
    # A library opens the text as it is: no tilde is expanded, a relative path starts at the
    # working folder. Several folders may stand behind one another.
    if variable in FOLDERS:
        folders = [part for part in value.split(_separator(environment)) if part]
        states = [_folder(Path(environment.cwd, part)) for part in folders]
        state = CaState.OK if CaState.OK in states else states[0] if states else CaState.MISSING
        return CaPath(variable, value, state)
    path = Path(environment.cwd, value)
    try:
        if path.is_dir():
            fine = variable in _FILE_OR_FOLDER
            return CaPath(variable, value, CaState.OK if fine else CaState.DIRECTORY)
        if not path.exists():
            return CaPath(variable, value, CaState.MISSING)
        with path.open("rb") as file:
            content = file.read(_LIMIT)
    except (OSError, ValueError):
        return CaPath(variable, value, CaState.UNREADABLE)
    count = content.count(_BEGIN) + content.count(_BEGIN_TRUSTED)
    return CaPath(variable, value, CaState.OK if count else CaState.NOT_PEM, count)


def _folder(path: Path) -> CaState:
    try:
        if path.is_dir():
            return CaState.OK
        return CaState.FILE if path.exists() else CaState.MISSING
    except (OSError, ValueError):
        return CaState.UNREADABLE


def _separator(environment: Environment) -> str:
    return ";" if environment.platform == "win32" else ":"
