"""A file that holds a key and nothing else; one line end behind it does not count."""

from __future__ import annotations

from doctor.fixes.editors.base import Edit, literals, not_found, unsupported
from doctor.fixes.steps import EditFile, Operation, plain


def edit(text: str, step: EditFile) -> Edit:
    """The edit that ``step`` asks for. Raises ``RefusedEdit``."""
    if step.operation is not Operation.SET:
        raise unsupported(step)
    end = next((mark for mark in ("\r\n", "\n") if text.endswith(mark)), "")
    old, new = text.removesuffix(end) if end else text, plain(step.new) or ""
    if old != plain(step.old):
        raise not_found(step)
    return Edit(0, len(old), new, literals(step, old, new))
