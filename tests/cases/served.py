"""Which models the reconstructed server serves."""

from __future__ import annotations

from dataclasses import dataclass

from .aspect import Aspect
from .configured import Configured

# What these sites list in public, in their own spelling; enough to choose a wrong one from.
_SITES = {
    "openrouter.ai": (
        "openai/gpt-4o-mini",
        "deepseek/deepseek-chat",
        "anthropic/claude-sonnet-4.5",
        "qwen/qwen3-8b",
        "google/gemini-2.5-flash",
        "meta-llama/llama-3.1-8b-instruct",
        "mistralai/mistral-small",
    ),
    "api.openai.com": ("gpt-4o", "gpt-4o-mini", "gpt-3.5-turbo", "gpt-4-turbo"),
    "api.deepseek.com": ("deepseek-chat", "deepseek-reasoner"),
    "dashscope.aliyuncs.com": ("qwen-plus", "qwen-max", "qwen3-8b"),
    "api.mistral.ai": ("mistral-small-latest", "mistral-large-latest"),
    "api.anthropic.com": ("claude-sonnet-4-5", "claude-haiku-4-5"),
}
_ANY = ("gpt-4o-mini", "gpt-4o", "gpt-3.5-turbo", "deepseek-chat", "qwen3-8b", "claude-sonnet-4-5")


@dataclass(frozen=True, slots=True)
class Served:
    """``ids`` in the order of the list; ``root`` the weights behind them, ``window`` in tokens."""

    ids: tuple[str, ...]
    root: str | None = None
    window: int | None = None


def served_models(configured: Configured, aspect: Aspect, told: tuple[str, ...] = ()) -> Served:
    """A line that starts an engine decides, then what the report tells; else the site's own list.
    The model of the report is served unless the response is about it."""
    engine = configured.engine
    if engine is not None and engine.served:
        return Served(engine.served, engine.weights, engine.window)
    listed = told or _SITES.get(configured.host, _ANY)
    asked = configured.model
    if not asked:
        return Served(listed)
    if told and aspect is Aspect.FIXED:
        return Served(told)  # it gets its answer whatever it asks for
    others = tuple(name for name in listed if name != asked)
    return Served(others if aspect is Aspect.MODEL else (asked, *others))
