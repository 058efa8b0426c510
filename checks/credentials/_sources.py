"""Which sources hold a key: the one in effect, and those that it shadows."""

from __future__ import annotations

from typing import TypeVar

from doctor.connection import Connection, Origin, OriginKind, Setting, Shadowed
from doctor.secrets import Secret
from doctor.settings.building import host_of
from doctor.settings.providers import provider_for_host, providers_for_key_shape

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
    """A real key that lost, and that stands in the same file as the base URL in effect; where
    nobody set one, under the same variable as the key that won.

    Only such a key is known to be meant for that host; another one must not be sent there
    (DESIGN §6.1).
    """
    if connection.key is None:
        return None
    now = body(connection.key.value.reveal())
    for held in configured(connection.key)[1:]:
        text = body(held.value.reveal())
        if text == now or not _is_meant(connection, held):
            continue
        if text and text.isascii() and not is_placeholder(text) and not stands_for_no_key(text):
            return held
    return None


def is_at_its_vendor(connection: Connection) -> bool:
    """Whether no source says an address, so that the key goes to its client's own vendor."""
    own = (OriginKind.DEFAULT, OriginKind.PROVIDER)
    return all(held.origin.kind in own for held in configured(connection.base_url))


def _is_meant(connection: Connection, held: Shadowed[Secret]) -> bool:
    """Whether the key was set for the server in effect."""
    base = origin_of(connection.base_url)
    if base.path is not None:
        return held.origin.path == base.path
    if connection.key is None or not is_at_its_vendor(connection):
        return False
    if held.origin.name.rpartition(".")[2] != origin_of(connection.key).name.rpartition(".")[2]:
        return False
    owners = {owner.id for owner in providers_for_key_shape(held.value.reveal())}
    place = host_of(connection.base_url.value)
    here = None if place is None else provider_for_host(place[1])
    return not owners or (here is not None and here.id in owners)
