"""What a run tells while it goes on. Every front end is a consumer of this stream."""

from __future__ import annotations

from doctor.models import CheckResult, Finding, PathHop, Report, TargetReport, Trial
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class RunStarted:
    targets: tuple[str, ...]
    checks: int


@dataclass(frozen=True, slots=True)
class TargetStarted:
    target: str
    label: str


@dataclass(frozen=True, slots=True)
class HopSeen:
    target: str
    hop: PathHop


@dataclass(frozen=True, slots=True)
class CheckStarted:
    target: str
    code: str
    slug: str


@dataclass(frozen=True, slots=True)
class CheckFinished:
    target: str
    result: CheckResult


@dataclass(frozen=True, slots=True)
class FindingSeen:
    """A finding that the repair search met behind an earlier fault."""

    target: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class TrialFinished:
    target: str
    trial: Trial


@dataclass(frozen=True, slots=True)
class TargetFinished:
    report: TargetReport


@dataclass(frozen=True, slots=True)
class RunFinished:
    report: Report


Event = (
    RunStarted
    | TargetStarted
    | HopSeen
    | CheckStarted
    | CheckFinished
    | FindingSeen
    | TrialFinished
    | TargetFinished
    | RunFinished
)
