"""The settings files of opencode, the one that wins first.

The order and the upward search were observed with opencode 1.18.33: ``/etc/opencode``,
``OPENCODE_CONFIG_CONTENT``, ``OPENCODE_CONFIG_DIR``, ``~/.opencode``, the ``.opencode`` folders (an
outer one over an inner one), ``opencode.json`` of the folders (an inner one over an outer one),
``OPENCODE_CONFIG``, ``~/.config/opencode``; ``.jsonc`` over ``.json``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from doctor.clients.files import File, Files
from doctor.clients.machine import Machine
from doctor.clients.opencode_source import NO_START, Source
from doctor.connection import Shadowed
from doctor.facts.settings import SourceProblem
from doctor.patterns import Pattern
from doctor.settings.documents import Document, Malformed, parse_json

_CONTENT = "OPENCODE_CONFIG_CONTENT"
_NAMES = ("opencode.jsonc", "opencode.json")
_BARE = Pattern(r"(?<![\"\w{])\{env:[^}]*\}")


def sources(files: Files) -> tuple[Source, ...]:
    """Every file that there is; opencode does not start with one that does not parse."""
    found: list[Source] = []
    read = set[Path]()
    folders = _folders(files.machine)
    for path in _paths(files.machine, folders):
        if path is None:
            found += _content(files)
        elif path not in read:
            read.add(path)
            file = files.json(path, consequence=NO_START, parse=_parse)
            if file is not None:
                strange = file.project or _is_a_strangers(path, files.machine, folders)
                found.append(Source(replace(file, project=strange), files))
    return tuple(found)


def first(
    of: tuple[Source, ...],
    *keys: str | int,
    read: Callable[..., Shadowed[str] | None] = Source.text,
) -> tuple[Shadowed[str], ...]:
    """The values, the one in effect first. ``read`` is how a source reads that kind of value."""
    return tuple(text for source in of if (text := read(source, *keys)) is not None)


def merged_names(of: tuple[Source, ...], *keys: str) -> tuple[str, ...]:
    """The names in a table that all fill together, in the order of opencode's own merge."""
    return tuple(dict.fromkeys(name for s in reversed(of) for name in s.file.table(*keys)))


def list_in_effect(of: tuple[Source, ...], key: str) -> tuple[Source, list[Any]] | None:
    """The list ``key`` of the source that wins, and that source."""
    for source in of:
        value = source.at(key)
        if isinstance(value, list):
            return source, value
    return None


def switched_on(of: tuple[Source, ...], provider: str) -> bool:
    """Whether opencode offers the models of ``provider`` at all."""
    off = list_in_effect(of, "disabled_providers")
    only = list_in_effect(of, "enabled_providers")
    return (off is None or provider not in off[1]) and (only is None or provider in only[1])


def _paths(machine: Machine, folders: tuple[Path, ...]) -> Iterator[Path | None]:
    """None stands for the variable that holds the text itself."""
    yield from _in(_managed(machine))
    yield None
    named = machine.variable("OPENCODE_CONFIG_DIR")
    if named is not None:
        yield from _in(machine.folder(named.name, machine.home))
    yield from _in(machine.home / ".opencode")
    for folder in reversed(folders):
        yield from _in(folder / ".opencode")
    for folder in folders:
        yield from _in(folder)
    if machine.variable("OPENCODE_CONFIG") is not None:
        yield machine.folder("OPENCODE_CONFIG", machine.home)
    yield from _in(machine.config / "opencode")
    yield machine.config / "opencode" / "config.json"


def _in(folder: Path) -> Iterator[Path]:
    return (folder / name for name in _NAMES)


def _managed(machine: Machine) -> Path:
    if machine.windows:
        return machine.folder("ProgramData", Path("C:/ProgramData")) / "opencode"
    if machine.mac:
        return machine.system("/Library/Application Support/opencode")
    return machine.system("/etc/opencode")


def _folders(machine: Machine) -> tuple[Path, ...]:
    """The working folder and those above it: up to the root of the git repository, and without one
    up to the root of the disk."""
    if _is_on(machine, "OPENCODE_DISABLE_PROJECT_CONFIG"):
        return ()
    folders = machine.upward()
    if len(folders) > 1 or os.path.exists(machine.cwd / ".git"):
        return folders
    return (machine.cwd, *machine.cwd.parents)


def _is_a_strangers(path: Path, machine: Machine, folders: tuple[Path, ...]) -> bool:
    """Whether the file came with a folder that the user works in, and not with the home or with
    the system around it."""
    folder = path.parent.parent if path.parent.name == ".opencode" else path.parent
    own = machine.home == folder or machine.home.is_relative_to(folder)
    return folder in folders and not own


def _is_on(machine: Machine, name: str) -> bool:
    held = machine.variable(name)
    return held is not None and held.value.lower() in ("1", "true")


def _content(files: Files) -> list[Source]:
    held = files.machine.variable(_CONTENT)
    if held is None:
        return []
    try:
        document = _parse(held.value)
    except Malformed as malformed:
        problem = SourceProblem(_CONTENT, malformed.line, malformed.message, files.client, NO_START)
        files.found.problems.append(problem)
        return []
    path = files.machine.cwd / _CONTENT
    return [Source(File(path, _CONTENT, False, document), files, _CONTENT)]


def _parse(text: str) -> Document:
    """opencode fills variables in before it parses, so one may stand where a number is due."""
    try:
        return parse_json(text)
    except Malformed:
        if not _BARE.search(text):
            raise
        return parse_json(_BARE.sub("null", text))
