"""Runs checks on one connection's facts: concurrently, within limits, none disturbing another."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable, Iterable

from doctor.checkapi import Check, NotApplicable, sign
from doctor.events import CheckFinished, CheckStarted, Event
from doctor.facts.store import DeclaredFacts, Facts, Unavailable
from doctor.models import CheckResult, Finding, Status

Emit = Callable[[Event], None]

# Seconds for a check that asks for no other limit.
_LIMIT = 60.0


async def run_checks(checks: Iterable[Check], store: Facts, emit: Emit) -> tuple[CheckResult, ...]:
    """All ``checks`` on ``store``; results in the order of ``checks``, whatever ends first."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_run(check, store, emit)) for check in checks]
    return tuple(task.result() for task in tasks)


async def _run(check: Check, store: Facts, emit: Emit) -> CheckResult:
    await store.run.turns.take()
    emit(CheckStarted(store.target, check.code, check.slug))
    started = time.perf_counter()
    findings: tuple[Finding, ...] = ()
    reason: str | None = None
    # Its facts may take longer than it would by itself: patience was asked for.
    limit = check.timeout or max(_LIMIT, 2 * store.run.options.deadline)
    try:
        async with asyncio.timeout(limit):
            findings = await _findings(check, store)
        status = Status.FINDINGS if findings else Status.PASS
    except Unavailable as unavailable:
        status, reason = Status.UNKNOWN, str(unavailable)
    except NotApplicable as not_applicable:
        status, reason = Status.SKIPPED, str(not_applicable)
    except TimeoutError:
        status, reason = Status.TIMEOUT, f"no result within {limit:g} s"
    except Exception as error:  # a check may fail in any way and must not end the run
        status, reason = Status.CRASHED, f"{type(error).__name__}: {error}"
    result = CheckResult(
        code=check.code,
        target=store.target,
        status=status,
        duration_ms=round((time.perf_counter() - started) * 1000),
        findings=findings,
        reason=reason,
    )
    emit(CheckFinished(store.target, result))
    return result


async def _findings(check: Check, store: Facts) -> tuple[Finding, ...]:
    for fact in check.needs:
        await store.get(fact)
    view = DeclaredFacts(store, (*check.needs, *check.wants))
    return tuple([sign(finding, check, store.target) async for finding in check.run(view)])


def fold(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Mark what follows from something else: one root, its consequences under it.

    A finding explains another of the same target whose code it lists; where several do, the one
    on the earliest hop does. Roots come first, by hop, severity and confidence.
    """
    ordered = sorted(findings, key=_causal_order)
    causes: dict[int, str] = {}
    for cause in ordered:
        for index, effect in enumerate(ordered):
            if (
                effect is not cause
                and index not in causes
                and effect.target == cause.target
                and effect.code in cause.explains
                and not _explains(effect, cause)
            ):
                causes[index] = cause.code
    folded = [
        dataclasses.replace(finding, explained_by=causes.get(index))
        for index, finding in enumerate(ordered)
    ]
    return tuple(sorted(folded, key=lambda f: (f.explained_by is not None, _causal_order(f))))


def _explains(cause: Finding, effect: Finding) -> bool:
    return effect.code in cause.explains


def _causal_order(finding: Finding) -> tuple[int, int, int, str]:
    return (finding.hop.order, -finding.severity, -finding.confidence, finding.code)
