"""The analysis of a log in parts: one part at a time anywhere, then all added up.

Nothing in here knows who runs the parts: ``doctor.prefix.onray`` is one way. All of them must hash
alike (PYTHONHASHSEED), since values are told apart by their hashes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from doctor.prefix.analyse import Analyser, Tokens
from doctor.prefix.causes import Cause, Causes
from doctor.prefix.marked import Marks
from doctor.prefix.player import Engine, Totals
from doctor.prefix.result import Analysis, Unread
from doctor.prefix.segments import Segment, lines_of


@dataclass(frozen=True, slots=True)
class Job:
    """What every part is analysed with."""

    engine: Engine
    field_path: str | None = None
    tokenizer: str | None = None


@dataclass(slots=True)
class Part:
    """``missing`` are the blocks that the warm-up left the cache short of: so many hits at most
    were not counted here."""

    number: int
    analysis: Analysis
    missing: int


@dataclass(slots=True)
class Whole:
    """``short`` is by how many blocks the hits may be too few, 0 where they are exact."""

    analysis: Analysis
    short: int
    parts: int = 0


def analyse_segment(segment: Segment, job: Job) -> Part:
    """Play the warm-up, then count. Raises ``OSError`` and ``NoTokenizer``."""
    analyser = Analyser(job.engine, field_path=job.field_path, tokens=_tokens(job.tokenizer))
    analyser.lines(lines_of(segment.warm))
    analyser.count_from_here()
    missing = analyser.player.missing if segment.number else 0
    analyser.lines(lines_of(segment.counted))
    return Part(segment.number, analyser.finish(), missing)


def _tokens(folder: str | None) -> Tokens | None:
    if folder is None:
        return None
    from doctor.prefix.tokens import LocalTokens

    return LocalTokens(Path(folder))


@dataclass(slots=True)
class _Sums:
    totals: Totals = field(default_factory=Totals)
    causes: Causes = field(default_factory=Causes)
    lineages: set[int] = field(default_factory=set)
    unread: Unread = field(default_factory=Unread)
    marks: Marks = field(default_factory=Marks)


def merged(parts: Iterable[Part], engine: Engine) -> Whole:
    """All parts as one analysis. The same change in several parts is one cause."""
    sums = _Sums()
    ordered = sorted(parts, key=lambda part: part.number)
    analyses = [part.analysis for part in ordered]
    for analysis in analyses:
        _add(sums, analysis)
    for cause in sums.causes.all:
        cause.lost = sums.totals.lost[cause.number]
    reported = [one.reported for one in analyses if one.reported is not None]
    requests = sum(one.requests for one in analyses)
    whole = Analysis(
        requests=requests,
        prompt_tokens=sums.totals.tokens,
        engine=engine,
        totals=sums.totals,
        causes=sums.causes.all,
        lineages=len(sums.lineages),
        unread=sums.unread,
        exact=bool(requests) and all(one.exact for one in analyses if one.requests),
        reported=(sum(one[0] for one in reported), sum(one[1] for one in reported))
        if reported
        else None,
        answers=sum(one.answers for one in analyses),
        marks=sums.marks,
        blind=sum(one.blind for one in analyses),
        heads=frozenset(sums.lineages),
    )
    return Whole(whole, sum(part.missing for part in ordered), len(ordered))


def _add(sums: _Sums, analysis: Analysis) -> None:
    numbers: dict[int, int] = {}
    for cause in analysis.causes:
        numbers[cause.number] = _known(sums.causes, cause).number
    totals, more = sums.totals, analysis.totals
    totals.prompts += more.prompts
    totals.tokens += more.tokens
    totals.hits += more.hits
    totals.hits_after += more.hits_after
    totals.told_hits += more.told_hits
    totals.told_tokens += more.told_tokens
    totals.untold += more.untold
    for number, lost in more.lost.items():
        totals.lost[numbers[number]] += lost
    sums.marks.merge(analysis.marks)
    sums.lineages |= analysis.heads
    sums.unread.lines += analysis.unread.lines
    sums.unread.first = sums.unread.first or analysis.unread.first


def _known(causes: Causes, cause: Cause) -> Cause:
    known = causes.of(cause.kind, cause.path, cause.label, cause.offset, cause.examples)
    known.requests += cause.requests
    known.values |= cause.values
    return known
