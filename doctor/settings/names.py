"""What the name of an environment variable says: its role, its family, whether it is secret.

Names are split into a prefix and a known ending: ``LLM_BASE_URL`` is the base URL of the family
``LLM``. Only whole endings count, so that ``DATABASE_URL`` is nobody's base URL.
"""

from __future__ import annotations

import re

from doctor.facts.settings import Role
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.providers import provider_for_variable, providers, providers_for_key_shape

# Endings of one role, the usual one first; that is also the order in which they win.
ENDINGS: dict[Role, tuple[str, ...]] = {
    Role.BASE_URL: (
        "BASE_URL",
        "API_BASE",
        "API_BASE_URL",
        "API_URL",
        "BASEURL",
        "API_ENDPOINT",
        "ENDPOINT",
    ),
    Role.KEY: ("API_KEY", "APIKEY", "API_TOKEN", "AUTH_TOKEN"),
    Role.MODEL: (
        "MODEL",
        "MODEL_NAME",
        "MODEL_ID",
        "DEFAULT_MODEL",
        "CHAT_MODEL",
        "API_MODEL",
        "DEPLOYMENT",
        "DEPLOYMENT_NAME",
    ),
    Role.MAX_TOKENS: ("MAX_TOKENS", "MAX_OUTPUT_TOKENS", "MAX_COMPLETION_TOKENS"),
    Role.TIMEOUT: ("TIMEOUT", "TIMEOUT_SECONDS", "API_TIMEOUT"),
}
PROVIDER_ENDINGS = ("PROVIDER", "API_PROVIDER", "MODEL_PROVIDER")

# Longest first, so that API_BASE_URL is not read as the BASE_URL of a family "…_API".
_BY_LENGTH = sorted(
    ((ending, role) for role, endings in ENDINGS.items() for ending in endings),
    key=lambda pair: -len(pair[0]),
)

# Claude Code's name for its budget has no prefix that its other variables share.
_SINGLE = {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": ("ANTHROPIC", Role.MAX_TOKENS)}

# Words of a prefix that speak of language models.
_MODEL_WORDS = frozenset(
    {"LLM", "LLMS", "AI", "AIGC", "GPT", "CHATGPT", "CHAT", "OPENAI", "ANTHROPIC", "CLAUDE"}
    | {"VLLM", "ONEAPI", "NEWAPI", "COMPLETION", "INFERENCE", "GATEWAY", "AGENT", "REASONING"}
)

_SECRET = Pattern(
    r"(?:^|_)(?:API)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|AUTH|CREDENTIALS?|COOKIE|SESSION)(?:_?\d+)?$",
    re.IGNORECASE,
)
_KEY_LIKE = Pattern(r"(?:sk|pk|cr|hf|fk|ak|gsk|xai)[-_][A-Za-z0-9_-]{8,}")
# Beginnings that only services for models give out; "sk_" is a payment provider's.
_MODEL_KEY = Pattern(r"(?:sk|fk|ak|xai)-|gsk_|hf_|cr_")


@dataclass(frozen=True, slots=True)
class Name:
    """A variable whose name was understood. ``prefix`` is "" for a bare ``API_KEY``."""

    prefix: str
    role: Role
    provider: str | None = None


def understood(name: str) -> Name | None:
    """The role of a variable, None for one that has no known ending."""
    if not _PLAIN.fullmatch(name):
        return None
    if name in _SINGLE:
        prefix, role = _SINGLE[name]
        return Name(prefix, role, prefix.lower())
    known = provider_for_variable(name)
    provider = known.id if known else None
    for ending, role in _BY_LENGTH:
        if name == ending:
            return Name("", role, provider)
        if name.endswith("_" + ending):
            return Name(name[: -len(ending) - 1], role, provider)
    if known is not None and name in known.key_variables:
        return Name(name.partition("_")[0], Role.KEY, provider)
    return None


def speaks_of_models(prefix: str) -> bool:
    """Whether a family's prefix says by itself that it is about a language model."""
    words = prefix.split("_")
    return any(word in _MODEL_WORDS for word in words) or prefix in _provider_prefixes()


def _provider_prefixes() -> frozenset[str]:
    return frozenset(
        name.removesuffix("_API_KEY")
        for known in providers()
        for name in known.key_variables
        if name.endswith("_API_KEY")
    )


def is_secret_name(name: str) -> bool:
    """Whether a variable's value is to be hidden, whoever it is for."""
    return bool(_SECRET.search(name))


def looks_like_key(value: str) -> bool:
    """Whether ``value`` has the shape of an API key, whatever the name it stands under."""
    core = _core(value)
    return bool(_KEY_LIKE.match(core) or providers_for_key_shape(core))


def is_key_for_models(value: str) -> bool:
    """Whether ``value`` has the shape of a key that a service for language models gives out."""
    core = _core(value)
    return bool(_MODEL_KEY.match(core) or providers_for_key_shape(core))


def _core(value: str) -> str:
    return value.strip().strip("\"'“”‘’").removeprefix("Bearer ").strip()


_PLAIN = Pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACEHOLDER = Pattern(
    r"your|xxx|\.\.\.|…|<|>|你的|您的|placeholder|example|change.?me|replace|dummy|insert",
    re.IGNORECASE,
)


def is_real_secret(value: str) -> bool:
    """Whether losing ``value`` would hurt: a word long enough to be a key, and no placeholder.

    Quotes around it and a comment behind it are borne.
    """
    words = value.strip().lstrip("\"'").removeprefix("Bearer ").split()
    core = words[0] if words else ""
    return len(core) >= 12 and not core.startswith("#") and not _PLACEHOLDER.search(core)
