"""Runs the checks of the area on one case, as ``doctor.launch.examine`` does on a launch line."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from doctor import facts
from doctor.checkapi import Check
from doctor.context import Options, RunContext
from doctor.engine import fold, run_checks
from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.facts.store import Fact, Facts, Unavailable
from doctor.memory.case import MemoryCase
from doctor.models import CheckResult, Finding
from doctor.secrets import REDACTOR

if TYPE_CHECKING:
    from doctor.launch.model import Launch

T = TypeVar("T")


class _Seeded:
    """A recorder that gives the store its case and launch line; nothing is gathered or kept."""

    def __init__(self, case: MemoryCase, launch: Launch | None) -> None:
        self._known: dict[str, Any] = {facts.MEMORY.key: case}
        if launch is not None:
            self._known[facts.LAUNCH.key] = launch

    def recall(self, scope: str, fact: Fact[T]) -> T | Unavailable | None:
        known: T | None = self._known.get(fact.key)
        return Unavailable("only the memory plan is examined") if known is None else known

    def keep(self, scope: str, fact: Fact[Any], value: object) -> None:
        """Nothing to keep."""


def memory_checks(checks: Sequence[Check]) -> tuple[Check, ...]:
    """Those that read a memory plan."""
    return tuple(c for c in checks if facts.MEMORY in (*c.needs, *c.wants))


def judged(
    case: MemoryCase, checks: Sequence[Check], launch: Launch | None = None
) -> tuple[tuple[Finding, ...], tuple[CheckResult, ...]]:
    """Findings, gravest first, and how each check ended."""
    results = asyncio.run(_run(case, memory_checks(checks), launch))
    found = fold(finding for result in results for finding in result.findings)
    roots_first = sorted(found, key=lambda f: (f.explained_by is not None, -f.severity, f.code))
    return tuple(roots_first), results


async def _run(
    case: MemoryCase, checks: Sequence[Check], launch: Launch | None
) -> tuple[CheckResult, ...]:
    context = RunContext(
        options=Options(offline=True),
        environment=Environment({}, "", "", ""),
        settings=Settings(),
        recorder=_Seeded(case, launch),
        redactor=REDACTOR,
        requester=None,  # type: ignore[arg-type]  # nothing is asked
    )
    store = Facts(context, "memory", None)
    try:
        return await run_checks(checks, store, lambda _event: None)
    finally:
        store.close()
