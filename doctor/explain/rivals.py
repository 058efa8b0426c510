"""Keys of this machine that stand under one variable's name and differ: which of them a refusal
speaks of, by what it shows of it.

OpenAI's and its likes' refusals show a key's beginning and end, DeepSeek's the end alone:
``Incorrect API key provided: sk-proj-****…WXYZ``. The net for secrets leaves as much of one that
is quoted whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from doctor.facts.settings import Role, Sighting
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.names import is_real_secret

# Names of variables alone: each provider in a client's file may have a key of its own.
_VARIABLE = Pattern(r"[A-Z][A-Z0-9_]*_(?:KEY|TOKEN)")
_SHOWN = Pattern(r"(?P<head>[\w-]*)(?:\*{2,}|…|\.{3,})(?P<tail>[\w-]{4,})(?![\w*…-])")


@dataclass(frozen=True, slots=True)
class Held:
    """A key and where it stands."""

    name: str
    key: Secret
    place: str

    def is_shown_as(self, head: str, tail: str) -> bool:
        text = self.key.reveal().strip()
        return text.startswith(head) and text.endswith(tail)


@dataclass(frozen=True, slots=True)
class Pair:
    """``refused``: where the key stands that was refused; ``other``: where another one does."""

    refused: str
    other: str


class Rivals(str):
    """A place as any other where a check found the fault; empty where only a refusal can tell."""

    __slots__ = ("keys",)
    keys: tuple[Held, ...]

    def __new__(cls, place: str, keys: tuple[Held, ...]) -> Rivals:
        made = super().__new__(cls, place)
        made.keys = keys
        return made

    def refused_in(self, text: str) -> Pair | None:
        """The place of the only key that ``text`` shows as refused, and that of its namesake."""
        for match in _SHOWN.finditer(text):
            meant = [held for held in self.keys if held.is_shown_as(match["head"], match["tail"])]
            if len({held.key for held in meant}) != 1:
                continue
            refused = meant[0]
            for held in self.keys:
                if held.name == refused.name and held.key != refused.key:
                    return Pair(refused.place, held.place)
        return None


def rivals_in(sightings: Iterable[Sighting]) -> tuple[Held, ...]:
    """The real keys under names that have several."""
    by_name: dict[str, list[Held]] = {}
    for held in _keys(sightings):
        by_name.setdefault(held.name, []).append(held)
    several = (all_ for all_ in by_name.values() if len({held.key for held in all_}) > 1)
    return tuple(held for all_ in several for held in all_)


def _keys(sightings: Iterable[Sighting]) -> Iterator[Held]:
    for one in sightings:
        name = one.name.rpartition(".")[2]
        if one.role is not Role.KEY or not isinstance(one.value, Secret):
            continue
        if _VARIABLE.fullmatch(name) is None or not is_real_secret(one.value.reveal()):
            continue
        yield Held(name, Secret(one.value.reveal().strip()), str(one.origin))
