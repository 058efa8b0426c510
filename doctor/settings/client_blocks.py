"""Finds, in the data of a settings file, the mappings that configure a client of a model.

Keys are compared whole with a table, never in part, whatever their case and hyphens. Names such as
``base_url`` are used by site generators and test runners as well, so a mapping with one of them
counts only with a second sign beside it: a key, a model, a provider's name, or the address of a
known provider. Where the second sign is a key or a model alone, something must say that it is about
language models: thermometers and routers have a model and an API key as well. A mapping without an
address, or with an empty one, counts where it names a known provider, a key and a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from doctor.connection import Protocol
from doctor.facts.settings import Role
from doctor.model_names import answers_chat, family
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.building import provider_of
from doctor.settings.documents import Document, walk
from doctor.settings.locate import Path
from doctor.settings.named_families import as_variable, families, is_other_work
from doctor.settings.names import is_key_for_models, speaks_of_models
from doctor.settings.providers import Provider, providers


def _fold(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


# Names that say whose address it is.
_SPECIFIC_BASES = {
    _fold(name): protocol
    for protocol, names in {
        Protocol.OPENAI_CHAT: (
            "openai_base_url",
            "openai_api_base",
            "openai_api_base_url",
            "llm_base_url",
        ),
        Protocol.ANTHROPIC_MESSAGES: ("anthropic_base_url",),
    }.items()
    for name in names
}
_GENERAL_BASES = frozenset(
    map(_fold, ("base_url", "api_base", "api_base_url", "api_url", "api_endpoint", "endpoint"))
)
_OTHERS: dict[Role, tuple[str, ...]] = {
    Role.KEY: (
        *("api_key", "openai_api_key", "llm_api_key"),
        *("anthropic_api_key", "anthropic_auth_token"),
    ),
    Role.KEY_VARIABLE: (
        *("api_key_env", "api_key_env_var", "env_key", "key_env"),
        *("api_key_var", "api_key_variable"),
    ),
    Role.MODEL: (
        *("model", "model_id", "model_name", "openai_model", "openai_model_id"),
        *("openai_model_name", "llm_model", "anthropic_model"),
    ),
    Role.MAX_TOKENS: (
        *("max_tokens", "max_output_tokens", "max_completion_tokens", "openai_max_tokens"),
    ),
    Role.TIMEOUT: ("timeout", "timeout_seconds", "request_timeout"),
}
_ROLE_OF = {_fold(name): role for role, names in _OTHERS.items() for name in names}
_KIND_NAMES = (
    *("provider", "apiProvider", "api_provider", "llm_provider", "ai_provider"),
    *("type", "kind", "model_provider"),
)
_KINDS = frozenset(
    {known.id for known in providers()}
    | {"openai", "openai-compatible", "openai_compatible", "openai-compat", "openai_like"}
    | {"openai-native", "custom_openai", "anthropic-compatible", "ollama", "lmstudio", "lm_studio"}
)

# Other programs have these as well.
_VAGUE = frozenset({"agent", "chat", "completion", "gateway", "inference"})

# What a block is called whose program speaks the vendor's own protocol.
_OWN_KINDS = {"ollama": "ollama", "anthropic": "anthropic", "claude": "anthropic"}
# Under these names a mapping keeps the settings of the provider that it names.
_INNER = frozenset({"config", "settings", "options", "params", "parameters", "kwargs"})

# Under these names a provider is chosen where no address is.
_CHOICES = frozenset(
    map(_fold, ("provider", "api_provider", "ai_provider", "llm_provider", "model_provider"))
) | {"backend"}
_CHOSEN = {known.id: known for known in providers() if known.local_port is None}

# Whoever is asked by these is no model.
_OTHER_SCHEME = Pattern(
    r"\s*(?:rtsps?|rtmp|s3|gs|redis\w*|postgres\w*|mysql|mongodb\S*?|amqps?|mqtts?|tcp|udp|unix|file"
    r"|ftp|ssh|git|wss?|grpcs?|bolt|neo4j\S*?|ldaps?|smb|nats|kafka|jdbc\S*?)://",
    re.IGNORECASE,
)
_OTHER_PATH = Pattern(r"/(?:audio|images)/\w+/?\s*$|/rerank/?\s*$", re.IGNORECASE)
_OF_MODELS = Pattern(r"/v1/?\s*$|/(?:chat/completions|completions|responses)/?\s*$", re.IGNORECASE)

# For a quick look whether a text is worth parsing.
NAMES_A_BASE = Pattern(r"base[-_]?url|api[-_]?(?:base|url|endpoint)|endpoint", re.IGNORECASE)
CHOOSES = Pattern(
    r"(?:provider|backend)['\"]?\s{0,9}[:=]\s{0,9}['\"]?(?:"
    + "|".join(map(re.escape, _CHOSEN))
    + r")\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a block, as text. ``path`` leads to it; ``line`` is None where unknown."""

    name: str
    value: str
    path: Path
    line: int | None


@dataclass(frozen=True, slots=True)
class Block:
    """One client's settings. ``protocol`` is None where nothing says it. ``provider`` is the one
    that is chosen by its name, where no address stands."""

    path: Path
    entries: dict[Role, Entry]
    protocol: Protocol | None = None
    kind: str | None = None
    provider: Provider | None = None

    @property
    def base(self) -> Entry | None:
        return self.entries.get(Role.BASE_URL)


