"""Vendors whose models litellm asks in OpenAI's protocol: base + ``/chat/completions``, the key as
bearer, the name behind the prefix as model.

Bases and variables as litellm 1.81 and 1.108.7 resolve them (observed with both). Those that it
addresses in another way (mistral, fireworks_ai, ollama, gemini, azure, …), and those where the two
differ (together_ai), are not here.
"""

from __future__ import annotations

# Prefix: the vendor's base, the variable that replaces it, the variables of the key in order.
VENDORS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "aiml": ("https://api.aimlapi.com/v1", "AIML_API_BASE", ("AIML_API_KEY",)),
    "cerebras": ("https://api.cerebras.ai/v1", "CEREBRAS_API_BASE", ("CEREBRAS_API_KEY",)),
    "dashscope": (
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_API_BASE",
        ("DASHSCOPE_API_KEY",),
    ),
    "deepinfra": (
        "https://api.deepinfra.com/v1/openai",
        "DEEPINFRA_API_BASE",
        ("DEEPINFRA_API_KEY",),
    ),
    "deepseek": ("https://api.deepseek.com/beta", "DEEPSEEK_API_BASE", ("DEEPSEEK_API_KEY",)),
    "groq": ("https://api.groq.com/openai/v1", "GROQ_API_BASE", ("GROQ_API_KEY",)),
    "hyperbolic": ("https://api.hyperbolic.xyz/v1", "HYPERBOLIC_API_BASE", ("HYPERBOLIC_API_KEY",)),
    "moonshot": ("https://api.moonshot.ai/v1", "MOONSHOT_API_BASE", ("MOONSHOT_API_KEY",)),
    "nebius": ("https://api.studio.nebius.ai/v1", "NEBIUS_API_BASE", ("NEBIUS_API_KEY",)),
    "novita": ("https://api.novita.ai/v3/openai", "NOVITA_API_BASE", ("NOVITA_API_KEY",)),
    "nvidia_nim": (
        "https://integrate.api.nvidia.com/v1",
        "NVIDIA_NIM_API_BASE",
        ("NVIDIA_NIM_API_KEY",),
    ),
    "openrouter": (
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_BASE",
        ("OPENROUTER_API_KEY", "OR_API_KEY"),
    ),
    "perplexity": ("https://api.perplexity.ai", "PERPLEXITY_API_BASE", ("PERPLEXITY_API_KEY",)),
    "sambanova": ("https://api.sambanova.ai/v1", "SAMBANOVA_API_BASE", ("SAMBANOVA_API_KEY",)),
    "vercel_ai_gateway": (
        "https://ai-gateway.vercel.sh/v1",
        "VERCEL_AI_GATEWAY_API_BASE",
        ("VERCEL_AI_GATEWAY_API_KEY",),
    ),
    "volcengine": (
        "https://ark.cn-beijing.volces.com/api/v3",
        "VOLCENGINE_API_BASE",
        ("VOLCENGINE_API_KEY",),
    ),
    "xai": ("https://api.x.ai/v1", "XAI_API_BASE", ("XAI_API_KEY",)),
    "zai": ("https://api.z.ai/api/paas/v4", "ZAI_API_BASE", ("ZAI_API_KEY",)),
}
