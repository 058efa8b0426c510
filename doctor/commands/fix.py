"""``kvdoctor fix``: apply what was proved, ask again, say how it ended."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import re
from collections.abc import Mapping, Sequence

from doctor import bundle, exitcodes, registry
from doctor.commands.check import nothing_found, run_options, target_request, usage_text
from doctor.commands.fix_output import FixOutput, output_for
from doctor.commands.output import UsageError, complain
from doctor.events import RunFinished
from doctor.facts.machine import Environment
from doctor.fixes.apply import apply
from doctor.fixes.choice import Offer, applicable, chosen, offers, prepared
from doctor.fixes.journal import Entry, Journal, state_folder
from doctor.fixes.prepare import Prepared
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.undo import undo
from doctor.fixes.verify import Verdict, verify
from doctor.models import Answer, Applicability, Report
from doctor.records import dataclass
from doctor.registry import Registry
from doctor.run import Plan, run
from doctor.secrets import REDACTOR, Redactor
from doctor.settings.discover import Discovery, discover
from doctor.settings.environment import this_environment
from doctor.settings.errors import ConfigError
from doctor.suggest import nearest
from doctor.text import _

_CODE = re.compile(r"[A-Za-z]{2,8}[0-9]{3}(?::[a-z_]+)?")


def execute(options: argparse.Namespace) -> int:
    try:
        session = Session(options, this_environment(), REDACTOR, Journal(state_folder()))
        return asyncio.run(session.run())
    except (UsageError, ConfigError, registry.UnknownSelector) as error:
        complain(usage_text(error), REDACTOR)
        return exitcodes.USAGE
    except RefusedEdit as refused:
        complain(_("nothing was written: {why}", why=str(refused)), REDACTOR)
        return exitcodes.FINDINGS


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user named: fixes by code, slug or id, and targets."""

    fixes: tuple[str, ...]
    targets: tuple[str, ...]


