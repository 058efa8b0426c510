"""One module per file format: ``edit(text, step) -> Edit``, a change of the value and nothing else.

Every editor reads the edited text back with the format's own reader before it answers, and
refuses with ``RefusedEdit`` what it cannot parse, where another value stands than expected, or
where more than the value would change.
"""

from __future__ import annotations

from doctor.fixes.editors.base import Edit
from doctor.fixes.steps import EditFile, Format


def edit(text: str, step: EditFile) -> Edit:
    """The edit that ``step`` asks for on the decoded text of its file. Raises ``RefusedEdit``."""
    if step.format is Format.JSON:
        from doctor.fixes.editors import json as editor
    elif step.format is Format.TOML:
        from doctor.fixes.editors import toml as editor  # type: ignore[no-redef]
    elif step.format is Format.YAML:
        from doctor.fixes.editors import yaml as editor  # type: ignore[no-redef]
    elif step.format is Format.ENV:
        from doctor.fixes.editors import envfile as editor  # type: ignore[no-redef]
    elif step.format is Format.WHOLE:
        from doctor.fixes.editors import whole as editor  # type: ignore[no-redef]
    else:
        from doctor.fixes.editors import startup as editor  # type: ignore[no-redef]
    return editor.edit(text, step)


__all__ = ["Edit", "edit"]
