"""A server's answer, and what all checks of the area make of a connection to it."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

from doctor import facts
from doctor.checkapi import Check
from doctor.connection import Change, Connection, Setting, SettingName
from doctor.context import Options, RunContext
from doctor.engine import fold, run_checks
from doctor.facts.answers import (
    AuthControl,
    Exchange,
    ModelsReply,
    Outcome,
    OutcomeKind,
    Product,
    Reply,
    ServedModel,
)
from doctor.facts.machine import Environment
from doctor.facts.network import TransportFault
from doctor.facts.settings import Settings
from doctor.facts.store import Fact, Facts
from doctor.models import CheckResult, Finding, Severity, Status
from doctor.registry import load
from doctor.secrets import Redactor, Secret
from tests.kit import KEY, GivenFacts, environment

Given = dict[Fact[Any], object]

CHECKS: tuple[Check, ...] = load().selected(["credentials"])

_STATUS = {
    OutcomeKind.ANSWERED: 200,
    OutcomeKind.KEY_REFUSED: 401,
    OutcomeKind.KEY_MISSING: 401,
    OutcomeKind.QUOTA: 403,
    OutcomeKind.PERMISSION: 403,
    OutcomeKind.MODEL_UNKNOWN: 404,
}


def reply(kind: OutcomeKind, message: str = "", **outcome: Any) -> Reply:
    """A completion's answer of that kind."""
    status = _STATUS.get(kind)
    fault = TransportFault.ILLEGAL_HEADER if kind is OutcomeKind.TRANSPORT else None
    url = "https://gateway.example/v1/chat/completions"
    exchange = Exchange("completion", "POST", url, status, fault=fault)
    return Reply(exchange, Outcome(kind, message=message, **outcome))


def answers(kind: OutcomeKind, message: str = "", **outcome: Any) -> Given:
    return {facts.COMPLETION: reply(kind, message, **outcome)}


HEALTHY = answers(OutcomeKind.ANSWERED)
REFUSED = answers(OutcomeKind.KEY_REFUSED, "Invalid token")
NOT_SENT = answers(OutcomeKind.TRANSPORT)


def models_list(*ids: str, refused_control: bool | None = True) -> Given:
    """A models list that came, and what a made-up key gets there."""
    listed = ModelsReply(reply(OutcomeKind.ANSWERED), tuple(ServedModel(name) for name in ids))
    control = AuthControl(refused_control, 401 if refused_control else 200, "")
    return {facts.MODELS: listed, facts.AUTH_CONTROL: control}


def product(name: str) -> Given:
    return {facts.PRODUCT: Product(name, None, ())}


def examine(
    target: Connection,
    given: Given | None = None,
    env: Environment | None = None,
    settings: Settings | None = None,
) -> tuple[Finding, ...]:
    """The findings of all checks of the area, consequences folded. No check may crash."""
    results = results_of(target, given, env, settings)
    crashed = {r.code: r.reason for r in results if r.status is Status.CRASHED}
    assert not crashed, crashed
    return fold(finding for result in results for finding in result.findings)


def results_of(
    target: Connection,
    given: Given | None = None,
    env: Environment | None = None,
    settings: Settings | None = None,
) -> tuple[CheckResult, ...]:
    context = RunContext(
        options=Options(),
        environment=env or environment(),
        settings=settings or Settings(),
        recorder=GivenFacts(given or {}),
        redactor=Redactor(),
        requester=None,  # type: ignore[arg-type]  # no request can be made in such a test
    )
    store = Facts(context, "target", target)
    return asyncio.run(run_checks(CHECKS, store, lambda event: None))


def roots(findings: tuple[Finding, ...]) -> list[str]:
    """The codes that a user is told as the cause: errors that nothing else explains."""
    return [
        finding.code
        for finding in findings
        if finding.explained_by is None and finding.severity >= Severity.ERROR
    ]


def changes(findings: tuple[Finding, ...], *, guess: bool) -> list[Change]:
    return [change for f in findings for change in f.changes if change.guess is guess]


def keys(found: list[Change]) -> list[str]:
    """The key texts that changes set."""
    return [c.value.reveal() for c in found if c.setting is SettingName.KEY]


def with_key(target: Connection, text: str, **origin: Any) -> Connection:
    """``target`` with this key, read from the given place."""
    assert target.key is not None
    place = dataclasses.replace(target.key.origin, **origin)
    return dataclasses.replace(target, key=Setting(Secret(text), place))


def repaired(target: Connection, given: Given, rounds: int = 12) -> tuple[str, list[str]]:
    """The key after all changes that are right by themselves, and the codes that made them.

    One change per round, the most causal one, as the repair search does it on one setting.
    """
    codes: list[str] = []
    for _round in range(rounds):
        found = changes(examine(target, given), guess=False)
        sure = [c for c in found if c.setting is SettingName.KEY]
        if not sure:
            break
        target = target.with_(sure[0])
        codes.append(sure[0].code)
    assert target.key is not None
    return target.key.value.reveal(), codes


def told(findings: tuple[Finding, ...]) -> str:
    """All that a reader sees of findings."""
    parts: list[str] = []
    for finding in findings:
        parts += [finding.title, finding.explanation]
        parts += [f"{e.source} {e.location} {e.value}" for e in finding.evidence]
        parts += [f"{change.title} {change.shown}" for change in finding.changes]
    return "\n".join(parts)


__all__ = ["KEY"]
