"""A log in parts that are analysed apart, each with a warm-up before it.

What a cache holds follows from the requests that came last, until they have filled it: whatever
came before has been given away. So a part that begins with as much log as fills the cache, played
but not counted, counts what a single run over the whole log counts there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from doctor.prefix.player import Engine
from doctor.prefix.stream import Line, lines, packed

SIZE = 512 * 1024 * 1024  # bytes of a part
# Much of a log hits, and what hits fills nothing: so many times the cache's own size is read.
_WARM = 16


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of a file: lines that begin at ``start`` or behind, and before ``end`` (None: all of
    it, which is the only way to read a compressed one)."""

    path: str
    start: int = 0
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """``warm`` is played before, and not counted. ``number`` is its place in the log."""

    number: int
    warm: tuple[Piece, ...]
    counted: tuple[Piece, ...]


def segments(
    paths: Sequence[str], engine: Engine, size: int = SIZE, warm: int | None = None
) -> list[Segment]:
    """The parts of a log that goes on from file to file; ``warm`` are the bytes before each, None:
    as many as usually fill the cache. Raises ``OSError``."""
    pieces = [piece for path in paths for piece in _pieces(path, size)]
    wanted = engine.capacity * engine.unit * _WARM if warm is None else warm
    return [
        Segment(number, tuple(_before(pieces[:number], wanted)), (piece,))
        for number, piece in enumerate(pieces)
    ]


def _pieces(path: str, size: int) -> Iterator[Piece]:
    if packed(path):
        yield Piece(path)
        return
    whole = Path(path).stat().st_size
    parts = max(-(-whole // size), 1)
    step = -(-whole // parts)
    for start in range(0, max(whole, 1), max(step, 1)):
        yield Piece(path, start, min(start + step, whole))


def _before(pieces: Sequence[Piece], wanted: int) -> list[Piece]:
    """The end of ``pieces``, of ``wanted`` bytes; of a compressed file all."""
    found: list[Piece] = []
    for piece in reversed(pieces):
        if wanted <= 0:
            break
        if piece.end is None:
            found.append(piece)
            wanted -= Path(piece.path).stat().st_size
            continue
        start = max(piece.start, piece.end - wanted)
        found.append(Piece(piece.path, start, piece.end))
        wanted -= piece.end - start
    return found[::-1]


def lines_of(pieces: Iterable[Piece]) -> Iterator[Line]:
    """Their lines. Numbers count from the beginning of the piece. Raises ``OSError``."""
    for piece in pieces:
        if piece.end is None:
            yield from lines([piece.path])
        else:
            yield from _within(piece, piece.end)


def _within(piece: Piece, end: int) -> Iterator[Line]:
    with Path(piece.path).open("rb") as file:
        if piece.start:
            # A line belongs to the piece in which it begins.
            file.seek(piece.start - 1)
            file.readline()
        number = 0
        while file.tell() < end and (data := file.readline()):
            number += 1
            if not data.isspace():
                yield Line(piece.path, number, data)
