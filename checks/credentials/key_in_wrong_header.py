"""KVD114: the key travels in a header that the server does not look at."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    AuthHeader,
    Change,
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    SettingName,
    Severity,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.answers import Product
from doctor.facts.network import Endpoint
from doctor.records import dataclass

from ._key_text import is_empty
from ._show import host_of
from ._verdict import WANTS, KeyState, KeyVerdict, key_verdict

CODE = "KVD114"
_OTHER = {
    AuthHeader.BEARER: AuthHeader.X_API_KEY,
    AuthHeader.X_API_KEY: AuthHeader.BEARER,
    AuthHeader.X_GOOG_API_KEY: AuthHeader.BEARER,
}
# new-api: on /v1/messages, which is what is left of it where this is looked at.
_PRODUCTS_WITH_BOTH = ("new-api", "litellm")
_HOST_WITH_BOTH = "anthropic.com"
_WRITTEN = {
    AuthHeader.BEARER: "Authorization: Bearer",
    AuthHeader.X_API_KEY: "x-api-key",
    AuthHeader.X_GOOG_API_KEY: "x-goog-api-key",
}


@check(
    code=CODE,
    slug="key-in-wrong-header",
    severity=Severity.ERROR,
    needs=(facts.ENDPOINT,),
    wants=(facts.PRODUCT, *WANTS),
)
async def key_in_wrong_header(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The server takes the key in another header than the client sends.

    What it checks: whether a key was sent and the server says that none came, and whether a
    refused key travelled as `x-api-key` to a server that looks at `Authorization` only.

    Why it matters: vLLM knows `Authorization: Bearer` alone; new-api takes `x-api-key` only on
    `/v1/messages`. So Claude Code fails there with ANTHROPIC_API_KEY and works with
    ANTHROPIC_AUTH_TOKEN.

    How to fix: have the client send the other header. For Claude Code that is the other
    variable.

    Fix safety: the same key goes to the same host; only the header's name changes. Where the
    product is not known to look at the other one, it is a guess, tried with a request.

    References: facts/gateway-clients.md on what is accepted as a key; vLLM's authentication
    middleware
    """
    setting = f.connection.key
    if setting is None or is_empty(setting.value.reveal()):
        raise NotApplicable("no key is sent")
    verdict = await key_verdict(f)
    if not verdict.turned_away or verdict.reply is None:
        return
    endpoint = await f.get(facts.ENDPOINT)
    product = await f.find(facts.PRODUCT)
    reason = _reason(verdict, f.connection.auth.value, endpoint, product)
    if reason is None:
        return
    now = f.connection.auth.value
    other = _OTHER[now]
    said = f"{verdict.reply.exchange.status} {verdict.reply.outcome.message}".strip()
    yield problem(
        _("{host} takes no key from {header}", host=host_of(f.connection), header=_WRITTEN[now])
        if reason.confidence is Confidence.HIGH
        else _(
            "{host} likely takes no key from {header}",
            host=host_of(f.connection),
            header=_WRITTEN[now],
        ),
        _("{why} {how}", why=reason.text, how=_how(f.connection.client, other)),
        evidence=(
            Evidence(_("header"), _("request"), f"{_WRITTEN[now]} {setting.value.masked}"),
            Evidence(_("answer"), visible(verdict.reply.exchange.url, 120), visible(said, 240)),
        ),
        changes=(
            Change(
                CODE,
                SettingName.AUTH,
                other,
                _("send the key as {header}", header=_WRITTEN[other]),
                guess=reason.confidence is not Confidence.HIGH,
            ),
        ),
        severity=None if reason.confidence > Confidence.LOW else Severity.INFO,
        confidence=reason.confidence,
        explains=("KVD111",) if reason.confidence is Confidence.HIGH else (),
    )


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why the header is at fault, and how sure that is."""

    text: str
    confidence: Confidence


def _reason(
    verdict: KeyVerdict, now: AuthHeader, endpoint: Endpoint, product: Product | None
) -> _Reason | None:
    assert verdict.reply is not None
    message = verdict.reply.outcome.message.lower()
    product_id = "" if product is None else product.id
    if now is AuthHeader.X_API_KEY and product_id == "vllm":
        return _Reason(_('vLLM looks at "Authorization: Bearer" alone.'), Confidence.HIGH)
    if (
        now is AuthHeader.X_API_KEY
        and product_id == "new-api"
        and "/v1/messages" not in endpoint.path
    ):
        return _Reason(
            _(
                "new-api takes x-api-key on /v1/messages only, and the request goes to {path}.",
                path=visible(endpoint.path, 80),
            ),
            Confidence.HIGH,
        )
    if now is AuthHeader.X_API_KEY and product_id == "one-api":
        return _Reason(_('one-api looks at "Authorization: Bearer" alone.'), Confidence.HIGH)
    if now is AuthHeader.BEARER and "x-api-key" in message:
        return _Reason(_("The answer speaks of x-api-key."), Confidence.MEDIUM)
    if verdict.state is KeyState.MISSING:
        return _Reason(
            _(
                "A key was sent, and the server says that none came: it looks at another header, "
                "or something on the way takes this one out."
            ),
            Confidence.MEDIUM,
        )
    takes_both = product_id in _PRODUCTS_WITH_BOTH or endpoint.host.endswith(_HOST_WITH_BOTH)
    if now is AuthHeader.X_API_KEY and not takes_both:
        return _Reason(
            _(
                'Many servers look at "Authorization: Bearer" alone; whether this one does was not '
                "shown."
            ),
            Confidence.LOW,
        )
    return None


def _how(client: str, other: AuthHeader) -> str:
    if client == "codex":
        return _(
            "Codex sends a key as Authorization; another header stands in http_headers or "
            "env_http_headers of its provider."
        )
    if client == "claude-code":
        variable = "ANTHROPIC_AUTH_TOKEN" if other is AuthHeader.BEARER else "ANTHROPIC_API_KEY"
        return _(
            "Claude Code sends {header} for a key in {variable}.",
            header=_WRITTEN[other],
            variable=variable,
        )
    if client == "gemini-cli":
        return _(
            "Gemini CLI sends {header} as well with {variable}.",
            header=_WRITTEN[other],
            variable="GEMINI_API_KEY_AUTH_MECHANISM=bearer",
        )
    return _("Send it as {header}.", header=_WRITTEN[other])
