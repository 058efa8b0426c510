"""The documentation of a check, taken apart into what is translated and what is not.

A check's docstring is paragraphs. The first says what the check finds, the others are sections: a
fixed heading, as ``How to fix:`` or as ``## How to fix`` on a line of its own, and a text. Message
ids are the texts alone, each on one line; references are addresses and stay as they are.
"""

from __future__ import annotations

import inspect

from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.text import Text, Translator, _

HEADINGS = {
    "What it checks": _("What it checks"),
    "Why it matters": _("Why it matters"),
    "How to fix": _("How to fix"),
    "Fix safety": _("Fix safety"),
    "References": _("References"),
}
_SECTION = Pattern(rf"(## )?({'|'.join(HEADINGS)})(:|\n)\s*")
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Section:
    """``heading`` is empty for the opening. ``mark`` is how the docstring sets the heading off."""

    heading: str
    mark: str
    text: str


def sections(doc: str) -> list[Section]:
    """The sections of a docstring in their order; ``text`` is on one line each."""
    found = []
    for paragraph in inspect.cleandoc(doc).split("\n\n"):
        match = _SECTION.match(paragraph)
        body = " ".join(paragraph[match.end() :].split() if match else paragraph.split())
        if match:
            found.append(Section(match.group(2), match.group(1) or "", body))
        else:
            found.append(Section("", "", body))
    return found


def translated(doc: str, translate: Translator, width: int = _WIDTH) -> str:
    """The documentation in the reader's language, in lines of ``width`` columns; the docstring
    itself where that is English."""
    text = inspect.cleandoc(doc)
    if translate.language == "en":
        return text
    from doctor.columns import wrapped

    paragraphs = []
    for section in sections(doc):
        body = section.text if section.heading == "References" else translate(Text(section.text))
        if section.heading and section.mark:
            head = [f"{section.mark}{translate(HEADINGS[section.heading])}"]
            paragraphs.append("\n".join([*head, *wrapped(body, width)]))
        elif section.heading:
            head_text = translate(_("{heading}: ", heading=HEADINGS[section.heading]))
            paragraphs.append("\n".join(wrapped(head_text + body, width)))
        else:
            paragraphs.append("\n".join(wrapped(body, width)))
    return "\n\n".join(paragraphs)
