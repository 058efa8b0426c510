"""KVD115: a good key that may not do this."""

from __future__ import annotations

import enum
import re
from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Secret,
    SettingName,
    Severity,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.connection import Connection
from doctor.facts.answers import Outcome, OutcomeKind, Reply, TokenState
from doctor.patterns import Pattern

from ._key_text import body
from ._show import host_of, key_evidence

CODE = "KVD115"


class Refused(enum.Enum):
    """What refuses, from most to least specific."""

    CHANNEL = "channel"
    PROGRAM = "program"
    ADDRESS = "address"
    BANNED = "banned"
    REGION = "region"
    MODEL = "model"
    GROUP = "group"
    KEY_QUOTA = "key quota"
    BALANCE = "balance"
    OTHER = "other"


# Codes and texts of new-api and one-api (gateway-clients.md §1.3) and of OpenAI; the first that
# matches decides.
_SAYS = (
    (Refused.CHANNEL, r"普通用户不支持指定渠道|does not support specif\w+ (?:a )?channel"),
    (Refused.PROGRAM, r"only \w+ (?:to |for )?claude code|仅[^\n]{0,20}客户端"),
    (
        Refused.ADDRESS,
        r"(?<![a-z])IP(?![a-z]).*(?:允许|not allowed|not in|whitelist|allowlist)|指定网段",
    ),
    (Refused.BANNED, r"封禁|\bbanned\b|account (?:is )?(?:deactivated|suspended|disabled)"),
    (
        Refused.REGION,
        r"(?:country|region|location)[^.]* not supported|unsupported_country"
        r"|not available in your (?:country|region|location)",
    ),
    (
        Refused.MODEL,
        r"no access to model|does not have access to model|无权访问模型|无权使用模型"
        r"|not allowed to access (?:this )?model|key_model_access_denied",
    ),
    (Refused.GROUP, r"无权访问.{0,80}分组|分组.{0,80}已被?(?:弃用|禁用|停用|删除)|\bgroup\b"),
    (
        Refused.KEY_QUOTA,
        r"pre_consume_token_quota_failed|token quota is not enough|令牌额度|budget_exceeded"
        r"|ExceededTokenBudget|budget has been exceeded",
    ),
    (
        Refused.BALANCE,
        r"insufficient_user_quota|insufficient_quota|user quota is not enough|用户额度不足"
        r"|预扣费额度失败|pre-consumed quota failed|余额|balance|credit|billing|欠费|额度",
    ),
)
_PATTERNS = tuple((what, Pattern(text, re.I | re.S)) for what, text in _SAYS)


