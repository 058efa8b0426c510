"""Targets from variables that an application named itself: LLM_BASE_URL, LLM_API_KEY, LLM_MODEL.

Many programs have an address and a key under a common prefix and are no language models (an issue
tracker's API, say), and none of them may ever be asked for a completion. So a family counts only
with a sign that it is one: a model beside it, a prefix that says so, a key of a known shape, the
host of a known provider, or a loopback address with /v1. Models that do not chat are none.
"""

from __future__ import annotations

import ipaddress

from doctor.connection import Protocol, Setting
from doctor.facts.settings import Role
from doctor.model_names import answers_chat, family
from doctor.secrets import Secret
from doctor.settings.building import (
    ANTHROPIC_SDK,
    OPENAI_SDK,
    connection,
    host_of,
    max_tokens_of,
    member_names,
    model_of,
    provider_of,
    provider_origin,
)
from doctor.settings.candidates import Candidate, slug
from doctor.settings.named_families import is_other_work
from doctor.settings.names import (
    ENDINGS,
    PROVIDER_ENDINGS,
    is_key_for_models,
    speaks_of_models,
    understood,
)
from doctor.settings.provider_targets import ollama_base
from doctor.settings.providers import Provider, providers
from doctor.settings.sdk_targets import label, provider_key
from doctor.settings.variables import Space

# These have rules of their own. Azure's SDK builds other URLs than the one asked for here.
_OTHERS_BUSINESS = frozenset({"OPENAI", "ANTHROPIC", "AZURE_OPENAI", "OLLAMA"})
# Families that name a model for a program whose address stands under another prefix.
_GENERAL = ("LLM", "")


def family_targets(space: Space) -> list[Candidate]:
    """One target for each family that is one, in the order of their names."""
    prefixes = {
        name.prefix
        for variable in space.names
        if (name := understood(variable)) and name.role in (Role.BASE_URL, Role.KEY, Role.MODEL)
    }
    found = (_family(space, prefix) for prefix in sorted(prefixes - _OTHERS_BUSINESS))
    return [candidate for candidate in found if candidate is not None]


def general_families(space: Space, families: list[Candidate]) -> tuple[str, ...]:
    """Families without an address of their own, whose model may be meant for the SDK's target.

    A bare MODEL is common outside of language models, so it counts only beside a file's other
    settings.
    """
    owned = {alias for candidate in families for alias in candidate.aliases}
    return tuple(
        prefix
        for prefix in _GENERAL
        if f"{prefix}_*" not in owned and (prefix or _bare_model_in_file(space))
    )


def _bare_model_in_file(space: Space) -> bool:
    held = next((space.get(name) for name in ENDINGS[Role.MODEL] if space.get(name)), None)
    return held is not None and held.origin.path is not None


def _family(space: Space, prefix: str) -> Candidate | None:
    base = space.setting(member_names(prefix, ENDINGS[Role.BASE_URL]), str)
    key = space.setting(member_names(prefix, ENDINGS[Role.KEY]), Secret, empty_counts=True)
    model = model_of(space, (prefix,))
    if is_other_work(prefix) or (model is not None and not answers_chat(model.value)):
        return None
    called = _provider_name(space, prefix)
    known = next((one for one in providers() if one.id == called), None)
    chosen = None
    if base is None:
        chosen = known
        base = _provider_base(known)
    if base is None or (chosen is None and not _is_one(prefix, base, key, model)):
        return None
    if _is_native(f"{prefix}_{called.upper()}", base):
        return None
    if called == "ollama":
        base = _of_ollama(base)
    key = key or provider_key(space, base.value)
    client = _client(prefix, known)
    made = connection(client, base, key, model=model, max_tokens=max_tokens_of(space, (prefix,)))
    name = f"{prefix}_*"
    own = _provider_of_prefix(prefix)
    identity = own.id if own else slug(prefix) if prefix else "app"
    return Candidate(
        id=f"{space.suffix}-{identity}" if space.suffix else identity,
        label=own.label if own else space.label or _label(space, name, base, key),
        connection=made,
        kind="engine" if own and own.engine else "gateway",
        aliases=frozenset({name}),
    )


def _label(space: Space, name: str, base: Setting[str], key: Setting[Secret] | None) -> str:
    place = label(space, base, key)
    return place if name == "_*" else f"{name} ({place})"


def _is_one(
    prefix: str, base: Setting[str], key: Setting[Secret] | None, model: Setting[str] | None
) -> bool:
    if key is None and model is None:
        return False
    known = provider_of(base.value)
    if (key is not None and is_key_for_models(key.value.reveal())) or (
        known is not None and known.local_port is None
    ):
        return True
    versioned = base.value.strip().rstrip("/").endswith("/v1")
    local = _is_loopback(base.value) and versioned
    if prefix:
        return model is not None or speaks_of_models(prefix) or local
    # BASE_URL, API_KEY and MODEL are anybody's.
    if model is None:
        return local
    about_models = versioned or "/" in model.value or family(model.value) is not None
    return about_models and (key is not None or _is_loopback(base.value))


def _of_ollama(base: Setting[str]) -> Setting[str]:
    try:
        return Setting(ollama_base(base.value), base.origin)
    except ValueError:
        return base


def _is_native(words: str, base: Setting[str]) -> bool:
    """Google's own API and Azure's, which their own clients speak: kvdoctor asks for what is below
    /openai only."""
    own = not {"GEMINI", "GOOGLE", "AZURE"}.isdisjoint(words.replace("-", "_").split("_"))
    return own and "/openai" not in base.value.lower()


def _is_loopback(url: str) -> bool:
    place = host_of(url)
    if place is None:
        return False
    try:
        return ipaddress.ip_address(place[1]).is_loopback
    except ValueError:
        return place[1] == "localhost"


def _provider_name(space: Space, prefix: str) -> str:
    """What ``LLM_PROVIDER=anthropic`` names; "" where there is no such variable."""
    held = space.setting(member_names(prefix, PROVIDER_ENDINGS), str) if prefix else None
    return "" if held is None else held.value.strip().lower()


def _provider_base(known: Provider | None) -> Setting[str] | None:
    if known is None or known.local_port is not None:
        return None
    base = known.base(_protocol(known))
    return None if base is None else Setting(base, provider_origin(known))


def _protocol(known: Provider) -> Protocol:
    # Anthropic's own API is asked in its own language, everybody else's in OpenAI's.
    if known.id == "anthropic":
        return Protocol.ANTHROPIC_MESSAGES
    return Protocol.OPENAI_CHAT


def _client(prefix: str, known: Provider | None) -> str:
    words = prefix.split("_")
    if "ANTHROPIC" in words or "CLAUDE" in words or (known and known.id == "anthropic"):
        return ANTHROPIC_SDK
    return OPENAI_SDK


def _provider_of_prefix(prefix: str) -> Provider | None:
    return next((p for p in providers() if f"{prefix}_API_KEY" in p.key_variables), None)
