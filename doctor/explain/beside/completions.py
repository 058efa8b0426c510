"""The words of a model in a completion that came."""

from __future__ import annotations

from doctor.patterns import Pattern

# A completion that came, of which the words are the model's.
_COMPLETION = Pattern(r"\"(?:choices|object\": ?\"chat\.completion)")
_SAID = Pattern(
    r"(?P<name>\"(?:content|reasoning_content|text)\": ?\")(?:[^\"\\]|\\.)+\"(?=\s*[,}])"
)


def without_what_was_said(line: str) -> str:
    """Without the words of a model in a completion that came."""
    if _COMPLETION.search(line) is None:
        return line
    return _SAID.sub(r'\g<name>…"', line)
