"""A connection with what is seen on its way, and what all checks of the area make of it.

Routes are gathered for real from the given environment; everything behind them is given.
"""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

from doctor import facts
from doctor.checkapi import Check
from doctor.connection import Connection
from doctor.context import Options, RunContext
from doctor.engine import fold, run_checks
from doctor.facts.answers import Exchange, Outcome, OutcomeKind, Reply
from doctor.facts.machine import Environment, Listener, PythonHome
from doctor.facts.network import DnsAnswer, TcpAnswer, TlsAnswer, TransportFault
from doctor.facts.settings import Settings
from doctor.facts.store import Fact, Facts
from doctor.models import CheckResult, Finding, Severity, Status
from doctor.registry import load
from doctor.secrets import Redactor
from tests.kit import GivenFacts, connection, environment

Given = dict[Fact[Any], object]

CHECKS: tuple[Check, ...] = load().selected(["network"])
URL = "https://gateway.example/v1/chat/completions"
PROXY = "http://127.0.0.1:7890"
SDK = PythonHome("~/app/.venv", {"openai": "3.57.0", "httpx2": "2.16.2"})

_EXCHANGE = frozenset(Exchange.__dataclass_fields__)


def reply(kind: OutcomeKind = OutcomeKind.ANSWERED, message: str = "", **more: Any) -> Reply:
    """A reply of ``kind``; ``more`` are fields of the exchange or of the outcome."""
    exchange: dict[str, Any] = {"status": 200, "url": URL}
    outcome: dict[str, Any] = {}
    for name, value in more.items():
        (exchange if name in _EXCHANGE else outcome)[name] = value
    return Reply(
        Exchange(purpose="completion", method="POST", **exchange), Outcome(kind, message, **outcome)
    )


def broken(fault: TransportFault, text: str = "", via: str | None = None, **more: Any) -> Reply:
    """A request that no HTTP answer came to."""
    return reply(
        OutcomeKind.TRANSPORT, text, status=None, fault=fault, fault_text=text, via=via, **more
    )


def page(status: int, via: str | None = PROXY, **more: Any) -> Reply:
    """An answer that the proxy wrote itself."""
    return reply(OutcomeKind.PROXY_PAGE, status=status, via=via, **more)


def dead_proxy(proxy: str = PROXY, error: str = "refused") -> Given:
    """The proxy takes no connection, so the request fails."""
    host, _, port = proxy.split("://")[-1].rstrip("/").rpartition(":")
    text = "[Errno 111] Connection refused"
    return {
        facts.PROXY_TCP: TcpAnswer(host, host, int(port), False, 1, error, text),
        facts.COMPLETION: broken(TransportFault.PROXY_UNREACHABLE, text, proxy),
    }


def tcp(address: str, port: int = 443, error: str | None = None, text: str = "") -> TcpAnswer:
    return TcpAnswer(address, address, port, error is None, 1, error, text)


def dns(host: str, error: str | None = None) -> DnsAnswer:
    return DnsAnswer(host, () if error else ("203.0.113.7",), 2, error)


def tls(error: str | None = None, **more: Any) -> TlsAnswer:
    return TlsAnswer(ok=error is None, ms=9, error=error, **more)


def listener(port: int, process: str | None = None, address: str = "127.0.0.1") -> Listener:
    return Listener(address, port, process)


def variables(**given: str) -> Environment:
    return environment(given)


def examine(
    env: Environment | None = None,
    given: Given | None = None,
    target: Connection | None = None,
    settings: Settings | None = None,
) -> tuple[Finding, ...]:
    """The findings of all checks of the area, consequences folded. No check may crash."""
    results = results_of(env, given, target, settings)
    crashed = {r.code: r.reason for r in results if r.status is Status.CRASHED}
    assert not crashed, crashed
    return fold(finding for result in results for finding in result.findings)


def results_of(
    env: Environment | None = None,
    given: Given | None = None,
    target: Connection | None = None,
    settings: Settings | None = None,
) -> tuple[CheckResult, ...]:
    told: Given = {facts.PYTHON_HOMES: (SDK,), **(given or {})}
    context = RunContext(
        options=Options(),
        environment=env or environment(),
        settings=settings or Settings(),
        recorder=GivenFacts(told, (facts.PROXY_ROUTES,)),
        redactor=Redactor(),
        requester=None,  # type: ignore[arg-type]  # no request is made
    )
    store = Facts(context, "target", target or connection())
    return asyncio.run(run_checks(CHECKS, store, lambda event: None))


def roots(findings: tuple[Finding, ...]) -> list[str]:
    """The codes of the faults that nothing else explains."""
    return [f.code for f in findings if f.explained_by is None and f.severity >= Severity.ERROR]


def one(findings: tuple[Finding, ...], code: str) -> Finding:
    """The one finding of that code."""
    found = [finding for finding in findings if finding.code == code]
    assert len(found) == 1, [(f.code, f.title) for f in findings]
    return found[0]


def said(finding: Finding) -> str:
    """All that the reader is told."""
    evidence = " ".join(f"{e.source} {e.location} {e.value}" for e in finding.evidence)
    return f"{finding.title} {finding.explanation} {evidence}"


def values(finding: Finding) -> list[object]:
    """The values that the finding's changes would set, likeliest first."""
    return [c.value for c in sorted(finding.changes, key=lambda change: change.rank)]


def in_container(env: Environment) -> Environment:
    return dataclasses.replace(env, in_container=True)
