"""new-api's own words, by language and generation.

Facts: gateway-clients.md 1.3, checked against new-api i18n/locales/en.yaml and zh-CN.yaml
(002f912), middleware/auth.go (040b46a), middleware/model-rate-limit.go (0360976). Texts that
are Chinese whatever the language are hard-coded there.
"""

from __future__ import annotations

from enum import StrEnum

QUOTA_PER_UNIT = 500_000


class Language(StrEnum):
    """The languages that the demo speaks."""

    EN = "en"
    ZH = "zh-CN"


_TRANSLATED: dict[str, dict[Language, str]] = {
    "token.invalid": {Language.EN: "Invalid token", Language.ZH: "无效的令牌"},
    "token.not_provided": {Language.EN: "Token not provided", Language.ZH: "未提供令牌"},
    "token.status_unavailable": {
        Language.EN: "This token status is unavailable",
        Language.ZH: "该令牌状态不可用",
    },
    "token.get_info_failed": {
        Language.EN: "Failed to get token info, please try again later",
        Language.ZH: "获取令牌信息失败，请稍后重试",
    },
    "common.database_error": {
        Language.EN: "Database error, please try again later",
        Language.ZH: "数据库错误，请稍后重试",
    },
    "oauth.user_banned": {Language.EN: "User has been banned", Language.ZH: "用户已被封禁"},
    "distributor.invalid_request": {
        Language.EN: "Invalid request: {error}",
        Language.ZH: "无效的请求，{error}",
    },
    "distributor.model_name_required": {
        Language.EN: "Model name not specified, model name cannot be empty",
        Language.ZH: "未指定模型名称，模型名称不能为空",
    },
    "distributor.token_model_forbidden": {
        Language.EN: "This token has no access to model {model}",
        Language.ZH: "该令牌无权访问模型 {model}",
    },
    "distributor.no_available_channel": {
        Language.EN: "No available channel for model {model} under group {group} (distributor)",
        Language.ZH: "分组 {group} 下模型 {model} 无可用渠道（distributor）",
    },
}

# Hard-coded in the newer builds.
IP_DENIED = "您的 IP 不在令牌允许访问的列表中"
GROUP_DENIED = "无权访问 {group} 分组"
GROUP_RETIRED = "分组 {group} 已被弃用"
CHANNEL_FORBIDDEN = "普通用户不支持指定渠道"
RATE_LIMITED = "您已达到请求数限制：{minutes}分钟内最多请求{count}次"
RATE_LIMITED_TOTAL = (
    "您已达到总请求数限制：{minutes}分钟内最多请求{count}次，包括失败次数，请检查您的请求是否正确"
)
USER_WITHOUT_QUOTA = "用户额度不足, 剩余额度: {left}"
USER_QUOTA_TOO_SMALL = "预扣费额度失败, 用户剩余额度: {left}, 需要预扣费额度: {need}"
TOKEN_QUOTA_TOO_SMALL = "token quota is not enough, token remain quota: {left}, need quota: {need}"  # noqa: S105
NO_PRICE = (
    "模型 {model} 倍率或价格未配置，请联系管理员设置或开始自用模式；"
    "Model {model} ratio or price not set, please set or start self-use mode"
)

# The builds of 2025-04: Chinese only, one text for each state (model/token.go).
OLD_NOT_PROVIDED = "未提供令牌"
OLD_UNKNOWN = "无效的令牌"
OLD_EXPIRED = "该令牌已过期"
OLD_EXHAUSTED = "该令牌额度已用尽 TokenStatusExhausted[sk-{head}***{tail}]"
OLD_DISABLED = "该令牌状态不可用"
OLD_USER_BANNED = "用户已被封禁"
OLD_NO_CHANNEL = "当前分组 {group} 下对于模型 {model} 无可用渠道"
OLD_INVALID_REQUEST = "无效的请求, {error}"
OLD_MODEL_FORBIDDEN = "该令牌无权访问模型 {model}"
# What replaces any upstream 429 (one-api and new-api of 2025-04).
OLD_SATURATED = {
    "message": "当前分组上游负载已饱和，请稍后再试",
    "type": "upstream_error",
    "code": "bad_response_status_code",
}
OLD_USER_WITHOUT_QUOTA = "user quota is not enough"
OLD_USER_QUOTA_TOO_SMALL = "chat pre-consumed quota failed, user quota: {left}, need quota: {need}"


def text(name: str, language: Language, **values: str) -> str:
    return _TRANSLATED[name][language].format(**values)


def money(quota: int) -> str:
    """With the full-width dollar sign U+FF04 (facts: gateway-clients.md 1.3, traps)."""
    return f"＄{quota / QUOTA_PER_UNIT:.6f}"


def language_of(accept: str | None, chosen: str | None) -> Language:
    """The user's setting, else the first tag of Accept-Language, else English."""
    tag = (chosen or (accept or "").split(",")[0].split(";")[0]).strip().lower()
    return Language.ZH if tag.startswith("zh") else Language.EN
