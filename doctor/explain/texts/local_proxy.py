"""Texts of a client's own local proxy: CC Switch and its kind (facts/gateway-clients.md §5.1)."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _


def _cc_switch(match: re.Match[str]) -> tuple[Cause, ...]:
    status = match.groupdict().get("status")
    behind = {
        "401": Cause("KVD111", 0.3, _("its upstream refuses the provider's key")),
        "404": Cause("KVD201", 0.3, _("the provider's base URL leads nowhere")),
        "429": Cause("KVD331", 0.3, _("its upstream limits the rate")),
        "502": Cause("KVD301", 0.3, _("its own outgoing proxy may be dead")),
        "503": Cause("KVD505", 0.3, _("its upstream has no channel for the model")),
    }
    own = Cause("KVD308", 0.7, _("ask the provider directly, without the local proxy"))
    return (own, behind[status]) if status in behind else (own,)


SYMPTOMS = (
    symptom(
        r"\(reading 'default'\)[^\n]{0,60}(?:api_error|internal_error)",
        _("claude-code-router's file has no Router block, so no model is chosen"),
        Cause("KVD308", 0.9, _('write "Router": {"default": "PROVIDER,MODEL"} into config.json')),
    ),
    symptom(
        r"upstream_status: http (?P<status>\d{3})",
        _("CC Switch's local proxy passed the request on and its upstream failed"),
        _cc_switch,
    ),
    symptom(
        r"cc switch local proxy failed while handling",
        _("CC Switch's local proxy failed; the cause stands behind it in the text"),
        Cause("KVD308", 0.9, _("read upstream_status and cause; ask the provider directly")),
    ),
    symptom(
        r"(?:请求转发失败.*)?proxy tcp connect failed",
        _("the outgoing proxy of CC Switch is not running"),
        Cause("KVD308", 0.7, _("CC Switch follows the system proxy")),
        Cause("KVD301", 0.3, _("is the system proxy's program running?")),
    ),
    symptom(
        r"请求转发失败|所有供应商已熔断|无可用的provider|未配置供应商|超过最大重试次数"
        r"|缺少 base_url 配置",
        _("CC Switch's local proxy has no provider that answers"),
        Cause("KVD308", 0.9, _("open CC Switch: which provider is on, and is it reachable?")),
    ),
    symptom(
        r"流式响应空闲超时",
        _("the stream stood still for too long behind CC Switch"),
        Cause("KVD515", 0.6, _("does the same request stream when asked directly?")),
        Cause("KVD308", 0.4, _("its idle limit may be too short for the model")),
    ),
    symptom(
        r"\blocal proxy failed\b",
        _("this is CC Switch's text; the cause is behind it"),
        Cause("KVD308", 0.8, _("read upstream_status and cause in the full text")),
        Cause("KVD301", 0.2, _("its outgoing proxy may be dead")),
    ),
)
