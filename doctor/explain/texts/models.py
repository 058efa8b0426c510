"""Texts about the model."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.model_names import is_family_name, without_routing
from doctor.patterns import Pattern
from doctor.text import _

_LIST = _("compare with the ids of GET BASE/models, letter by letter")

_NAMED = Pattern(r"\bmodel\W{0,3}[`'\"](?P<id>[\w./:@ -]{2,80})[`'\"]", flags=2)  # re.IGNORECASE


# An id of which the first part names a router, as LiteLLM's users write it, and no vendor.
_ROUTED = Pattern(
    r"(?<![\w/.:-])(?P<id>(?:openrouter|litellm(?:_proxy)?|hosted_vllm|ollama(?:_chat)?|lm_studio"
    r"|together_ai|fireworks_ai|vertex_ai|azure_ai|custom_openai|openai_like|text-completion-openai)"
    r"/(?!auto\b|free\b)[\w.:@-]+(?:/[\w.:@-]+){0,3})",
    re.IGNORECASE,
)


def _prefixed(text: str) -> tuple[str, str] | None:
    """The prefix and the bare id, where the text names an id that a router's name leads."""
    named = _ROUTED.search(text)
    bare = without_routing(named["id"])[:1] if named is not None else ()
    if named is None or not bare:
        return None
    return named["id"][: -len(bare[0])], bare[0].rstrip(".:")


def _not_served(match: re.Match[str]) -> tuple[Cause, ...]:
    named = _NAMED.search(match.string)
    if named is not None and is_family_name(named["id"]):
        told = _(
            "{id} is what people call a family of models: take an id of the models list",
            id=named["id"],
        )
        return (Cause("KVD502", 0.6, told), Cause("KVD501", 0.4, _LIST))
    prefixed = _prefixed(match.string)
    if prefixed is not None:
        prefix, bare = prefixed
        told = _(
            "{prefix} is for a client library that takes it off; the server's id is likely {id}",
            prefix=prefix,
            id=bare,
        )
        return (Cause("KVD506", 0.75, told), Cause("KVD501", 0.25, _LIST))
    return (
        Cause("KVD501", 0.55, _LIST),
        Cause("KVD502", 0.45, _("case, a vendor prefix or a path may be all that differs")),
    )


SYMPTOMS = (
    symptom(
        r"model: # |model `?#",
        _("the comment of an env file was sent as the model"),
        Cause("KVD107", 0.95, _("put the comment on a line of its own")),
    ),
    symptom(
        r"无可用渠道|可用渠道不存在|no available channel|failed to get available channel"
        r"|get_channel_failed|没有可用的?渠道|no available (?:accounts?|providers?|upstream)"
        r"|没有可用(?:的)?(?:账号|账户|供应商)",
        _("the gateway has no channel for this model in this key's group"),
        Cause("KVD505", 0.5, _("is the model in the models list of this key?")),
        Cause("KVD501", 0.35, _("if not: is the id spelled as the list has it?")),
        Cause("KVD503", 0.15, _("does the text name a model at all?")),
    ),
    symptom(
        r"llm provider not provided|pass in the llm provider you are trying to call",
        _("LiteLLM wants a routing prefix such as openai/ before the model"),
        Cause("KVD506", 0.9, _("write openai/ID with api_base set")),
    ),
    symptom(
        r"please provide a valid openai model name",
        _("LlamaIndex' OpenAI class takes the names of OpenAI's models only; no server was asked"),
        Cause("KVD506", 0.9, _("use OpenAILike from llama-index-llms-openai-like in its place")),
    ),
    symptom(
        r"model name not specified|未指定模型名称|you must provide a model parameter"
        r"|missing (?:required )?(?:parameter|field)s?:? [`'\"]?model\b|模型(?:名称)?不能为空"
        r"|model (?:name )?(?:is required|cannot be empty|must be specified)",
        _("the request names no model"),
        Cause("KVD503", 0.8, _("is the model variable set and read?")),
        Cause("KVD107", 0.2, _("does the env file hold a comment in its place?")),
    ),
    symptom(
        r"the model [`'\"]?(?P<path>/[^`'\"\s]+)[`'\"]? does not exist",
        _("a path is asked for; the server may serve another name"),
        Cause("KVD502", 0.8, _LIST),
        Cause("KVD501", 0.2, _LIST),
    ),
    symptom(
        # OpenRouter's words; its ids all carry their vendor.
        r"(?<![\w/.:@-])[\w.:@]{0,80}[\d-][\w.:@-]{0,80} is not a valid model id\b",
        _("OpenRouter knows no such id: it lacks the vendor in front"),
        Cause("KVD502", 0.8, _("write VENDOR/MODEL as its models list has it")),
        Cause("KVD501", 0.2, _("or is the model no longer there?")),
    ),
    symptom(
        r"\bmodel (?:[`'\"][^`'\"\n]+[`'\"]|\S+) (?:does |is )?not exist"
        # LangChain names a page of that name below every 404.
        r"|(?<!/)model_not_found|model (?:does )?not exist|not a valid model id|unknown model"
        r"|invalid model name|模型不存在|no such model|model(?: .{1,80})? not found"
        r"|is not found for api version"
        r"|not_found_error.{0,40}model: (?!#)|no healthy deployments for this model"
        r"|deploymentnotfound|api deployment for this resource does not exist"
        r"|the model or endpoint \S+ does not exist|invalidendpoint(?:ormodel|\.notfound)"
        r"|targeted an endpoint that does not exist"
        r"|not found the model|supported api model names are"
        r"|model .{1,80}(?:has been|is) (?:decommissioned|deprecated|retired|no longer)"
        r"|model (?!with architecture).{1,80} is (?:not supported|not available|unavailable|invalid"
        r"|not deployed)"
        r"|(?:unsupported|invalid|unrecogni[sz]ed) model\b(?! (?:output|response|config))"
        r"|model identifier is invalid|no endpoints found for|no models? loaded"
        r"|model id ?: ?\S+ ?,? ?has no provider|模型名(?:称)?(?:错误|有误)"
        r"|does not match any (?:known |available )?model|model disabled"
        r"|[`'\"][^`'\"\n]{1,80}[`'\"] is not (?:a )?(?:valid|known|supported) model"
        r"|模型[^。，,\n]{0,60}?(?:不存在|无效|未找到|不支持|已下线|未开通)"
        r"|(?:不支持(?:的|该)?|无效的|未知的?|找不到)模型",
        _("the server does not serve a model of that name"),
        _not_served,
    ),
    symptom(
        r"\bprovider [`'\"][^`'\"\n]{0,80}[`'\"] (?:was )?not found|provider_not_found"
        r"|unknown provider(?: for model)?\b",
        _("the router takes the first part of the model's id for the name of a provider"),
        Cause("KVD501", 0.55, _("is that part a name in the router's own list of providers?")),
        Cause("KVD506", 0.45, _("does the router want provider,model or provider/model?")),
    ),
    symptom(
        r"(?:has no|not have|no) access to (?:the )?model|无权(?:使用|访问)(?:该)?模型"
        r"|not allowed to access (?:this )?model|key_model_access_denied|modelnotopen"
        r"|not activated the model|not authori[sz]ed to (?:access|use) (?:this|the) model"
        r"|model access (?:is )?denied",
        _("the key is good, but not for this model"),
        Cause("KVD115", 0.95, _("allow the model for this key in the gateway's console")),
    ),
)
