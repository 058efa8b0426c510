"""What a user is told to do for a proved or likely change: the exact line, where it belongs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from doctor.connection import Change, Connection, Origin, OriginKind, Setting, SettingName
from doctor.models import Applicability, Finding, Fix
from doctor.secrets import Secret
from doctor.text import _
from doctor.untrusted import visible


def propose(
    finding: Finding, needed: Sequence[Change], proved: bool, connection: Connection
) -> tuple[Fix, ...]:
    """The fixes of ``finding``: its proved changes, else those it offers as sure ones.

    Guesses that were not proved are only in the explanation: a list of alternatives to type in
    is the reader's work done badly.
    """
    own = [change for change in needed if change.code == finding.code]
    if not own:
        own = [change for change in finding.changes if not change.guess]
    return tuple(
        Fix(
            id=change.id,
            title=change.title,
            applicability=Applicability.MANUAL,
            proved=proved and change in needed,
            preview=_preview(change, connection),
        )
        for change in own
    )


def _preview(change: Change, connection: Connection) -> str:
    current: Setting[object] | None = getattr(connection, change.setting.value)
    if change.setting is SettingName.PROXY:
        return _proxy_preview(change)
    origin = _root_origin(current)
    old = "" if current is None else _shown(current.value)
    new = _shown(change.value)
    if origin is None or origin.kind in (OriginKind.DEFAULT, OriginKind.PROVIDER):
        return f"{change.setting.value}: {new}"
    if origin.kind is OriginKind.FLAG:
        return f"{origin.name} {new}"
    if origin.path is not None:
        return f"{origin}\n- {origin.name}={old}\n+ {origin.name}={new}"
    if isinstance(change.value, Secret):
        return f"{origin.name}: {old} → {new}"
    return f"export {origin.name}={shlex.quote(new)}"


def _proxy_preview(change: Change) -> str:
    if change.value == "direct":
        names = "HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy"
        return f"unset {names}"
    return _("proxy: {url}", url=change.value)


def _root_origin(current: Setting[object] | None) -> Origin | None:
    return None if current is None else current.origin


def _shown(value: object) -> str:
    if isinstance(value, Secret):
        text = value.reveal()
        core = text.strip()
        head, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        if not core:
            return value.masked
        return f"{visible(head)}{value.masked}{visible(tail)}"
    return visible(str(value))
