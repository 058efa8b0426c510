"""Values of a client's variables, from its env files and the shell, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from doctor.clients.files import Files
from doctor.connection import Origin, OriginKind, Setting, Shadowed
from doctor.facts.settings import Role
from doctor.secrets import Secret
from doctor.settings.found import KeyPlace
from doctor.settings.names import is_real_secret
from doctor.settings.variables import Layer, Space

# What decides on the way to the server.
_WAY = (
    *("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"),
    *("NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"),
)


def without_empty(layer: Layer) -> Layer:
    """The layer for a program to which an empty variable is none."""
    return Layer({name: held for name, held in layer.held.items() if held.value})


def texts(space: Space, *names: str) -> tuple[Shadowed[str], ...]:
    """The value of the first of ``names`` that holds one, then all behind it.

    An empty variable hides those of its own name in the layers below.
    """
    return tuple(_texts(space, names))


def _texts(space: Space, names: tuple[str, ...]) -> Iterator[Shadowed[str]]:
    for name in names:
        every = space.all(name)
        if every and every[0].value:
            yield from (Shadowed(held.value, held.origin) for held in every if held.value)


def secrets(space: Space, *names: str) -> tuple[Shadowed[Secret], ...]:
    """As ``texts``, for keys."""
    return tuple(Shadowed(Secret(text.value), text.origin) for text in texts(space, *names))


def way_of(space: Space) -> dict[str, Setting[str]]:
    """The variables in effect that the program's own files set for the way to the server."""
    found = {}
    for name in _WAY:
        held = space.get(name)
        if held is not None and held.origin.kind is OriginKind.FILE:
            found[name] = Setting(held.value, held.origin)
    return found


def see(files: Files, role: Role, layer: Layer | None, path: Path, *names: str) -> None:
    """Note what an env file says under ``names``; a key also as one that the file holds."""
    for name in names:
        held = None if layer is None else layer.held.get(name)
        if held is None or not held.value or held.origin.path is None:
            continue
        if role is not Role.KEY:
            files.see(None, role, Shadowed(held.value, held.origin))
            continue
        files.see(None, role, Shadowed(Secret(held.value), held.origin))
        if is_real_secret(held.value):
            place = KeyPlace(str(path), held.origin.path, held.origin.line, name)
            files.found.key_places.append(place)


def is_own(origin: Origin, folder: str) -> bool:
    """Whether the value stands in a file of the program's own ``folder`` (".qwen")."""
    path = origin.path
    return path is not None and folder in path.replace("\\", "/").split("/")
