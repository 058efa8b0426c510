"""Figures and truths of a run that an item of a checklist can ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from doctor.models import TargetReport
from doctor.records import dataclass
from doctor.text import _

# None: not known; the text is the reason.
Seen = tuple[float | bool | None, str]


@dataclass(frozen=True, slots=True)
class Measure:
    """``truth``: yes or no, so that no bound is needed. ``unit`` stands behind a figure."""

    of: Callable[[TargetReport], Seen]
    truth: bool = False
    unit: str = ""


def _answered(target: TargetReport) -> Seen:
    before = target.diagnosis.before
    if before is None or before.request != "completion":
        return None, _("no completion was asked for")
    if before.answered:
        return True, _("answered {status} in {ms} ms", status=before.status, ms=before.ms)
    return False, target.diagnosis.summary


def _reachable(target: TargetReport) -> Seen:
    known = target.verdicts.reachable
    return known, "" if known else _("the server was not reached")


def _authenticated(target: TargetReport) -> Seen:
    known, detail = target.verdicts.authenticated, target.verdicts.authenticated_detail
    if known is None and not target.verdicts.reachable:
        return None, _("the server was not reached")
    return known, detail


def _first_token(target: TargetReport) -> Seen:
    return _figure(target, "ttft_ms"), _("no answer was streamed")


def _window(target: TargetReport) -> Seen:
    return _figure(target, "window"), _("the server does not tell its window")


def _headroom(target: TargetReport) -> Seen:
    window, own = _figure(target, "window"), target.connection.max_tokens
    if window is None:
        return None, _("the server does not tell its window")
    if own is None:
        return None, _("no max_tokens is set")
    return window - own.value, ""


def _figure(target: TargetReport, name: str) -> float | None:
    value = target.facts.get(name)
    return None if value is None else float(value)


MEASURES: Mapping[str, Measure] = {
    "reachable": Measure(_reachable, truth=True),
    "authenticated": Measure(_authenticated, truth=True),
    "answered": Measure(_answered, truth=True),
    "ttft_ms": Measure(_first_token, unit="ms"),
    "window": Measure(_window, unit="tokens"),
    "headroom": Measure(_headroom, unit="tokens"),
}
