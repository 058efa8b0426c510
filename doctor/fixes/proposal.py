"""Makes fixes of the changes that a diagnosis proved, or of those that are right by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from doctor.connection import Change, Connection, Setting, SettingName
from doctor.fixes.draft import Draft, joined
from doctor.fixes.preview import preview
from doctor.fixes.scene import Scene
from doctor.fixes.steps import Value
from doctor.models import Applicability, Finding, Fix


def propose(
    finding: Finding,
    needed: Sequence[Change],
    proved: bool,
    connection: Connection,
    scene: Scene | None = None,
) -> tuple[Fix, ...]:
    """The fixes of ``finding``: its proved changes, else those it offers as sure ones.

    Guesses that were not proved are only in the explanation: a list of alternatives to type in
    is the reader's work done badly. ``connection`` is the one as configured. Without ``scene``
    (a replay) nothing is known of the files, so a fix is text.

    Changes of one setting build on one another; each of their fixes makes the last value lasting.
    Changes that one finding makes to several settings (an exchange of two) are made together.
    """
    if finding.lasting:
        from doctor.fixes.lasting import lasting_fix

        rest = replace(finding, lasting=())
        others = propose(rest, needed, proved, connection, scene)
        return (*others, *(lasting_fix(finding.code, one, scene) for one in finding.lasting))
    own = tuple(change for change in needed if change.code == finding.code)
    if own:
        return _fixes(own, needed, proved, connection, scene)
    sure = tuple(change for change in finding.changes if not change.guess)
    return tuple(
        fix for change in sure for fix in _fixes((change,), (change,), False, connection, scene)
    )


def _fixes(
    own: Sequence[Change],
    together: Sequence[Change],
    proved: bool,
    connection: Connection,
    scene: Scene | None,
) -> tuple[Fix, ...]:
    values: dict[SettingName, Value] = {
        change.setting: change.value
        for change in together
        if any(change.setting is one.setting for one in own)
    }
    drafts = []
    for setting, new in values.items():
        change = next(one for one in own if one.setting is setting)
        if scene is not None:
            drafts.append(_draft(change, new, together, connection, scene))
    draft = drafts[0] if len(drafts) == 1 else joined(tuple(drafts))
    made = {
        change.id: _finished(change, values[change.setting], draft, proved, connection, scene)
        for change in own
    }
    return tuple(made.values())


def _draft(
    change: Change,
    new: Value,
    together: Sequence[Change],
    connection: Connection,
    scene: Scene,
) -> Draft:
    from doctor.fixes.proxy import proxy_draft
    from doctor.fixes.settings import setting_draft

    if change.setting is SettingName.PROXY and _by_variables(connection.proxy):
        return proxy_draft(replace(change, value=new), _changed(connection, together), scene)
    return setting_draft(change.setting, new, connection, scene)


def _by_variables(proxy: Setting[str]) -> bool:
    return proxy.value == "environment"


def _changed(connection: Connection, together: Iterable[Change]) -> Connection:
    """The repaired connection, but with the proxy as configured."""
    for change in together:
        if change.setting is not SettingName.PROXY:
            connection = connection.with_(change)
    return connection


def _finished(
    change: Change,
    new: Value,
    draft: Draft,
    proved: bool,
    connection: Connection,
    scene: Scene | None,
) -> Fix:
    """The fix with its preview, and with the truth about how far it may be applied."""
    shown = preview(change, new, draft, connection)
    applicability = Applicability.MANUAL
    if draft.edits and shown.refusal is None:
        assert scene is not None
        applicability = _applicability(draft, proved, scene)
    steps = draft.steps if applicability is not Applicability.MANUAL else draft.texts
    return Fix(
        id=change.id,
        title=change.title,
        applicability=applicability,
        proved=proved,
        preview=shown.text,
        steps=steps,
    )


def _applicability(draft: Draft, proved: bool, scene: Scene) -> Applicability:
    """Safe: proved, one value set and nothing taken out, in a file that is the user's alone."""
    if not proved or draft.risky:
        return Applicability.UNSAFE
    for edit in draft.edits:
        if not scene.owned(edit.path) or scene.tracked(edit.path, edit.shown):
            return Applicability.UNSAFE
    return Applicability.SAFE
