"""KVD330: the gateway answers, and what is behind it does not."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from checks import _layers
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
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
from doctor.facts.engine import Direct
from doctor.patterns import Pattern

from . import _owner
from ._way import READS, Way, way
from ._words import outcome_of, paragraph

CODE = "KVD330"
_GATEWAY_STATUSES = frozenset({502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 530})
_FRONT = Pattern(r"nginx|openresty|cloudflare|caddy|traefik|apache|haproxy|envoy|istio", re.I)
_TAG = Pattern(r"<[^>]{0,200}>")
_KEY_BEHIND = Pattern(
    r"AuthenticationError|incorrect api key|invalid api key|bad_response_status_code.{0,40}401"
    r"|bad response status code 401",
    re.I,
)
_DIALLED = Pattern(
    r"(?:dial tcp|connect to host|connecting to|host=)\s*'?([A-Za-z0-9_.\-]+)'?"
    r"(?:, port=|:)([0-9]{2,5})",
    re.I,
)


@check(
    code=CODE,
    slug="upstream-unreachable",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.PRODUCT, *_layers.READS),
)
async def upstream_unreachable(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The gateway took the request and did not get an answer from its backend.

    ## What it checks
    502, 503, 504 and Cloudflare's 52x, and gateways' own words for a failed backend: LiteLLM's
    "Connection error", new-api's `do_request_failed` and `bad_response_status_code`, nginx's page.
    Where kvdoctor.toml names the target's engine, that is asked directly, which tells whose fault
    it is.

    ## Why it matters
    Base URL, key and way are good: the request got through. SDKs repeat it silently, which shows
    as slowness.

    ## How to fix
    On the gateway: start the engine, correct the route's address and key. As a user: another
    model or channel, or wait.

    ## Fix safety
    Nothing is changed.

    ## References
    https://www.rfc-editor.org/rfc/rfc9110#section-15.6.3
    """
    w = await way(f)
    if w.reply is None:
        raise Unavailable(w.no_reply)
    if not _is_about_the_backend(w) or _owner.owner(w) is not None:
        return
    direct = await _layers.asked_directly(f)
    product = await f.find(facts.PRODUCT)
    front = _front_server(w)
    name = product.id if product is not None and product.id not in _VAGUE else _("the gateway")
    yield problem(
        _title(w, front),
        paragraph(
            _said(w),
            _layers.owner(direct) or _meaning(w, front, name),
            _address(w),
        ),
        evidence=(*outcome_of(w), *_layers.evidence(direct)),
        hop=_hop(front, direct),
        confidence=Confidence.HIGH
        if w.kind is OutcomeKind.UPSTREAM_UNREACHABLE or front
        else Confidence.MEDIUM,
    )


def _hop(front: str, direct: Direct | None) -> Hop:
    if front:
        return Hop.GATEWAY
    return Hop.ROUTE if direct is not None and _layers.answers(direct) else Hop.ENGINE


_VAGUE = frozenset({"unknown", "web-page", "proxy", "openai", "openai-compatible"})


def _is_about_the_backend(w: Way) -> bool:
    if w.kind is OutcomeKind.UPSTREAM_UNREACHABLE:
        return True
    return w.kind is OutcomeKind.SERVER_ERROR and w.status in _GATEWAY_STATUSES


def _front_server(w: Way) -> str:
    """The web server in front of the gateway that wrote the page itself; "" where it did not."""
    assert w.reply is not None
    exchange = w.reply.exchange
    if exchange.content_type == "application/json" or exchange.body.lstrip()[:1] in ("{", "["):
        return ""
    match = _FRONT.search(f"{exchange.headers.get('server', '')} {exchange.body[:2_000]}")
    return match.group(0) if match else ""


def _title(w: Way, front: str) -> Text:
    if front:
        return _(
            "{front} in front of {host} does not reach the gateway ({status})",
            front=front,
            host=w.target.host,
            status=w.status,
        )
    if w.status is None or w.status < 300:
        return _("{host} does not reach its backend", host=w.target.host)
    return _("{host} does not reach its backend ({status})", host=w.target.host, status=w.status)


def _said(w: Way) -> str:
    assert w.reply is not None
    text = w.reply.outcome.message or " ".join(_TAG.sub(" ", w.reply.exchange.body[:2_000]).split())
    if not text:
        return _("The answer has no text.")
    return _("It says: “{message}”.", message=visible(text, 300))


def _meaning(w: Way, front: str, name: str) -> Text:
    assert w.reply is not None
    said = f"{w.reply.outcome.message} {w.reply.outcome.error_code}"
    if _KEY_BEHIND.search(said):
        return _(
            "The key that {gateway} itself holds for its backend is refused there; yours got "
            "through. Correct it in the route.",
            gateway=name,
        )
    if front:
        return _(
            "The page is {front}'s own: the program behind it is down, restarting, or slower than "
            "{front} waits.",
            front=front,
        )
    if w.status == 504:
        return _("The backend did not answer {gateway} in time.", gateway=name)
    return _(
        "Your request got through to {gateway}; its backend is down, still loading, or its route "
        "names a wrong address.",
        gateway=name,
    )


def _address(w: Way) -> str:
    assert w.reply is not None
    match = _DIALLED.search(w.reply.outcome.message)
    if match is None:
        return ""
    address = f"{match.group(1)}:{match.group(2)}"
    return _("The address that it tried: {address}.", address=visible(address, 80))
