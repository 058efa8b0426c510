"""What the explain screen says of a cause, and of the engine of a log."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from doctor.text import Text, _
from doctor.tui import signs
from doctor.tui.explained import Cause, Explained
from doctor.tui.speech import Speech
from doctor.tui.wrapping import hung

_LABEL = 12
_BAR = frozenset("█░")


def answer_text(
    speech: Speech, width: int, told: Explained, cause: Cause | None, empty: bool
) -> Content:
    """The chosen ``cause``; without one the log itself, or why there is nothing."""
    if cause is not None:
        lines = _of_cause(speech, width, told, cause)
    elif told.summary or told.start is not None:
        lines = list(_of_log(speech, width, told))
    else:
        lines = hung(_quiet(speech, _nothing(empty)), width)
    return Content("\n").join(lines)


def _nothing(empty: bool) -> Text:
    if empty:
        return _("The causes of the text show here as soon as there is one.")
    return _("No text of this is known. The checks look at the connection itself: r runs them.")


def _of_cause(speech: Speech, width: int, told: Explained, cause: Cause) -> list[Content]:
    say = speech.line
    lines = hung(Content.styled(say(cause.title), signs.STRONG), width)
    lines += [Content.styled(cause.code, signs.KEY), Content()]
    for label, values in _told(told, cause):
        shown = [Content(say(value)) for value in values if value]
        if shown:
            lead = Content.styled(say(label), "$accent")
            lines += [*hung(Content("\n").join(shown), width, _LABEL, lead), Content()]
    return lines + hung(_quiet(speech, _settled(told, cause)), width)


def _told(told: Explained, cause: Cause) -> tuple[tuple[Text, tuple[str | None, ...]], ...]:
    again = f" (×{cause.times})" if cause.times > 1 else ""
    place = f"{cause.line}: " if told.start is not None or cause.line > 1 else ""
    return (
        (_("the log"), told.summary),
        (_("the text"), (f"{place}{cause.quote}{again}",)),
        (_("means"), (cause.meaning,)),
        (_("tell apart"), (cause.tell_apart,)),
        (_("instead"), cause.changes),
        (_("seen here"), (cause.here,)),
        (_("to fix it"), (cause.fix,)),
    )


def _settled(told: Explained, cause: Cause) -> Text:
    if told.start is not None:
        return _("Likely, by the log alone.")
    if not cause.checked:
        return _("Likely, by the text alone.")
    return _("Likely, by the text alone. Enter runs the check, which settles it.")


def _of_log(speech: Speech, width: int, told: Explained) -> Iterator[Content]:
    """What became of the starts, then the picture of the memory."""
    from doctor.explain.log.picture import picture_of

    for text in told.summary:
        yield from hung(Content(speech.line(text)), width)
        yield Content()
    start = told.start
    if start is None:
        return
    if start.version is not None:
        yield Content.styled(speech.line(f"vLLM {start.version}"), signs.QUIET)
        yield Content()
    for line in picture_of(start, speech.line, width):
        yield _drawn(line)


def _drawn(line: str) -> Content:
    """A line of the picture: bars stand out, and so do flags."""
    first = next((at for at, char in enumerate(line) if char in _BAR), None)
    if first is not None:
        last = max(at for at, char in enumerate(line) if char in _BAR) + 1
        return Content.assemble(line[:first], (line[first:last], "$accent"), line[last:])
    if line.startswith("  --"):
        flag, blank, rest = line[2:].partition("  ")
        return Content.assemble("  ", (flag, signs.KEY), blank, rest)
    return Content(line)


def _quiet(speech: Speech, text: Text) -> Content:
    return Content.styled(speech.line(text), signs.QUIET)