@check(
    code=CODE,
    slug="quota-or-permission",
    severity=Severity.ERROR,
    hop=Hop.GATEWAY,
    wants=(facts.COMPLETION, facts.MODELS, facts.TOKEN_STATE),
)
async def quota_or_permission(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The key is good, and balance, quota, group, address list or model permission refuses.

    What it checks: answers that a server gives only after it has accepted the key: insufficient
    balance, quota of the key, group, address list, model permission, region.

    Why it matters: new-api answers these with 403 or 401, never with 402 or 429, and SDKs
    report a 429 of this kind as a rate limit and repeat it. Neither key nor URL is at fault, so
    changing them helps nothing.

    How to fix: recharge, raise the limit, or have the permission given, as the explanation
    says.

    Fix safety: nothing is changed, but for one case: a key with a further part behind a hyphen
    is tried without it where the gateway says that this part asks for a channel.

    References: facts/gateway-clients.md on error texts
    """
    reply = await _refusal(f)
    if reply is None:
        return
    what = _what(reply.outcome)
    state: TokenState | None = None
    if what in _WITH_STATE:
        state = await f.find(facts.TOKEN_STATE)
    connection = f.connection
    evidence = [_answer(reply)]
    if connection.key is not None:
        evidence.append(key_evidence(connection.key))
    if state is not None and state.available is not None and not state.unlimited:
        left = _("{amount} quota units left", amount=f"{state.available:,.12g}")
        evidence.append(Evidence(_("quota of the key"), state.source, left))
    yield problem(
        _title(what, reply, connection),
        _("{meaning} It says: {said}", meaning=_meaning(what, connection), said=_said(reply)),
        evidence=tuple(evidence),
        changes=_changes(what, connection),
        # Claude Code itself may well be let through.
        severity=Severity.WARNING if _is_named(what, connection) else None,
    )


def _is_named(what: Refused, connection: Connection) -> bool:
    return what is Refused.PROGRAM and connection.client == "claude-code"


_WITH_STATE = (Refused.KEY_QUOTA, Refused.BALANCE, Refused.OTHER)


async def _refusal(f: DeclaredFacts) -> Reply | None:
    kinds = (OutcomeKind.QUOTA, OutcomeKind.PERMISSION)
    completion = await f.find(facts.COMPLETION)
    if completion is not None:
        return completion if completion.outcome.kind in kinds else None
    models = await f.find(facts.MODELS)
    if models is not None and models.reply.outcome.kind in kinds:
        return models.reply
    return None


def _what(outcome: Outcome) -> Refused:
    text = " ".join((outcome.error_code, outcome.error_type, outcome.message))
    for what, pattern in _PATTERNS:
        if pattern.search(text):
            return what
    return Refused.BALANCE if outcome.kind is OutcomeKind.QUOTA else Refused.OTHER


def _title(what: Refused, reply: Reply, connection: Connection) -> str:
    host = host_of(connection)
    match what:
        case Refused.CHANNEL:
            return _("The key has a part behind it that asks for a channel")
        case Refused.PROGRAM:
            return _("{host} takes requests of certain programs only", host=host)
        case Refused.ADDRESS:
            return _("{host} does not take this key from this address", host=host)
        case Refused.BANNED:
            return _("The account behind the key is blocked at {host}", host=host)
        case Refused.REGION:
            return _("{host} does not serve this country", host=host)
        case Refused.MODEL:
            return _("The key may not use the model {model}", model=_model(connection))
        case Refused.GROUP:
            return _("The key's group is not allowed at {host}", host=host)
        case Refused.KEY_QUOTA:
            return _("The quota of the key is used up")
        case Refused.BALANCE:
            return _("The balance at {host} is used up", host=host)
        case Refused.OTHER:
            return _(
                "{host} knows the key and refuses the request ({status})",
                host=host,
                status=reply.exchange.status,
            )


def _meaning(what: Refused, connection: Connection) -> str:
    host = host_of(connection)
    match what:
        case Refused.CHANNEL:
            return _(
                "The gateway reads what stands behind the first hyphen of a key as the number of "
                "a channel, which administrators alone may choose; the key ahead of it is good."
            )
        case Refused.PROGRAM:
            return _(
                "The key is good. The gateway looks at who asks, and kvdoctor is not the program "
                "that it names: that program's own requests may pass."
            )
        case Refused.ADDRESS:
            return _(
                "The key is good; its list of addresses lacks the one that this request came "
                "from. Add it to the key's list at {host}, or use the network that is on it.",
                host=host,
            )
        case Refused.BANNED:
            return _("The key is good. Whoever runs {host} can unblock the account.", host=host)
        case Refused.REGION:
            return _("The key is good; the address that the request came from is not.")
        case Refused.MODEL:
            return _(
                "The key is good. Allow the model {model} for it at {host}, or ask for one that "
                "the models list names.",
                model=_model(connection),
                host=host,
            )
        case Refused.GROUP:
            return _("The key is good. Give it another group at {host}.", host=host)
        case Refused.KEY_QUOTA:
            return _(
                "The key is good and has a limit of its own, which is reached. Raise it at "
                "{host}; the balance of the account has nothing to do with it.",
                host=host,
            )
        case Refused.BALANCE:
            return _("The key is good. Recharge the account at {host}.", host=host)
        case Refused.OTHER:
            return _("The key is good; it lacks a permission.")


def _model(connection: Connection) -> str:
    return "" if connection.model is None else visible(connection.model.value, 80)


def _said(reply: Reply) -> str:
    outcome = reply.outcome
    code = outcome.error_code or outcome.error_type
    message = visible(outcome.message, 240) or _("(no text)")
    return f"{message} [{visible(code, 60)}]" if code else message


def _answer(reply: Reply) -> Evidence:
    status = f"{reply.exchange.status} {_said(reply)}"
    return Evidence(_("answer"), visible(reply.exchange.url, 120), status)


def _changes(what: Refused, connection: Connection) -> tuple[Change, ...]:
    if what is not Refused.CHANNEL or connection.key is None:
        return ()
    text = connection.key.value.reveal()
    prefix = "sk-" if body(text).startswith("sk-") else ""
    bare = prefix + body(text)[len(prefix) :].split("-", 1)[0]
    if bare == text:
        return ()
    title = _("drop what stands behind the key")
    return (Change(CODE, SettingName.KEY, Secret(bare), title, guess=True),)
