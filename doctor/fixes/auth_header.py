"""A key sent in another header, for clients in which the name of its variable decides on that."""

from __future__ import annotations

from dataclasses import replace

from doctor.connection import AuthHeader, Connection, OriginKind
from doctor.fixes.documents import edit_at
from doctor.fixes.draft import Draft
from doctor.fixes.prepare import prepare
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scene import Scene
from doctor.fixes.steps import Operation, RunText, Shell, Value
from doctor.text import _

_NAMES = {
    "claude-code": {
        AuthHeader.BEARER: "ANTHROPIC_AUTH_TOKEN",
        AuthHeader.X_API_KEY: "ANTHROPIC_API_KEY",
    }
}
_MOVED = {
    Shell.POWERSHELL: "$env:{new} = $env:{old}; Remove-Item Env:{old}",
    Shell.CMD: 'set "{new}=%{old}%" & set "{old}="',
    Shell.FISH: "set -gx {new} ${old}; set -e {old}",
}
_MOVED_ELSEWHERE = 'export {new}="${old}"; unset {old}'


def renamed_draft(header: Value, connection: Connection, scene: Scene) -> Draft | None:
    """The key under the name whose header is ``header``: its value stays where it stands.

    None where the client knows no such names, or the key has another one.
    """
    names = _NAMES.get(connection.client)
    key = connection.key
    if names is None or key is None or header not in names:
        return None
    new, origin = names[AuthHeader(str(header))], key.origin
    old = origin.name.rpartition(".")[2]
    if old == new or old not in names.values():
        return None
    if origin.kind is OriginKind.ENVIRONMENT and origin.path is None:
        shell = scene.startup.shell
        line = _MOVED.get(shell, _MOVED_ELSEWHERE).format(old=old, new=new)
        note = _("Rename it also where it is set, so that it lasts.")
        return Draft((RunText(line, shell),), notes=(note,))
    by_hand = _("Rename {old} to {new} in {place}.", old=old, new=new, place=str(origin))
    if origin.path is None:
        return Draft(notes=(by_hand,))
    try:
        found = edit_at(origin, key.value, key.value, scene)
        step = replace(found, new=new, operation=Operation.RENAME)
        prepare((step,))
    except RefusedEdit:
        return Draft(notes=(by_hand,))
    return Draft((step,))
