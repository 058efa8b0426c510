"""KVD302: a target on this machine or its own network is asked through the proxy."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    ProxyMode,
    SettingName,
    Severity,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.answers import OutcomeKind
from doctor.proxyrules.portable import NAMES, portable
from doctor.proxyrules.variables import Chosen

from . import _no_proxy, _owner
from ._way import READS, Way, way
from ._words import (
    evidence_of_proxy,
    evidence_of_variables,
    how_to_go_direct,
    outcome_of,
    paragraph,
    set_by_system,
    shown_proxy,
    source,
    who_is_hit,
    who_is_not,
)

CODE = _owner.LOCAL


@check(
    code=CODE,
    slug="proxy-takes-local-traffic",
    severity=Severity.WARNING,
    hop=Hop.PROXY,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.SETTINGS),
)
async def proxy_takes_local_traffic(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A server on this machine or in the private network is asked through the proxy.

    ## What it checks
    Whether the client's HTTP library sends a loopback, private or one-word host to a proxy, by
    its own rules for NO_PROXY. A private host that answers through the proxy is no finding: that
    may be the only way to it. Nor is this machine where the proxy runs on it and it answers.

    ## Why it matters
    On another machine `localhost` is that machine, so the proxy answers 502, 503, 504 or refuses.
    curl works where it is told to, Python does not. Each library reads NO_PROXY by rules of its
    own: address ranges, ports and `localhost` for 127.0.0.1 count in some only.

    ## How to fix
    Put the exact host into NO_PROXY, between commas, in both cases of the variable; for this
    machine `localhost,127.0.0.1,::1`.

    ## Fix safety
    Only this target leaves the proxy.

    ## References
    https://curl.se/libcurl/c/CURLOPT_NOPROXY.html
    """
    w = await way(f)
    if w.proxy is None or w.mine.error is not None or not w.target_is_local:
        return
    owner = _owner.owner(w)
    if owner is None and (w.fails or not w.target_is_loopback):
        return  # answered by the host itself, or the fault is behind the proxy
    if w.kind is OutcomeKind.ANSWERED and w.proxy_is_loopback:
        return  # to both it is this machine, and what is in between may be there to look on
    mine = owner == CODE
    settings = await f.find(facts.SETTINGS)
    yield problem(
        _title(w),
        paragraph(
            _why(w),
            _what_came(w) if mine else "",
            _what_is_missing(w) if mine else "",
            _use(w),
            who_is_not(w) if mine else "",
        ),
        evidence=(
            *evidence_of_proxy(w, settings),
            *evidence_of_variables(w, *NAMES),
            *outcome_of(w),
        ),
        changes=_changes(w) if mine else (),
        severity=Severity.ERROR if mine else Severity.WARNING,
        confidence=Confidence.HIGH if w.target_is_loopback else Confidence.MEDIUM,
        explains=_explains() if mine else (),
        clients=who_is_hit(w),
    )


def _explains() -> tuple[str, ...]:
    return (*(code for code in _owner.ALL if code != CODE), *_owner.CONSEQUENCES)


def _title(w: Way) -> str:
    if w.target_is_loopback:
        return _(
            "Requests to {host}, this machine, go through the proxy {proxy}",
            host=w.target.host,
            proxy=shown_proxy(w.proxy or ""),
        )
    return _(
        "Requests to {host}, in the private network, go through the proxy {proxy}",
        host=w.target.host,
        proxy=shown_proxy(w.proxy or ""),
    )


def _why(w: Way) -> str:
    if w.target_is_loopback and not w.proxy_is_loopback:
        return _(
            "{source} names a proxy on another machine, for which {host} is that machine itself.",
            source=source(w),
            host=w.target.host,
        )
    if not w.by_environment:
        return _("{source} names the proxy for every target.", source=source(w))
    return _(
        "{source} names the proxy, and nothing excludes {host} from it.",
        source=source(w),
        host=w.target.host,
    )


def _what_came(w: Way) -> str:
    if w.status is not None:
        return _(
            "The answer {status} was written by the proxy, not by {host}.",
            status=w.status,
            host=w.target.host,
        )
    if w.reply is None or not w.reply.exchange.fault_text:
        return ""
    return _("The request fails: {error}.", error=visible(w.reply.exchange.fault_text, 200))


def _what_is_missing(w: Way) -> str:
    if not w.by_environment:
        return ""
    if set_by_system(w):
        return _("httpx does not look at the exceptions of the system's proxy setting.")
    found: tuple[Chosen, str] | None = _no_proxy.unheeded(w.mine.stack, w.target, w.variables)
    if found is None:
        return ""
    variable, entry = found
    return _(
        "{name} holds “{entry}”, which this client's library ({stack}) does not apply to {host}.",
        name=variable.name,
        entry=visible(entry, 80),
        stack=w.mine.stack,
        host=w.target.host,
    )


def _use(w: Way) -> str:
    if not w.by_environment:
        return how_to_go_direct(w)
    return _("Use `{line}`.", line=_assignment(w))


def _assignment(w: Way) -> str:
    given = (w.variables.first_set(*NAMES),)
    value = next((chosen.value for chosen in given if chosen is not None), "")
    return _no_proxy.assignment(w.environment.platform, portable(value, w.target))


def _changes(w: Way) -> tuple[Change, ...]:
    title = (
        _("exclude {host} from the proxy: {line}", host=w.target.host, line=_assignment(w))
        if w.by_environment
        else _("go to {host} without the proxy", host=w.target.host)
    )
    return (Change(CODE, SettingName.PROXY, ProxyMode.DIRECT.value, title),)
