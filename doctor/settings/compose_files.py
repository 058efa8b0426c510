"""Services of a compose file: the variables that each sees inside its container.

``environment:`` beats ``env_file:``; both are filled in from the shell and from the ``.env``
beside the compose file, by compose's own rules. An address there is meant inside the container:
the name of another service cannot be reached from here, and localhost is the container itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from doctor.connection import Origin, OriginKind
from doctor.facts.settings import Role, SourceProblem
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings import textfile
from doctor.settings.borrowed import true_origin
from doctor.settings.candidates import slug
from doctor.settings.documents import Document, Malformed, parse_yaml
from doctor.settings.envreaders.compose import substituted
from doctor.settings.found import Found, KeyPlace
from doctor.settings.names import is_real_secret, looks_like_key, understood
from doctor.settings.places import Places
from doctor.settings.variables import Held, Layer, Space
from doctor.untrusted import visible

# No more ports of one range are looked at.
_WIDEST = 1_000
_NUMBERS = Pattern(r"(?<!\d)\d{2,5}(?!\d)")
# The first that exists is the one that compose takes; its override is laid over it.
_NAMES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_OVERRIDES = (
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yaml",
    "docker-compose.override.yml",
)


@dataclass(frozen=True, slots=True)
class Outer:
    """What ``${NAME}`` in a compose file refers to: ``whole`` is the shell over the ``.env``
    beside the file, ``own`` that file alone, ``without_secrets`` both without the shell's secrets.
    """

    shell: Mapping[str, str]
    whole: Mapping[str, str]
    own: Mapping[str, str]
    without_secrets: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Service:
    """One service. ``env_files`` are absolute, the one that wins last; ``space`` holds its
    ``environment:`` alone. ``on_host`` says that it uses the host's network, ``own_ports`` are
    those that it listens on itself, None where other services share its network."""

    name: str
    file: str
    environment: Layer
    env_files: tuple[Path, ...]
    on_host: bool = False
    own_ports: frozenset[int] | None = frozenset()
    image: str = ""

    def space(self, env_layers: Sequence[Layer]) -> Space:
        """What its process sees; ``env_layers`` are its env files, the one that wins first."""
        return Space(
            (self.environment, *env_layers),
            suffix=slug(f"compose-{self.name}"),
            label=visible(f"{self.file} ({self.name})"),
            in_container=not self.on_host,
            needs_address=True,
            own_ports=self.own_ports,
            image=self.image,
        )


def services(folder: Path, places: Places, outer: Outer, found: Found) -> list[Service]:
    """The services of the compose files in ``folder``; what does not parse is a problem.

    ``outer`` is what ``${NAME}`` in the file refers to.
    """
    paths = [
        next((folder / n for n in names if os.path.isfile(folder / n)), None)
        for names in (_NAMES, _OVERRIDES)
    ]
    merged: dict[str, Service] = {}
    for path in paths:
        if path is None:
            continue
        for service in _services(path, places, outer, found):
            earlier = merged.get(service.name)
            merged[service.name] = service if earlier is None else _over(service, earlier)
    return list(merged.values())


def _over(service: Service, earlier: Service) -> Service:
    held = {**earlier.environment.held, **service.environment.held}
    return Service(
        service.name,
        earlier.file,
        Layer(held),
        (*earlier.env_files, *service.env_files),
        service.on_host or earlier.on_host,
        None
        if service.own_ports is None or earlier.own_ports is None
        else service.own_ports | earlier.own_ports,
        service.image or earlier.image,
    )


def _services(path: Path, places: Places, outer: Outer, found: Found) -> Iterator[Service]:
    shown = places.shown(str(path))
    try:
        source = textfile.read(path)
        if "environment" not in source.text and "env_file" not in source.text:
            return
        document = parse_yaml(source.text)
    except textfile.Unreadable as unreadable:
        found.problems.append(SourceProblem(shown, None, str(unreadable)))
        return
    except Malformed as malformed:
        found.problems.append(SourceProblem(shown, malformed.line, malformed.message))
        return
    data = document.data
    tables = data.get("services") if isinstance(data, Mapping) else None
    if not isinstance(tables, Mapping):
        return
    project = places.in_project(str(path))
    shared = _shared(tables)
    for name, table in tables.items():
        if isinstance(name, str) and isinstance(table, Mapping):
            reader = _ServiceReader(document, ("services", name), shown, project, outer)
            environment = reader.environment(table.get("environment"))
            found.key_places += _written_keys(environment, path, shown)
            network = str(table.get("network_mode", ""))
            if network.startswith(("service:", "container:")):
                # Its localhost is the other container, which cannot be asked from here.
                continue
            env_files = tuple(_env_files(path.parent, table, outer.whole))
            own = None if name in shared else frozenset(_own_ports(table))
            image = _filled(str(table.get("image") or ""), outer.whole) or ""
            yield Service(name, shown, environment, env_files, network == "host", own, image)


def _shared(tables: Mapping[Any, Any]) -> frozenset[str]:
    """The services whose network others have joined."""
    modes = (table.get("network_mode") for table in tables.values() if isinstance(table, Mapping))
    joined = (str(mode).partition("service:") for mode in modes)
    return frozenset(name for before, _colon, name in joined if not before and name)


def _own_ports(table: Mapping[Any, Any]) -> Iterator[int]:
    """The container's side of what it publishes, and the numbers of its command."""
    for key in ("ports", "expose"):
        entries = table.get(key)
        for entry in entries if isinstance(entries, list) else ():
            inner = entry.get("target") if isinstance(entry, Mapping) else entry
            inner = str(inner).partition("/")[0].rpartition(":")[2]
            first, _dash, last = inner.partition("-")
            if first.isdigit() and (last or first).isdigit():
                yield from range(int(first), min(int(last or first), int(first) + _WIDEST) + 1)
    for key in ("command", "entrypoint", "healthcheck"):
        yield from map(int, _NUMBERS.findall(str(table.get(key, ""))))


