"""The search for the smallest set of changes after which a real completion comes back.

The changed connection is examined with the same checks as the first one, so a fault that was
hidden behind another is found as soon as the other is out of the way. Changes that are right by
themselves are applied together; of alternatives each is tried with one request, and the first
that does away with the fault of its layer is kept. At the end every change is taken out once,
and only those stay without which the request fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from doctor.checkapi import Check
from doctor.connection import Change, Connection, SettingName
from doctor.engine import Emit, fold, run_checks
from doctor.events import FindingSeen, TrialFinished
from doctor.facts import COMPLETION, MODELS, Facts, Unavailable
from doctor.facts.answers import OutcomeKind, Reply
from doctor.facts.network import TransportFault
from doctor.models import CheckResult, Confidence, Finding, Trial
from doctor.outcomes import answer_of, answered, resolves
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import owner_in_clear

_TIMEOUTS = (TransportFault.CONNECT_TIMEOUT, TransportFault.READ_TIMEOUT)
_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Examination:
    """One connection, examined. ``reply`` is the request that decides, None if none was made."""

    connection: Connection
    changes: tuple[Change, ...]
    results: tuple[CheckResult, ...]
    findings: tuple[Finding, ...]
    reply: Reply | None

    @property
    def answers(self) -> bool:
        return self.reply is not None and answered(self.reply.outcome)

    @property
    def fails(self) -> bool:
        """Whether a repair is to be looked for: it was asked in vain, or not asked because that
        would have told the key to everybody on the way."""
        if self.reply is None:
            return owner_in_clear(self.connection.base_url.value) is not None
        return not self.answers


@dataclass(frozen=True, slots=True)
class Repair:
    """How the search ended.

    ``last`` is the furthest examination; ``needed`` the minimal changes if it ``answers``, else
    those applied on the way. ``met`` are the findings, with the changes in ``needed``, in the
    order in which they were met. ``refuted`` are the alternatives that were tried in vain.
    """

    last: Examination
    needed: tuple[Change, ...]
    met: tuple[Finding, ...]
    trials: tuple[Trial, ...]
    refuted: tuple[Change, ...] = ()
    exhausted: bool = False


async def deciding_reply(facts: Facts) -> Reply | None:
    """The completion; where none can be asked for (no model is known, no token may be spent),
    the models list."""
    reply = await facts.find(COMPLETION)
    if reply is not None:
        return reply
    models = await facts.find(MODELS)
    return None if models is None else models.reply


async def examine(
    facts: Facts, checks: Sequence[Check], emit: Emit, changes: tuple[Change, ...] = ()
) -> Examination:
    """Run ``checks`` on the connection of ``facts``."""
    results = await run_checks(checks, facts, emit)
    findings = fold(finding for result in results for finding in result.findings)
    reply = await deciding_reply(facts)
    return Examination(facts.connection, changes, results, findings, reply)


class Search:
    """One search on one target. Spends at most ``options.max_trials`` trials."""

    def __init__(self, facts: Facts, checks: Sequence[Check], emit: Emit) -> None:
        self._origin = facts
        self._checks = checks
        self._emit = emit
        self._trials: list[Trial] = []
        self._met: dict[str, Finding] = {}
        self._refuted: list[Change] = []

    async def run(self, first: Examination) -> Repair:
        """Search from ``first``, which is the connection as configured."""
        state = first
        tried: set[tuple[SettingName, object]] = set()
        for _round in range(_ROUNDS):
            if not state.fails or self._spent or _timed_out(state.reply):
                break
            step = self._certain(state, tried)
            if not step:
                guess = await self._first_guess(state, tried)
                if guess is None:
                    break
                step = (guess,)
            tried.update((change.setting, _comparable(change)) for change in step)
            state = await self._advance(state, step)
        needed = await self._minimal(state) if state.answers else state.changes
        met = tuple(f for f in self._met.values() if any(c.code == f.code for c in needed))
        return Repair(
            state, needed, met, tuple(self._trials), tuple(self._refuted), exhausted=self._spent
        )

    @property
    def _spent(self) -> bool:
        return len(self._trials) >= self._origin.run.options.max_trials

    def _certain(
        self, state: Examination, tried: set[tuple[SettingName, object]]
    ) -> tuple[Change, ...]:
        """The changes that are right by themselves, one per setting, most causal first.

        A second one on the same setting starts from the first one's value, so it waits for the
        next round, where its check sees that value.
        """
        chosen: dict[SettingName, Change] = {}
        for finding, change in _offered(state.findings):
            known = (change.setting, _comparable(change)) in tried
            if change.guess or known or change.setting in chosen:
                continue
            if finding.confidence is Confidence.LOW:
                continue
            chosen[change.setting] = change
            self._meet(finding)
        return tuple(chosen.values())

    async def _first_guess(
        self, state: Examination, tried: set[tuple[SettingName, object]]
    ) -> Change | None:
        """Try the alternatives, likeliest first; the first that resolves its layer's fault."""
        if state.reply is None:
            return None
        guesses = [pair for pair in _offered(state.findings) if pair[1].guess]
        guesses.sort(key=lambda pair: (-pair[0].confidence, pair[1].rank))
        for finding, change in guesses:
            mark = (change.setting, _comparable(change))
            if mark in tried or self._spent:
                continue
            tried.add(mark)
            reply = await self._try((*state.changes, change))
            if reply is None:
                continue
            if resolves(change.setting, state.reply, reply):
                self._meet(finding)
                return change
            self._refuted.append(change)
            if _timed_out(reply):
                return None
        return None

    def _meet(self, finding: Finding) -> None:
        if finding.code not in self._met:
            self._met[finding.code] = finding
            self._emit(FindingSeen(self._origin.target, finding))

    async def _advance(self, state: Examination, step: tuple[Change, ...]) -> Examination:
        changes = (*state.changes, *step)
        await self._try(changes)
        return await examine(self._at(changes), self._checks, _silent, changes)

    async def _try(self, changes: tuple[Change, ...]) -> Reply | None:
        """The deciding request with ``changes`` applied."""
        try:
            reply = await deciding_reply(self._at(changes))
        except Unavailable:
            return None
        if reply is not None:
            trial = Trial(tuple(c.title for c in changes), answer_of(reply))
            if trial not in self._trials:
                self._trials.append(trial)
                self._emit(TrialFinished(self._origin.target, trial))
        return reply

    def _at(self, changes: tuple[Change, ...]) -> Facts:
        connection = self._origin.connection
        for change in changes:
            connection = connection.with_(change)
        return self._origin.at(connection, tuple(map(_trace, changes)))

    async def _minimal(self, state: Examination) -> tuple[Change, ...]:
        """Take each setting's changes out once; keep those without which the request fails.

        Changes of one setting build on one another and stand or fall together.
        """
        needed = list(state.changes)
        settings = list(dict.fromkeys(change.setting for change in needed))
        for setting in settings if len(settings) > 1 else ():
            rest = tuple(c for c in needed if c.setting is not setting)
            reply = await self._try(rest)
            if reply is not None and answered(reply.outcome):
                needed = list(rest)
        return tuple(needed)


def _offered(findings: Iterable[Finding]) -> list[tuple[Finding, Change]]:
    """Every change with the finding that offers it; roots come before their consequences."""
    return [(finding, change) for finding in findings for change in finding.changes]


def _comparable(change: Change) -> object:
    return change.value


def _trace(change: Change) -> str:
    """The change's name in a saved run, which keeps no more of a key than its shape."""
    told = change.title if isinstance(change.value, Secret) else str(change.value)
    return f"{change.id}={told}"


def _timed_out(reply: Reply | None) -> bool:
    return (
        reply is not None
        and reply.outcome.kind is OutcomeKind.TRANSPORT
        and reply.exchange.fault in _TIMEOUTS
    )


def _silent(event: object) -> None:
    """The checks of a connection that is only tried are not the run's checks."""
