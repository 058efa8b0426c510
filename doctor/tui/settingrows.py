"""The settings of every target as rows: effective value, origin, what it shadows, verified."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from doctor.connection import Change, Connection, Protocol, Setting, SettingName
from doctor.models import Hop, HopStatus, TargetReport
from doctor.render.document import shown
from doctor.secrets import Secret
from doctor.target import Target
from doctor.text import Text, _
from doctor.tui import signs
from doctor.tui.state import State
from doctor.untrusted import visible

NAMES: dict[str, Text] = {
    "base_url": _("base URL"),
    "key": _("key"),
    "second_key": _("second key"),
    "unsent": _("login"),
    "model": _("model"),
    "protocol": _("protocol"),
    "proxy": _("proxy"),
    "max_tokens": _("max_tokens"),
    "auth": _("auth header"),
    "ca_bundle": _("CA bundle"),
}
# These are shown even where nothing sets them: the three-piece set and what bends it.
_ALWAYS = ("base_url", "key", "model", "protocol", "proxy", "max_tokens")


@dataclass(frozen=True, slots=True)
class HeadRow:
    """A target."""

    target: str
    label: str

    @property
    def key(self) -> str:
        return f"head {self.target}"


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A setting in effect; ``value`` and ``origin`` are empty where nothing sets it."""

    target: str
    name: str
    value: str
    origin: str
    sign: signs.Sign

    @property
    def key(self) -> str:
        return f"setting {self.target} {self.name}"


@dataclass(frozen=True, slots=True)
class ShadowRow:
    """A value that lost."""

    target: str
    name: str
    number: int
    value: str
    origin: str

    @property
    def key(self) -> str:
        return f"shadow {self.target} {self.name} {self.number}"


@dataclass(frozen=True, slots=True)
class RepairRow:
    """The value with which the request was answered."""

    target: str
    name: str
    value: str

    @property
    def key(self) -> str:
        return f"repair {self.target} {self.name}"


TableRow = HeadRow | SettingRow | ShadowRow | RepairRow

VERIFIED = signs.Sign("✓", _("verified"), signs.GOOD)
REFUSED = signs.Sign("✗", _("fails"), signs.BROKEN)
UNTESTED = signs.Sign("?", _("not verified"), signs.DOUBT)
UNSET = signs.Sign("–", _("not set"), signs.QUIET)


def table(state: State) -> tuple[TableRow, ...]:
    """All targets, in the order of the target list."""
    known = {t.id: t for t in state.prepared.targets} if state.prepared is not None else {}
    order = list(dict.fromkeys((*state.view.targets, *known)))
    rows: list[TableRow] = []
    for name in order:
        view = state.view.targets.get(name)
        report = view.report if view is not None else None
        connection = _connection(report, known.get(name))
        if connection is not None:
            label = view.label if view is not None else known[name].label
            rows.append(HeadRow(name, label))
            rows += _of(name, connection, report)
    return tuple(rows)


def _connection(report: TargetReport | None, target: Target | None) -> Connection | None:
    if report is not None:
        return report.connection
    return None if target is None else target.connection


def _of(name: str, connection: Connection, report: TargetReport | None) -> Iterable[TableRow]:
    repaired = _repaired(report)
    for setting_name in NAMES:
        value = getattr(connection, setting_name)
        if isinstance(value, Protocol):
            sign = _sign(setting_name, report, repaired)
            yield SettingRow(name, setting_name, value.value, "", sign)
            continue
        setting: Setting[Any] | None = value
        if setting is None:
            if setting_name in _ALWAYS:
                yield SettingRow(name, setting_name, "", "", UNSET)
        else:
            if setting_name not in _ALWAYS and not setting.shadows and _is_default(setting):
                continue
            sign = _sign(setting_name, report, repaired)
            origin = str(setting.origin)
            yield SettingRow(name, setting_name, _shown(setting.value), origin, sign)
            for number, shadow in enumerate(setting.shadows):
                text = _shown(shadow.value)
                yield ShadowRow(name, setting_name, number, text, str(shadow.origin))
        change = repaired.get(setting_name)
        if change is not None:
            mended = _("(taken out)") if change.value is None else _shown(change.value)
            yield RepairRow(name, setting_name, mended)


def _shown(value: object) -> str:
    """A value as it may be shown; what stands around a key is part of the fault."""
    if not isinstance(value, Secret):
        return str(shown(value))
    text = value.reveal()
    core = text.strip()
    if not core:
        return value.described
    head, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return _(
        "{key} ({n} characters)",
        key=f"{visible(head)}{value.masked}{visible(tail)}",
        n=len(value),
    )


def _is_default(setting: Setting[Any]) -> bool:
    return setting.origin.kind.value == "default"


def _repaired(report: TargetReport | None) -> dict[str, Change]:
    """The last change of each setting in the proved repair."""
    if report is None or not report.diagnosis.proved:
        return {}
    return {change.setting.value: change for change in report.diagnosis.changes}


def _sign(name: str, report: TargetReport | None, repaired: dict[str, Change]) -> signs.Sign:
    """Verified is what the answered request stood on, or a verdict of its own says so."""
    if report is None:
        return UNTESTED
    if name in repaired:
        return REFUSED
    verdicts = report.verdicts
    answered = bool(verdicts.model_answers)
    match name:
        case SettingName.KEY.value:
            return _of_verdict(verdicts.authenticated)
        case SettingName.BASE_URL.value | SettingName.PROXY.value:
            if answered:
                return VERIFIED
            if name == SettingName.PROXY.value and _hop(report, Hop.PROXY) is HopStatus.BROKEN:
                return REFUSED
            return UNTESTED
        case SettingName.MAX_TOKENS.value:
            # The request is sent with a small number of its own.
            return UNTESTED
    return VERIFIED if answered else UNTESTED


def _of_verdict(verdict: bool | None) -> signs.Sign:
    return UNTESTED if verdict is None else VERIFIED if verdict else REFUSED


def _hop(report: TargetReport, wanted: Hop) -> HopStatus | None:
    return next((hop.status for hop in report.path if hop.hop is wanted), None)
