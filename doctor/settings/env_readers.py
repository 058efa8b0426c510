"""Who reads the env files of the working folder, by the commands written down in it.

Looks at shell scripts, Makefiles and the like for ``docker run --env-file`` and for sourcing, and
at Python files for ``load_dotenv``. Nothing is run; a command that is put together from variables
is not understood.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from doctor.facts.settings import EnvReader
from doctor.patterns import Pattern
from doctor.settings import textfile

_MAX_FILES = 60
_LIMIT = 128 * 1024
_SCRIPTS = frozenset({"Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Procfile"})
_SCRIPT_ENDINGS = frozenset({".sh", ".bash", ".zsh", ".ps1", ".bat", ".cmd", ".mk"})

_DOCKER = Pattern(
    r"\b(?:docker|podman|nerdctl)\s+(?:container\s+)?(?:run|create|exec)\b[^\n;&|]*?"
    r"\s--env-file[=\s]+[\"']?([^\s\"';&|]+)"
)
_HOST_NETWORK = Pattern(r"\s--net(?:work)?[=\s]+[\"']?host\b")
_SOURCE = Pattern(r"(?:^|[;&|(]|\bdo|\bthen)\s*(?:source|\.)\s+[\"']?([^\s\"';&|]+)", re.MULTILINE)
_DOTENV = Pattern(r"\b(?:load_dotenv|dotenv_values)\s*\(|\bpython-dotenv\b|env_file\s*=\s*[\"']")
_CONTINUED = Pattern(r"\\\r?\n|`\r?\n|\^\r?\n")


def readers_in(folder: Path) -> dict[Path, set[EnvReader]]:
    """Env file (absolute) → its readers, as far as files directly in ``folder`` tell."""
    readers: dict[Path, set[EnvReader]] = {}
    for text in _scripts(folder):
        for pattern, reader in ((_DOCKER, EnvReader.DOCKER), (_SOURCE, EnvReader.SHELL)):
            for match in pattern.finditer(text):
                path = _env_file(folder, match.group(1))
                if path is not None:
                    readers.setdefault(path, set()).add(reader)
    programs = [folder / name for name in textfile.names_in(folder) if name.endswith(".py")]
    if any(_DOTENV.search(_text(path)) for path in programs[:_MAX_FILES]):
        readers.setdefault(folder / ".env", set()).add(EnvReader.DOTENV)
    return readers


def on_host_network(folder: Path) -> set[Path]:
    """Env files (absolute) of containers that use the host's network: localhost is the host."""
    found: set[Path] = set()
    for text in _scripts(folder):
        for match in _DOCKER.finditer(text):
            path = _env_file(folder, match.group(1))
            rest = re.split(r"[\n;&|]", text[match.end() :], maxsplit=1)[0]
            if path is not None and _HOST_NETWORK.search(f"{match.group(0)} {rest}"):
                found.add(path)
    return found


def _scripts(folder: Path) -> Iterator[str]:
    """The scripts directly in ``folder``, each command on one line."""
    entries = [folder / name for name in textfile.names_in(folder)]
    for path in [path for path in entries if _is_script(path)][:_MAX_FILES]:
        yield _CONTINUED.sub(" ", _text(path))


def _env_file(folder: Path, name: str) -> Path | None:
    if "$" in name or not Path(name).name.endswith("env"):
        return None
    return Path(os.path.normpath(folder / name))


def _is_script(path: Path) -> bool:
    return path.name in _SCRIPTS or path.suffix.lower() in _SCRIPT_ENDINGS


def _text(path: Path) -> str:
    try:
        return textfile.read(path, _LIMIT).text
    except textfile.Unreadable:
        return ""
