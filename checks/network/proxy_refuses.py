"""KVD307: the proxy itself refuses the request, or takes the connection and drops it."""

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
    Text,
    Unavailable,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.answers import OutcomeKind
from doctor.facts.network import TransportFault
from doctor.proxyrules import values

from . import _owner
from ._way import READS, Way, way
from ._words import (
    evidence_of_proxy,
    how_to_go_direct,
    outcome_of,
    paragraph,
    shown_proxy,
    source,
    who_is_not,
)

CODE = _owner.REFUSES


@check(
    code=CODE,
    slug="proxy-refuses",
    severity=Severity.ERROR,
    hop=Hop.PROXY,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.SETTINGS),
)
async def proxy_refuses(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The proxy answers in the target's place: 403, 407, 502, 503, 504, or a refused CONNECT.

    ## What it checks
    Whether the answer was written by the proxy, by its headers, its page or a refused tunnel. An
    error that comes through a TLS tunnel, or with a JSON body, is the gateway's and no finding
    here.

    ## Why it matters
    A 407 wants user name and password in the proxy's URL, a 403 is a rule of the proxy, a 502 to
    504 means that the proxy does not reach the target. None of them says anything about the key.

    ## How to fix
    Put the credentials into the variable, have the host allowed, or exclude it with NO_PROXY.

    ## Fix safety
    The request goes straight to the configured host.

    ## References
    https://www.rfc-editor.org/rfc/rfc9110#section-15.5.8
    """
    w = await way(f)
    if w.proxy is None and w.kind is OutcomeKind.PROXY_PAGE:
        yield _unseen_proxy(w)
        return
    if _owner.owner(w) != CODE:
        if w.proxy is not None and w.reply is None:
            raise Unavailable(w.no_reply)
        return
    said = _status(w)
    settings = await f.find(facts.SETTINGS)
    yield problem(
        _title(w, said),
        paragraph(
            _(
                "{source} sends the request to {host} through it.",
                source=source(w),
                host=w.target.host,
            ),
            _what_it_means(w, said),
            how_to_go_direct(w) if said != 407 else "",
            who_is_not(w),
        ),
        evidence=(*evidence_of_proxy(w, settings), *outcome_of(w)),
        changes=(
            Change(
                CODE,
                SettingName.PROXY,
                ProxyMode.DIRECT.value,
                _("go to {host} without the proxy", host=w.target.host),
                guess=True,
            ),
        ),
        confidence=Confidence.HIGH if said is not None else Confidence.MEDIUM,
        explains=_explains(),
    )


def _explains() -> tuple[str, ...]:
    return (*(code for code in _owner.ALL if code != CODE), *_owner.CONSEQUENCES)


def _status(w: Way) -> int | None:
    """The status with which the proxy refused, from its page or from the refused tunnel."""
    if w.status is not None:
        return w.status
    if w.reply is None or w.fault is not TransportFault.PROXY_REFUSES:
        return None
    words = w.reply.exchange.fault_text.replace(":", " ").split()
    return next((int(x) for x in words if x.isdecimal() and 400 <= int(x) < 600), 0)


def _title(w: Way, status: int | None) -> Text:
    proxy = shown_proxy(w.proxy or "")
    if status:
        return _("The proxy {proxy} answers {status} itself", proxy=proxy, status=status)
    if status == 0:
        return _(
            "The proxy {proxy} refuses the connection to {host}", proxy=proxy, host=w.target.host
        )
    return _("The proxy {proxy} takes the connection and drops it", proxy=proxy)


def _what_it_means(w: Way, status: int | None) -> Text:
    if status == 407:
        return _with_credentials(w)
    if status == 403:
        return _("A rule of the proxy forbids {host}.", host=w.target.host)
    if status is not None and status >= 500:
        return _("The proxy does not reach {host}.", host=w.target.host)
    if status is not None:
        return _("The proxy does not serve {host}.", host=w.target.host)
    error = "" if w.reply is None else visible(w.reply.exchange.fault_text, 200)
    return _(
        "The request fails with “{error}”. Likely the port takes no HTTP proxy requests (a SOCKS "
        "or control port), or the proxy's own upstream is down.",
        error=error,
    )


def _with_credentials(w: Way) -> Text:
    address = values.address(w.proxy or "")
    written = "@" in (w.proxy or "")
    if written:
        return _("It does not accept the user name and password in {source}.", source=source(w))
    return _(
        "It wants a user name and a password: {source}={value}",
        source=source(w),
        value=f"http://USER:PASSWORD@{address}",
    )


def _unseen_proxy(w: Way) -> Finding:
    return problem(
        _("A proxy that is set nowhere answers in place of {host}", host=w.target.host),
        _(
            "The client goes direct, and the answer {status} carries the marks of a proxy: "
            "something in the network intercepts the connection (a login page, a company filter).",
            status=w.status,
        ),
        evidence=outcome_of(w),
        confidence=Confidence.MEDIUM,
        explains=("KVD210", "KVD330"),
    )
