"""A session that plays events which were written down: no network, no clock, no machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

from doctor import registry
from doctor.checkapi import Check
from doctor.enginemetrics.sample import Gap, Sample
from doctor.events import Event
from doctor.models import Applicability, TargetReport
from doctor.secrets import Redactor
from doctor.settings.ignore import IgnoreRule
from doctor.target import Target
from doctor.tui.benching import Benching
from doctor.tui.explained import Explained
from doctor.tui.explaining import explained
from doctor.tui.first_steps import FirstSteps, first_steps
from doctor.tui.fixing import Applied, Part, Proposal, Undone
from doctor.tui.screens.first_run import Aim
from doctor.tui.session import Prepared, Scope, Trouble


class ScriptedSession:
    """Plays ``events``; with ``hang`` it then waits for ever, as a run does that is going on.

    What was asked of it is kept, so that a test can tell what the user's keys came to.
    ``fixed`` are the events of every run after a fix was applied, until it is undone.
    """

    def __init__(
        self,
        events: Sequence[Event],
        *,
        targets: Sequence[Target] = (),
        checks: Sequence[Check] | None = None,
        hang: bool = False,
        fixed: Sequence[Event] | None = None,
        trouble: str = "",
        redactor: Redactor | None = None,
    ) -> None:
        self.redactor = redactor or Redactor()
        self._events = tuple(events)
        self._fixed = tuple(fixed if fixed is not None else events)
        self._targets = tuple(targets)
        self._checks = checks
        self._hang = hang
        self.trouble = trouble
        self.scopes: list[Scope] = []
        self.applied: list[tuple[str, ...]] = []
        self.ignored: list[tuple[str, str, str]] = []
        self.taken_back: list[tuple[str, ...]] = []
        self.warmed = False
        self.aims: list[Aim] = []
        self.samples: tuple[Sample | Gap, ...] = ()
        self.no_engine = ""
        self.watched: list[tuple[str, float]] = []
        self.bench: Benching | None = None
        # What holds the diff back until it is set, and what makes it impossible.
        self.previews = asyncio.Event()
        self.previews.set()
        self.unwritable = ""
        self.previewed: list[tuple[str, ...]] = []
        self.played = False
        self.cancelled = False

    async def prepare(self) -> Prepared:
        if self.trouble:
            raise Trouble(self.trouble)
        checks = registry.load().checks if self._checks is None else tuple(self._checks)
        nothing = "" if self._targets else "No base URL, key or kvdoctor.toml was found."
        rules = tuple(IgnoreRule(c, reason, t) for c, t, reason in self.ignored)
        return Prepared(tuple(self._targets), checks, nothing, rules)

    async def run(self, scope: Scope) -> AsyncIterator[Event]:
        self.scopes.append(scope)
        mended = len(self.applied) > len(self.taken_back)
        for event in self._fixed if mended else self._events:
            yield event
        self.played = True
        if self._hang:
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled = True

    async def watch(self, target: str, interval: float) -> AsyncIterator[Sample | Gap]:
        self.watched.append((target, interval))
        for sample in self.samples:
            yield sample
        if self.no_engine:
            raise Trouble(self.no_engine)
        await asyncio.Event().wait()

    def benching(self, target: str) -> Benching:
        assert self.bench is not None, target
        return self.bench

    def first_steps(self) -> FirstSteps:
        return first_steps({})

    def aim(self, at: Aim) -> None:
        self.aims.append(at)

    async def warm(self) -> None:
        self.warmed = True

    async def explain(self, text: str, here: Mapping[str, str]) -> Explained:
        return explained(text, here)

    async def ignore(self, code: str, target: str, reason: str) -> Applied:
        self.ignored.append((code, target, reason))
        return Applied(("kvdoctor.toml",))

    async def propose(self, report: TargetReport, codes: tuple[str, ...]) -> Proposal:
        parts = []
        for finding in report.findings:
            for fix in finding.fixes:
                if finding.code in codes:
                    manual = fix.applicability is Applicability.MANUAL
                    parts.append(
                        Part(
                            id=fix.id,
                            code=finding.code,
                            title=fix.title,
                            applicability=fix.applicability,
                            proved=fix.proved,
                            diff="" if manual else fix.preview,
                            commands=(fix.preview,) if manual else (),
                        )
                    )
        return Proposal(tuple(parts))

    async def preview(self, proposal: Proposal, parts: tuple[str, ...]) -> str:
        await self.previews.wait()
        if self.unwritable:
            raise Trouble(self.unwritable)
        self.previewed.append(parts)
        chosen = [part.diff for part in proposal.parts if part.id in parts and part.diff]
        lines = "\n".join(chosen).split("\n")
        heads = {line for line in lines if line.startswith(("---", "+++"))}
        return "\n".join([*sorted(heads, reverse=True), *(x for x in lines if x not in heads)])

    async def apply(self, proposal: Proposal, parts: tuple[str, ...]) -> Applied:
        self.applied.append(parts)
        return Applied(("~/.zshrc", ".env"), ("unset HTTPS_PROXY HTTP_PROXY",))

    async def undoable(self) -> str | None:
        if len(self.applied) == len(self.taken_back):
            return None
        return "KVD102 strip the key\n\n--- ~/.zshrc\n+++ ~/.zshrc\n-export A=1\n+export A=2"

    async def undo(self) -> Undone:
        self.taken_back.append(("~/.zshrc", ".env"))
        return Undone(self.taken_back[-1])