def blocks(document: Document) -> Iterator[Block]:
    """The client blocks of a document, outermost first."""
    for path, node in walk(document.data):
        if not isinstance(node, Mapping):
            continue
        if block := _block(document, path, node):
            yield block
        else:
            yield from _of_families(document, path, node)


def _block(document: Document, path: Path, node: Mapping[Any, Any]) -> Block | None:
    entries: dict[Role, Entry] = {}
    protocol: Protocol | None = None
    for name, value in node.items():
        if not isinstance(name, str):
            continue
        folded = _fold(name)
        role = _ROLE_OF.get(folded)
        if folded in _SPECIFIC_BASES or folded in _GENERAL_BASES:
            role = Role.BASE_URL
        text = _text(value)
        if role is None or text is None or role in entries:
            continue
        if role is Role.BASE_URL and not text.strip():
            continue  # the program takes its own
        if role is Role.BASE_URL:
            protocol = _SPECIFIC_BASES.get(folded)
        where = (*path, name)
        entries[role] = Entry(name, text, where, document.line(where))
    if Role.BASE_URL not in entries:
        return _of_a_chosen_provider(path, node, entries)
    kind = _kind(node) or _kind_around(document, path)
    if _is_for_other_work(path, entries):
        return None
    if protocol is None and not _is_client(path, entries, kind):
        return None
    if kind in ("anthropic", "anthropic-compatible"):
        protocol = Protocol.ANTHROPIC_MESSAGES
    return Block(path, entries, protocol, kind)


def _of_a_chosen_provider(
    path: Path, node: Mapping[Any, Any], entries: dict[Role, Entry]
) -> Block | None:
    """``provider = "openrouter"`` with a key and a model: the address is the provider's own."""
    held = entries.get(Role.KEY) or entries.get(Role.KEY_VARIABLE)
    if held is None or not held.value.strip() or Role.MODEL not in entries:
        return None
    for name, value in node.items():
        if isinstance(name, str) and _fold(name) in _CHOICES and isinstance(value, str):
            known = _CHOSEN.get(value.strip().lower())
            if known is None:
                return None
            anthropic = known.id == "anthropic"
            protocol = Protocol.ANTHROPIC_MESSAGES if anthropic else Protocol.OPENAI_CHAT
            return Block(path, entries, protocol, known.id, known)
    return None


def _of_families(document: Document, path: Path, node: Mapping[Any, Any]) -> Iterator[Block]:
    """``openaiCompatBaseUrl`` beside ``openaiCompatApiKey``: settings under a common prefix."""
    texts = {
        name: text
        for name, value in node.items()
        if isinstance(name, str) and (text := _text(value)) is not None
    }
    for members in families(texts):
        entries = {}
        for role, member in members.items():
            where = (*path, member.name)
            entries[role] = Entry(member.name, member.value, where, document.line(where))
        yield Block(path, entries)


def _is_for_other_work(path: Path, entries: Mapping[Role, Entry]) -> bool:
    """Whether it is about a service that does not chat: speech, images, embeddings, a database."""
    base, model = entries[Role.BASE_URL].value, entries.get(Role.MODEL)
    if _OTHER_SCHEME.match(base) or _OTHER_PATH.search(base):
        return True
    if model is not None and not answers_chat(model.value):
        return True
    return any(is_other_work(as_variable(part)) for part in path if isinstance(part, str))


def _is_client(path: Path, entries: Mapping[Role, Entry], kind: str | None) -> bool:
    base, model = entries[Role.BASE_URL].value, entries.get(Role.MODEL)
    known = provider_of(base)
    if kind is not None or Role.KEY_VARIABLE in entries:
        return True
    if known is not None and known.local_port is None:
        return True
    key = entries.get(Role.KEY)
    if key is not None and model is not None:
        return True
    if key is None and model is None:
        return False
    # Of a block with a name of its own /v1 says nothing: payments and mail have it as well.
    return (
        ((model is not None or not path) and _OF_MODELS.search(base) is not None)
        or (key is not None and is_key_for_models(key.value))
        or (model is not None and ("/" in model.value or family(model.value) is not None))
        or any(_is_about_models(part) for part in path if isinstance(part, str))
    )


def _is_about_models(part: str) -> bool:
    return part.lower() not in _VAGUE and speaks_of_models(as_variable(part))


def _kind(node: Mapping[Any, Any]) -> str | None:
    for name in _KIND_NAMES:
        value = node.get(name)
        if isinstance(value, str) and value.strip().lower() in _KINDS:
            return value.strip().lower()
    return None


def _kind_around(document: Document, path: Path) -> str | None:
    """What the block is called, or what the mapping that it belongs to says."""
    names = [part.strip().lower() for part in path if isinstance(part, str)]
    for name in reversed(names):
        if name in _OWN_KINDS:
            return _OWN_KINDS[name]
    if not path or path[-1] not in _INNER:
        return None
    parent: Any = document.data
    for part in path[:-1]:
        parent = parent[part]
    return _kind(parent) if isinstance(parent, Mapping) else None


def _text(value: Any) -> str | None:
    """A scalar as the text that a program would make of it; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return str(value)
    return str(value) if isinstance(value, int | float) else None