class Session:
    """One run of the command: examine, choose, show, apply, verify."""

    def __init__(
        self,
        options: argparse.Namespace,
        environment: Environment,
        redactor: Redactor,
        journal: Journal,
    ) -> None:
        self.options = options
        self.environment = environment
        self.redactor = redactor
        self.journal = journal
        self.known = registry.load()
        self.asked = _asked(options.names, self.known)
        options.targets = list(self.asked.targets)
        self.request = target_request(options)

    async def run(self) -> int:
        """The exit code: 0 if nothing is broken any more, 1 if something is.

        Raises ``RefusedEdit`` where nothing was written, and what ``kvdoctor check`` raises.
        """
        found = self._discover(self.environment)
        if not found.targets:
            complain(nothing_found(found), self.redactor)
            return exitcodes.NOTHING
        report = await self._examine(found, self.environment, checks=True)
        known = offers(report)
        wanted = chosen(known, self.asked.fixes)
        self._check_names(known)
        with output_for(self.options, self.redactor) as out:
            return await self._carry_out(report, wanted, out)

    async def _carry_out(self, report: Report, wanted: tuple[Offer, ...], out: FixOutput) -> int:
        out.report(report)
        if not wanted:
            out.nothing(report)
            return exitcodes.OK if _all_answer(report) else exitcodes.FINDINGS
        can_be = tuple(o for o in wanted if o.fix.applicability is not Applicability.MANUAL)
        out.offers(wanted)
        whole = prepared(can_be)
        if self.options.diff:
            out.diffs(whole)
            out.finish()
            return exitcodes.FINDINGS
        accepted = self._accepted(can_be, out)
        if not accepted:
            out.left(wanted)
            out.finish()
            return exitcodes.FINDINGS
        ready = prepared(accepted)
        entry = apply(
            ready,
            [f"{offer.fix.id} {offer.fix.title}" for offer in accepted],
            self.journal,
            redact=self.redactor,
        )
        out.applied(entry)
        verdicts = await self._verify(ready, accepted)
        out.verdicts(verdicts)
        out.left([offer for offer in wanted if offer not in accepted])
        verified = bool(verdicts) and all(verdict.verified for verdict in verdicts)
        undone = not verified and self._take_back(entry, out)
        if not undone:
            out.texts(ready)
        out.finish()
        return exitcodes.OK if verified else exitcodes.FINDINGS

    # ---------------------------------------------------------------- examining

    def _discover(self, environment: Environment) -> Discovery:
        found = discover(self.request, environment)
        for secret in found.secrets:
            self.redactor.learn(secret)
        return found

    async def _examine(self, found: Discovery, environment: Environment, *, checks: bool) -> Report:
        plan = Plan(
            targets=found.targets,
            checks=self.known.selected(self.options.select, self.options.ignore) if checks else (),
            options=run_options(self.options, found),
            environment=environment,
            settings=found.settings,
            recorder=bundle.Live(),
            redactor=self.redactor,
            notes=(*self.known.notes, *found.notes),
        )
        report: Report | None = None
        async for event in run(plan):
            if isinstance(event, RunFinished):
                report = event.report
        assert report is not None, "a run ends with its report"
        return report

    async def _again(self, environment: Environment) -> Mapping[str, Answer | None]:
        """The request of every target, with settings read anew."""
        found = self._discover(environment)
        report = await self._examine(found, environment, checks=False)
        return {target.id: target.diagnosis.before for target in report.targets}

    async def _verify(self, ready: Prepared, accepted: Sequence[Offer]) -> tuple[Verdict, ...]:
        targets = tuple(dict.fromkeys(offer.target for offer in accepted))
        if self.options.offline:
            return tuple(Verdict(target, None) for target in targets)
        if any(offer.sets_up for offer in accepted):
            # Flags would win over the very file that was written.
            self.request = dataclasses.replace(
                self.request, base_url=None, model=None, max_tokens=None, key_env=None
            )
        return await verify(self._again, self.environment, ready, targets)

    # ---------------------------------------------------------------- choosing

    def _check_names(self, known: Sequence[Offer]) -> None:
        """Raises ``UsageError`` for a name that means no fix of this run."""
        for name in self.asked.fixes:
            if not any(offer.answers_to(name) for offer in known):
                ids = [offer.fix.id for offer in known]
                hint = nearest(name, ids)
                more = f"; the nearest is {hint}" if hint else ""
                raise UsageError(_("{name}: this run has no such fix{more}", name=name, more=more))

    def _accepted(self, can_be: tuple[Offer, ...], out: FixOutput) -> tuple[Offer, ...]:
        """What is to be applied: by ``--yes`` what needs no question, else what the user says."""
        sure = applicable(can_be, unsafe=self.options.unsafe)
        if self.options.yes:
            if sure:
                out.diffs(prepared(sure))
            return sure
        if can_be:
            out.diffs(prepared(can_be))
        if not can_be or not out.interactive:
            if can_be:
                out.needs_yes()
            return ()
        return _together(can_be, [offer for offer in can_be if out.ask(offer)])

    def _take_back(self, entry: Entry, out: FixOutput) -> bool:
        """Offer to undo what did not help; never without being asked."""
        if self.options.yes or not out.interactive or not out.ask_undo():
            out.undo_hint(entry)
            return False
        undo(self.journal, entry)
        out.undone(entry)
        return True


def _together(known: Sequence[Offer], picked: Sequence[Offer]) -> tuple[Offer, ...]:
    """With a fix come those that have its steps: changes of one setting stand or fall together."""
    steps = {offer.fix.steps for offer in picked}
    return tuple(offer for offer in known if offer.fix.steps in steps)


def _asked(names: Sequence[str], known: Registry) -> Asked:
    """Codes, ids of fixes and slugs on the one hand, targets on the other."""
    slugs = {check.slug for check in known.checks}
    fixes = tuple(name for name in names if _CODE.fullmatch(name) or name in slugs)
    return Asked(fixes, tuple(name for name in names if name not in fixes))


def _all_answer(report: Report) -> bool:
    answers = [target.diagnosis.before for target in report.targets]
    return all(answer is not None and answer.answered for answer in answers)


__all__ = ["Session", "execute"]
