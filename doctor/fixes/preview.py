"""A fix as text to read or to paste: the lines that change, then the lines to run."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from doctor.connection import Change, Connection, OriginKind, Setting, SettingName
from doctor.fixes.diff import diff
from doctor.fixes.draft import Draft
from doctor.fixes.masking import masked
from doctor.fixes.prepare import FileChange, Prepared, prepare
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import RunText, Shell, Value
from doctor.secrets import Secret
from doctor.text import _, stacked
from doctor.untrusted import visible

_SHELL_NAMES = {Shell.POWERSHELL: "PowerShell", Shell.CMD: "cmd"}


@dataclass(frozen=True, slots=True)
class Preview:
    """``refusal`` is why the edits cannot be made, None where they can."""

    text: str
    refusal: RefusedEdit | None = None


def preview(change: Change, new: Value | None, draft: Draft, connection: Connection) -> Preview:
    """The preview of ``draft``; without steps what is to be set, and where."""
    lines: list[str] = []
    refusal = None
    if draft.edits:
        try:
            lines += diffs(prepare(draft.edits))
        except RefusedEdit as refused:
            refusal = refused
            lines.append(_("It has to be changed by hand: {why}.", why=str(refused)))
    if refusal is not None or not draft.steps or (isinstance(new, Secret) and not draft.edits):
        lines += _by_hand(change, new, connection)
    lines += [_text(text, alone=not draft.edits) for text in draft.texts]
    lines += draft.notes
    return Preview(stacked(lines), refusal)


def diffs(prepared: Prepared) -> list[str]:
    """The lines that change, below the place of each file."""
    lines: list[str] = []
    for change in prepared.files:
        shown = diff(change)
        lines.append(visible(_place(change)))
        lines += shown.changed()
    return lines


def _place(change: FileChange) -> str:
    if not change.held.exists:
        return _("{file} (new)", file=change.shown)
    return change.steps[0].place if len(change.steps) == 1 else change.shown


def _text(step: RunText, *, alone: bool) -> str:
    if alone and step.shell not in _SHELL_NAMES:
        return step.text
    if alone:
        assert step.shell is not None
        return f"{_SHELL_NAMES[step.shell]}: {step.text}"
    if step.shell in _SHELL_NAMES:
        shell = _SHELL_NAMES[step.shell]
        return _("In this shell ({shell}): {line}", shell=shell, line=step.text)
    return _("In this shell: {line}", line=step.text)


def _by_hand(change: Change, new: Value | None, connection: Connection) -> list[str]:
    """Old and new value at their place, for whoever changes it himself."""
    current: Setting[Value] | None = getattr(connection, change.setting.value)
    if new is None:
        place = change.setting.value if current is None else str(current.origin)
        return [_("take out: {place}", place=visible(place))]
    after = shown_value(new)
    if change.setting is SettingName.PROXY and (
        current is None or current.origin.kind is OriginKind.DEFAULT
    ):
        if new == "direct":
            names = "HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy"
            return [f"unset {names}"]
        return [_("proxy: {url}", url=after)]
    if current is None or current.origin.kind in (OriginKind.DEFAULT, OriginKind.PROVIDER):
        return [f"{change.setting.value}: {after}"]
    origin, before = current.origin, shown_value(current.value)
    if origin.kind is OriginKind.FLAG and origin.path is None:
        return [f"{origin.name} {after}"]
    if origin.path is not None and origin.kind is not OriginKind.ENVIRONMENT:
        return [visible(str(origin)), f"- {origin.name}={before}", f"+ {origin.name}={after}"]
    if isinstance(new, Secret):
        return [f"{origin.name}: {before} → {after}"]
    return [f"export {origin.name}={shlex.quote(after)}"]


def shown_value(value: Value) -> str:
    """A value as it may be shown; of a key the core is masked and stray characters are visible."""
    if not isinstance(value, Secret):
        return visible(str(value))
    text = value.reveal()
    if not text.strip():
        return value.masked
    return masked(text).replace("\n", "")
