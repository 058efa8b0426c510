"""The targets of the OpenAI and Anthropic SDKs, from their own variables.

The OpenAI SDK reads OPENAI_BASE_URL and not OPENAI_API_BASE, which LangChain and older programs
read (facts/gateway-clients.md §2.2). Where only the latter is set it is surely meant, so it is
examined; where both are, it is shadowed. An empty OPENAI_BASE_URL is used as it is (§2.1).
"""

from __future__ import annotations

from doctor.clients import profile
from doctor.connection import AuthHeader, Setting, Shadowed
from doctor.secrets import Secret
from doctor.settings.building import (
    ANTHROPIC_SDK,
    DEFAULT,
    OPENAI_SDK,
    connection,
    max_tokens_of,
    model_of,
    provider_of,
)
from doctor.settings.candidates import Candidate
from doctor.settings.variables import Space

# The others are names that programs gave to what they pass on to the SDK.
OPENAI_BASES = (
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "OPENAI_API_BASE_URL",
    "OPENAI_API_URL",
    "OPENAI_BASE_PATH",
    "OPENAI_PROXY_URL",
)
OPENAI_KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_KEY",
    "OPEN_AI_KEY",
    "OPENAI_API_TOKEN",
    "OPENAI_TOKEN",
    "OPENAI_SECRET_KEY",
)
ANTHROPIC_BASES = ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL")
# Both set: anthropic-python takes the key and says so once in its log.
ANTHROPIC_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
ANTHROPIC_BUDGET = "CLAUDE_CODE_MAX_OUTPUT_TOKENS"
# What stands before a name that its reader takes for a part of it (KVD116).
_AHEAD_OF_NAME = ("\ufeff", "$env:", "\ufeff$env:")


def uses_openai(space: Space) -> bool:
    """Whether the space configures the OpenAI SDK at all."""
    return _names_one(space, OPENAI_KEYS) or _filled(space, OPENAI_BASES)


def openai_target(
    space: Space, fallback: tuple[str, ...] = (), *, always: bool = False
) -> list[Candidate]:
    """The target "openai-sdk". ``fallback`` are families that may name the model.

    ``always`` makes one even of nothing, for a user who asked for it.
    """
    if not always and (not uses_openai(space) or _is_of_another_client(space)):
        return []
    base = _base(space, OPENAI_BASES) or Setting(profile(OPENAI_SDK).default_base or "", DEFAULT)
    key = space.setting(OPENAI_KEYS, Secret, empty_counts=True) or provider_key(space, base.value)
    made = connection(
        OPENAI_SDK,
        base,
        key,
        model=model_of(space, ("OPENAI", *fallback)),
        max_tokens=max_tokens_of(space, ("OPENAI", *fallback)),
    )
    return [Candidate(_id(OPENAI_SDK, space), label(space, base, key), made)]


def _is_of_another_client(space: Space) -> bool:
    """Whether the variables are for Azure's own API, as the SDK before 1.0 and LangChain read
    them (OPENAI_API_TYPE=azure, and in OPENAI_API_BASE the bare host of the resource), or for
    Goose, which puts its OPENAI_BASE_PATH behind OPENAI_HOST."""
    if space.get("OPENAI_BASE_URL") is not None:
        return False
    kind, host = space.get("OPENAI_API_TYPE"), space.get("OPENAI_HOST")
    if kind is not None and kind.value.strip().lower().startswith("azure"):
        return True
    return host is not None and "://" in host.value and not _filled(space, OPENAI_BASES)


def anthropic_target(space: Space, *, always: bool = False) -> list[Candidate]:
    """The target "anthropic-sdk". A token travels as Bearer, a key as the SDK sends it."""
    if not (always or _names_one(space, ANTHROPIC_KEYS) or _filled(space, ANTHROPIC_BASES)):
        return []
    base = _base(space, ANTHROPIC_BASES) or Setting(
        profile(ANTHROPIC_SDK).default_base or "", DEFAULT
    )
    key = _anthropic_key(space) or provider_key(space, base.value)
    token = key is not None and key.origin.name == "ANTHROPIC_AUTH_TOKEN"
    made = connection(
        ANTHROPIC_SDK,
        base,
        key,
        model=model_of(space, ("ANTHROPIC",)),
        max_tokens=max_tokens_of(space, ("ANTHROPIC",), ANTHROPIC_BUDGET),
        auth=Setting(AuthHeader.BEARER, key.origin) if token and key is not None else None,
    )
    return [Candidate(_id(ANTHROPIC_SDK, space), label(space, base, key), made)]


def _anthropic_key(space: Space) -> Setting[Secret] | None:
    """The first of the two that holds something where it is in effect: an empty variable of the
    shell hides the one of ``.env``, and does not hide the other name."""
    held = [(name, space.get(name)) for name in ANTHROPIC_KEYS]
    filled = [name for name, found in held if found is not None and found.value]
    if not filled:
        return space.setting(ANTHROPIC_KEYS, Secret, empty_counts=True)
    return space.setting(dict.fromkeys((*filled, *ANTHROPIC_KEYS)), Secret)


def _names_one(space: Space, names: tuple[str, ...]) -> bool:
    """Whether one of ``names`` is set, or was meant to be by a line that its reader misreads."""
    return any(
        name in space.names or any(ahead + name in space.names for ahead in _AHEAD_OF_NAME)
        for name in names
    )


def provider_key(space: Space, base: str) -> Setting[Secret] | None:
    """The key under the provider's own name, for a base URL at that provider."""
    known = provider_of(base)
    return None if known is None else space.setting(known.key_variables, Secret)


def _base(space: Space, names: tuple[str, ...]) -> Setting[str] | None:
    """The client's own variable wins even when it is empty; an empty alias is no setting."""
    first = space.setting(names[:1], str, empty_counts=True)
    rest = space.setting(names[1:], _of_a_program)
    if first is None or rest is None:
        return first or rest
    shadows = (*first.shadows, Shadowed(rest.value, rest.origin), *rest.shadows)
    return Setting(first.value, first.origin, shadows)


def _of_a_program(value: str) -> str:
    """Raises ``ValueError`` for a bare path, which goes behind an address of another variable."""
    if "://" not in value and "." not in value.partition("/")[0] and ":" not in value:
        raise ValueError(value)
    return value


def _filled(space: Space, names: tuple[str, ...]) -> bool:
    return space.setting(names, str) is not None


def _id(client: str, space: Space) -> str:
    return space.suffix or client


def label(space: Space, base: Setting[str], key: Setting[Secret] | None) -> str:
    """What people call the target: the file that its address, or else its key, comes from."""
    if space.label:
        return space.label
    for origin in (base.origin, key.origin if key is not None else DEFAULT):
        if origin.path is not None:
            return origin.path
    return "environment"
