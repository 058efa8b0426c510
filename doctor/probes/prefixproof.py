"""Sends two requests of a log again, as sent and in the better order, and reads what was cached."""

from __future__ import annotations

import dataclasses
import json
import secrets
from collections.abc import Mapping
from typing import Any

from doctor.connection import Protocol
from doctor.enginemetrics import between, cache_of, names, now_of
from doctor.enginemetrics.window import total
from doctor.facts import ENGINE
from doctor.facts.answers import OutcomeKind
from doctor.facts.engine import Engine, Metrics
from doctor.facts.prefixproof import PrefixProof, ProofAnswer, ProofPair, Shown
from doctor.facts.store import Facts, Unavailable
from doctor.prefix.sample import Pair, Sample
from doctor.prefix.verdict import shown
from doctor.probes.api import judged
from doctor.probes.consent import require_consent
from doctor.probes.engine import way_to
from doctor.probes.metrics import scrape
from doctor.probes.request import ProbeRequest
from doctor.probes.way import Way
from doctor.probes.wire import headers, key_of
from doctor.records import dataclass
from doctor.text import _
from doctor.token_usage import usage_of
from doctor.untrusted import visible

# What a prompt is made of; all else of a request (sampling, streaming, budgets) is left out.
_OF_THE_PROMPT = (
    "model",
    "messages",
    "input",
    "prompt",
    "system",
    "instructions",
    "tools",
    "tool_choice",
    "functions",
    "documents",
    "chat_template",
    "chat_template_kwargs",
    "add_generation_prompt",
    "continue_final_message",
    "reasoning_effort",
    "reasoning",
    "cache_salt",
    "prompt_cache_key",
)
_BUDGETS = {
    Protocol.OPENAI_CHAT: ("max_tokens", 1),
    Protocol.ANTHROPIC_MESSAGES: ("max_tokens", 1),
    # The API's own minimum.
    Protocol.OPENAI_RESPONSES: ("max_output_tokens", 16),
}
_AGAIN = 4
_LIMIT = 1024 * 1024
# Since then a request may carry a salt (facts/vllm.md §6).
_SALT_SINCE = (0, 9)


def most_requests(sample: Sample) -> tuple[int, int]:
    """How many requests are sent at least, and at most."""
    least = 2 if sample.better is None else 4
    return least, least + _AGAIN


@dataclass(slots=True)
class _Way:
    facts: Facts
    way: Way
    url: str
    engine: Engine | None
    model: str | None
    salt: str | None
    budget: tuple[str, int]
    metrics: Metrics | None = None
    rate: float | None = None
    requests: int = 0
    tokens: int = 0


async def prove(facts: Facts, sample: Sample, model: str | None) -> PrefixProof:
    """``model`` stands in for that of the log. Raises ``Unavailable`` where nothing can be sent."""
    way = await _way(facts, sample, model)
    as_sent = await _pair(way, sample.as_sent)
    better = None
    if sample.better is not None and not as_sent.second.fault:
        better = await _pair(way, sample.better)
    proof = _proof(way, as_sent, better)
    series = way.metrics.series[0] if way.metrics is not None and way.metrics.series else None
    cache = cache_of(series) if series is not None and series.cache else None
    if cache is not None:
        proof = dataclasses.replace(
            proof, prefix_caching=cache.prefix_caching, alignment=cache.alignment
        )

    def judge(proof: PrefixProof) -> Shown:
        return shown(
            proof,
            attention_free=cache is not None and cache.attention_free,
            hosted=way.engine is None,
            marked=_marks(facts, sample),
        )

    found = judge(proof)
    if found is Shown.MISSES:
        again = tuple([await _ask(way, sample.best.second) for _time in range(_AGAIN)])
        proof = dataclasses.replace(proof, again=again, requests=way.requests, tokens=way.tokens)
        found = judge(proof)
    return dataclasses.replace(proof, shown=found)


async def _way(facts: Facts, sample: Sample, model: str | None) -> _Way:
    way = await way_to(facts)
    require_consent(facts, way.endpoint.host)
    protocol = facts.connection.protocol
    url = _url(way.url, protocol, sample.as_sent.first)
    engine = await facts.find(ENGINE)
    engine = engine if engine is not None and engine.root is not None else None
    made = _Way(
        facts=facts,
        way=way,
        url=url,
        engine=engine,
        model=model,
        # Only to an engine itself: a gateway may refuse what it does not know.
        salt=secrets.token_hex(8) if engine is not None and _takes_salt(engine) else None,
        budget=_BUDGETS[protocol],
    )
    made.metrics = await _scrape(made)
    made.rate = None if made.metrics is None else total(made.metrics).hit_rate
    return made


