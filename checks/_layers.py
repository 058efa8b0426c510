"""What the engine behind a gateway says itself: which layer owns a fault.

The engine is asked only where the user named it for the target, and only once something is wrong.
"""

from __future__ import annotations

from doctor.checkapi import DeclaredFacts, Evidence, Text, _, facts, visible
from doctor.facts.answers import OutcomeKind
from doctor.facts.engine import Direct

READS = (facts.DIRECT,)


async def asked_directly(f: DeclaredFacts) -> Direct | None:
    """The engine's own answer; None where no engine is named or it cannot be asked."""
    return await f.find(facts.DIRECT)


def answers(direct: Direct) -> bool:
    return direct.reply.outcome.kind is OutcomeKind.ANSWERED


def owner(direct: Direct | None) -> Text | str:
    """Whether the engine has the fault as well, in a sentence; "" where nobody knows."""
    if direct is None:
        return ""
    where = visible(direct.base_url, 200)
    exchange, outcome = direct.reply.exchange, direct.reply.outcome
    if answers(direct):
        return _(
            "Asked directly, the engine at {where} answers ({ms} ms): the fault lies in the"
            " gateway's route to it, in its address, key or model.",
            where=where,
            ms=exchange.ms_total,
        )
    if outcome.kind is OutcomeKind.KEY_MISSING:
        return _(
            "Asked directly, the engine at {where} is up and wants a key ({status}). With a"
            " [targets.NAME] of its own that has one, engine = NAME tests it as well.",
            where=where,
            status=exchange.status,
        )
    said = outcome.message or exchange.fault_text or outcome.kind.value
    if exchange.status is None:
        return _(
            "Asked directly, the engine at {where} gives no answer either: {said}. The fault lies"
            " there.",
            where=where,
            said=visible(said, 200),
        )
    return _(
        "Asked directly, the engine at {where} answers {status}: {said}.",
        where=where,
        status=exchange.status,
        said=visible(said, 200).rstrip("."),
    )


def evidence(direct: Direct | None) -> tuple[Evidence, ...]:
    if direct is None:
        return ()
    exchange = direct.reply.exchange
    seen = str(exchange.status) if exchange.status is not None else exchange.fault_text
    return (Evidence(_("engine, asked directly"), exchange.url, visible(seen, 200)),)
