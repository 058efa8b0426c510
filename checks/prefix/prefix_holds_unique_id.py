"""KVD702."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.prefix._log import MOVE, WANTS, place_of, told
from doctor.checkapi import DeclaredFacts, Finding, Hop, Severity, _, check
from doctor.facts.prefixlog import PrefixCause

CODE = "KVD702"


@check(
    code=CODE,
    slug="prefix-holds-unique-id",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=WANTS,
    blocking=False,
)
async def prefix_holds_unique_id(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """An id that no other request has stands in front of text that requests share.

    What it checks: in a request log (`kvdoctor prefix FILE`), UUIDs, hashes, request and session
    ids, random numbers and `cache_salt`; tool calls of earlier turns that come with other ids than
    before.

    Why it matters: Everything behind the id is computed again for each request.

    How to fix: leave the id out of the prompt; what identifies a request belongs into a header or
    into metadata.

    Fix safety: `kvdoctor prefix --write` rewrites a copy of the log, never the application.

    References: facts/vllm.md §6; NousResearch/hermes-agent #3991.
    """
    async for finding in told(f, CODE, _title, _how):
        yield finding


def _title(cause: PrefixCause) -> str:
    if cause.kind == "call id":
        return _("tool calls of earlier turns come with other ids")
    return _("{place} holds an id of its own for each request", place=place_of(cause))


def _how(cause: PrefixCause) -> str:
    if cause.kind == "call id":
        return _(
            "Keep the id with which the call came, or derive it from the call's name, arguments"
            " and place. Where the model's chat template leaves ids out, it does no harm."
        )
    return (
        _(
            "A model seldom needs it: leave it out, or send it as a header or as metadata. {move}",
            move=MOVE,
        )
        if cause.path != "cache_salt"
        else _(
            "Requests with different salts share nothing. Use one salt per group that may"
            " share, not one per request."
        )
    )
