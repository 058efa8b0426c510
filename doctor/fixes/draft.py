"""A fix in the making."""

from __future__ import annotations

from dataclasses import dataclass

from doctor.fixes.steps import EditFile, RunText, Step


@dataclass(frozen=True, slots=True)
class Draft:
    """``steps`` in order. ``risky``: it takes something away, or reaches further than one value.

    ``notes`` are sentences for the user, why there is no edit above all.
    """

    steps: tuple[Step, ...] = ()
    risky: bool = False
    notes: tuple[str, ...] = ()

    @property
    def edits(self) -> tuple[EditFile, ...]:
        return tuple(step for step in self.steps if isinstance(step, EditFile))

    @property
    def texts(self) -> tuple[RunText, ...]:
        return tuple(step for step in self.steps if isinstance(step, RunText))


def joined(drafts: tuple[Draft, ...]) -> Draft:
    """Several drafts as one; a part without edits leaves the whole to the user."""
    if any(not draft.edits for draft in drafts):
        texts = tuple(RunText(text.text, text.shell) for draft in drafts for text in draft.texts)
        return Draft(texts, True, tuple(note for draft in drafts for note in draft.notes))
    return Draft(
        tuple(step for draft in drafts for step in draft.steps),
        any(draft.risky for draft in drafts),
        tuple(dict.fromkeys(note for draft in drafts for note in draft.notes)),
    )
