"""Texts with which a server refuses a key, a quota or the rate; then bare status codes."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.login_words import CLAUDE_CODE, LOW_CREDIT
from doctor.patterns import Pattern
from doctor.text import _

_SHAPE = (
    Cause("KVD102", 0.12, _("is there a blank or line break at its end?")),
    Cause("KVD103", 0.1, _("did quotes get into the value, as docker --env-file leaves them?")),
    Cause("KVD105", 0.08, _("does the value begin with Bearer?")),
)

# The server shows how the key began as it came: no quote, and no Bearer.
_SHOWN = Pattern(r"api[- ]?key provided: ?(?!bearer)[a-z0-9]", re.IGNORECASE)


def _refused_key(match: re.Match[str]) -> tuple[Cause, ...]:
    shape = _SHAPE[:1] if _SHOWN.search(match.string) else _SHAPE
    return (
        Cause("KVD111", 0.5, _("does the key work with curl, typed by hand?")),
        *shape,
        Cause("KVD108", 0.1, _("is it the key of another provider?")),
        Cause("KVD110", 0.1, _("is another source's key in effect?")),
    )


# Not a feature, as a list of them has it.
_RATE = (
    r"rate[ _-]?limit(?:ed\b|[ _]?error|[ _]?exce|[ _](?:was |is |has been )?(?:reached|hit|daily)"
    r"|[ _](?:for|of|on)\b(?=.*(?:exceed|reach|limit[: ]|hit\b))|[^\n]{0,60}(?:exceed|reached\b))"
    r"|(?:exceed(?:s|ed|ing)?|reached|hit|over|due to|because of|blocked by|provider|upstream)"
    r" (?:\w+(?:'s)? ){0,4}rate[ _-]?limit|\brate[ _]limit(?:ing)?\b[^\n]{0,40}(?:try again|retry"
    r"|wait)|(?:error|fail\w*)[^\n]{0,80}\brate[ _]?limit(?:ing)?\b|^\W*rate[ _-]?limit\W*$"
)

SYMPTOMS = (
    symptom(
        # Anthropic's own words, to any program.
        rf"^(?!.*{CLAUDE_CODE}).*{LOW_CREDIT} to access",
        _("the key is good; its balance is not enough"),
        Cause("KVD115", 0.9, _("the console of the key's account tells the balance")),
    ),
    symptom(
        # Claude Code's words for the same.
        rf"{LOW_CREDIT}(?! to access)|^(?=.*{CLAUDE_CODE}).*{LOW_CREDIT}",
        _("the key is good; its balance is not enough"),
        Cause("KVD115", 0.9, _("the console of the key's account tells the balance")),
        Cause("KVD402", 0.08, _("is a subscription's login stored? The key went in its place")),
    ),
    symptom(
        # Codex's words, when it used a key.
        r"stream disconnected before completion: [^\n]{0,60}\b(?:credits|quota|billing)\b"
        r"|quota exceeded\. check your plan and billing details",
        _("the key is good; its balance is not enough"),
        Cause("KVD115", 0.9, _("the console of the key's account tells the balance")),
        Cause("KVD403", 0.08, _("is a ChatGPT login stored? The key went in its place")),
    ),
    symptom(
        r"insufficient[_ ](?:user_)?quota|exceeded your current quota|用户额度不足|预扣费额度失败"
        r"|pre-consumed quota failed|quota is not enough|insufficient balance|令牌额度不足"
        r"|余额不足|pre_consume_token_quota_failed"
        r"|(?<!completion: you have )no credits (?:remaining|left)"
        r"|insufficient (?:credits?|funds)|requires more credits|payment required|arrearage"
        r"|billing_hard_limit|billing hard limit|budget has been exceeded|budget_exceeded"
        r"|out of credits|(?:user|token) quota is not enough|suspended due to insufficient"
        r"|free tier of the model has been exhausted|free ?tier ?only|无可用资源包|欠费"
        r"|额度(?:已)?(?:用完|用尽|耗尽)|配额(?:已)?(?:用完|用尽|不足)"
        r"|prompt tokens limit exceeded: \d+ > \d+|create a key with a higher \w+ limit"
        r"|key limit exceeded|reached the (?:set )?(?:inference|usage|spend\w*) limit"
        r"|(?:usage|spending|credit) limit (?:has been )?(?:reached|exceeded)|hit your usage limit"
        r"|usage limit reached|model service has been paused|safe experience mode|安全体验模式",
        _("the key is good; its balance is not enough"),
        Cause("KVD115", 0.95, _("the amounts stand in the text or in the console")),
    ),
    symptom(
        r"(?<!err_)access_denied|不在令牌允许访问的列表|只能在指定网段使用|无权访问.{0,20}分组|分组.{0,20}弃用"
        r"|用户已被封禁|unsupported_country_region_territory"
        r"|country, region, or territory not supported|missing scopes: (?!api\.responses\.write)"
        r"|insufficient permissions|request not allowed|blocked due to"
        r"|分组[^\n]{0,12}(?:已被|已)?(?:禁用|停用|删除)|not allowed to access model"
        r"|only (?:allows|accepts|available (?:to|for)|supports) claude code(?: clients?)?"
        r"|仅(?:可用于|限|支持|允许)[^\n]{0,12}(?:claude ?code|codex|cc) ?客户端"
        r"|only authorized for use with claude code|is restricted to (?:the )?(?:\w+ ){1,3}clients?"
        r"|no endpoints found matching your (?:data policy|guardrail)|no allowed providers are"
        r"|(?:verify|verified) (?:your )?organization|organization (?:has been|is) disabled"
        r"|account (?:is|has been) (?:suspended|disabled|deactivated|banned)|账[号户](?:已)?被?封"
        r"|未实名|实名认证|not (?:currently )?available in your"
        r" (?:country|region|location)|account is not eligible for|user location is not supported"
        r"|failed to connect to api\.anthropic\.com: err_bad_request",
        _("the key is good, but not from here or not for this"),
        Cause("KVD115", 0.95, _("the text names the limit: address list, group or user")),
    ),
    symptom(
        r"普通用户不支持指定渠道",
        _("something stands behind the key after a hyphen"),
        Cause("KVD111", 0.8, _("new-api takes -… behind a key as a channel's number")),
    ),
    symptom(
        r"该令牌已过期|令牌.{0,30}额度已用尽|tokenstatusexhausted|该令牌状态不可用",
        _("the gateway knows this key and says why it refuses it"),
        Cause("KVD111", 0.95, _("expired, used up or disabled: the text says which")),
    ),
    symptom(
        r"(?:missing|absent|empty) (?:or|and/or) (?:invalid|incorrect|wrong) (?:api[- _]?)?key"
        r"|key (?:is |was )?(?:missing|absent|empty) (?:or|and/or) (?:invalid|incorrect|wrong)"
        r"|(?:invalid|incorrect|wrong) (?:or|and/or) (?:missing|absent|empty) (?:api[- _]?)?key"
        r"|key (?:is |was )?(?:invalid|incorrect|wrong) (?:or|and/or) (?:missing|absent|empty)",
        _("the server refuses the key, or saw none"),
        Cause("KVD111", 0.5, _("does the key work with curl, typed by hand?")),
        Cause("KVD101", 0.35, _("is a key sent at all?")),
        Cause("KVD110", 0.1, _("is another source's key in effect?")),
        Cause("KVD108", 0.1, _("is it the key of another provider?")),
        Cause("KVD114", 0.1, _("does the server want another header?")),
    ),
    symptom(
        # Claude Code's own words after "invalid API key" are in logins.
        r"incorrect api key provided|invalid x-api-key"
        r"|invalid (?:api[- ]?)?(?:key|token)(?!\W{1,4}(?:please run /login|fix external))"
        r"|无效的令牌|invalid proxy server token|令牌验证失败"
        r"|no connected db|invalid authentication credentials"
        r"|authentication[_ ](?:error(?!s\b)|fails(?=\W{0,3}$|,? ?\(|, your))"
        r"(?!.{0,80}(?:oauth|invalid bearer))"
        r"|api key not valid|api_key_invalid|api[- _]?key (?:format )?is (?:incorrect|invalid)"
        r"|invalid api-key provided|invalidapikey|invalid subscription key|invalid authentication"
        r"|api[- _]?key (?:doesn't|does not) exist|api[- _]?key (?:has )?expired|login fail"
        r"|令牌已过期或验证不正确|身份验证失败|鉴权失败|认证失败"
        r"|(?:密钥|api ?key)(?:无效|错误|不正确)|(?:密钥|api ?key) ?(?:无效|已停用|已禁用|已过期)"
        r"|invalid credentials|permission_denied.{0,40}api key|user not found\.",
        _("the server refuses the key"),
        _refused_key,
    ),
    symptom(
        r"^a login's token beside a key, to a server that is not Anthropic$",
        _("a stored login's token goes to the gateway, beside the key that is meant for it"),
        Cause("KVD407", 0.75, _("log out, or give the client the gateway's key as its token")),
        Cause("KVD402", 0.25, _("which of the two does the gateway read first?")),
    ),
    symptom(
        r"^a login's token alone, to a server that is not Anthropic: 401$",
        _("a stored login's token goes to a server that is not Anthropic's, and is refused there"),
        Cause("KVD407", 0.75, _("log out, or give the client the gateway's key as its token")),
        Cause("KVD111", 0.15, _("or is the one that the server reads refused?")),
    ),
    symptom(
        r"^two different keys in one request: 401$",
        _("the request carries one key as bearer and another one as x-api-key"),
        Cause("KVD110", 0.85, _("which source does each of them come from?")),
        Cause("KVD401", 0.8, _("is ANTHROPIC_AUTH_TOKEN set beside the key?")),
        Cause("KVD111", 0.15, _("or is the one that the server reads refused?")),
    ),
    symptom(
        r"^a key without Bearer before it: 401$",
        _("the header lacks the word Bearer before the key"),
        Cause("KVD114", 0.85, _("write Authorization: Bearer KEY")),
    ),
    symptom(
        r"^the key went to \S+ as x-api-key: 401$",
        _("the key went in x-api-key to a server that is not Anthropic's, and was refused"),
        Cause("KVD114", 0.78, _("does the same key work as Authorization: Bearer?")),
        Cause("KVD111", 0.2, _("or is the key itself refused?")),
    ),
    symptom(
        r"^POST \S+ without a version: 401, GET /models: 200$",
        _("the models list came with this key; the path that was refused has no version"),
        Cause("KVD201", 0.65, _("does the base URL end in /v1?")),
        Cause("KVD111", 0.35, _("or is the list open to anybody, and the key refused?")),
    ),
    symptom(
        r"^POST \S+ without a version: 401$",
        _("the server refuses the key as it is sent, to a path without a version"),
        Cause("KVD111", 0.45, _("does the key work with curl, typed by hand?")),
        Cause("KVD201", 0.3, _("does the base URL end in /v1? Some ask for the key on any path")),
        Cause("KVD101", 0.15, _("is a key sent at all?")),
        *_SHAPE,
    ),
    symptom(
        r"\{\"error\": ?\"unauthorized\"\}",
        _("this is vLLM's refusal: it takes a Bearer key only"),
        Cause("KVD111", 0.4, _("is it the key of vllm serve --api-key?")),
        Cause("KVD114", 0.3, _("does the client send x-api-key?")),
        Cause("KVD101", 0.2, _("does the client send a key at all?")),
    ),
    symptom(
        rf"too many requests(?! are\b)|{_RATE}|请求数限制|上游负载已饱和|\b(?P<bare>429)\b"
        r"|overloaded_error|(?:engine|model|server) is (?:currently )?overloaded"
        r"|\b(?:tpm|rpm) (?:limit|exceeded)|throttling\b|resource_exhausted"
        r"|请求过于频繁|访问过于频繁|访问量过大|速率限制|并发(?:数)?(?:超|限)",
        _("the server limits the rate"),
        Cause("KVD331", 0.8, _("does it name a time to wait?")),
        Cause("KVD115", 0.2, _("some servers answer 429 when the balance is used up")),
    ),
    # A program's question before its first request: an answer came, so the way is open.
    symptom(
        r"failed to connect to [a-z\d.-]{1,100}: request failed with status code 5\d\d\b",
        _("something answers that it cannot serve now"),
        Cause("KVD330", 0.5, _("does the backend answer when asked directly?")),
        Cause("KVD307", 0.4, _("or does a proxy of this network answer?")),
    ),
    symptom(
        r"502 bad gateway|bad gateway \(502\)|504 gateway|bad_response_status_code|upstream_error"
        r"|provider returned error|do request failed|do_request_failed|internal server error"
        r"|(?:error code|status|status code|http(?:/[\d.]+)?)[: ]+50[24]\b"
        r"|api_connection_error|connection error\..*litellm",
        _("a gateway answers; what stands behind it does not"),
        Cause("KVD330", 0.6, _("does the backend answer when asked directly?")),
        Cause("KVD302", 0.2, _("is the target local, and does a proxy take its traffic?")),
        Cause("KVD307", 0.2, _("is the page the proxy's own?")),
        generic=True,
    ),
    symptom(
        r"\b(?P<bare>401)\b|unauthori[sz]ed",
        _("the server refuses the key as it is sent"),
        Cause("KVD111", 0.4, _("does the key work with curl, typed by hand?")),
        Cause("KVD101", 0.15, _("is a key sent at all?")),
        *_SHAPE,
        Cause("KVD114", 0.1, _("does the server want another header?")),
        generic=True,
    ),
    symptom(
        r"\b(?P<bare>403)\b|\bforbidden\b|permissiondeniederror",
        _("the server refuses the request, whatever the key is"),
        Cause("KVD115", 0.45, _("may this key, from this address, ask for this model?")),
        Cause("KVD210", 0.2, _("is the body a page? Then a firewall answers, not the API")),
        Cause("KVD111", 0.2, _("does the key work with curl?")),
        Cause("KVD307", 0.1, _("or does a proxy of this network answer?")),
        generic=True,
    ),
    symptom(
        r"\b(?P<bare>503)\b|service unavailable",
        _("something answers that it cannot serve now"),
        Cause("KVD505", 0.35, _("does the text speak of a channel or model?")),
        Cause("KVD330", 0.35, _("does the backend answer when asked directly?")),
        Cause("KVD302", 0.3, _("is the target local, and does a proxy take its traffic?")),
        generic=True,
    ),
    symptom(
        # Not a shell's words for a program.
        r"\b(?P<bare>404)\b|^(?!.*: \d+: [^\s:]+: not found\s*$).*?(?<!command )not found",
        _("the server answers, but knows no such path or model"),
        Cause("KVD201", 0.4, _("does the base URL end in /v1?")),
        Cause("KVD501", 0.3, _("is the model in the models list?")),
        Cause("KVD202", 0.15, _("does this gateway serve under /api?")),
        generic=True,
    ),
)
