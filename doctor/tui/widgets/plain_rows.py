"""Rows of one line of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from doctor.tui import signs


@dataclass(frozen=True, slots=True)
class PlainRow:
    """``text`` and ``beside`` are in the reader's language, harmless and redacted; ``symbol`` and
    its ``style`` tell a state."""

    key: str
    text: str
    beside: str = ""
    symbol: str = ""
    style: str = ""


class PlainRows:
    def height(self, row: PlainRow, width: int) -> int:
        return 1

    def lines(self, row: PlainRow, width: int, chosen: bool) -> Sequence[Content]:
        content = Content.assemble(
            ("▌" if chosen else " ", signs.KEY),
            (f"{row.symbol} " if row.symbol else "", row.style),
            row.text,
            (f"   {row.beside}" if row.beside else "", signs.QUIET),
        )
        return [content.truncate(width, ellipsis=True)]
