"""From the status and the words of an error to what it means.

Rules are ordered: the first whose words are there decides, so the more specific one stands above.
Words: new-api and one-api in both languages (facts/gateway-clients.md §§1.1 to 1.3), vLLM
(facts/vllm.md §§2, 5.3), LiteLLM, which wraps the texts of others (facts/real-servers.md), and
what OpenAI, Anthropic, OpenRouter, DeepSeek and others document or are reported to print.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from doctor.facts.answers import OutcomeKind
from doctor.patterns import Pattern
from doctor.private_words import PRIVATE_WORDS
from doctor.records import dataclass

K = OutcomeKind
Statuses = Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """``pattern`` is searched in all that the error says; ``statuses`` says where it counts."""

    kind: OutcomeKind
    pattern: Pattern
    statuses: Statuses


def _any(status: int) -> bool:
    return True


def _client_error(status: int) -> bool:
    return 400 <= status < 500


def _key_status(status: int) -> bool:
    # LiteLLM answers a wrong key with 400 where it has no database, Google always does.
    return status in (400, 401, 403)


def _upstream_status(status: int) -> bool:
    # 429 is the upstream's limit passed on, whatever code stands beside it.
    return status not in (401, 429)


def _below_500_not_401(status: int) -> bool:
    # Most servers look at the key first, so a 401 speaks of nothing else.
    return status != 401 and status < 500


def _about_the_request(status: int) -> bool:
    return status in (400, 404, 405, 409, 410, 415, 422)


def _rule(kind: OutcomeKind, statuses: Statuses, *texts: str) -> Rule:
    return Rule(kind, Pattern("|".join(texts), re.I | re.M), statuses)


BEFORE_BUDGET = (
    # Whoever answers does not go where the base URL leads.
    _rule(K.UPSTREAM_UNREACHABLE, _upstream_status, PRIVATE_WORDS),
    # The gateway's own key for what is behind it: the user's key got further than that.
    _rule(
        K.UPSTREAM_UNREACHABLE,
        _any,
        r"(?:litellm\.)?AuthenticationError: \w*(?:Exception|Error)\b",
        r"\w+Exception - .{0,80}(?:invalid|incorrect) api key",
    ),
    # Relays that take one program's requests only, and groups that are switched off.
    _rule(
        K.PERMISSION,
        _any,
        r"only (?:allows|accepts|available (?:to|for)|supports) claude code",
        r"仅(?:可用于|限|支持|允许)[^\n]{0,12}(?:claude ?code|codex|cc) ?客户端",
        r"分组[^\n]{0,12}(?:已被|已)(?:禁用|停用|删除)",
        r"user location is not supported|not available in your (?:country|region|location)",
    ),
    # OpenRouter: the model is there, no provider of it takes what the request asks for.
    _rule(K.PARAMETER_REFUSED, _any, r"no endpoints found that (?:can )?(?:support|handle)"),
    _rule(
        K.NO_CHANNEL,
        _any,
        r"no available channel",
        r"无可用渠道",
        r"可用渠道不存在",
        r"failed to get available channel",
        r"no endpoints? (?:found|available)",
        r"get_channel_failed",
        r"model_price_error",
    ),
    _rule(
        K.NOT_FOUND,
        _below_500_not_401,
        r"invalid url \(",
        r"unknown request url",
        r"unexpected endpoint or method",
        r"no route matched",
        r"\broute\b.{0,120}\bnot (?:found|exist)",
        r"cannot (?:post|get) /",
        r"\bpage not found",
        r"requested url .{0,120}not found",
        r"(?:path|endpoint|url|uri|resource|接口|路径|地址).{0,20}(?:not found|不存在)",
        r"method not allowed",
        r"no static resource",
        r"no (?:handler|mapping) found",
    ),
)

AFTER_BUDGET = (
    _rule(
        K.MODEL_MISSING,
        _below_500_not_401,
        r"model name not specified",
        r"未指定模型",
        r"model name cannot be empty",
        r"(?:must|need to|have to) (?:provide|specify|supply|pass) (?:a |the )?model\b",
        r"\bmodel(?: field| parameter| name)? is (?:required|missing|empty)",
        r"(?:missing|required)(?: required)? (?:field|parameter|property|argument)s?"
        r":? [`'\"]?model\b",
        r"(?:body\.|^)model: (?:field required|missing)",
        r"'loc': 'body\.model', 'msg': 'Field required'",
        r"'type': 'missing', 'loc': 'body\.model'",
        r"模型(?:名称)?不能为空",
    ),
    _rule(
        K.QUOTA,
        _any,
        r"insufficient[_ ](?:user[_ ])?(?:quota|balance|credits?|funds)",
        r"pre_consume_token_quota_failed",
        r"(?:user|token) quota is not enough",
        r"pre-consumed quota failed",
        r"用户额度不足|预扣费额度失败|令牌额度不足|余额不足|账户余额|欠费",
        r"exceeded your current quota(?![\s\S]*quota exceeded for metric)",
        r"requires more credits",
        r"credit balance is too low",
        r"out of credits",
        r"(?:budget|exceeded)[_ ]?(?:token|key|user|team)?budget|budget has been exceeded",
        r"budget_exceeded",
        r"billing_hard_limit_reached|billing hard limit",
        r"\barrear(?:age|s)\b|good standing",
        r"payment required",
        r"(?:used|spent) (?:all|up) (?:of )?(?:your )?(?:available )?credits",
    ),
    _rule(
        K.PERMISSION,
        _client_error,
        r"no access to model",
        r"not allowed to access (?:this )?model",
        r"key_model_access_denied",
        r"无权(?:访问|使用)",
        r"允许访问的列表中|指定网段|access_denied",
        r"普通用户不支持指定渠道",
        r"已被封禁|已被弃用",
        r"unsupported_country_region_territory",
        r"ModelNotOpen|not activated the model",
    ),
    _rule(
        K.KEY_MISSING,
        _key_status,
        r"no api[ _-]?key (?:was )?(?:passed|provided|found|supplied|given|set|in)",
        r"未提供(?:令牌|api ?key|密钥|认证)",
        r"api[ _-]?key[ _](?:is )?(?:required|missing|not provided|empty)",
        r"missing (?:the )?(?:api[ _-]?key|authori[sz]ation|authentication|auth|bearer|token"
        r"|credentials)",
        r"(?:did ?n.t|did not) provide an api key",
        r"no (?:cookie )?(?:auth|authentication|authori[sz]ation)(?: credentials| header| token)?"
        r" (?:found|provided|given)",
        r"authori[sz]ation (?:header )?(?:is )?(?:missing|required|not found|not provided)",
        r"x-api-key header is required",
        r"no token provided|token (?:is )?(?:missing|required)",
        r"(?:provide|need|requires?) an api[ _-]?key\b",
    ),
    _rule(
        K.KEY_REFUSED,
        _key_status,
        r"(?:invalid|incorrect|wrong|bad|malformed|unknown|expired|revoked|disabled)"
        r"[ _-]?(?:or (?:expired|missing) )?(?:api|proxy|auth|access|bearer|server|x-api)?"
        r"[ _-]?(?:server )?(?:key|token|credentials?)\b",
        r"api[ _-]?key(?: provided)?(?: is)?"
        r" (?:not valid|invalid|incorrect|expired|disabled|wrong)",
        r"(?:api[ _-]?)?key (?:not found|does not exist|has expired|has been (?:revoked|disabled))",
        r"authentication (?:error|fails|failed)|authentication_error|auth_error",
        r"unauthori[sz]ed",
        r"(?:invalid|malformed)[^.\n]{0,30}authori[sz]ation",
        r"authori[sz]ation[^.\n]{0,20} (?:is )?(?:invalid|malformed)",
        r"无效的(?:令牌|token|api ?key|密钥)|令牌(?:无效|已过期|状态不可用|验证失败|已禁用)",
        r"令牌额度已用尽|TokenStatus(?:Exhausted|Expired)",
        r"(?:密钥|api ?key)(?:无效|错误|不正确|已过期|不存在)|身份验证失败|鉴权失败|认证失败",
        r"no connected db|no_db_connection",
        r"login fail",
    ),
    _rule(
        K.PARAMETER_REFUSED,
        _below_500_not_401,
        r"unsupported_(?:parameter|value)|unknown_parameter",
        r"unsupported (?:parameter|value|argument|field)s?\b",
        r"unrecogni[sz]ed (?:request )?(?:argument|parameter|field|key)s?",
        r"(?:unknown|unexpected|additional|extra)"
        r" (?:parameter|argument|field|property|properties|keyword)",
        r"extra inputs are not permitted|extra_forbidden",
        r"UnsupportedParamsError|does not support parameters",
        r"tool choice requires --enable-auto-tool-choice",
        r"is not a multimodal model",
        r"does not support (?:tools|function calling|images?|streaming|system)",
        r"\(parameter=\w",
    ),
    _rule(
        K.NOT_SERVED,
        _below_500_not_401,
        r"does not support (?:the )?(?:chat completions|responses|messages|completions) api",
        r"api_not_implemented|api not implemented",
        r"(?:responses|messages)(?: api| endpoint)? (?:is )?"
        r"not (?:supported|implemented|available)",
    ),
    _rule(
        K.MODEL_UNKNOWN,
        _about_the_request,
        r"\bmodels?(?:[_ ](?:id|name|code)| or endpoint)?\b[^.\n]{0,120}?"
        r"(?:does(?: not|n.t) exist|\bnot exist|(?:was |is |could )?not (?:be )?found"
        r"|not available|is unavailable|not supported|not a valid|is invalid|not deployed"
        r"|not recogni[sz]ed|access denied|deprecated|decommissioned|retired|no longer)",
        r"\bmodel[`'\"]? [`'\"]?[\w./:@-]+[`'\"]? (?:does(?: not|n.t) exist|not found)",
        r"\bmodels/\S+ (?:is |was )?not (?:found|supported)",
        r"(?:unknown|invalid|unsupported|unrecogni[sz]ed|no such|not found the|not supported)"
        r" model\b",
        r"invalid model name",
        r"not a valid model",
        r"model_not_found|invalid_model|model_not_exist|ModelNotFound|DeploymentNotFound",
        r"unable to access model",
        r"^model: ",
        r"supported api model names are",
        r"模型[^。，,\n]{0,60}?(?:不存在|无效|未找到|不支持|未开放)",
        r"(?:不支持(?:的|该)?|无效的|未知的?)模型",
    ),
    _rule(
        K.MODEL_UNKNOWN,
        lambda status: status == 403 or status >= 500,
        r"\bmodel\b[^.\n]{0,120}?(?:does(?: not|n.t) exist|\bnot exist)",
        r"模型[^。，,\n]{0,60}?不存在",
    ),
    _rule(
        K.UPSTREAM_UNREACHABLE,
        _upstream_status,
        r"local proxy failed",
        r"请求转发失败|proxy_error",
        r"已熔断|无可用的Provider|no deployments? available",
        r"do[_ ]request[_ ]failed",
        r"bad_response_status_code|bad response status code 5\d\d",
        r"connection refused|ECONNREFUSED|connect call failed|connection error\b",
        r"cannot connect to host|dial tcp|no such host|name or service not known|ENOTFOUND",
        r"upstream connect error|no healthy upstream|bad gateway|gateway time-?out",
        r"upstream (?:request )?(?:error|timeout|timed out|unavailable|unreachable|failed)",
        r"(?:ECONNRESET|ETIMEDOUT|connection (?:timed out|reset by peer|aborted))",
        r"provider returned error",
        r"context deadline exceeded|i/o timeout|litellm\.Timeout",
    ),
    _rule(
        K.RATE_LIMITED,
        lambda status: status not in (400, 401, 404, 422),
        r"rate[_ ]?limit",
        r"too many requests",
        r"overloaded_error|overloaded",
        r"请求数限制|负载已饱和|访问过于频繁|请求过于频繁|速率限制",
        r"tokens per (?:minute|day)|requests per (?:minute|day)",
        r"concurrency limit|并发",
    ),
)

# Cloudflare's own statuses for an origin that does not answer (520 to 527, 530).
_EDGE = frozenset({502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530})
_BY_STATUS = {
    401: K.KEY_REFUSED,
    402: K.QUOTA,
    403: K.PERMISSION,
    404: K.NOT_FOUND,
    405: K.NOT_FOUND,
    408: K.UPSTREAM_UNREACHABLE,
    410: K.NOT_FOUND,
    429: K.RATE_LIMITED,
    501: K.NOT_SERVED,
    529: K.RATE_LIMITED,
}


def by_words(status: int, said: str, rules: tuple[Rule, ...]) -> OutcomeKind | None:
    """The first rule whose words are there."""
    for rule in rules:
        if rule.statuses(status) and rule.pattern.search(said):
            return rule.kind
    return None


def by_status(status: int) -> OutcomeKind:
    """What a status means that comes without telling words."""
    if status in _EDGE:
        return K.UPSTREAM_UNREACHABLE
    known = _BY_STATUS.get(status)
    if known is not None:
        return known
    return K.SERVER_ERROR if status >= 500 else K.BAD_REQUEST
