"""GitHub workflows in the working folder: keys that are written into them.

A workflow runs on another machine, so nothing in it becomes a target, and what it takes from a
secret cannot be seen. A literal key or address there is still a sighting, and the key exposed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from doctor.connection import Origin, OriginKind
from doctor.facts.settings import Role, Sighting
from doctor.secrets import Secret
from doctor.settings import textfile
from doctor.settings.documents import Malformed, parse_yaml, walk
from doctor.settings.found import Found, KeyPlace
from doctor.settings.names import is_real_secret, looks_like_key, speaks_of_models, understood
from doctor.settings.places import Places
from doctor.untrusted import visible

_MAX_FILES = 30


def workflows(folder: Path, places: Places) -> Found:
    """The sightings of ``.github/workflows``."""
    found = Found()
    directory = folder / ".github" / "workflows"
    names = [name for name in textfile.names_in(directory) if name.endswith((".yml", ".yaml"))]
    for name in names[:_MAX_FILES]:
        _workflow(directory / name, places, found)
    return found


def _workflow(path: Path, places: Places, found: Found) -> None:
    try:
        source = textfile.read(path)
        if "env:" not in source.text:
            return
        document = parse_yaml(source.text)
    except (textfile.Unreadable, Malformed):
        return  # GitHub says so itself, and no program here reads it
    shown = places.shown(str(path))
    for where, node in walk(document.data):
        if not where or where[-1] != "env" or not isinstance(node, Mapping):
            continue
        for name, value in node.items():
            if not isinstance(name, str) or not isinstance(value, str) or "${{" in value:
                continue
            meaning = understood(name)
            if meaning is None or not (meaning.provider or speaks_of_models(meaning.prefix)):
                continue
            line = document.line((*where, name))
            dotted = visible(".".join(str(part) for part in (*where, name)))
            origin = Origin(OriginKind.FILE, dotted, shown, line, places.in_project(str(path)))
            secret = meaning.role is Role.KEY or looks_like_key(value)
            held: str | Secret = Secret(str(value)) if secret else str(value)
            found.sightings.append(
                Sighting(meaning.role, name, held, origin, held, meaning.provider)
            )
            if secret and is_real_secret(value):
                found.key_places.append(KeyPlace(str(path), shown, line, name))
