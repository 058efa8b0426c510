"""All sources and templates below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from doctor.prefix.static.chat_template import (
    CONFIG,
    TEMPLATE_FILES,
    is_chat_template,
    scan_chat_template,
    scan_config,
)
from doctor.prefix.static.python_source import SourceSpot, scan_python
from doctor.prefix.static.texts import (
    SCRIPTS,
    TEMPLATES,
    is_prompt_text,
    scan_script,
    scan_template,
)
from doctor.settings import textfile

_LIMIT = 1024 * 1024
_MOST = 20_000  # files
_NOT_OURS = frozenset(
    {".git", ".venv", "venv", "node_modules", "__pycache__", "site-packages", "dist", "build"}
    | {".mypy_cache", ".ruff_cache", ".pytest_cache", ".tox"}
)


def scan(folder: Path) -> Iterator[tuple[Path, SourceSpot]]:
    """Each spot with its file. Files that do not parse are passed by: they do not run either."""
    for path in _files(folder):
        try:
            text = textfile.read(path, _LIMIT).text
        except textfile.Unreadable:
            continue
        for spot in _spots(path, text):
            yield path, spot


def has_sources(folder: Path) -> bool:
    """Whether there is anything to scan."""
    return next(_files(folder), None) is not None


def is_source(path: Path) -> bool:
    """Whether this one file is a source or a template, by its name."""
    return path.is_file() and _is_source(path.name)


def _is_source(name: str) -> bool:
    suffix = Path(name).suffix.lower()
    return (
        suffix == ".py"
        or suffix in SCRIPTS
        or suffix in TEMPLATES
        or name == CONFIG
        or is_prompt_text(name)
    )


def _spots(path: Path, text: str) -> list[SourceSpot]:
    suffix = path.suffix.lower()
    if suffix == ".py":
        try:
            return scan_python(text.removeprefix("\ufeff"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []
    if suffix in SCRIPTS:
        return scan_script(text)
    if path.name == CONFIG:
        return scan_config(text)
    if path.name in TEMPLATE_FILES or is_chat_template(text):
        return scan_chat_template(text)
    return scan_template(text)


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    seen = 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _NOT_OURS)
        for name in sorted(filter(_is_source, names)):
            seen += 1
            if seen > _MOST:
                return
            yield Path(root) / name
