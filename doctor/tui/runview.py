"""What the events of a run add up to: the state that every screen shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from doctor import events as e
from doctor.models import (
    CheckResult,
    Finding,
    Hop,
    HopStatus,
    PathHop,
    Report,
    TargetReport,
    Trial,
)
from doctor.tui.merge import merged


@dataclass(frozen=True, slots=True)
class Running:
    """A check that has not ended. ``since`` is a reading of the view's clock, in seconds."""

    target: str
    code: str
    slug: str
    since: float


@dataclass(slots=True)
class TargetView:
    """One target. ``report`` is what its last examination ended with, None until it has."""

    id: str
    label: str
    hops: dict[Hop, PathHop] = field(default_factory=dict)
    results: dict[str, CheckResult] = field(default_factory=dict)
    met: dict[str, Finding] = field(default_factory=dict)
    trials: list[Trial] = field(default_factory=list)
    report: TargetReport | None = None
    examining: bool = False

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Roots first, what follows from them after; while it runs, as far as is known."""
        if self.report is not None:
            return self.report.findings
        from doctor.engine import fold

        seen = [finding for result in self.results.values() for finding in result.findings]
        codes = {finding.code for finding in seen}
        return fold((*seen, *(f for f in self.met.values() if f.code not in codes)))

    @property
    def path(self) -> tuple[PathHop | None, ...]:
        """One entry for each hop; None is "not looked at yet"."""
        return tuple(self.hops.get(hop) for hop in Hop)

    @property
    def first_broken(self) -> PathHop | None:
        return next((hop for hop in self.path if hop and hop.status is HopStatus.BROKEN), None)

    @property
    def answers(self) -> bool | None:
        """Whether the request as configured is answered; None if none was made, or not yet."""
        if self.report is None or self.report.diagnosis.before is None:
            return None
        return self.report.diagnosis.before.answered


class RunView:
    """Folds events into targets. A run of some checks only is merged into what was known."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.targets: dict[str, TargetView] = {}
        self.events: list[e.Event] = []
        self.report: Report | None = None
        self.running: dict[tuple[str, str], Running] = {}
        self.active = False
        self.expected = 0
        self.ended = 0
        self._partial = False
        self._kept: dict[str, TargetReport] = {}

    def begin(self, *, partial: bool) -> None:
        """A run is about to start; a ``partial`` one keeps what it does not look at."""
        self.active = True
        self.running.clear()
        self.expected = self.ended = 0
        self._partial = partial
        if not partial:
            self.events.clear()
            self.report = None

    def stop(self) -> None:
        """The run has ended, or was cancelled."""
        self.active = False
        self.running.clear()
        for target in self.targets.values():
            target.examining = False
        self._kept.clear()

    @property
    def oldest(self) -> Running | None:
        """The check that has been running longest: the one the user waits for."""
        return min(self.running.values(), key=lambda one: one.since, default=None)

    def since(self, running: Running) -> int:
        """For how long it has been running, in ms."""
        return round((self._clock() - running.since) * 1000)

    def apply(self, event: e.Event) -> None:
        if not self._partial:
            self.events.append(event)
        match event:
            case e.RunStarted():
                self._started(event)
            case e.TargetStarted():
                self._target(event.target, event.label).examining = True
            case e.HopSeen():
                self._target(event.target).hops[event.hop.hop] = event.hop
            case e.CheckStarted():
                one = Running(event.target, event.code, event.slug, self._clock())
                self.running[event.target, event.code] = one
            case e.CheckFinished():
                self.running.pop((event.target, event.result.code), None)
                self._target(event.target).results[event.result.code] = event.result
                self.ended += 1
            case e.FindingSeen():
                self._target(event.target).met[event.finding.code] = event.finding
            case e.TrialFinished():
                self._target(event.target).trials.append(event.trial)
            case e.TargetFinished():
                self._finished(event.report)
            case e.RunFinished():
                self._run_finished(event.report)

    def _started(self, event: e.RunStarted) -> None:
        self.expected = event.checks * len(event.targets)
        if not self._partial:
            self.targets = {
                name: TargetView(name, self.targets[name].label if name in self.targets else name)
                for name in event.targets
            }
            return
        for name in event.targets:
            target = self._target(name)
            if target.report is not None:
                self._kept[name] = target.report
            target.met.clear()
            target.trials.clear()

    def _target(self, name: str, label: str | None = None) -> TargetView:
        target = self.targets.get(name)
        if target is None:
            target = self.targets[name] = TargetView(name, label or name)
        if label:
            target.label = label
        return target

    def _finished(self, report: TargetReport) -> None:
        target = self._target(report.id, report.label)
        kept = self._kept.pop(report.id, None)
        target.report = report if kept is None else merged(kept, report)
        target.results = {result.code: result for result in target.report.checks}
        target.hops = {hop.hop: hop for hop in target.report.path}
        target.examining = False

    def _run_finished(self, report: Report) -> None:
        if not self._partial:
            self.report = report
            self.targets = _worst_first(report.targets, self.targets)


def _worst_first(
    reports: Iterable[TargetReport], targets: dict[str, TargetView]
) -> dict[str, TargetView]:
    order = [report.id for report in reports]
    rest = [name for name in targets if name not in order]
    return {name: targets[name] for name in (*order, *rest)}
