"""The path of a request as the cells of a diagram, for any width."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from doctor.models import Hop, HopStatus, PathHop
from doctor.render.hopnames import HOP_NAMES
from doctor.render.words import milliseconds
from doctor.text import Text, _
from doctor.tui import signs
from doctor.tui.saying import said

NAMES = HOP_NAMES
SHORT = {**NAMES, Hop.CONFIGURATION: _("config")}


@dataclass(frozen=True, slots=True)
class Cell:
    """One hop. ``states`` are texts for its state, the longest first; ``first`` marks the first
    broken one. ``joined`` says that the state is the one of the cell before and need not be told
    again, ``behind`` that an earlier hop is broken."""

    hop: Hop
    status: HopStatus | None
    states: tuple[str, ...]
    first: bool
    joined: bool
    behind: bool

    @property
    def style(self) -> str:
        if self.status is None:
            return signs.QUIET
        if self.status is HopStatus.UNKNOWN and self.behind:
            # What was not reached is no news of its own.
            return signs.QUIET
        return signs.HOPS[self.status].style


def cells(
    path: Sequence[PathHop | None], examining: bool, say: Callable[[str], str] = str
) -> tuple[Cell, ...]:
    """The nine hops; None is one that nobody has looked at yet. ``say`` makes texts those of the
    reader's language, whose columns then count."""
    made: list[Cell] = []
    broken = False
    for hop, seen in zip(Hop, path, strict=True):
        status = None if seen is None else seen.status
        first = status is HopStatus.BROKEN and not broken
        broken |= first
        states = _states(seen, examining, say)
        before = made[-1] if made else None
        quiet = status in (None, HopStatus.UNKNOWN)
        joined = quiet and before is not None and (before.status, before.states) == (status, states)
        made.append(Cell(hop, status, states, first, joined, broken and not first))
    return tuple(made)


def _states(hop: PathHop | None, examining: bool, say: Callable[[str], str]) -> tuple[str, ...]:
    """From all there is to say down to the bare symbol, in ``_SHORTEST`` + 1 steps."""
    if hop is None:
        sign = signs.RUNNING if examining else signs.WAITING
        return (*(f"{sign.symbol} {say(sign.word)}",) * _SHORTEST, sign.symbol)
    sign = signs.HOPS[hop.status]
    word, detail = f"{sign.symbol} {say(sign.word)}", say(hop.detail)
    match hop.status:
        case HopStatus.OK if hop.ms is not None:
            time = milliseconds(hop.ms)
            texts = (f"{word} {time}", f"{sign.symbol} {time}", word)
        case HopStatus.BROKEN if hop.hop is Hop.CONFIGURATION:
            texts = (f"{sign.symbol} {detail}", word, word)
        case HopStatus.SKIPPED | HopStatus.UNKNOWN:
            short = f"{sign.symbol} {say(_SHORT_WORDS[hop.status])}"
            tells = 0 < cell_len(detail) <= _SHORT_DETAIL
            texts = (f"{sign.symbol} {detail}" if tells else word, word, short)
        case _:
            texts = (word, word, word)
    return (*texts, sign.symbol)


_SHORT_WORDS = {HopStatus.SKIPPED: _("n/a"), HopStatus.UNKNOWN: _("unseen")}


def stops_at(path: Sequence[PathHop | None]) -> tuple[Text, ...]:
    """The sentence under the first broken hop, the longest form first; empty while none is."""
    broken = [hop for hop in path if hop is not None and hop.status is HopStatus.BROKEN]
    if not broken:
        return ()
    first = broken[0]
    if first.hop is not Hop.CONFIGURATION:
        return _stop(first)
    faults = first.detail
    if len(broken) == 1:
        return (_("{faults} in the configuration", faults=faults),)
    stops = _stop(broken[1])
    return (
        _("{faults} in the configuration; {stops}", faults=faults, stops=stops[0]),
        *(_("{faults}; {stops}", faults=faults, stops=stop) for stop in stops),
    )


def _stop(hop: PathHop) -> tuple[Text, ...]:
    name, detail = NAMES[hop.hop], said(hop.detail)
    long = _("the request stops at {hop}: {detail}", hop=name, detail=detail)
    return (
        long,
        _("stops at {hop}: {detail}", hop=name, detail=detail),
        _("stops at {hop}", hop=name),
    )


@dataclass(frozen=True, slots=True)
class Placed:
    """A cell with the text of its state and the columns it takes."""

    cell: Cell
    name: str
    state: str
    width: int


# Between two names at least " ━ ", between two states at least a blank.
_NAME_GAP = 3
_STATE_GAP = 1
_WIDEST_STRETCH = 7
_SHORTEST = 3
_SHORT_DETAIL = 16
_FIRST_HALF = 5


def lay_out(
    made: Sequence[Cell], width: int, names: Mapping[Hop, str], short: Mapping[Hop, str]
) -> list[list[Placed]]:
    """Rows of cells that fit ``width`` columns, as many words as there is room for: one row, or
    two on a narrow screen.

    ``names`` and ``short`` are in the reader's language.
    """
    for kind in (names, short):
        row = _fitted(made, width, kind)
        # A longer name is worth less than a state in words.
        if row is not None and (kind is short or all(_telling(placed) for placed in row)):
            return [_spread(row, width)]
    parts = (made[:_FIRST_HALF], made[_FIRST_HALF:])
    return [
        _spread(_fitted(part, width, short) or _row(part, [_SHORTEST] * len(part), short), width)
        for part in parts
    ]


def _fitted(made: Sequence[Cell], width: int, names: Mapping[Hop, str]) -> list[Placed] | None:
    """The row with the longest states that fit; what matters most gets its words first."""
    levels = [_SHORTEST] * len(made)
    if _width(_row(made, levels, names)) > width:
        return None
    for wanted in reversed(range(_SHORTEST)):
        for index in sorted(range(len(made)), key=lambda i: _importance(made[i])):
            tried = [*levels]
            tried[index] = min(tried[index], wanted)
            if _width(_row(made, tried, names)) <= width:
                levels = tried
    return _row(made, levels, names)


def _telling(placed: Placed) -> bool:
    return placed.cell.joined or len(placed.state) > 1


def _importance(cell: Cell) -> int:
    if cell.status is HopStatus.BROKEN:
        return 0 if cell.first else 1
    return 3 if cell.joined else 2


def _width(row: Sequence[Placed]) -> int:
    return sum(placed.width for placed in row)


def _row(made: Sequence[Cell], levels: Sequence[int], names: Mapping[Hop, str]) -> list[Placed]:
    row: list[Placed] = []
    for index, cell in enumerate(made):
        last = index + 1 == len(made)
        # The second row of a narrow screen begins anew.
        joined = cell.joined and index > 0
        state = "" if joined else cell.states[min(levels[index], len(cell.states) - 1)]
        name = names[cell.hop]
        # A state that the next cells share may run on under them.
        alone = last or not made[index + 1].joined
        state_width = cell_len(state) + (0 if last else _STATE_GAP) if alone else 0
        name_width = cell_len(name) + (0 if last else _NAME_GAP)
        row.append(Placed(cell, name, state, max(name_width, state_width)))
    return row


def _spread(row: list[Placed], width: int) -> list[Placed]:
    """Give the columns that are left to the gaps, evenly; the last cell gets none."""
    gaps = max(1, len(row) - 1)
    each = min(max(0, width - _width(row)) // gaps, _WIDEST_STRETCH)
    return [replace(p, width=p.width + each) for p in row[:-1]] + row[-1:]
