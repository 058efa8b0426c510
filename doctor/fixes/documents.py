"""From the origin of a setting to the value in its file: format, selector, reader."""

from __future__ import annotations

import os

from doctor.connection import Origin
from doctor.facts.settings import EnvReader
from doctor.fixes import files
from doctor.fixes.editors import json, toml, yaml
from doctor.fixes.editors.base import line_of
from doctor.fixes.editors.envfile import readings
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scene import Scene
from doctor.fixes.steps import EditFile, Format, Operation, Selector, Value, plain
from doctor.settings.documents import PARSERS, Malformed
from doctor.text import _

# Origins whose path is the key file itself.
_KEY_FILE_NAMES = frozenset({"--key-file", "key_file"})
_DATABASES = frozenset({".db", ".sqlite", ".sqlite3", ".vscdb"})
_FORMATS = {
    ".json": Format.JSON,
    ".jsonc": Format.JSON,
    ".toml": Format.TOML,
    ".yaml": Format.YAML,
    ".yml": Format.YAML,
}


def format_of(path: str) -> Format:
    """By the ending of its name; what has none of the known ones is an env file."""
    return _FORMATS.get(os.path.splitext(path)[1].lower(), Format.ENV)


def edit_at(origin: Origin, old: Value, new: Value | None, scene: Scene) -> EditFile:
    """The step that changes the value at ``origin``, or takes it out (None).

    Raises ``RefusedEdit`` where the file does not hold it there.
    """
    assert origin.path is not None
    path = scene.absolute(origin.path)
    operation = Operation.REMOVE if new is None else Operation.SET
    if origin.name in _KEY_FILE_NAMES or origin.name.endswith(".key_file"):
        name = (os.path.basename(path),)
        return EditFile(path, origin.path, Format.WHOLE, name, None, old, new, operation)
    if os.path.splitext(path)[1].lower() in _DATABASES:
        reason = _("it stands in a database, which its own program has to change")
        raise RefusedEdit(reason, path=origin.path)
    format_ = format_of(path)
    try:
        text = files.read(path).data.decode("utf-8", "surrogateescape")
        reader = None
        if format_ is Format.ENV:
            at, line, reader = _in_env_file(text, origin, plain(old) or "", scene)
        else:
            at, line = _in_document(text, format_, origin)
            old, new = _as_it_stands(text, path, at, old, new)
    except RefusedEdit as refused:
        raise refused.at(origin.path) from None
    return EditFile(path, origin.path, format_, at, line, old, new, operation, reader)


def _as_it_stands(
    text: str, path: str, at: Selector, old: Value, new: Value | None
) -> tuple[Value, Value | None]:
    """A model that the file names with a provider or a library ahead of it keeps that:
    ``openai/old`` becomes ``openai/new``, ``relay,old`` becomes ``relay,new``."""
    if not isinstance(old, str) or not (new is None or isinstance(new, str)):
        return old, new
    try:
        node = PARSERS[os.path.splitext(path)[1].lower()](text).data
        for key in at:
            node = node[key]
    except (Malformed, KeyError, IndexError, TypeError):
        return old, new
    if not isinstance(node, str) or not node.endswith((f"/{old}", f",{old}")):
        return old, new
    return node, None if new is None else node.removesuffix(old) + new


def _in_document(text: str, format_: Format, origin: Origin) -> tuple[Selector, int]:
    """The path of keys that ``origin`` names, dots and all, and the line of its value."""
    if format_ is Format.JSON:
        places = {at: found[-1].start for at, found in json.spots(text).items()}
    elif format_ is Format.TOML:
        places = {at: spot.start for at, spot in toml.spots(text).items()}
    else:
        places = yaml.places(text)
    named = [at for at in places if ".".join(map(str, at)) == origin.name]
    if len(named) > 1:
        named = [at for at in named if line_of(text, places[at]) == origin.line]
    if len(named) != 1:
        raise RefusedEdit(_("{name} was not found", name=origin.name), origin.line)
    return named[0], line_of(text, places[named[0]])


def _in_env_file(
    text: str, origin: Origin, old: str, scene: Scene
) -> tuple[Selector, int | None, EnvReader]:
    """The reader by whose rules the line holds ``old``; those that are known to read the file
    come first."""
    shown = origin.path
    known = next((f.readers for f in scene.settings.env_files if f.path == shown), ())
    for drops_bom in (False, True):
        read = readings({}, dotenv_drops_bom=drops_bom)
        for reader in dict.fromkeys((*known, *read)):
            for found in read[reader](text).assignments:
                if (found.name, found.line, found.value) == (origin.name, origin.line, old):
                    return (origin.name,), origin.line, reader
    raise RefusedEdit(
        _("{name} does not hold the value as it stands", name=origin.name), origin.line
    )
