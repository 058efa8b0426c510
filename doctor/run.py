"""A whole run: every target examined, repaired in memory and diagnosed, told as events."""

from __future__ import annotations

import asyncio
import collections
import datetime
import time
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

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
from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.facts.store import Facts, Recorder, Unavailable
from doctor.ignoring import idle, leave_out
from doctor.models import Diagnosis, Finding, PathHop, Report, TargetReport
from doctor.records import dataclass
from doctor.repair import Examination, Repair, Search, examine
from doctor.secrets import Redactor
from doctor.settings.ignore import IgnoreRule
from doctor.target import Target
from doctor.text import _

if TYPE_CHECKING:
    from doctor.fixes.scene import Scene

# Targets that are examined at the same time: in all, and at one server, which may bound how much
# it takes from one key at once.
_AT_ONCE = 32
_AT_ONE_SERVER = 16


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
    servers = collections.defaultdict[str, asyncio.Semaphore](
        lambda: asyncio.Semaphore(_AT_ONE_SERVER)
    )
    root = Facts(context, "run", None)

    async def one(target: Target) -> TargetReport:
        async with servers[_server(target)], limit:
            return await _examine_target(target, plan, context, root, queue)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(target)) for target in plan.targets]
        return [task.result() for task in tasks]
    finally:
        root.close()
        queue.put_nowait(None)


def _server(target: Target) -> str:
    """The host and port of the base URL as written, empty where it has none."""
    try:
        return urlsplit(target.connection.base_url.value.strip()).netloc.lower()
    except ValueError:
        return ""


async def _examine_target(
    target: Target,
    plan: Plan,
    context: RunContext,
    root: Facts,
    queue: asyncio.Queue[Event | None],
) -> TargetReport:
    emit = queue.put_nowait
    emit(TargetStarted(target.id, target.label))
    store = store_of(target, context, root)

    def show(hop: PathHop) -> None:
        emit(HopSeen(target.id, hop))

    try:
        async with asyncio.TaskGroup() as group:
            walking = group.create_task(paths.walk(store, show))
            examining = group.create_task(examine(store, plan.checks, emit))
        first = examining.result()
        repair = None
        if first.fails:
            repair = await Search(store, plan.checks, emit).run(first)
        diagnosis, findings = await _diagnosed(first, repair, plan, store)
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


async def _diagnosed(
    first: Examination, repair: Repair | None, plan: Plan, store: Facts
) -> tuple[Diagnosis, tuple[Finding, ...]]:
    no_spend = plan.options.no_spend
    if not first.findings and repair is None:
        # Nothing is to be mended, and the editors of files stay unimported.
        return diagnose(first, repair, no_spend)
    # They read files and ask git, which must not hold up the other targets, nor the screen.
    scene = await store.once("scene", lambda: asyncio.to_thread(_scene, plan))
    return await asyncio.to_thread(diagnose, first, repair, no_spend, scene)


def _scene(plan: Plan) -> Scene | None:
    from doctor.fixes.scene import scene_of

    return scene_of(plan.environment, plan.settings)


def store_of(target: Target, context: RunContext, root: Facts) -> Facts:
    """The facts of ``target``, with those of the engine behind it where one is named."""
    behind = None
    if target.engine is not None:
        behind = Facts(context, f"{target.id}/engine", target.engine, root)
    return Facts(
        context,
        target.id,
        target.connection,
        root,
        behind=behind,
        launch_file=target.launch,
    )


def _label(target: Target, provider: str | None) -> str:
    client = profile(target.connection.client).label
    if not provider:
        return f"{target.label}: {client}"
    return _("{name}: {client} → {provider}", name=target.label, client=client, provider=provider)


async def _figures(store: Facts) -> dict[str, str]:
    """Measured by the way: time to the first token, also of the engine itself where the user named
    it, and the served window."""
    figures: dict[str, str] = {}
    reply = await store.find(f.COMPLETION)
    if reply is not None and reply.exchange.ms_first_event is not None:
        figures["ttft_ms"] = str(reply.exchange.ms_first_event)
        first = await _first_token_of_engine(store)
        if first is not None:
            figures["engine_ttft_ms"] = str(first)
    models = await store.find(f.MODELS)
    model = store.connection.model
    if models is not None and models.models and model is not None:
        window = next((m.window for m in models.models if m.id == model.value), None)
        if window is not None:
            figures["window"] = str(window)
    return figures


async def _first_token_of_engine(store: Facts) -> int | None:
    """Milliseconds that the engine behind the gateway takes itself; None where none is named, or
    it cannot be reached from here, which is not worth a second wait."""
    engine = await store.find(f.ENGINE)
    if engine is None or not engine.behind or (engine.version is None and engine.models is None):
        return None
    direct = await store.find(f.DIRECT)
    return None if direct is None else direct.reply.exchange.ms_first_event


async def _not_tested(store: Facts) -> tuple[str, ...]:
    """What the reader might believe was looked at and was not, each with the reason."""
    untested: list[str] = []
    try:
        await store.get(f.COMPLETION)
    except Unavailable as reason:
        untested.append(_("a completion ({reason})", reason=reason.args[0]))
    engine = await store.find(f.ENGINE)
    if engine is None or engine.root is None:
        untested.append(_("engine metrics (no vLLM address known)"))
        return tuple(untested)
    try:
        await store.get(f.METRICS)
    except Unavailable as reason:
        untested.append(_("engine metrics ({reason})", reason=reason.args[0]))
    return tuple(untested)


def _worst_first(report: TargetReport) -> tuple[int, int]:
    severity = max((finding.severity for finding in report.findings), default=0)
    return (-int(not _well(report.diagnosis)), -severity)


def _well(diagnosis: Diagnosis) -> bool:
    return diagnosis.before is not None and diagnosis.before.answered


__all__: Sequence[str] = ("Plan", "run")
