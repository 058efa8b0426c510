"""KVD308: a client's own local proxy, such as CC Switch's, is closed or failed."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.answers import Reply
from doctor.facts.machine import Listener
from doctor.facts.network import TransportFault
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.urls import is_loopback

from ._local_programs import ClientProxy, client_proxy_at
from ._way import READS, Way, way
from ._words import outcome_of, paragraph

CODE = "KVD308"
_EXPLAINS = ("KVD106", "KVD111", "KVD115", "KVD210", "KVD311", "KVD312", "KVD330", "KVD331")

# facts/gateway-clients.md §5.1. The prefix stands only before what the Codex handler says.
_CC_SWITCH = Pattern(
    r"CC Switch local proxy failed while handling (?P<client>\S+) endpoint (?P<path>\S+?)\.\s+"
    r"Provider:\s*(?P<provider>[^;]*);\s*model:\s*(?P<model>[^;]*)"
    r"(?:;\s*upstream_status:\s*HTTP (?P<status>\d{3}))?(?:[^;]*;\s*cause:\s*(?P<cause>.*))?",
    re.S,
)
_FORWARDING = Pattern(r"请求转发失败[:：]\s*(?P<cause>.*)", re.S)
_OWN_WORDS = (
    "所有供应商已熔断",
    "无可用的Provider",
    "未配置供应商",
    "超过最大重试次数",
    "流式响应空闲超时",
    "缺少 base_url 配置",
)
_OWN_ANYWAY = ("认证失败", "超时", "配置错误")
_DEAD_PROXY = Pattern(r"proxy tcp connect failed|proxy.*connection refused", re.I)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a local proxy says of its failure. ``status`` is the upstream's."""

    provider: str = ""
    status: int | None = None
    cause: str = ""


