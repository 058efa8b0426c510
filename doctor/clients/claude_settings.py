"""The settings files of Claude Code, one over another (facts/gateway-clients.md §3.1).

The managed file and its fragments, the project's local file, the project's file, the user's file,
then the state file ``.claude.json``; the shell comes last, since the ``env`` of a file beats it.
Seen by running 2.1.332: a project's ``settings.json`` is read in the working folder alone, its
``settings.local.json`` at the root of the git repository, and in the working folder if none is
there; a file with a comment or a value of a wrong kind is left out as a whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from doctor.clients.files import File, Files, Key
from doctor.clients.machine import Machine
from doctor.connection import Setting, Shadowed
from doctor.facts.settings import SourceProblem
from doctor.records import dataclass
from doctor.settings import textfile
from doctor.settings.documents import Document
from doctor.settings.found import Found
from doctor.settings.variables import Held, Layer, Space, environment_layer
from doctor.text import _

CLIENT = "claude-code"
_MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": "C:\\Program Files\\ClaudeCode",
}
_MANAGED_ELSEWHERE = "/etc/claude-code"
_SETTINGS, _LOCAL = "settings.json", "settings.local.json"
# Kinds of values by their path; one of another kind, null included, fails its whole file.
_KINDS: dict[tuple[str, ...], type] = {
    **dict.fromkeys((("env",), ("permissions",), ("statusLine",), ("enabledPlugins",)), Mapping),
    **dict.fromkeys((("model",), ("apiKeyHelper",)), str),
    **dict.fromkeys((("permissions", name) for name in ("allow", "deny", "ask")), list),
    ("includeCoAuthoredBy",): bool,
}
# Bytes of the state file, and what is wanted of it.
_LARGEST_STATE = 32 * 2**20
_OF_STATE = ("env", "primaryApiKey", "customApiKeyResponses", "oauthAccount")
_SCALARS = {True: "true", False: "false", None: "null"}


@dataclass(frozen=True, slots=True)
class Layers:
    """``files`` with the one that wins first; ``managed`` are their shown paths that an
    administrator owns. ``space`` holds the variables of all of them and of the shell."""

    files: tuple[File, ...]
    managed: frozenset[str]
    space: Space
    state: File | None

    def texts(self, *keys: Key) -> list[Shadowed[str]]:
        """The values below ``keys``, the one in effect first."""
        found = (file.text(*keys) for file in self.files)
        return [text for text in found if text is not None]

    def variable(self, name: str) -> Setting[str] | None:
        """A variable in effect, set to nothing included."""
        return self.space.setting((name,), str, empty_counts=True)

    def filled(self, *names: str) -> Setting[str] | None:
        """The first of ``names`` whose value in effect is not blank."""
        found = (self.variable(name) for name in names)
        return next((value for value in found if value is not None and value.value.strip()), None)


def layers(files: Files) -> Layers:
    """Read everything. What does not parse is a problem of ``files.found``."""
    machine = files.machine
    managed = tuple(_managed(files))
    ignored = _("Claude Code leaves the whole file out, so other sources take effect")
    paths = [
        _local(machine),
        machine.cwd / ".claude" / _SETTINGS,
        config_folder(machine) / _SETTINGS,
    ]
    own = [_settings(files, path, ignored) for path in dict.fromkeys(paths)]
    state = _state(files)
    there = (*managed, *(file for file in own if file is not None))
    held = [_variables(file) for file in (*there, *([] if state is None else [state]))]
    shell = environment_layer(machine.environment.variables)
    return Layers(
        files=there,
        managed=frozenset(file.shown for file in managed),
        space=Space((*held, shell)),
        state=state,
    )


def config_folder(machine: Machine) -> Path:
    """``$CLAUDE_CONFIG_DIR`` as it stands (a "~" is no home there), else ``~/.claude``."""
    named = machine.environment.variables.get("CLAUDE_CONFIG_DIR")
    return machine.home / ".claude" if named is None else machine.cwd / named


def state_file(machine: Machine) -> Path:
    """``.claude.json``, which moves with the folder."""
    moved = "CLAUDE_CONFIG_DIR" in machine.environment.variables
    return (config_folder(machine) if moved else machine.home) / ".claude.json"


def signed_in(machine: Machine) -> bool:
    """Whether the state names the account of a login, wherever that itself is kept."""
    state = _state(Files(machine, CLIENT, Found()))
    return state is not None and bool(state.table("oauthAccount"))


def managed_folder(machine: Machine) -> str:
    """Where an administrator's settings lie."""
    return _MANAGED.get(machine.environment.platform, _MANAGED_ELSEWHERE)


def _state(files: Files) -> File | None:
    """The state file. It keeps a history and grows to megabytes, of which little is wanted here;
    of a large one the lines are not told."""
    path, fatal = state_file(files.machine), _("Claude Code does not start")
    try:
        source = textfile.read(path, _LARGEST_STATE)
    except textfile.Unreadable:
        return None
    if len(source.text) <= textfile.LIMIT:
        return files.json(path, strict=True, consequence=fatal)
    shown = files.machine.places.shown(str(path))
    try:
        data = json.loads(source.text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        message = error.msg if isinstance(error, json.JSONDecodeError) else _("not JSON")
        files.found.problems.append(SourceProblem(shown, line, message, CLIENT, fatal))
        return None
    held = data if isinstance(data, dict) else {}
    wanted = {name: held[name] for name in _OF_STATE if name in held}
    return File(path, shown, False, Document(wanted, {}))


def _managed(files: Files) -> Iterator[File]:
    """The fragments, the last by name first, then the file itself."""
    machine = files.machine
    folder = machine.system(managed_folder(machine))
    fatal = _("Claude Code does not start")
    try:
        names = sorted(os.listdir(folder / "managed-settings.d"), reverse=True)
    except (OSError, ValueError):
        names = []
    paths = [folder / "managed-settings.d" / name for name in names if name.endswith(".json")]
    for path in (*paths, folder / "managed-settings.json"):
        file = _settings(files, path, fatal)
        if file is not None:
            yield file


def _local(machine: Machine) -> Path:
    at_root = Path(machine.places.project) / ".claude" / _LOCAL
    return at_root if os.path.isfile(at_root) else machine.cwd / ".claude" / _LOCAL


def _settings(files: Files, path: Path, consequence: str) -> File | None:
    file = files.json(path, strict=True, consequence=consequence)
    if file is None:
        return None
    if not isinstance(file.document.data, Mapping):
        wrong: tuple[str, ...] | None = ()
    else:
        wrong = next((keys for keys, kind in _KINDS.items() if _is_wrong(file, keys, kind)), None)
    if wrong is None:
        return file
    message = _("{key} holds a value of a wrong kind", key=".".join(wrong) or _("the file"))
    line = file.document.line(wrong)
    files.found.problems.append(SourceProblem(file.shown, line, message, CLIENT, consequence))
    return None


def _is_wrong(file: File, keys: tuple[str, ...], kind: type) -> bool:
    return keys[-1] in file.table(*keys[:-1]) and not isinstance(file.at(*keys), kind)


def _variables(file: File) -> Layer:
    """The ``env`` of a file. Anything but text becomes text, as JavaScript does it."""
    held = {}
    for name, value in file.table("env").items():
        if isinstance(value, Mapping | list):
            continue
        text = _SCALARS[value] if value is None or isinstance(value, bool) else str(value)
        held[name] = Held(name, text, file.origin("env", name))
    return Layer(held)
