"""Targets in the making: found in one source each, before equal ones are put together."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any

from doctor.connection import Connection, Origin, Setting
from doctor.facts.settings import Sighting
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.target import Target


@dataclass(frozen=True, slots=True)
class Candidate:
    """A target that one source suggests.

    ``aliases`` are further names under which the user may ask for it; ``origins`` are places that
    it uses besides those of its settings (the variable's name in ``api_key_env``). ``engine`` leads
    to the engine behind it, ``launch`` is the file that starts it. ``elsewhere`` says of a client
    whose user named it that it goes where nothing is examined.
    """

    id: str
    label: str
    connection: Connection
    kind: str = "gateway"
    named: bool = False
    aliases: frozenset[str] = frozenset()
    origins: frozenset[Origin] = frozenset()
    engine: Connection | None = None
    launch: str | None = None
    elsewhere: str = ""

    @property
    def names(self) -> frozenset[str]:
        return self.aliases | {self.id}

    def uses(self, sighting: Sighting) -> bool:
        """Whether the value seen there is one that this target uses."""
        return sighting.origin in self.origins or any(
            setting.origin == sighting.origin and _same_value(setting.value, sighting.value)
            for setting in _settings(self.connection)
        )

    def target(self) -> Target:
        return Target(
            self.id,
            self.label,
            self.kind,
            self.connection,
            self.named,
            self.engine,
            self.launch,
        )


def _settings(connection: Connection) -> Iterable[Setting[Any]]:
    for field in dataclasses.fields(connection):
        value = getattr(connection, field.name)
        if isinstance(value, Setting):
            yield value


def _same_value(used: object, seen: str | Secret) -> bool:
    # The same line may have been read by another program's rules.
    return used == seen if isinstance(used, str | Secret) else True


def slug(text: str) -> str:
    """``text`` as an id: lower-case letters, digits, dots and hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.") or "target"


def merged(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """One candidate per connection, the first found, and ids that differ.

    Two are the same connection if client, protocol, base, key and header are equal and they do
    not ask for different models; what the first leaves open the other fills in.
    """
    kept: list[Candidate] = []
    for candidate in candidates:
        index = next((i for i, known in enumerate(kept) if _same(known, candidate)), None)
        if index is None:
            kept.append(candidate)
        else:
            kept[index] = _joined(kept[index], candidate)
    taken: set[str] = set()
    out: list[Candidate] = []
    for candidate in kept:
        unique, number = candidate.id, 2
        while unique in taken:
            unique, number = f"{candidate.id}-{number}", number + 1
        taken.add(unique)
        out.append(dataclasses.replace(candidate, id=unique))
    return tuple(out)


def _same(one: Candidate, other: Candidate) -> bool:
    a, b = one.connection, other.connection
    return (
        (a.client, a.protocol, a.base_url.value, a.auth.value, a.proxy.value)
        == (b.client, b.protocol, b.base_url.value, b.auth.value, b.proxy.value)
        and _value(a.key) == _value(b.key)
        and (a.model is None or b.model is None or a.model.value == b.model.value)
        and not _two_empty_bases(a, b)
    )


def _two_empty_bases(a: Connection, b: Connection) -> bool:
    """Two providers of one file whose addresses were left open have nothing else in common."""
    one, other = a.base_url.origin, b.base_url.origin
    return not a.base_url.value and one.path == other.path and one != other


def _value(setting: Setting[Any] | None) -> object:
    return None if setting is None else setting.value


def _joined(first: Candidate, other: Candidate) -> Candidate:
    a, b = first.connection, other.connection
    if a.base_url.origin.project and not b.base_url.origin.project:
        # What a project file says as well is still the user's own choice.
        a = dataclasses.replace(a, base_url=b.base_url, proxy=b.proxy, ca_bundle=b.ca_bundle)
    bundle = a.ca_bundle
    if bundle is None and (a.base_url.origin.project or not _of_project(b.ca_bundle)):
        bundle = b.ca_bundle
    connection = dataclasses.replace(
        a,
        model=a.model or b.model,
        max_tokens=a.max_tokens or b.max_tokens,
        ca_bundle=bundle,
    )
    return dataclasses.replace(
        first,
        connection=connection,
        named=first.named or other.named,
        aliases=first.aliases | other.names,
        origins=first.origins | other.origins | {setting.origin for setting in _settings(b)},
        engine=first.engine or other.engine,
        launch=first.launch or other.launch,
    )


def _of_project(setting: Setting[str] | None) -> bool:
    return setting is not None and setting.origin.project


def with_effect(
    sightings: Iterable[Sighting], candidates: tuple[Candidate, ...]
) -> tuple[Sighting, ...]:
    """The sightings, each with the ids of the targets that use it."""
    return tuple(
        dataclasses.replace(
            sighting,
            in_effect_for=tuple(c.id for c in candidates if c.uses(sighting)),
        )
        for sighting in sightings
    )
