"""The words that model ids are made of: families, variants, packing, prefixes, vendors."""

from __future__ import annotations

from collections.abc import Mapping

from doctor.patterns import Pattern


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# LiteLLM's provider names (its `model="provider/id"`), which Aider, Open Interpreter, CrewAI and
# others take over. Names that are organisations on Hugging Face only are not in here: before
# those an id is a vendor's.
ROUTING_PREFIXES = _words(
    """
    ai21 aiml anthropic azure azure_ai bedrock cerebras cohere cohere_chat custom custom_openai
    dashscope databricks deepinfra deepseek fireworks_ai gemini github groq hosted_vllm huggingface
    infinity litellm litellm_proxy llamafile lm_studio mistral moonshot nebius novita nvidia_nim
    ollama ollama_chat openai openai_compatible openai_like openrouter perplexity replicate
    sagemaker sambanova text-completion-openai together_ai vertex_ai vllm volcengine watsonx xai
    xinference zai
    """
)

# Retired 2026-07-24; both became modes of one model (vendor's notice; case BR-110).
RENAMED: Mapping[str, tuple[str, ...]] = {
    "deepseek-chat": ("deepseek-v4-flash", "deepseek-flash"),
    "deepseek-reasoner": ("deepseek-v4-flash", "deepseek-flash"),
}
# What vendors answer with when asked for an alias that moves (the alias without "-latest").
MOVING: Mapping[str, Pattern] = {
    "deepseek-chat": Pattern(r"deepseek-(v\d|flash|chat)"),
    "deepseek-reasoner": Pattern(r"deepseek-(v\d|r\d|flash|reasoner)"),
    "deepseek-r1": Pattern(r"deepseek-reasoner"),
    "deepseek-v3": Pattern(r"deepseek-chat"),
    "kimi": Pattern(r"moonshot-v\d"),
}
# The open Qwen3 models up to 235B were released without the suffix (facts §4.4, row 11).
QWEN3_INSTRUCT = Pattern(r"(qwen3-[\d.]+b(?:-a\d+b)?)-instruct")

FAMILIES = _words(
    """
    baichuan chatglm chatgpt claude codestral command deepseek devstral doubao ernie gemini gemma
    glm gpt granite grok hunyuan internlm jamba kimi llama magistral mimo minimax ministral mistral
    mixtral moonshot nemotron nova phi qwen qwq step yi
    """
)
OPENAI_O = Pattern(r"o[1-9](?:-|$)")
# Words by which vendors tell the members of a family apart.
VARIANTS = _words(
    """
    air audio base chat coder codex deep distill embedding flash guard haiku highspeed image
    instruct it lite large long math max medium micro mini moe nano omni opus plus pro prover
    reasoner reasoning research search small sonnet super think thinking turbo ultra vision vl
    """
)
# Words that say how the same weights are packed.
PACKAGING = _words(
    """
    awq bf bnb chat dynamic exl fp gguf gptq hf instruct int it k m mlx nvfp preview q quantized s
    unsloth w
    """
)

# Names of families as people say them; no vendor serves an id of this form.
FAMILY_NAMES = _words(
    """
    chatglm chatgpt chatgpt-4 chatgpt4 claude claude-2 claude-3 claude-4 claude2 claude3 claude4
    deepseek deepseek-r deepseek-v doubao ernie gemini gemini-1 gemini-2 gemini-3 gemini1 gemini2
    glm gpt gpt-3 gpt3 gpt3.5 gpt-3.5 gpt35 gpt4 gpt4o gpt5 kimi llama mistral openai qwen qwen-2
    qwen-3 qwen2 qwen3 wenxin
    """
)

VENDORS: Mapping[str, str] = {
    "claude": "anthropic",
    "codestral": "mistralai",
    "deepseek": "deepseek",
    "gemini": "google",
    "gemma": "google",
    "glm": "z-ai",
    "gpt": "openai",
    "grok": "x-ai",
    "kimi": "moonshotai",
    "llama": "meta-llama",
    "mistral": "mistralai",
    "mixtral": "mistralai",
    "qwen": "qwen",
}

# Providers (ids of providers.toml) whose own hosts serve the models of one vendor only.
OWN_MODELS_ONLY: Mapping[str, str] = {
    "openai": "openai",
    "anthropic": "anthropic",
    "deepseek": "deepseek",
    "moonshot": "moonshotai",
    "xai": "x-ai",
    "zhipu": "z-ai",
    "zai": "z-ai",
}

STYLES = (
    (Pattern(r"Pro/.+/.+"), "SiliconFlow"),
    (Pattern(r"(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic|amazon|meta|ai21)\."), "Bedrock"),
    (Pattern(r"accounts/[^/]+/models/"), "Fireworks"),
    (Pattern(r"@cf/"), "Cloudflare"),
    (Pattern(r"ep-\d{8,14}-\w+$"), "Volcengine Ark"),
    (Pattern(r"(?:publishers/[^/]+/)?models/"), "Google"),
    (Pattern(r"[\w.-]+/[\w.-]+:(?:free|beta|extended|nitro|floor|thinking)$"), "OpenRouter"),
)
