"""Wrapped text with a hanging indent."""

from __future__ import annotations

from textual.content import Content

from doctor.columns import has_wide, spans

_NARROWEST = 8


def hung(
    content: Content, width: int, indent: int = 0, lead: Content | None = None
) -> list[Content]:
    """``content`` in lines of at most ``width`` columns, all indented by ``indent``.

    ``lead`` stands in the indent of the first line.
    """
    room = max(_NARROWEST, width - indent)
    pieces: list[Content] = []
    for paragraph in content.split("\n", allow_blank=True) or [content]:
        pieces += _wrapped(paragraph, room) or [paragraph]
    blank = Content(" " * indent)
    head = blank if lead is None else lead.pad_right(max(0, indent - lead.cell_length))
    return [head + pieces[0], *(blank + piece for piece in pieces[1:])]


def _wrapped(paragraph: Content, room: int) -> list[Content]:
    """Textual breaks at blanks alone, of which Chinese has none."""
    if not has_wide(paragraph.plain):
        return paragraph.wrap(room)
    return [paragraph[start:end] for start, end in spans(paragraph.plain, room, room)]
