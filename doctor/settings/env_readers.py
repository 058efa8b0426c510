"""Who reads the env files of the working folder, by the commands written down in it.

Looks at shell scripts, Makefiles and the like for ``docker run --env-file`` and for sourcing, and
at Python files for ``load_dotenv``. Nothing is run; a command that is put together from variables
is not understood.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from doctor.facts.observed import EnvReader
from doctor.settings import textfile

_MAX_FILES = 60
_LIMIT = 128 * 1024
_SCRIPTS = frozenset({"Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Procfile"})
_SCRIPT_ENDINGS = frozenset({".sh", ".bash", ".zsh", ".ps1", ".bat", ".cmd", ".mk"})

_DOCKER = re.compile(
    r"\b(?:docker|podman|nerdctl)\s+(?:container\s+)?(?:run|create|exec)\b[^\n;&|]*?"
    r"\s--env-file[=\s]+[\"']?([^\s\"';&|]+)"
)
_SOURCE = re.compile(
    r"(?:^|[;&|(]|\bdo|\bthen)\s*(?:source|\.)\s+[\"']?([^\s\"';&|]+)", re.MULTILINE
)
_DOTENV = re.compile(r"\b(?:load_dotenv|dotenv_values)\s*\(|\bpython-dotenv\b|env_file\s*=\s*[\"']")
_CONTINUED = re.compile(r"\\\r?\n|`\r?\n|\^\r?\n")


def readers_in(folder: Path) -> dict[Path, set[EnvReader]]:
    """Env file (absolute) → its readers, as far as files directly in ``folder`` tell."""
    readers: dict[Path, set[EnvReader]] = {}
    entries = [folder / name for name in textfile.names_in(folder)]
    scripts = [path for path in entries if _is_script(path)]
    for path in scripts[:_MAX_FILES]:
        text = _CONTINUED.sub(" ", _text(path))
        for pattern, reader in ((_DOCKER, EnvReader.DOCKER), (_SOURCE, EnvReader.SHELL)):
            for match in pattern.finditer(text):
                name = match.group(1)
                if "$" not in name and Path(name).name.endswith("env"):
                    readers.setdefault(Path(os.path.normpath(folder / name)), set()).add(reader)
    programs = [path for path in entries if path.suffix == ".py"]
    if any(_DOTENV.search(_text(path)) for path in programs[:_MAX_FILES]):
        readers.setdefault(folder / ".env", set()).add(EnvReader.DOTENV)
    return readers


def _is_script(path: Path) -> bool:
    return path.name in _SCRIPTS or path.suffix.lower() in _SCRIPT_ENDINGS


def _text(path: Path) -> str:
    try:
        return textfile.read(path, _LIMIT).text
    except textfile.Unreadable:
        return ""
