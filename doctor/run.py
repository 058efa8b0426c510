"""A whole run: every target examined, repaired in memory and diagnosed, told as events."""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import AsyncIterator, Sequence

from doctor import facts as f
from doctor import path as paths
from doctor.checkapi import Check
from doctor.clients import profile
from doctor.context import Meter, Options, RunContext
from doctor.diagnosis import diagnose, verdicts
from doctor.events import (
    Event,
    HopSeen,
    RunFinished,
    RunStarted,
    TargetFinished,
    TargetStarted,
)
from doctor.facts.observed import Environment, Settings
from doctor.facts.store import Facts, Recorder, Unavailable
from doctor.ignoring import idle, leave_out
from doctor.models import Diagnosis, PathHop, Report, TargetReport
from doctor.records import dataclass
from doctor.repair import Search, examine
from doctor.secrets import Redactor
from doctor.settings.ignore import IgnoreRule
from doctor.target import Target
from doctor.text import _

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is made of. ``notes`` are told at the end (a plugin that did not load)."""

    targets: tuple[Target, ...]
    checks: tuple[Check, ...]
    options: Options
    environment: Environment
    settings: Settings
    recorder: Recorder
    redactor: Redactor
    notes: tuple[str, ...] = ()
    ignores: tuple[IgnoreRule, ...] = ()


async def run(plan: Plan) -> AsyncIterator[Event]:
    """The events of a run, ending with ``RunFinished`` and its report."""
    from doctor.probes.http import Requester

    started = time.perf_counter()
    started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    queue: asyncio.Queue[Event | None] = asyncio.Queue()
    meter = Meter()
    context = RunContext(
        options=plan.options,
        environment=plan.environment,
        settings=plan.settings,
        recorder=plan.recorder,
        redactor=plan.redactor,
        requester=Requester(plan.options, meter, plan.redactor),
        meter=meter,
    )
    yield RunStarted(tuple(t.id for t in plan.targets), len(plan.checks))
    work = asyncio.create_task(_all_targets(plan, context, queue))
    try:
        while (event := await queue.get()) is not None:
            yield event
        reports = await work
    finally:
        work.cancel()
        await context.requester.aclose()
    ignored = [one for report in reports for one in report.ignored]
    report = Report(
        started_at=started_at,
        duration_ms=round((time.perf_counter() - started) * 1000),
        targets=tuple(sorted(reports, key=_worst_first)),
        spending=context.meter.spent,
        notes=(*plan.notes, *idle(plan.ignores, ignored, datetime.date.today())),
    )
    yield RunFinished(report)


async def _all_targets(
    plan: Plan, context: RunContext, queue: asyncio.Queue[Event | None]
) -> list[TargetReport]:
    limit = asyncio.Semaphore(_AT_ONCE)
    root = Facts(context, "run", None)

    async def one(target: Target) -> TargetReport:
        async with limit:
            return await _examine_target(target, plan, context, root, queue)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(target)) for target in plan.targets]
        return [task.result() for task in tasks]
    finally:
        root.close()
        queue.put_nowait(None)


async def _examine_target(
    target: Target,
    plan: Plan,
    context: RunContext,
    root: Facts,
    queue: asyncio.Queue[Event | None],
) -> TargetReport:
    emit = queue.put_nowait
    emit(TargetStarted(target.id, target.label))
    store = Facts(context, target.id, target.connection, root)

    def show(hop: PathHop) -> None:
        emit(HopSeen(target.id, hop))

    try:
        async with asyncio.TaskGroup() as group:
            walking = group.create_task(paths.walk(store, show))
            examining = group.create_task(examine(store, plan.checks, emit))
        first = examining.result()
        repair = None
        if first.reply is not None and not first.answers:
            repair = await Search(store, plan.checks, emit).run(first)
        scene = None
        if first.findings or repair is not None:
            # Where nothing is found nothing is mended, and the editors of files stay unimported.
            from doctor.fixes.scene import scene_of

            scene = scene_of(plan.environment, plan.settings)
        diagnosis, findings = diagnose(first, repair, plan.options.no_spend, scene)
        kept = leave_out(diagnosis, findings, plan.ignores, target.id, datetime.date.today())
        configuration = paths.configuration(kept.findings)
        show(configuration)
        product = await store.find(f.PRODUCT)
        report = TargetReport(
            id=target.id,
            label=_label(target, product.provider if product else None),
            kind=target.kind,
            product=product.id if product else "unknown",
            connection=target.connection,
            path=paths.complete(walking.result(), configuration),
            verdicts=await verdicts(store),
            diagnosis=kept.diagnosis,
            findings=kept.findings,
            checks=first.results,
            facts=await _figures(store),
            not_tested=await _not_tested(store),
            ignored=kept.ignored,
        )
    finally:
        store.close()
    emit(TargetFinished(report))
    return report


def _label(target: Target, provider: str | None) -> str:
    client = profile(target.connection.client).label
    if not provider:
        return f"{target.label}: {client}"
    return _("{name}: {client} → {provider}", name=target.label, client=client, provider=provider)


async def _figures(store: Facts) -> dict[str, str]:
    """Measured by the way: time to the first token, the served window."""
    figures: dict[str, str] = {}
    reply = await store.find(f.COMPLETION)
    if reply is not None and reply.exchange.ms_first_event is not None:
        figures["ttft_ms"] = str(reply.exchange.ms_first_event)
    models = await store.find(f.MODELS)
    model = store.connection.model
    if models is not None and models.models and model is not None:
        window = next((m.window for m in models.models if m.id == model.value), None)
        if window is not None:
            figures["window"] = str(window)
    return figures


async def _not_tested(store: Facts) -> tuple[str, ...]:
    """What the reader might believe was looked at and was not, each with the reason."""
    untested: list[str] = []
    try:
        await store.get(f.COMPLETION)
    except Unavailable as reason:
        untested.append(_("a completion ({reason})", reason=reason.args[0]))
    untested.append(_("engine metrics (no vLLM address known)"))
    return tuple(untested)


def _worst_first(report: TargetReport) -> tuple[int, int]:
    severity = max((finding.severity for finding in report.findings), default=0)
    return (-int(not _well(report.diagnosis)), -severity)


def _well(diagnosis: Diagnosis) -> bool:
    return diagnosis.before is not None and diagnosis.before.answered


__all__: Sequence[str] = ("Plan", "run")
