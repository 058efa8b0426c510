"""A record as a line of columns, for people."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from doctor.records import dataclass
from doctor.tap.record import Record
from doctor.tap.seen import End
from doctor.text import _

_ENDS = {
    End.CLIENT_LEFT: _("left"),
    End.CUT: _("cut"),
    End.RESET: _("reset"),
    End.UNREACHED: _("unreached"),
    End.OPEN: _("open"),
    End.OPAQUE: _("tunnel"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """``failed`` marks one without an answer that a program could use."""

    clock: str
    request: str
    model: str
    status: str
    first: str
    total: str
    tokens: str
    failed: bool


def row_of(record: Record, say: Callable[[str], str]) -> Row:
    """``say`` translates."""
    clock = datetime.datetime.fromtimestamp(record.at).strftime("%H:%M:%S")
    again = f" {say(_('(again)'))}" if record.retry_of is not None else ""
    status = "-" if record.status is None else str(record.status)
    if record.end in _ENDS:
        end = say(_ENDS[record.end])
        status = end if record.status is None else f"{status} {end}"
    return Row(
        clock=clock,
        request=f"{record.method} {record.path}{again}",
        model=record.model or "-",
        status=status,
        first=duration(record.timing.first_token),
        total=duration(record.timing.total),
        tokens=tokens(record),
        failed=record.failed,
    )


def duration(ms: float | None) -> str:
    if ms is None:
        return "-"
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def tokens(record: Record) -> str:
    """``1,204 → 56``: prompt and answer as the server counted them."""
    usage = record.usage
    if usage.prompt is None and usage.output is None:
        return "-"
    counts = ("?" if n is None else f"{n:,}" for n in (usage.prompt, usage.output))
    return " → ".join(counts)


def line_of(row: Row, say: Callable[[str], str]) -> str:
    """The columns as one line of text; what is not known is left out."""
    figures = [
        (row.first, _("first token {time}", time=row.first)),
        (row.total, _("{time} in all", time=row.total)),
        (row.tokens, _("{counts} tokens", counts=row.tokens)),
    ]
    told = ", ".join(say(text) for value, text in figures if value != "-")
    mark = "✗" if row.failed else " "
    return f"{row.clock} {mark} {row.status:<4} {row.request}  {row.model}  {told}".rstrip()
