"""Variables that a client's own file gives it, such as ``env`` of Claude Code's settings.json."""

from __future__ import annotations

from dataclasses import replace

from doctor.connection import Origin
from doctor.fixes.documents import edit_at, format_of
from doctor.fixes.draft import Draft
from doctor.fixes.prepare import prepare
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scene import Scene
from doctor.fixes.steps import EditFile, Format, Operation
from doctor.text import _


def change_own(origin: Origin, old: str, new: str | None, scene: Scene) -> Draft:
    """Give the variable at ``origin`` another value, or take it out (None)."""
    if origin.path is None:
        return Draft()
    try:
        edit = edit_at(origin, old, new, scene)
    except RefusedEdit as refused:
        return Draft(notes=(_("It has to be changed by hand: {why}.", why=str(refused)),))
    return Draft((edit,), risky=new is None)


def add_own(beside: Origin, name: str, value: str, scene: Scene) -> Draft:
    """Add the variable ``name`` to the file and the table that hold the one at ``beside``."""
    if beside.path is None:
        return Draft()
    path = scene.absolute(beside.path)
    format_ = format_of(path)
    at = (name,) if format_ is Format.ENV else (*beside.name.split(".")[:-1], name)
    step = EditFile(
        path=path,
        shown=beside.path,
        format=format_,
        at=at,
        line=beside.line if format_ is Format.ENV else None,
        old=None,
        new=value,
        operation=Operation.ADD,
    )
    try:
        prepare((step,))
    except RefusedEdit:
        # It stands there, set to nothing.
        step = replace(step, old="", operation=Operation.SET)
        try:
            prepare((step,))
        except RefusedEdit as refused:
            return Draft(notes=(_("It has to be changed by hand: {why}.", why=str(refused)),))
    return Draft((step,))
