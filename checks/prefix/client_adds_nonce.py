"""KVD709."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks._engine import known, release
from checks.prefix._log import WANTS, place_of, told
from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    FileEntry,
    Finding,
    Hop,
    Lasting,
    NotApplicable,
    Severity,
    Unavailable,
    _,
    check,
    facts,
    problem,
)
from doctor.clients import profile
from doctor.connection import Connection, OriginKind
from doctor.facts.prefixlog import PrefixCause

CODE = "KVD709"


@check(
    code=CODE,
    slug="client-adds-nonce",
    severity=Severity.INFO,
    hop=Hop.KV,
    wants=(facts.ENVIRONMENT, facts.ENGINE, *WANTS),
    blocking=False,
)
async def client_adds_nonce(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The client itself begins every prompt with a line that changes, in front of your own engine.

    What it checks: whether the examined client is known to put such a line ahead of the system
    prompt, whether the setting that stops it is there, and whether the engine behind is a vLLM
    that does not take the line out by itself. Where it is not known which engine serves the
    model, and for a hosted vendor, nothing is said. In a request log (`kvdoctor prefix FILE`), such
    a line itself.

    Why it matters: an engine shares the beginning of two prompts only up to their first
    difference. Claude Code's `x-anthropic-billing-header` line stands ahead of tens of thousands
    of tokens of system prompt and tools and holds a hash of the conversation, so that another
    conversation shares none of them and waits for the whole prefill.

    How to fix: set `CLAUDE_CODE_ATTRIBUTION_HEADER` to `0` in `env` of settings.json, or use vLLM
    0.18 or newer, which takes the line out.

    Fix safety: one line is added to the settings; the answers stay the same.

    References: facts/vllm.md §6.
    """
    if await f.find(facts.PREFIX_LOG) is not None or await f.find(facts.PREFIX_SOURCES) is not None:
        async for finding in told(f, CODE, _title, _how):
            yield finding
        return
    from doctor.clients.nonces import NONCES

    connection = f.connection
    nonce = NONCES.get(connection.client)
    if nonce is None:
        raise NotApplicable(_("this client is not known to add anything that changes"))
    environment = await f.get(facts.ENVIRONMENT)
    held = connection.variables.get(nonce.setting)
    now = environment.variables.get(nonce.setting) if held is None else held.value
    if now is not None and now.strip() == nonce.value:
        return
    engine = await known(f)
    runs, cleans = release(engine.version), release(nonce.removed_since.get("vllm"))
    if runs is None:
        raise Unavailable(_("the version of the engine is not known"))
    if cleans is not None and runs >= cleans:
        return
    label = profile(connection.client).label
    yield problem(
        _("{client} begins every prompt with a line that changes", client=label),
        _(
            "It puts {what} into the {where}. vLLM {version} shares prompts up to their first "
            "difference, so conversations share nothing of what follows. {setting}={value} "
            "stops it; so does vLLM {since}, which takes the line out.",
            what=nonce.what,
            where=nonce.where,
            version=engine.version or "",
            setting=nonce.setting,
            value=nonce.value,
            since=nonce.removed_since.get("vllm", ""),
        ),
        evidence=(
            Evidence(_("client"), label, nonce.beginning),
            Evidence(_("engine"), engine.root or "", f"vLLM {engine.version}"),
        ),
        lasting=_lasting(connection, nonce.setting, nonce.value),
        clients=(connection.client,),
    )


def _title(cause: PrefixCause) -> str:
    return _("{place} begins with a line of the client that changes", place=place_of(cause))


def _how(cause: PrefixCause) -> str:
    return _(
        "It is Claude Code's own. CLAUDE_CODE_ATTRIBUTION_HEADER=0 in the env of its settings.json"
        " stops it; vLLM takes it out since 0.18, and other gateways and engines have to be told"
        " to."
    )


def _lasting(connection: Connection, setting: str, value: str) -> tuple[Lasting, ...]:
    """One line beside the base URL, where that stands in ``env`` of a settings file."""
    base = connection.base_url.origin
    if base.kind is not OriginKind.FILE or base.path is None or not base.name.startswith("env."):
        return ()
    title = _("set {name} to {value}", name=setting, value=value)
    return (Lasting("nonce", title, entries=(FileEntry(base.path, ("env", setting), value),)),)
