"""From a pasted text or log to its causes: what ``kvdoctor explain`` answers, for the screen."""

from __future__ import annotations

import io
from collections.abc import Mapping

from doctor import registry
from doctor.explain.answer import answer
from doctor.explain.document import how_to_fix, title_of
from doctor.explain.log.arguments import learn_keys
from doctor.explain.log.picture import picture_of, summary_of
from doctor.explain.log.source import raw_lines
from doctor.explain.rank import Ranked, rank
from doctor.registry import Registry
from doctor.secrets import REDACTOR, Redactor
from doctor.tui.explained import Cause, Explained


def explained(text: str, here: Mapping[str, str]) -> Explained:
    """Read ``text`` with what this run has found (``here``: code → place). Takes its time."""
    told = answer(raw_lines(io.BytesIO(text.encode("utf-8", "surrogatepass"))), here)
    if told.blank:
        return Explained(())
    known = registry.load()
    times = {seen.line: seen.times for seen in told.seen}
    return Explained(
        tuple(_cause(one, times.get(one.line, 1), known) for one in rank(told.seen, told.here)),
        tuple(summary_of(told)),
        told.start,
        told.start is not None and any(picture_of(told.start, str)),
    )


def without_keys(text: str, redactor: Redactor) -> str:
    """``text`` as it may be shown. An engine prints the keys of its own arguments, which have no
    shape of their own."""
    learn_keys(text)
    return REDACTOR.known(redactor(text))


def _cause(one: Ranked, times: int, known: Registry) -> Cause:
    return Cause(
        code=one.cause.code,
        title=title_of(one.cause.code),
        percent=round(one.cause.likelihood * 100),
        meaning=one.meaning,
        tell_apart=one.cause.tell_apart,
        quote=one.text,
        line=one.line,
        times=times,
        here=one.here,
        changes=one.cause.changes,
        fix=how_to_fix(one.cause.code, known),
        checked=known.find(one.cause.code) is not None,
    )
