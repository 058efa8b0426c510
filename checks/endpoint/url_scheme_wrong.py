"""KVD207: http where the server speaks https, or the reverse; a redirect that loses the POST."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator

from doctor.bases import Fault
from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Finding,
    SettingName,
    Severity,
    _,
    check,
    facts,
    joined,
    problem,
)
from doctor.facts.answers import Reply
from doctor.facts.network import TlsAnswer, TransportFault
from doctor.urls import Base, is_local, shown

from . import _replies
from ._gathering import READS, situation
from ._situation import Situation, Spoken, ToldBy
from ._words import came_back, changes, evidence, reason

CODE = "KVD207"
_EXPLAINS = ("KVD210", "KVD510", "KVD511", "KVD515")
_TLS = ("KVD320", "KVD322", "KVD323")


@check(
    code=CODE,
    slug="url-scheme-wrong",
    severity=Severity.ERROR,
    wants=(*READS, facts.TLS),
    explains=_EXPLAINS,
)
async def url_scheme_wrong(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL says http where the server speaks https, or the reverse, or leads to a redirect
    on which clients turn POST into GET or leave the host.

    ## What it checks
    The TLS handshake, the answer to the request, and the provider's own scheme.

    ## Why it matters
    https to a plain port fails with `[SSL: WRONG_VERSION_NUMBER]`. http to an https gateway is
    redirected: a 301 or 302 turns the POST into a GET, and the key has travelled in clear text.

    ## How to fix
    Write the scheme that the server at this host and port speaks.

    ## Fix safety
    The host stays. To https is always allowed. To http only where the server at that very port
    was seen to speak no TLS and it is on this machine or in a private network: for a public
    address no change is offered, since whoever sits in between could have taken the TLS away. A
    redirect to another host is named and never followed with the key.

    ## References
    https://www.rfc-editor.org/rfc/rfc9110#section-15.4
    """
    s = await situation(f)
    base = s.base
    if base is None or s.works:
        return
    handshake = await f.find(facts.TLS)
    if base.scheme == "https" and _speaks_no_tls(s.reply, handshake):
        yield _plain_server(s, base)
    elif s.reply is not None and s.reply.exchange.fault is TransportFault.PLAIN_TO_TLS:
        yield _tls_server(s, base)
    else:
        for spoken in s.of(Fault.SCHEME):
            yield _to_https(s, spoken)
        for spoken in s.of(Fault.MOVED_AWAY):
            yield _moved_away(s, spoken)


def _speaks_no_tls(reply: Reply | None, tls: TlsAnswer | None) -> bool:
    if tls is not None:
        return tls.error == "not-tls"
    # Through a proxy the plain side may be the proxy's.
    exchange = None if reply is None else reply.exchange
    return (
        exchange is not None
        and exchange.via is None
        and exchange.fault is TransportFault.TLS_TO_PLAIN
    )


def _plain_server(s: Situation, base: Base) -> Finding:
    plain = base.with_scheme("http").url
    seen = _(
        "{host} port {port} answers the TLS handshake with something that is no TLS.",
        host=base.host,
        port=base.origin[2],
    )
    if is_local(base.host):
        return problem(
            _("The base URL says https, but the server speaks http"),
            joined(seen, _("The base URL is {base}.", base=shown(plain))),
            evidence=evidence(s),
            changes=(
                Change(
                    CODE,
                    SettingName.BASE_URL,
                    plain,
                    _("set the base URL to {base}", base=shown(plain)),
                ),
            ),
            explains=_TLS,
        )
    return problem(
        _("The base URL says https, but port {port} speaks no TLS", port=base.origin[2]),
        joined(
            seen,
            _(
                "Likely the port is wrong, or something in between took the TLS away. With "
                "{base} the key would cross the network in clear text, so this is not tried.",
                base=shown(plain),
            ),
        ),
        evidence=evidence(s),
        explains=_TLS,
    )


def _tls_server(s: Situation, base: Base) -> Finding:
    secure = _https_at_the_same_port(base).url
    return problem(
        _("The base URL says http, but the server speaks https"),
        joined(
            came_back(s),
            _(
                "Port {port} of {host} speaks TLS only.",
                port=base.origin[2],
                host=base.host,
            ),
            _("The base URL is {base}.", base=shown(secure)),
        ),
        evidence=evidence(s),
        changes=(
            Change(
                CODE,
                SettingName.BASE_URL,
                secure,
                _("set the base URL to {base}", base=shown(secure)),
            ),
        ),
        explains=("KVD117",),
    )


def _https_at_the_same_port(base: Base) -> Base:
    """The port that was seen to speak TLS, which need not be 443."""
    port = base.origin[2]
    return dataclasses.replace(base, scheme="https", port=None if port == 443 else port)


def _to_https(s: Situation, spoken: Spoken) -> Finding:
    lost = s.reply is not None and _replies.turns_post_into_get(s.reply)
    use = (
        _("The server names another port for https, which your key is not configured for.")
        if spoken.base is None
        else _("The base URL is {base}.", base=shown(spoken.base))
    )
    return problem(
        _("The base URL says http where the server wants https"),
        joined(
            came_back(s),
            reason(s, spoken) if spoken.told_by is ToldBy.PROVIDER else "",
            _("On this redirect clients turn POST into GET, so the request is lost.")
            if lost
            else "",
            use,
        ),
        evidence=evidence(s),
        changes=changes(CODE, (spoken,)),
        explains=("KVD117",),
    )


def _moved_away(s: Situation, spoken: Spoken) -> Finding:
    reply = s.reply
    target = None if reply is None else _replies.redirect_target(reply)
    named = "" if target is None else target.at(*target.segments[: -len(s.convention.appends)]).url
    return problem(
        _("The base URL leads to another host: {host}", host=target.host if target else ""),
        joined(
            came_back(s),
            _(
                "The key is not sent there, for it is configured for {host}. If that host is "
                "meant, the base URL is {base}.",
                host=s.base.host if s.base else "",
                base=shown(named),
            ),
        ),
        evidence=evidence(s),
        changes=changes(CODE, (spoken,)),
    )