@check(
    code=CODE,
    slug="client-proxy-failed",
    severity=Severity.ERROR,
    hop=Hop.GATEWAY,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.LISTENERS),
    explains=_EXPLAINS,
)
async def client_proxy_failed(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The local proxy of a client tool (CC Switch, claude-code-router) is closed or failed.

    ## What it checks
    Whether the base URL is a port of this machine that belongs to such a program and nothing
    listens there; and whether an error carries that program's own words, among them "CC Switch
    local proxy failed", which is no text of the system or of Python.

    ## Why it matters
    CC Switch points the settings of Claude Code and Codex at 127.0.0.1:15721. When the app is
    closed they still do. When it fails, the fault lies behind it: in the provider that it asked.

    ## How to fix
    Start the program, or give the client the provider's own URL and key back. For a failure behind
    it, correct the provider's entry in that program.

    ## Fix safety
    Nothing is changed: the provider's URL and key are known to that program only.

    ## References
    https://github.com/farion1231/cc-switch
    """
    w = await way(f)
    said = None if w.reply is None else _said(w.reply, w)
    if said is not None:
        yield _failed(w, said)
        return
    known = client_proxy_at(w.target.host, w.target.port)
    if known is not None and w.proxy is None and w.fault is TransportFault.REFUSED:
        listeners = await f.find(facts.LISTENERS) or ()
        yield _closed(w, known, listeners)


def _said(reply: Reply, w: Way) -> _Said | None:
    text = f"{reply.outcome.message}\n{reply.exchange.body[:4_000]}"
    match = _CC_SWITCH.search(text) if "CC Switch" in text else None
    if match is not None:
        status = match.group("status")
        return _Said(
            visible(match.group("provider").strip(), 80),
            int(status) if status else None,
            visible(_cause(match.group("cause") or ""), 300),
        )
    if not is_loopback(w.target.host):
        return None
    own = reply.outcome.error_type == "proxy_error" or w.target.port == 15721
    forwarding = _FORWARDING.search(reply.outcome.message)
    if forwarding is not None:
        return _Said(cause=visible(_cause(forwarding.group("cause")), 300))
    words = (*_OWN_WORDS, *(_OWN_ANYWAY if own else ()))
    if any(word in reply.outcome.message for word in words):
        return _Said(cause=visible(reply.outcome.message, 300))
    return None


def _cause(text: str) -> str:
    return text.split("\n", 1)[0].strip().rstrip('"}')


def _failed(w: Way, said: _Said) -> Finding:
    behind = said.provider or _("its provider")
    return problem(
        _("CC Switch's local proxy failed: {what}", what=_what(said)),
        paragraph(
            _(
                "CC Switch took the request and passed it on to {provider}. The fault is there, "
                "not in the client's own settings.",
                provider=behind,
            ),
            _("The cause it names: “{cause}”.", cause=said.cause) if said.cause else "",
            _advice(said, behind),
        ),
        evidence=outcome_of(w),
    )


def _what(said: _Said) -> Text:
    if said.status is not None:
        return _("{provider} answered {status}", provider=said.provider, status=said.status)
    if said.cause:
        return _("{cause}", cause=visible(said.cause, 80))
    return _("the provider behind it was not reached")


def _advice(said: _Said, provider: str) -> Text:
    if _DEAD_PROXY.search(said.cause):
        return _(
            "CC Switch itself goes out through a proxy that is not running: it follows the "
            "system's. Start that proxy, or switch the system proxy off."
        )
    if "熔断" in said.cause or "无可用" in said.cause:
        return _(
            "It has shut every provider off after repeated failures. Test one provider directly, "
            "then reset it in CC Switch."
        )
    if "base_url" in said.cause or "未配置" in said.cause:
        return _("The provider that is switched on has no base URL. Choose one that has.")
    if said.status in (401, 403) or "认证失败" in said.cause:
        return _(
            "The key that CC Switch holds for {provider} is refused. Put a valid one there; the "
            "client's own setting holds only a placeholder.",
            provider=provider,
        )
    if said.status == 404:
        return _(
            "The base URL that CC Switch holds for {provider} has a wrong path, or that provider "
            "does not serve this API.",
            provider=provider,
        )
    if said.status == 429:
        return _("{provider} limits the rate, or the balance there is used up.", provider=provider)
    if "超时" in said.cause:
        return _("{provider} did not answer in time.", provider=provider)
    return _(
        "Likely {provider} is down, or CC Switch does not reach it. Test its URL and key without "
        "CC Switch: kvdoctor check with that base URL.",
        provider=provider,
    )


def _closed(w: Way, known: ClientProxy, listeners: tuple[Listener, ...]) -> Finding:
    elsewhere = next(
        (
            one
            for one in listeners
            if one.process is not None
            and known.name.replace(" ", "").lower() in one.process.replace("-", "").lower()
        ),
        None,
    )
    if known.certain:
        title = _("{program} is not running", program=known.name)
    else:
        title = _(
            "Nothing listens on port {port}, likely {program}'s",
            port=known.port,
            program=known.name,
        )
    return problem(
        title,
        paragraph(
            _(
                "The base URL is {url}, {program}'s local proxy, and nothing listens on that port.",
                url=f"{w.target.scheme}://{w.target.host}:{w.target.port}",
                program=known.name,
            ),
            _("{program} listens on port {port}.", program=known.name, port=elsewhere.port)
            if elsewhere is not None
            else "",
            _(
                "In this container {host} is the container itself: a {program} on the Docker host "
                "is at {url}.",
                host=w.target.host,
                program=known.name,
                url=f"{w.target.scheme}://host.docker.internal:{known.port}",
            )
            if w.environment.in_container
            else "",
            _(
                "Start it ({how}), or give the client the provider's own base URL and key.",
                how=known.start,
            ),
        ),
        evidence=outcome_of(w),
        confidence=Confidence.HIGH if known.certain else Confidence.MEDIUM,
        explains=("KVD208",) if known.certain else (),
        hop=Hop.TCP,
    )
