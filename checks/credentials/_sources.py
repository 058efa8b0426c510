"""Which sources hold a key: the one in effect, and those that it shadows."""

from __future__ import annotations

from typing import TypeVar

from doctor.connection import Connection, Origin, OriginKind, Setting, Shadowed
from doctor.secrets import Secret

from ._key_text import body
from ._placeholder import is_placeholder, stands_for_no_key

T = TypeVar("T")


def configured(setting: Setting[T]) -> tuple[Shadowed[T], ...]:
    """The values that sources hold, the winning one first; candidate repairs left out."""
    every = (Shadowed(setting.value, setting.origin), *setting.shadows)
    return tuple(held for held in every if held.origin.kind is not OriginKind.CHANGE)


def origin_of(setting: Setting[T]) -> Origin:
    """Where the setting was read, also where a candidate repair stands in its place."""
    held = configured(setting)
    return held[0].origin if held else setting.origin


def key_beside_base_url(connection: Connection) -> Shadowed[Secret] | None:
    """A real key that lost, and that stands in the same file as the base URL in effect.

    Only such a key is known to be meant for that host; another one must not be sent there
    (DESIGN §6.1).
    """
    if connection.key is None:
        return None
    base = origin_of(connection.base_url)
    now = body(connection.key.value.reveal())
    for held in configured(connection.key)[1:]:
        text = body(held.value.reveal())
        if base.path is None or held.origin.path != base.path or text == now:
            continue
        if text and text.isascii() and not is_placeholder(text) and not stands_for_no_key(text):
            return held
    return None
