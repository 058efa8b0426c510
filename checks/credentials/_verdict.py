"""What the server says about the key as it is sent."""

from __future__ import annotations

import enum

from doctor.checkapi import DeclaredFacts, facts
from doctor.facts.answers import OutcomeKind, Reply
from doctor.records import dataclass

K = OutcomeKind

# A server looks at the key before it looks at any of these (gateway-clients.md §1.1, gate
# order), so each of them says that the key was let through.
_LET_THROUGH = frozenset(
    {
        K.ANSWERED,
        K.PERMISSION,
        K.QUOTA,
        K.MODEL_UNKNOWN,
        K.MODEL_MISSING,
        K.NO_CHANNEL,
        K.MAX_TOKENS_REFUSED,
        K.MAX_TOKENS_NOT_POSITIVE,
        K.THINKING_REFUSED,
        K.PROMPT_TOO_LONG,
        K.PARAMETER_REFUSED,
        K.UPSTREAM_UNREACHABLE,
        K.NO_CHOICES,
        K.CONTENT_EMPTY,
        K.STREAM_BROKEN,
    }
)

WANTS = (facts.COMPLETION, facts.MODELS, facts.AUTH_CONTROL)


class KeyState(enum.Enum):
    LET_THROUGH = "let through"
    REFUSED = "refused"
    MISSING = "missing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class KeyVerdict:
    """``reply`` is the one that says so; where nothing does, the completion if one was tried."""

    state: KeyState
    reply: Reply | None = None

    @property
    def let_through(self) -> bool:
        return self.state is KeyState.LET_THROUGH

    @property
    def turned_away(self) -> bool:
        return self.state in (KeyState.REFUSED, KeyState.MISSING)


async def key_verdict(f: DeclaredFacts) -> KeyVerdict:
    """From the completion; where that says nothing of the key, from the models list.

    A models list proves a key only where a made-up one does not get it. A check that calls this
    declares ``WANTS``.
    """
    completion = await f.find(facts.COMPLETION)
    if completion is not None:
        state = _state(completion)
        if state is not KeyState.UNKNOWN:
            return KeyVerdict(state, completion)
    models = await f.find(facts.MODELS)
    if models is None:
        return KeyVerdict(KeyState.UNKNOWN, completion)
    state = _state(models.reply)
    if state is KeyState.LET_THROUGH:
        control = await f.find(facts.AUTH_CONTROL)
        if control is None or not control.refused:
            return KeyVerdict(KeyState.UNKNOWN, completion)
    return KeyVerdict(state, models.reply)


def _state(reply: Reply) -> KeyState:
    kind = reply.outcome.kind
    if kind is K.KEY_REFUSED:
        return KeyState.REFUSED
    if kind is K.KEY_MISSING:
        return KeyState.MISSING
    return KeyState.LET_THROUGH if kind in _LET_THROUGH else KeyState.UNKNOWN
