"""What a document for people or for a build server holds, whatever command it tells of.

``check``, ``demo`` and ``replay`` fill it from a report, ``launch``, ``memory``, ``prefix`` and
``explain`` from their findings, ``checklist`` from its items. The writers of markdown, HTML, JUnit,
SARIF and workflow commands know nothing else. Texts are English and translated when written; they
are not yet escaped for any format.
"""

from __future__ import annotations

import enum

from doctor.models import Finding, PathHop, Severity
from doctor.records import dataclass


class Outcome(enum.StrEnum):
    """How one check, or one item of a checklist, ended."""

    PASS = "pass"  # noqa: S105 - an outcome, not a password
    FAIL = "fail"
    UNTESTED = "not tested"
    WAIVED = "waived"
    SKIPPED = "not applicable"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Case:
    """A check or an item. ``group`` is the area; ``message`` says why it did not pass."""

    id: str
    group: str
    title: str
    outcome: Outcome
    ms: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A setting as it may be shown, with where it was read."""

    name: str
    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class Section:
    """One target, one launch line, one log.

    ``lead`` is what matters most in a few sentences; ``proof`` the proved repair. ``listed``: the
    cases are the content (a checklist), not a record of what was run. ``answer`` is text in
    columns.
    """

    id: str
    title: str
    lead: tuple[str, ...] = ()
    proof: str = ""
    well: bool = True
    path: tuple[PathHop, ...] = ()
    settings: tuple[Value, ...] = ()
    findings: tuple[Finding, ...] = ()
    roots: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    listed: bool = False
    untested: tuple[str, ...] = ()
    answer: str = ""

    @property
    def shown(self) -> tuple[Finding, ...]:
        """The findings that stand for themselves."""
        return tuple(finding for finding in self.findings if finding.explained_by is None)

    @property
    def folded(self) -> tuple[Finding, ...]:
        """Those that follow from another."""
        return tuple(finding for finding in self.findings if finding.explained_by is not None)


@dataclass(frozen=True, slots=True)
class Sheet:
    """``started_at`` is ISO 8601 with its offset. Findings from ``threshold`` on are failures."""

    command: str
    title: str
    started_at: str
    duration_ms: int
    sections: tuple[Section, ...]
    footer: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    threshold: Severity = Severity.ERROR

    @property
    def when(self) -> str:
        """``2030-01-31 06:22 UTC``."""
        return f"{self.started_at[:16].replace('T', ' ')} UTC"

    @property
    def well(self) -> bool:
        """Whether nothing fails, and everything that was asked answered."""
        return all(section.well for section in self.sections)


def threshold_of(fail_on: str) -> Severity:
    """What counts as a failure. Whoever lets no finding end the command ("never") still has a
    build server judge by what is written."""
    return Severity.ERROR if fail_on == "never" else Severity[fail_on.upper()]
