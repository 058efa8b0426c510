"""Runs checks on facts that a command already has: a request log, a launch line, a plan.

The same checks, findings and rule pages as in a run against a server; nothing is asked of anybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from doctor.checkapi import Check
from doctor.connection import Connection
from doctor.context import Options, RunContext
from doctor.engine import fold, run_checks
from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.facts.store import Fact, Facts, Unavailable
from doctor.models import CheckResult, Finding
from doctor.probes.http import Requester
from doctor.records import dataclass
from doctor.secrets import Redactor

T = TypeVar("T")


class Given:
    """The recorder of such a run: what was not given is unavailable, never gathered."""

    def __init__(self, facts: Mapping[Fact[Any], object]) -> None:
        self._facts = {fact.key: value for fact, value in facts.items()}

    def recall(self, scope: str, fact: Fact[T]) -> T | Unavailable | None:
        value: Any = self._facts.get(fact.key)
        return Unavailable("not given") if value is None else value

    def keep(self, scope: str, fact: Fact[Any], value: object) -> None:
        """Nothing is gathered."""


@dataclass(frozen=True, slots=True)
class Judged:
    """``findings`` are folded, the worst causes first."""

    findings: tuple[Finding, ...]
    checks: tuple[CheckResult, ...]


async def judge(
    checks: Iterable[Check],
    given: Mapping[Fact[Any], object],
    redactor: Redactor,
    target: str,
    connection: Connection | None = None,
) -> Judged:
    """What those of ``checks`` find that read one of the facts ``given``.

    ``connection`` is the one that the facts are of, None where they are of none.
    """
    from doctor.context import Meter

    mine = [
        check for check in checks if any(fact in given for fact in (*check.needs, *check.wants))
    ]
    options, meter = Options(offline=True), Meter()
    context = RunContext(
        options=options,
        environment=Environment({}, "", "", ""),
        settings=Settings(),
        recorder=Given(given),
        redactor=redactor,
        requester=Requester(options, meter, redactor),
        meter=meter,
    )
    store = Facts(context, target, connection)
    try:
        results = await run_checks(mine, store, lambda _event: None)
    finally:
        store.close()
        await context.requester.aclose()
    found = [finding for result in results for finding in result.findings]
    return Judged(fold(found), results)
