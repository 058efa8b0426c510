"""KVD506."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.response._model_fault import (
    MODEL_FACTS,
    Code,
    Judgement,
    ModelCase,
    Verdict,
    changes_to,
    evidence_of,
    judged,
)
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    problem,
    visible,
)


@check(
    code="KVD506",
    slug="model-prefix-of-client-library",
    severity=Severity.ERROR,
    hop=Hop.ROUTE,
    wants=MODEL_FACTS,
    explains=("KVD501", "KVD502", "KVD505", "KVD511", "KVD603", "KVD604"),
)
async def model_prefix_of_client_library(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A client library's routing prefix is sent to a server that serves the bare id, or is missing.

    What it checks: a refused or unlisted id that begins with one of LiteLLM's provider names
    (`openai/`, `hosted_vllm/`, `litellm_proxy/`, `azure/`, …), and LiteLLM's own complaint
    that no provider was given.

    Why it matters: LiteLLM, and with it Aider and many agents, reads `openai/qwen3-8b` as
    "by OpenAI's protocol, the model qwen3-8b" and takes the prefix off before it sends. A
    plain SDK sends it along.

    How to fix: drop the prefix in programs that send it; keep it where LiteLLM reads the value.

    Fix safety: the model stays the same.

    References: facts/gateway-clients.md §§3.9, 3.10.
    """
    found = await judged(f, Code.CLIENT_PREFIX)
    if found is None:
        return
    case, judgement = found
    if judgement.wants_prefix:
        yield _missing(case)
        return
    proved = bool(case.served) and case.verdict is not Verdict.UNTESTED
    yield problem(
        _title(case, judgement),
        _explanation(case, judgement),
        evidence=evidence_of(case),
        changes=changes_to(Code.CLIENT_PREFIX, judgement),
        confidence=Confidence.HIGH if proved else Confidence.MEDIUM,
    )


def _missing(case: ModelCase) -> Finding:
    return problem(
        _("LiteLLM was given a model without its provider"),
        _(
            "The answer is LiteLLM's own: it was given {model} and cannot tell by which protocol"
            ' to ask. In the route (litellm_params.model) write "openai/" before the id for any'
            ' OpenAI-compatible server, or "hosted_vllm/" for vLLM.',
            model=case.shown or _("an id"),
        ),
        evidence=evidence_of(case),
    )


def _title(case: ModelCase, judgement: Judgement) -> Text:
    prefix = _prefix(case, judgement)
    if case.served:
        return _('The prefix "{prefix}" is not part of the model id', prefix=prefix)
    return _('The prefix "{prefix}" is likely not part of the model id', prefix=prefix)


def _prefix(case: ModelCase, judgement: Judgement) -> str:
    asked = (case.asked or "").strip()
    return visible(asked[: len(asked) - len(judgement.matches[0].id)])


def _explanation(case: ModelCase, judgement: Judgement) -> Text:
    bare = visible(judgement.matches[0].id)
    means = _(
        "LiteLLM, Aider and what is built on them choose a protocol by such a prefix and take it"
        " off; this client sends it."
    )
    if not case.served:
        return _(
            "{means} The server refuses {model}. No models list was had; {id} would settle it.",
            means=means,
            model=case.shown,
            id=bare,
        )
    if case.verdict is Verdict.UNTESTED:
        return _(
            "{means} The models list has {id}. No completion was asked for, so this is likely and"
            " not proved.",
            means=means,
            id=bare,
        )
    return _("{means} The server serves {id}.", means=means, id=bare)