def _written_keys(environment: Layer, path: Path, shown: str) -> Iterator[KeyPlace]:
    """Keys that stand in the compose file itself."""
    for held in environment.held.values():
        meaning = understood(held.name)
        is_key = meaning is not None and meaning.role is Role.KEY
        written = "$" not in held.raw and (is_key or looks_like_key(held.raw))
        if written and is_real_secret(held.raw):
            yield KeyPlace(str(path), shown, held.origin.line, held.name)


@dataclass(frozen=True, slots=True)
class _ServiceReader:
    document: Document
    path: tuple[str, ...]
    shown: str
    project: bool
    outer: Outer

    def environment(self, value: Any) -> Layer:
        """``environment:`` as a mapping or as a list of ``NAME=value``."""
        held: dict[str, Held] = {}
        for key, name, text in _pairs(value):
            line = self.document.line((*self.path, "environment", key))
            filled, own, safe = (
                known.get(name) if text is None else _filled(text, known)
                for known in (self.outer.whole, self.outer.own, self.outer.without_secrets)
            )
            if filled is not None:
                dotted = visible(".".join((*self.path, "environment", name)))
                origin = true_origin(
                    Origin(OriginKind.FILE, dotted, self.shown, line, self.project),
                    name,
                    filled,
                    own=own,
                    without_secrets=safe,
                    environment=self.outer.shell,
                )
                if origin is not None:
                    held[name] = Held(name, filled, origin, text or "")
        return Layer(held)


def _pairs(value: Any) -> Iterator[tuple[str | int, str, str | None]]:
    if isinstance(value, Mapping):
        for name, text in value.items():
            yield name, str(name), None if text is None else _plain(text)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, entry in enumerate(value):
            name, equals, text = str(entry).partition("=")
            yield index, name, text if equals else None


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _filled(text: str, outer: Mapping[str, str]) -> str | None:
    try:
        return substituted(text, outer)
    except ValueError:
        return None  # compose itself refuses the file; what it would be is unknown


def _env_files(folder: Path, table: Mapping[Any, Any], outer: Mapping[str, str]) -> Iterator[Path]:
    value = table.get("env_file")
    entries = [value] if isinstance(value, str | Mapping) else value
    if not isinstance(entries, Sequence):
        return
    for entry in entries:
        name = entry.get("path") if isinstance(entry, Mapping) else entry
        if isinstance(name, str) and (filled := _filled(name, outer)):
            yield folder / filled
