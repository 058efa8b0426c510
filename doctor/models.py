"""What a run produces: findings, check results, the path, the diagnosis, the report."""

from __future__ import annotations

import enum
from dataclasses import field
from typing import TYPE_CHECKING

from doctor.connection import Change, Connection
from doctor.records import dataclass

if TYPE_CHECKING:
    from doctor.fixes.steps import Step
    from doctor.launch.edits import Edit


class Severity(enum.IntEnum):
    INFO = 10
    WARNING = 20
    ERROR = 30
    CRITICAL = 40

    @property
    def word(self) -> str:
        return self.name.lower()


class Confidence(enum.IntEnum):
    LOW = 10
    MEDIUM = 20
    HIGH = 30

    @property
    def word(self) -> str:
        return self.name.lower()


class Status(enum.StrEnum):
    """How a check ended. Only PASS is healthy."""

    PASS = "pass"  # noqa: S105 - a status, not a password
    FINDINGS = "findings"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    TIMEOUT = "timeout"
    CRASHED = "crashed"


class Applicability(enum.StrEnum):
    SAFE = "safe"
    UNSAFE = "unsafe"
    MANUAL = "manual"


class Hop(enum.StrEnum):
    """The layers of a request, in the order in which it passes them."""

    CONFIGURATION = "configuration"
    PROXY = "proxy"
    DNS = "dns"
    TCP = "tcp"
    TLS = "tls"
    GATEWAY = "gateway"
    ROUTE = "route"
    ENGINE = "engine"
    KV = "kv"

    @property
    def order(self) -> int:
        return list(Hop).index(self)


class HopStatus(enum.StrEnum):
    OK = "ok"
    BROKEN = "broken"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation: who said it, where, and the value (masked, control characters visible)."""

    source: str
    location: str
    value: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A lasting change as it is proposed to the user. ``preview`` is text to read or to paste;
    ``steps`` are the same as data (keys in them are Secrets), which ``doctor.fixes`` applies."""

    id: str
    title: str
    applicability: Applicability
    proved: bool
    preview: str
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One value of a settings file. ``path`` is absolute or as people know it; "+" among ``keys``
    stands for a new item of a list. ``old`` None: nothing stands there yet; ``new`` None: it is
    taken out."""

    path: str
    keys: tuple[str | int, ...]
    new: str | int | bool | None
    old: str | int | bool | None = None


@dataclass(frozen=True, slots=True)
class Lasting:
    """A fix that is no change of one setting of the connection: entries of files, and lines to
    run or to follow where no file takes the value (a key, above all).

    ``name`` makes the fix's id with the finding's code. ``works`` says that a request with these
    very values was answered.
    """

    name: str
    title: str
    entries: tuple[FileEntry, ...] = ()
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    works: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that was seen. Checks make it with ``checkapi.problem``; the engine signs it.

    ``changes`` are the candidate repairs that the fault suggests. ``explains`` are codes of
    findings of the same target that follow from this one; ``explained_by`` is the reverse.
    ``clients`` names who is hit where that differs by client (empty: whoever uses the setting).
    ``blocking`` False: it ought to be mended but makes no request fail. ``proved_title`` replaces
    a title that says "likely" once a change is proved; ``advice`` is what to do as long as none is.
    ``lasting`` are fixes that no change of the connection stands for; ``edits`` mend a launch line.
    """

    title: str
    explanation: str
    evidence: tuple[Evidence, ...] = ()
    changes: tuple[Change, ...] = ()
    fixes: tuple[Fix, ...] = ()
    severity: Severity = Severity.ERROR
    confidence: Confidence = Confidence.HIGH
    code: str = ""
    slug: str = ""
    target: str = ""
    hop: Hop = Hop.CONFIGURATION
    explains: tuple[str, ...] = ()
    explained_by: str | None = None
    clients: tuple[str, ...] = ()
    blocking: bool = True
    proved_title: str = ""
    advice: str = ""
    lasting: tuple[Lasting, ...] = ()
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check on one target. ``reason`` is set unless it passed or found something."""

    code: str
    target: str
    status: Status
    duration_ms: int
    findings: tuple[Finding, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PathHop:
    """One hop as it was seen; ``ms`` is None where nothing was timed."""

    hop: Hop
    status: HopStatus
    detail: str
    ms: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a request in one line: an HTTP status, or the error that took its place.

    ``request`` is what was asked for: a completion, or only the models where none could be.
    """

    status: int | None
    error: str | None
    ms: int
    answered: bool
    request: str = "completion"


@dataclass(frozen=True, slots=True)
class Trial:
    """One try of the repair search."""

    changes: tuple[str, ...]
    answer: Answer


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Three separate questions; None is "not tested"."""

    reachable: bool | None = None
    authenticated: bool | None = None
    model_answers: bool | None = None
    authenticated_detail: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Root causes, most causal first, and the smallest repair that was proved.

    ``after`` is the answer of the repaired request; ``proved`` is True only if that answer was a
    completion (with ``--no-spend``: a models list, and ``proof`` says so).
    """

    root_causes: tuple[str, ...]
    summary: str
    proved: bool = False
    proof: str = ""
    repair: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    before: Answer | None = None
    after: Answer | None = None
    tried: tuple[Trial, ...] = ()


@dataclass(frozen=True, slots=True)
class Ignored:
    """A finding that the user left out on purpose, with the reason given."""

    code: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class TargetReport:
    """Everything about one target."""

    id: str
    label: str
    kind: str
    product: str
    connection: Connection
    path: tuple[PathHop, ...]
    verdicts: Verdicts
    diagnosis: Diagnosis
    findings: tuple[Finding, ...]
    checks: tuple[CheckResult, ...]
    facts: dict[str, str] = field(default_factory=dict)
    not_tested: tuple[str, ...] = ()
    ignored: tuple[Ignored, ...] = ()


@dataclass(frozen=True, slots=True)
class Spending:
    """Requests of a run. ``billable`` ones may cost tokens; ``tokens`` is what was asked for."""

    free: int = 0
    billable: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """One run over all targets; the first of ``targets`` is the worst."""

    started_at: str
    duration_ms: int
    targets: tuple[TargetReport, ...]
    spending: Spending
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(f for t in self.targets for f in t.findings)
