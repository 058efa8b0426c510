"""Targets from a provider's own variable alone (TAOTOKEN_API_KEY), and from OLLAMA_HOST.

The address is then the provider's, as providers.toml knows it. Where the OpenAI SDK is configured
by its own variables, those say what is used, and a provider's key beside them does not make
another target.
"""

from __future__ import annotations

import urllib.parse

from doctor.connection import Protocol, Setting
from doctor.secrets import Secret
from doctor.settings.building import (
    DEFAULT,
    OPENAI_SDK,
    connection,
    max_tokens_of,
    model_of,
    provider_origin,
)
from doctor.settings.candidates import Candidate
from doctor.settings.providers import Provider, provider, providers
from doctor.settings.variables import Space

_OWN_RULES = frozenset({"openai", "anthropic"})
_OLLAMA = ("OLLAMA_HOST", "OLLAMA_BASE_URL", "OLLAMA_API_BASE")
_OLLAMA_PORT = 11434


def provider_targets(
    space: Space, general: tuple[str, ...], *, empty_counts: bool = False
) -> list[Candidate]:
    """One target per provider whose key is set. ``general`` are families that may name the model.

    ``empty_counts`` includes keys that are set to nothing.
    """
    found: list[Candidate] = []
    for known in providers():
        base = known.base(Protocol.OPENAI_CHAT)
        if known.id in _OWN_RULES or known.local_port is not None or base is None:
            continue
        if space.setting(known.base_variables, str) is not None:
            continue  # the key is for that address, which is a family's or none of ours
        key = space.setting(known.key_variables, Secret, empty_counts=empty_counts)
        if key is not None:
            found.append(_candidate(space, known, base, key, general))
    return found


def _candidate(
    space: Space, known: Provider, base: str, key: Setting[Secret], general: tuple[str, ...]
) -> Candidate:
    prefixes = tuple(name.removesuffix("_API_KEY") for name in known.key_variables)
    made = connection(
        OPENAI_SDK,
        Setting(base, provider_origin(known)),
        key,
        model=model_of(space, (*prefixes, *general), *known.model_variables),
        max_tokens=max_tokens_of(space, (*prefixes, *general)),
    )
    identity = f"{space.suffix}-{known.id}" if space.suffix else known.id
    return Candidate(identity, known.label, made)


def ollama_target(space: Space) -> list[Candidate]:
    """The target "ollama". Its variables hold the bare host; its OpenAI paths are below /v1."""
    host = space.setting(_OLLAMA, ollama_base)
    if host is None:
        return []
    # Ollama checks no key, but the SDK does not start without one.
    key = Setting(Secret("ollama"), DEFAULT)
    made = connection(OPENAI_SDK, host, key, model=model_of(space, ("OLLAMA",)))
    identity = f"{space.suffix}-ollama" if space.suffix else "ollama"
    label = provider("ollama").label
    # The origin is named for itself: the value there is not the address that is used.
    return [Candidate(identity, label, made, kind="engine", origins=frozenset({host.origin}))]


def ollama_base(value: str) -> str:
    """``0.0.0.0`` is what a server binds to; a client reaches it at 127.0.0.1.

    Raises ``ValueError`` for what is no address.
    """
    text = value.strip()
    parts = urllib.parse.urlsplit(text if "://" in text else f"http://{text}")
    if not parts.hostname:
        raise ValueError(value)
    host = "127.0.0.1" if parts.hostname == "0.0.0.0" else parts.hostname  # noqa: S104
    host = f"[{host}]" if ":" in host else host
    port = parts.port or (_OLLAMA_PORT if parts.scheme == "http" else 443)
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{host}:{port}{path or '/v1'}"