def _url(url: str, protocol: Protocol, body: Mapping[str, Any]) -> str:
    """Where a request of this form goes. Raises ``Unavailable`` where the connection speaks
    another API."""
    if protocol not in _BUDGETS:
        raise Unavailable(_("requests of this client's API are not sent again"))
    responses = "messages" not in body and "input" in body
    messages = "messages" in body and "system" in body
    if "prompt" in body and "messages" not in body:
        ends = "/chat/completions"
        if protocol is Protocol.OPENAI_CHAT and url.endswith(ends):
            return url.removesuffix(ends) + "/completions"
        raise Unavailable(_("the log holds plain completions, which this connection has not"))
    if responses != (protocol is Protocol.OPENAI_RESPONSES):
        raise Unavailable(
            _("the log and the connection speak different APIs: --protocol says which")
        )
    if messages and protocol is not Protocol.ANTHROPIC_MESSAGES:
        raise Unavailable(
            _("the log holds requests of the Messages API: use --protocol anthropic-messages")
        )
    return url


def _takes_salt(engine: Engine) -> bool:
    if engine.behind or engine.version is None:
        return False
    parts = engine.version.split(".")[:2]
    return all(part.isdigit() for part in parts) and tuple(map(int, parts)) >= _SALT_SINCE


def _marks(facts: Facts, sample: Sample) -> bool:
    """Whether the service caches this without, or with, a mark in the request."""
    if facts.connection.protocol is not Protocol.ANTHROPIC_MESSAGES:
        return True
    return "cache_control" in json.dumps(sample.best.second)


async def _pair(way: _Way, pair: Pair) -> ProofPair:
    first = await _ask(way, pair.first)
    second = ProofAnswer(fault=first.fault) if first.fault else await _ask(way, pair.second)
    return ProofPair(pair.shared, first, second)


async def _ask(way: _Way, body: Mapping[str, Any]) -> ProofAnswer:
    """One request, and by how much the engine's counters grew."""
    facts = way.facts
    connection = facts.connection
    before = way.metrics
    asked = _body(way, body)
    name, tokens = way.budget
    request = ProbeRequest(
        purpose="prefix-proof",
        method="POST",
        url=way.url,
        headers=headers(connection, key=key_of(facts), body=True),
        body=json.dumps(asked, ensure_ascii=False),
        max_tokens=tokens,
        model=str(asked.get("model", "")),
        proxy=way.way.proxy,
        trust=way.way.trust,
        billable=True,
        follow=False,
        limit=_LIMIT,
    )
    answer = await facts.run.requester.anew(request)
    reply = judged(answer, connection)
    exchange, outcome = reply.exchange, reply.outcome
    if exchange.status == 400 and "max_tokens" in outcome.message and name == "max_tokens":
        # Newer models take the limit by another name, and refuse the old one before they compute.
        way.budget = ("max_completion_tokens", 16)
        if connection.protocol is Protocol.OPENAI_CHAT:
            return await _ask(way, body)
    way.requests += 1
    usage = usage_of(exchange)
    way.tokens += usage.prompt or 0
    if exchange.status != 200 or outcome.kind is OutcomeKind.ERROR_IN_SUCCESS:
        said = outcome.message or exchange.fault_text or outcome.kind.value
        status = "" if exchange.status is None else f"{exchange.status}: "
        # Some servers send back what they refuse; of a prompt no more than a glimpse is shown.
        return ProofAnswer(ms=exchange.ms_total, fault=visible(f"{status}{said}", 160))
    way.metrics = await _scrape(way)
    return ProofAnswer(
        prompt=usage.prompt,
        cached=usage.cached,
        counted=_counted(before, way.metrics),
        ms=exchange.ms_total,
    )


def _body(way: _Way, body: Mapping[str, Any]) -> dict[str, Any]:
    asked = {name: body[name] for name in _OF_THE_PROMPT if name in body}
    if way.model is not None:
        asked["model"] = way.model
    if way.salt is not None:
        asked["cache_salt"] = f"{way.salt}{asked.get('cache_salt') or ''}"
    name, tokens = way.budget
    return {**asked, name: tokens, "stream": False}


def _counted(before: Metrics | None, after: Metrics | None) -> tuple[int, int] | None:
    window = None if before is None or after is None else between(before, after)
    if window is None or names.PREFIX_QUERIES not in window.grown:
        return None
    hits = window.grown.get(names.PREFIX_HITS, 0.0)
    return round(hits), round(window.grown[names.PREFIX_QUERIES])


async def _scrape(way: _Way) -> Metrics | None:
    if way.engine is None or way.engine.root is None:
        return None
    try:
        return await scrape(way.facts, way.engine.root, anew=True)
    except Unavailable:
        return None


def _proof(way: _Way, as_sent: ProofPair, better: ProofPair | None) -> PrefixProof:
    engine = way.engine
    faults = (a.fault for p in (as_sent, better) if p is not None for a in (p.first, p.second))
    return PrefixProof(
        url=visible(way.facts.run.redactor(way.url), 300),
        model=visible(way.model or "", 100),
        shown=Shown.UNANSWERED,
        as_sent=as_sent,
        better=better,
        engines=1 if way.metrics is None else max(now_of(way.metrics).engines, 1),
        version=None if engine is None else engine.version,
        engine_rate=way.rate,
        salted=way.salt is not None,
        requests=way.requests,
        tokens=way.tokens,
        trouble=next((fault for fault in faults if fault), ""),
    )
