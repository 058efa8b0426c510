"""KVD915."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Severity,
    _,
    check,
    facts,
    joined,
    problem,
    visible,
)
from doctor.facts.answers import Reply
from doctor.facts.engine import Engine, Starting
from doctor.facts.network import TransportFault
from doctor.patterns import Pattern

# Large models from slow disks take a quarter of an hour (s).
_LONG = 1800.0

# llama.cpp: {"error": {"code": 503, "message": "Loading model", …}}; others in their own words.
_LOADING = Pattern(
    r"\bloading model\b|\bmodel\b.{0,80}\bis (?:currently |still )?loading\b"
    r"|\b(?:engine|server) is (?:still )?(?:starting|warming up)\b",
    re.I | re.S,
)


@check(
    code="KVD915",
    slug="engine-not-ready",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    wants=(facts.COMPLETION, facts.MODELS, facts.TCP, facts.STARTING, facts.ENGINE, facts.METRICS),
    explains=("KVD311", "KVD330"),
)
async def engine_not_ready(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The engine is there and does not serve: it is still loading, is asleep, or has died.

    What it checks: where the connection is refused on this machine, whether a vLLM process for
    that very port is running; a 503 that says that the model is loading; `/health` of an engine
    that does not answer; the sleep state among its metrics.

    Why it matters: it looks like a wrong address or a dead server, and is neither: while the model
    loads, vLLM holds its port without listening on it.

    How to fix: wait, and follow the engine's log; where `/health` says 503, the log says why, and
    the engine has to be started again; one that sleeps is woken with POST /wake_up.

    Fix safety: nothing is changed.

    References: facts/vllm.md §§2.2, 2.6; facts/observed/vllm-0.32.0-startup-cpu.log.
    """
    reply = await _reply(f)
    starting = await _starting(f, reply)
    if starting is not None:
        yield _still_loading(starting)
        return
    if reply is not None and _says_loading(reply):
        yield _loading(reply)
        return
    engine = await f.find(facts.ENGINE)
    if engine is None or engine.root is None:
        return
    if engine.health == 503:
        yield _unhealthy(engine)
    elif await _sleeps(f):
        yield _asleep(engine)


async def _reply(f: DeclaredFacts) -> Reply | None:
    reply = await f.find(facts.COMPLETION)
    if reply is not None:
        return reply
    listed = await f.find(facts.MODELS)
    return None if listed is None else listed.reply


async def _starting(f: DeclaredFacts, reply: Reply | None) -> Starting | None:
    """Looked for only where nothing listens: a list of all processes takes its time."""
    if reply is not None:
        refused = reply.exchange.fault is TransportFault.REFUSED
    else:
        tcp = await f.find(facts.TCP)
        refused = bool(tcp) and all(answer.error == "refused" for answer in tcp or ())
    if not refused:
        return None
    found = await f.find(facts.STARTING)
    return found[0] if found else None


def _still_loading(process: Starting) -> Finding:
    return problem(
        _("vLLM is not up yet: process {pid} runs and does not listen", pid=process.pid),
        joined(
            _(
                "It was started {seconds} s ago for this very port. vLLM listens once the model is"
                " loaded, which takes from half a minute to many; its log shows how far it is.",
                seconds=f"{process.seconds:,.0f}",
            ),
            _("That is long: the log may show that it stands still.")
            if process.seconds > _LONG
            else "",
        ),
        evidence=(Evidence(_("process"), str(process.pid), process.command),),
        hop=Hop.TCP,
        # Nothing listens in this container yet, but something will.
        explains=("KVD208",),
    )


def _says_loading(reply: Reply) -> bool:
    if reply.exchange.status != 503:
        return False
    return _LOADING.search(f"{reply.outcome.message} {reply.exchange.body[:2_000]}") is not None


def _loading(reply: Reply) -> Finding:
    said = reply.outcome.message or reply.exchange.body
    return problem(
        _("The server is still loading its model"),
        _("It answers 503 and says: “{said}”. Wait, and ask again.", said=visible(said, 200)),
        evidence=(Evidence(_("answer"), reply.exchange.url, "503"),),
    )


def _unhealthy(engine: Engine) -> Finding:
    load = ""
    if engine.load:
        load = _("{n} requests are in it and get no answer.", n=engine.load)
    return problem(
        _("The engine is dead: /health answers 503"),
        joined(
            _(
                "vLLM's front is up, the engine behind it is not. Its log names the reason; it has"
                " to be started again."
            ),
            load,
        ),
        evidence=(Evidence(_("engine"), f"{engine.root}/health", "503"),),
    )


async def _sleeps(f: DeclaredFacts) -> bool:
    metrics = await f.find(facts.METRICS)
    if metrics is None:
        return False
    from doctor.enginemetrics import now_of

    return now_of(metrics).sleeping


def _asleep(engine: Engine) -> Finding:
    return problem(
        _("The engine is asleep"),
        _("Its weights are not on the GPU. POST {root}/wake_up wakes it.", root=engine.root),
        evidence=(Evidence(_("engine metrics"), "vllm:engine_sleep_state", "1"),),
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )
