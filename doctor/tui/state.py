"""Everything that the screens show, in one place and free of drawing."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from doctor.models import Finding
from doctor.text import Text
from doctor.tui.runview import RunView, TargetView
from doctor.tui.session import Prepared


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of applying or undoing a fix. ``good`` None: it is still being verified.
    ``commands`` mend shells that are open already."""

    text: Text
    good: bool | None = None
    commands: tuple[str, ...] = ()


@dataclass(slots=True)
class State:
    """``trouble`` is what kept a run from starting; ``undoable`` says that there is something to
    take back; ``shown`` is the target chosen by the user."""

    view: RunView
    fixes_allowed: bool = True
    prepared: Prepared | None = None
    trouble: str = ""
    verdict: Verdict | None = None
    undoable: bool = False
    shown: str | None = None

    @property
    def target(self) -> TargetView | None:
        """The target on the screen: the chosen one, else the worst."""
        targets = self.view.targets
        if self.shown in targets:
            return targets[self.shown]
        return next(iter(targets.values()), None)

    @property
    def has_engine(self) -> bool:
        """Whether the target on the screen is an engine, or has one behind it."""
        target = self.target
        if target is None:
            return False
        if target.report is not None and target.report.product == "vllm":
            return True
        known = self.prepared.targets if self.prepared is not None else ()
        return any(each.id == target.id and each.engine is not None for each in known)

    def findings(self, target: TargetView | None) -> tuple[Finding, ...]:
        """The findings of ``target`` that kvdoctor.toml does not leave out, roots first."""
        if target is None:
            return ()
        return tuple(f for f in target.findings if not self._is_ignored(target.id, f.code))

    def _is_ignored(self, target: str, code: str) -> bool:
        # A rule that was just written holds at once; the run's own are out of its report already.
        rules = self.prepared.ignores if self.prepared is not None else ()
        today = datetime.date.today()
        return any(rule.covers(code, target, today) for rule in rules)

    def ignored(self, target: TargetView) -> int:
        """How many of its findings are left out."""
        by_the_run = len(target.report.ignored) if target.report is not None else 0
        return by_the_run + len(target.findings) - len(self.findings(target))

    @property
    def places(self) -> dict[str, str]:
        """Code → where it was found, of the target on the screen."""
        return {
            finding.code: next((e.location for e in finding.evidence if e.location), finding.title)
            for finding in self.findings(self.target)
        }

    def repairable(self, finding: Finding | None) -> tuple[str, ...]:
        """The codes that ``a`` applies: the whole proved repair, else the finding's own fix."""
        target = self.target
        if target is None or target.report is None:
            return ()
        diagnosis = target.report.diagnosis
        repair = tuple(dict.fromkeys(change.code for change in diagnosis.changes))
        if diagnosis.proved and (finding is None or finding.code in repair or not finding.fixes):
            return repair
        return (finding.code,) if finding is not None and finding.fixes else ()

    @property
    def well(self) -> bool:
        """Answered, with nothing found."""
        target = self.target
        return bool(target and target.answers and not self.findings(target))
