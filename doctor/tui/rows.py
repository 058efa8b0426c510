"""The lines of the finding list: roots, what they explain folded under them, then the rest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from doctor.models import Finding


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding. ``number`` is its number key (1 to 9), None for those without one;
    ``depth`` 1 is a consequence, shown under its cause."""

    finding: Finding
    number: int | None
    depth: int
    root: bool

    @property
    def key(self) -> str:
        return f"finding {self.finding.target} {self.finding.code} {self.finding.title}"


@dataclass(frozen=True, slots=True)
class FoldRow:
    """Stands for the ``count`` consequences of ``cause`` (a code); ``open`` shows them."""

    cause: str
    count: int
    open: bool

    @property
    def key(self) -> str:
        return f"fold {self.cause}"


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """The last line: how the checks ended. ``texts`` are joined when they are shown."""

    texts: tuple[str, ...]

    @property
    def key(self) -> str:
        return "summary"


ListRow = FindingRow | FoldRow | SummaryRow


def rows_of(
    findings: Sequence[Finding], roots: Sequence[str], unfolded: Collection[str]
) -> tuple[ListRow, ...]:
    """``findings`` come with roots first; ``unfolded`` are the codes whose consequences show."""
    by_cause: dict[str, list[Finding]] = {}
    shown = {finding.code for finding in findings if finding.explained_by is None}
    for finding in findings:
        if finding.explained_by is not None:
            cause = _shown_cause(finding.explained_by, findings, shown)
            by_cause.setdefault(cause, []).append(finding)
    rows: list[ListRow] = []
    number = 0
    for finding in findings:
        if finding.explained_by is not None:
            continue
        number += 1
        key = number if number <= 9 else None
        rows.append(FindingRow(finding, key, 0, finding.code in roots))
        consequences = by_cause.pop(finding.code, [])
        if consequences:
            is_open = finding.code in unfolded
            rows.append(FoldRow(finding.code, len(consequences), is_open))
            if is_open:
                rows.extend(FindingRow(f, None, 1, False) for f in consequences)
    return tuple(rows)


def _shown_cause(cause: str, findings: Sequence[Finding], shown: Collection[str]) -> str:
    """The cause, or the cause of the cause, that has a line of its own."""
    above = {f.code: f.explained_by for f in findings if f.explained_by is not None}
    visited: set[str] = set()
    while cause not in shown and cause in above and cause not in visited:
        visited.add(cause)
        cause = above[cause] or cause
    return cause
