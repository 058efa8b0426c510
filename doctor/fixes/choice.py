"""Which of a report's fixes are meant: by code, by id, by what may be applied without asking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from doctor.fixes.prepare import Prepared, prepare
from doctor.fixes.steps import Step
from doctor.models import Applicability, Finding, Fix, Report


@dataclass(frozen=True, slots=True)
class Offer:
    """A fix with the finding and the target that it is for."""

    target: str
    finding: Finding
    fix: Fix

    @property
    def sets_up(self) -> bool:
        """Whether it makes the settings of a client that has none."""
        return self.fix.id.endswith(":setup")

    def answers_to(self, name: str) -> bool:
        """Whether ``name`` is the fix's id, or its finding's code or slug."""
        return name.lower() in (self.fix.id.lower(), self.finding.code.lower(), self.finding.slug)


def offers(report: Report) -> tuple[Offer, ...]:
    """All fixes of a report, root causes first; the same steps for several targets once."""
    found: dict[tuple[str, tuple[Step, ...], str], Offer] = {}
    for target in report.targets:
        for finding in target.findings:
            for fix in finding.fixes:
                same = (fix.id, fix.steps, "" if fix.steps else fix.preview)
                found.setdefault(same, Offer(target.id, finding, fix))
    return tuple(found.values())


def chosen(known: Sequence[Offer], names: Iterable[str]) -> tuple[Offer, ...]:
    """The offers that ``names`` mean; without names those that are proved, or that set up a client
    which was asked for and has nothing yet."""
    wanted = tuple(names)
    if not wanted:
        return tuple(
            offer
            for offer in known
            if offer.fix.proved or (offer.sets_up and _only_adds(offer.fix))
        )
    return tuple(offer for offer in known if any(offer.answers_to(name) for name in wanted))


def applicable(known: Iterable[Offer], *, unsafe: bool) -> tuple[Offer, ...]:
    """Those that can be applied without a question: safe ones, which are proved or only add; with
    ``unsafe`` unsafe and proved ones as well."""
    allowed = {Applicability.SAFE} | ({Applicability.UNSAFE} if unsafe else set())
    return tuple(
        o for o in known if o.fix.applicability in allowed and (o.fix.proved or _only_adds(o.fix))
    )


def _only_adds(fix: Fix) -> bool:
    return fix.applicability is Applicability.SAFE and not fix.proved


def prepared(known: Iterable[Offer]) -> Prepared:
    """All steps of ``known`` as one. Raises ``RefusedEdit``."""
    return prepare(step for offer in known for step in offer.fix.steps)
