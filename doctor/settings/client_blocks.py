"""Finds, in the data of a settings file, the mappings that configure a client of a model.

Keys are compared whole with a table, never in part. Names such as ``base_url`` are used by site
generators and test runners as well, so a mapping with one of them counts only with a second sign
beside it: a key, a model, a provider's name, or the address of a known provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doctor.connection import Protocol
from doctor.facts.settings import Role
from doctor.records import dataclass
from doctor.settings.building import provider_of
from doctor.settings.documents import Document, walk
from doctor.settings.locate import Path
from doctor.settings.providers import providers

# Names that say whose address it is.
_SPECIFIC_BASES = {
    name: protocol
    for protocol, names in {
        Protocol.OPENAI_CHAT: (
            "openai_base_url",
            "openaiBaseUrl",
            "openaiBaseURL",
            "openAiBaseUrl",
            "openAIBaseUrl",
            "openAIBaseURL",
            "openai_api_base",
            "openaiApiBase",
            "openai_api_base_url",
            "OPENAI_BASE_URL",
            "OPENAI_API_BASE",
            "OPENAI_API_BASE_URL",
            "llm_base_url",
            "llmBaseUrl",
            "LLM_BASE_URL",
        ),
        Protocol.ANTHROPIC_MESSAGES: (
            "anthropic_base_url",
            "anthropicBaseUrl",
            "anthropicBaseURL",
            "ANTHROPIC_BASE_URL",
        ),
    }.items()
    for name in names
}
_GENERAL_BASES = frozenset(
    {"base_url", "baseUrl", "baseURL", "base-url", "api_base", "apiBase", "api-base"}
    | {"api_base_url", "apiBaseUrl", "api_url", "apiUrl", "api_endpoint", "apiEndpoint", "endpoint"}
)
_OTHERS: dict[Role, frozenset[str]] = {
    Role.KEY: frozenset(
        {"api_key", "apiKey", "api-key", "apikey", "openai_api_key", "openaiApiKey"}
        | {"openAiApiKey", "openAIApiKey", "OPENAI_API_KEY", "llm_api_key", "LLM_API_KEY"}
        | {"anthropic_api_key", "anthropicApiKey", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}
    ),
    Role.KEY_VARIABLE: frozenset(
        {"api_key_env", "apiKeyEnv", "api_key_env_var", "apiKeyEnvVar", "env_key", "envKey"}
        | {"key_env", "keyEnv", "api_key_var", "api_key_variable"}
    ),
    Role.MODEL: frozenset(
        {"model", "model_id", "modelId", "model_name", "modelName", "openai_model_name"}
        | {"openai_model", "openaiModel", "openAiModelId", "openAIModelId", "openaiModelId"}
        | {"llm_model", "LLM_MODEL", "OPENAI_MODEL", "ANTHROPIC_MODEL", "anthropic_model"}
    ),
    Role.MAX_TOKENS: frozenset(
        {"max_tokens", "maxTokens", "max_output_tokens", "maxOutputTokens"}
        | {"max_completion_tokens", "openai_max_tokens"}
    ),
    Role.TIMEOUT: frozenset({"timeout", "timeout_seconds", "timeoutSeconds", "request_timeout"}),
}
_ROLE_OF = {name: role for role, names in _OTHERS.items() for name in names}
_KIND_NAMES = ("provider", "apiProvider", "api_provider", "type", "kind", "model_provider")
_KINDS = frozenset(
    {known.id for known in providers()}
    | {"openai", "openai-compatible", "openai_compatible", "openai-compat", "openai_like"}
    | {"openai-native", "custom_openai", "anthropic-compatible", "ollama", "lmstudio", "lm_studio"}
)

# For a quick look whether a text is worth parsing.
BASE_NAMES = frozenset(_SPECIFIC_BASES) | _GENERAL_BASES


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a block, as text. ``path`` leads to it; ``line`` is None where unknown."""

    name: str
    value: str
    path: Path
    line: int | None


@dataclass(frozen=True, slots=True)
class Block:
    """One client's settings. ``protocol`` is None where nothing says it."""

    path: Path
    entries: dict[Role, Entry]
    protocol: Protocol | None = None
    kind: str | None = None

    @property
    def base(self) -> Entry:
        return self.entries[Role.BASE_URL]


def blocks(document: Document) -> Iterator[Block]:
    """The client blocks of a document, outermost first."""
    for path, node in walk(document.data):
        if isinstance(node, Mapping) and (block := _block(document, path, node)):
            yield block


def _block(document: Document, path: Path, node: Mapping[Any, Any]) -> Block | None:
    entries: dict[Role, Entry] = {}
    protocol: Protocol | None = None
    for name, value in node.items():
        if not isinstance(name, str):
            continue
        role = _ROLE_OF.get(name)
        if name in _SPECIFIC_BASES or name in _GENERAL_BASES:
            role = Role.BASE_URL
        text = _text(value)
        if role is None or text is None or role in entries:
            continue
        if role is Role.BASE_URL:
            protocol = _SPECIFIC_BASES.get(name)
        where = (*path, name)
        entries[role] = Entry(name, text, where, document.line(where))
    if Role.BASE_URL not in entries:
        return None
    kind = _kind(node)
    if protocol is None and not _is_client(entries, kind):
        return None
    if kind in ("anthropic", "anthropic-compatible"):
        protocol = Protocol.ANTHROPIC_MESSAGES
    return Block(path, entries, protocol, kind)


def _is_client(entries: Mapping[Role, Entry], kind: str | None) -> bool:
    signs = (Role.KEY, Role.KEY_VARIABLE, Role.MODEL)
    return (
        kind is not None
        or any(role in entries for role in signs)
        or provider_of(entries[Role.BASE_URL].value) is not None
    )


def _kind(node: Mapping[Any, Any]) -> str | None:
    for name in _KIND_NAMES:
        value = node.get(name)
        if isinstance(value, str) and value.strip().lower() in _KINDS:
            return value.strip().lower()
    return None


def _text(value: Any) -> str | None:
    """A scalar as the text that a program would make of it; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return str(value)
    return str(value) if isinstance(value, int | float) else None
