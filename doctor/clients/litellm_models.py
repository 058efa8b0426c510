"""What the beginning of a model's name means to litellm: ``openai/qwen3-8b`` is the model
``qwen3-8b`` in OpenAI's protocol. Facts: facts/gateway-clients.md §§3.9, 3.10.
"""

from __future__ import annotations

from doctor.clients.litellm_vendors import VENDORS
from doctor.connection import Protocol
from doctor.patterns import Pattern
from doctor.records import dataclass

_CHAT, _MESSAGES = Protocol.OPENAI_CHAT, Protocol.ANTHROPIC_MESSAGES


@dataclass(frozen=True, slots=True)
class Family:
    """A prefix: the protocol, the variables of base and key in the order in which they count, the
    vendor's own base (None: there is none)."""

    protocol: Protocol
    bases: tuple[str, ...]
    keys: tuple[str, ...]
    default_base: str | None = None


OPENAI = Family(
    _CHAT, ("OPENAI_BASE_URL", "OPENAI_API_BASE"), ("OPENAI_API_KEY",), "https://api.openai.com/v1"
)
ANTHROPIC = Family(
    _MESSAGES,
    ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
    ("ANTHROPIC_API_KEY",),
    "https://api.anthropic.com",
)
FAMILIES = {
    "openai": OPENAI,
    "anthropic": ANTHROPIC,
    "hosted_vllm": Family(_CHAT, ("HOSTED_VLLM_API_BASE",), ("HOSTED_VLLM_API_KEY",)),
    "openai_like": Family(_CHAT, ("OPENAI_LIKE_API_BASE",), ("OPENAI_LIKE_API_KEY",)),
    "litellm_proxy": Family(_CHAT, ("LITELLM_PROXY_API_BASE",), ("LITELLM_PROXY_API_KEY",)),
    "lm_studio": Family(_CHAT, ("LM_STUDIO_API_BASE",), ("LM_STUDIO_API_KEY",)),
    **{
        name: Family(_CHAT, (variable,), keys, base)
        for name, (base, variable, keys) in VENDORS.items()
    },
}
# Names without a prefix that litellm knows as these vendors' own.
_OF_OPENAI = Pattern(r"(?:ft:)?(?:gpt-|o[1-9]\b|chatgpt-|davinci|babbage|codex-)")
_OF_ANTHROPIC = Pattern(r"claude-")
# And those of others, by their beginnings.
_OF_OTHERS = Pattern(
    r"(?:command|deepseek|mistral|codestral|ministral|pixtral|gemini|grok|sonar|jamba|j2-|text-"
    r"|moonshot|kimi|rerank|embed|whisper|dall-e|tts-|omni-|palm|chat-bison|codechat|qwen-|glm-)"
)


@dataclass(frozen=True, slots=True)
class Routed:
    """``family`` None: another vendor's, which kvdoctor does not speak. ``model`` is what is sent.
    ``known`` False: litellm takes no name like this, for it tells no vendor."""

    family: Family | None
    model: str
    known: bool = True


def routed(name: str) -> Routed:
    """What litellm makes of a model's name."""
    prefix, slash, rest = name.partition("/")
    if slash and prefix in FAMILIES:
        return Routed(FAMILIES[prefix], rest)
    if slash:
        return Routed(None, name)
    if _OF_OPENAI.match(name):
        return Routed(OPENAI, name)
    if _OF_ANTHROPIC.match(name):
        return Routed(ANTHROPIC, name)
    return Routed(None, name, known=bool(_OF_OTHERS.match(name)))
