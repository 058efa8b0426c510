"""KVD204: a whole endpoint stands in the base."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor import bases
from doctor.bases import Fault
from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Severity,
    _,
    check,
    joined,
    problem,
)

from ._gathering import READS, situation
from ._words import appended, came_back, changes, evidence, for_others, path_of, use

CODE = "KVD204"


@check(
    code=CODE,
    slug="url-is-full-endpoint",
    severity=Severity.ERROR,
    wants=READS,
    explains=("KVD210", "KVD510", "KVD511", "KVD515"),
)
async def url_is_full_endpoint(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL is the address of one endpoint (`…/chat/completions`), not the base of all.

    ## What it checks
    Whether the path of the base ends in `/chat/completions`, `/completions`, `/messages`,
    `/responses`, `/embeddings` or `/models`, or is an endpoint of a server's own API such as
    Ollama's `/api/generate`, and whether the client appends an endpoint itself.

    ## Why it matters
    The client appends its own endpoint: the request goes to
    `/v1/chat/completions/chat/completions` and ends in a 404.

    ## How to fix
    Cut the base back to what stands before the endpoint.

    ## Fix safety
    Scheme, host and port stay; the cut follows from the text.

    ## References
    https://github.com/openai/openai-python
    """
    s = await situation(f)
    spoken = s.of(Fault.ENDPOINT)
    if not spoken or s.base is None:
        return
    first = spoken[0]
    tail = path_of(bases.endpoint_tail(s.base))
    yield problem(
        _("The base URL is a whole endpoint: it ends in {tail}", tail=tail),
        joined(
            _(
                "{client} appends {path} to the base, so the endpoint stands in the address twice.",
                client=s.client.label,
                path=appended(s),
            )
            if appended(s).endswith(tail)
            else _("{client} appends {path} to the base.", client=s.client.label, path=appended(s)),
            came_back(s),
            use(s, first),
            for_others(s, first.base or ""),
        ),
        evidence=evidence(s),
        changes=changes(CODE, spoken),
    )
