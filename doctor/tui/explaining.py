"""From an error text to its causes, by the dictionary of ``doctor.explain``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from doctor import registry
from doctor.explain.document import how_to_fix, title_of
from doctor.explain.rank import in_context, rank
from doctor.explain.read import symptoms_in
from doctor.tui.explained import Cause, Explained


def explained(lines: Iterable[str], here: Mapping[str, str]) -> Explained:
    """Read ``lines`` with what this run has found (``here``: code → place). Takes its time."""
    known = registry.load()
    seen = in_context(symptoms_in(lines), here)
    return Explained(
        tuple(
            Cause(
                code=one.cause.code,
                title=title_of(one.cause.code),
                percent=round(one.cause.likelihood * 100),
                meaning=one.meaning,
                tell_apart=one.cause.tell_apart,
                quote=one.text,
                here=one.here,
                fix=how_to_fix(one.cause.code, known),
            )
            for one in rank(seen, here)
        )
    )
