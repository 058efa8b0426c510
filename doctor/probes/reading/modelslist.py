"""The models list, in the forms in which servers give it."""

from __future__ import annotations

from typing import Any

from doctor.facts.answers import ServedModel
from doctor.probes.reading.jsontext import words
from doctor.untrusted import visible

# vLLM; OpenRouter and Together; Groq; LM Studio; Anthropic and LiteLLM.
_WINDOW = (
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
)
_MOST = 5_000
_GOOGLE = "models/"


def models_in(value: Any) -> tuple[ServedModel, ...] | None:
    """The entries, None where ``value`` is no models list. An empty list is one."""
    entries = _entries(value)
    if entries is None:
        return None
    models = [_model(entry) for entry in entries[:_MOST]]
    return tuple(model for model in models if model is not None)


def _entries(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        for key in ("data", "models"):
            listed = value.get(key)
            if isinstance(listed, list) and all(_is_entry(entry) for entry in listed):
                return listed
            # new-api answers null where nothing is left for the key's group.
            if listed is None and key in value and value.get("object") == "list":
                return []
        return None
    if isinstance(value, list) and value and all(_is_entry(entry) for entry in value):
        return value
    return None


def _is_entry(entry: Any) -> bool:
    if isinstance(entry, str):
        return True
    return isinstance(entry, dict) and bool(_id(entry))


def _id(entry: dict[str, Any]) -> str:
    for key in ("id", "name", "model"):
        text = words(entry.get(key), 300)
        if text:
            # Google's list gives the path of each.
            return text.removeprefix(_GOOGLE) if key == "name" else text
    return ""


def _model(entry: Any) -> ServedModel | None:
    if isinstance(entry, str):
        return ServedModel(visible(entry, 300)) if entry else None
    window = next((entry[key] for key in _WINDOW if _is_count(entry.get(key))), None)
    return ServedModel(
        id=visible(_id(entry), 300),
        window=window,
        root=_shown(entry.get("root")),
        owned_by=_shown(entry.get("owned_by")),
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**12


def _shown(value: object) -> str | None:
    text = words(value, 300)
    return visible(text, 300) if text else None
