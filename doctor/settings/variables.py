"""Variables as a program finds them: sources one over another, each value with its origin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, TypeVar

from doctor.connection import Origin, OriginKind, Setting, Shadowed
from doctor.facts.settings import EnvReader
from doctor.records import dataclass
from doctor.settings.borrowed import true_origin

if TYPE_CHECKING:
    from doctor.settings.envfile import ReadEnvFile
    from doctor.settings.envreaders import Reading

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Held:
    """A variable in one source. ``raw`` is its text in the file, "" where there is no file."""

    name: str
    value: str
    origin: Origin
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Layer:
    """One source. ``lost`` are assignments that a later one of the same source replaced."""

    held: Mapping[str, Held]
    lost: tuple[Held, ...] = ()

    def __iter__(self) -> Iterator[Held]:
        yield from self.held.values()
        yield from self.lost


@dataclass(frozen=True, slots=True)
class Space:
    """Layers, the one that wins first. ``in_container`` says where a program sees them.

    ``suffix`` tells targets of this space from those of another ("api" for a compose service);
    ``label`` is what people call it. ``needs_address`` says that a key alone makes no target: an
    image may use it for anything. ``own_ports`` are those on which something in the container
    itself listens, as far as its file tells; None where others share its network. ``image`` is
    what it is made of.
    """

    layers: tuple[Layer, ...]
    suffix: str = ""
    label: str = ""
    in_container: bool = False
    needs_address: bool = False
    own_ports: frozenset[int] | None = frozenset()
    image: str = ""
    _names: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = frozenset(name for layer in self.layers for name in layer.held)
        object.__setattr__(self, "_names", names)

    @property
    def names(self) -> frozenset[str]:
        return self._names

    def __iter__(self) -> Iterator[Held]:
        for layer in self.layers:
            yield from layer

    def get(self, name: str) -> Held | None:
        """The value in effect."""
        return next((layer.held[name] for layer in self.layers if name in layer.held), None)

    def all(self, name: str) -> tuple[Held, ...]:
        """The value in effect and those that it shadows, nearest first."""
        found: list[Held] = []
        for layer in self.layers:
            if name in layer.held:
                found.append(layer.held[name])
            found.extend(held for held in reversed(layer.lost) if held.name == name)
        return tuple(found)

    def setting(
        self,
        names: Iterable[str],
        convert: Callable[[str], T],
        *,
        empty_counts: bool = False,
    ) -> Setting[T] | None:
        """The first of ``names`` that is set, shadowing everything behind it.

        A variable that is set to nothing wins only where ``empty_counts``. Values that
        ``convert`` rejects with ``ValueError`` are passed over.
        """
        found: list[Shadowed[T]] = []
        for held in (held for name in dict.fromkeys(names) for held in self.all(name)):
            if held.value or empty_counts:
                try:
                    found.append(Shadowed(convert(held.value), held.origin))
                except ValueError:
                    continue
        if not found:
            return None
        return Setting(found[0].value, found[0].origin, tuple(found[1:]))

    def values(self) -> dict[str, str]:
        """Name → value in effect, as a process would have it."""
        return {name: held.value for name in self._names if (held := self.get(name)) is not None}


def environment_layer(variables: Mapping[str, str]) -> Layer:
    """The process environment."""
    return Layer(
        {
            name: Held(name, value, Origin(OriginKind.ENVIRONMENT, name))
            for name, value in variables.items()
        }
    )


def file_layer(read: ReadEnvFile, reader: EnvReader) -> Layer:
    """An env file by the rules of ``reader``. What it borrows from the environment keeps the
    environment's origin; what weaves in a secret from there is left out."""
    raws = {line.number: line.raw for line in read.file.lines}
    own = _by_place(read.own[reader])
    safe = _by_place(read.without_secrets[reader])
    winners: dict[str, Held] = {}
    lost: list[Held] = []
    for assignment in read.readings[reader].assignments:
        place = (assignment.line, assignment.name)
        origin = true_origin(
            Origin(
                OriginKind.FILE,
                assignment.name,
                path=read.file.path,
                line=assignment.line,
                project=read.file.project,
            ),
            assignment.name,
            assignment.value,
            own=own.get(place),
            without_secrets=safe.get(place),
            environment=read.environment,
        )
        if origin is None:
            continue
        if assignment.name in winners:
            lost.append(winners[assignment.name])
        raw = raws.get(assignment.line, "")
        text = raw if isinstance(raw, str) else raw.reveal()
        winners[assignment.name] = Held(assignment.name, assignment.value, origin, text)
    return Layer(winners, tuple(lost))


def _by_place(reading: Reading) -> dict[tuple[int, str], str]:
    return {(known.line, known.name): known.value for known in reading.assignments}
