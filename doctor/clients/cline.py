"""Cline: the CLI and the editor's extension, which share their settings since Cline's rewrite.

Facts: facts/gateway-clients.md §3.5, and observed with Cline CLI 3.0.65: base and key are trimmed,
a blank key falls back to the provider's variable, base variables of the SDKs are not read. It asks
for no largest answer, but for 4,096 tokens from Anthropic's protocol for a model that it does not
know. For Google's API it adds /v1beta to a base that does not end in a version (older ones did so
to every base).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from doctor.clients import ai_sdk
from doctor.clients.base import ClientProfile
from doctor.clients.cline_files import Chosen, chosen_provider
from doctor.clients.files import Files, chosen
from doctor.clients.machine import Machine
from doctor.clients.not_examined import goes_to
from doctor.connection import (
    AuthHeader,
    Connection,
    Header,
    Origin,
    OriginKind,
    Protocol,
    Setting,
    Shadowed,
    Unsent,
)
from doctor.facts.settings import Login, LoginKind, Role
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found
from doctor.text import _
from doctor.untrusted import visible

_GOOGLES, _GOOGLES_LIST = "/models/{model}:streamGenerateContent?alt=sse", "/models?pageSize=1000"
_GOOGLES_VERSION = "/v1beta"
_VERSIONED = Pattern(r"/v\d+(?:alpha|beta)?\d*/?$", re.IGNORECASE)


def join(base: str, path: str) -> str:
    """Raises ``ClientRefusal``."""
    base = base.strip()
    if path.startswith(("/models/", "/models?")) and not _VERSIONED.search(base):
        path = _GOOGLES_VERSION + path
    return ai_sdk.join(base, path)


PROFILE = ClientProfile(
    id="cline",
    label="Cline",
    stack="bun",
    paths={
        Protocol.OPENAI_CHAT: "/chat/completions",
        Protocol.OPENAI_RESPONSES: "/responses",
        Protocol.ANTHROPIC_MESSAGES: "/messages",
        Protocol.GEMINI_GENERATE: _GOOGLES,
    },
    models_path="/models",
    models_paths={Protocol.GEMINI_GENERATE: _GOOGLES_LIST},
    base_has_version=True,
    join=join,
    prepare_key=str.strip,
    headers={"user-agent": "ai-sdk/openai-compatible/3.0.37", "anthropic-version": "2023-06-01"},
    default_base="https://api.openai.com/v1",
)


@dataclass(frozen=True, slots=True)
class Provider:
    """One of those that Cline brings. ``local`` is a program on this machine."""

    variable: str
    base: str
    protocol: Protocol = Protocol.OPENAI_CHAT
    local: bool = False


# The others speak protocols of their own, or are not seen often enough to be sure of them.
PROVIDERS = {
    "openai-compatible": Provider("OPENAI_API_KEY", "https://api.openai.com/v1"),
    "openai-native": Provider(
        "OPENAI_API_KEY", "https://api.openai.com/v1", Protocol.OPENAI_RESPONSES
    ),
    "anthropic": Provider(
        "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1", Protocol.ANTHROPIC_MESSAGES
    ),
    "openrouter": Provider("OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
    "deepseek": Provider("DEEPSEEK_API_KEY", "https://api.deepseek.com/v1"),
    "moonshot": Provider("MOONSHOT_API_KEY", "https://api.moonshot.ai/v1"),
    "qwen": Provider("QWEN_API_KEY", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
    "xai": Provider("XAI_API_KEY", "https://api.x.ai/v1"),
    "litellm": Provider("LITELLM_API_KEY", "http://localhost:4000/v1", local=True),
    "gemini": Provider(
        "GEMINI_API_KEY", "https://generativelanguage.googleapis.com", Protocol.GEMINI_GENERATE
    ),
    "lmstudio": Provider("LMSTUDIO_API_KEY", "http://localhost:1234/v1", local=True),
}
_USUAL = PROVIDERS["openai-compatible"]
_HEADERS = {
    Protocol.ANTHROPIC_MESSAGES: AuthHeader.X_API_KEY,
    Protocol.GEMINI_GENERATE: AuthHeader.X_GOOG_API_KEY,
}
_BUDGET = 4096
_BUDGET_ORIGIN = Origin(OriginKind.DEFAULT, _("Cline default"))


def find(machine: Machine, *, always: bool) -> Found:
    """The connection of the provider that was used last."""
    found = Found()
    files = Files(machine, PROFILE.id, found)
    said = chosen_provider(files)
    if said is not None:
        _note(said, files)
    provider = None if said is None else PROVIDERS.get(said.provider)
    if provider is not None and said is not None:
        made = _connection(said, provider, machine)
        if always or provider.local or made.base_url.origin.kind is not OriginKind.DEFAULT:
            kind = "engine" if said.provider == "lmstudio" else "gateway"
            found.candidates.append(Candidate(PROFILE.id, said.file.shown, made, kind=kind))
    elif always:
        found.candidates.append(_empty(said))
    return found


def _note(said: Chosen, files: Files) -> None:
    files.see(said.file, Role.BASE_URL, said.base)
    files.see(said.file, Role.MODEL, said.model)
    if said.key is not None:
        files.see(said.file, Role.KEY, said.key)
        label = _("key kept for {name}", name=visible(said.provider, 60))
        login = Login(files.client, LoginKind.API_KEY, label, said.key.origin, key=said.key.value)
        files.found.logins.append(login)
    if said.login is not None:
        login = Login(
            files.client,
            LoginKind.OAUTH,
            _("login for {name}", name=visible(said.provider, 60)),
            said.login,
            expires_at=said.expires_at,
            renewable=said.renewable,
        )
        files.found.logins.append(login)


def _connection(said: Chosen, provider: Provider, machine: Machine) -> Connection:
    # The variable is every program's, so one that loses against the file is no shadow.
    held = machine.variable(provider.variable) if said.key is None else None
    shell = None if held is None else Shadowed(Secret(held.value), held.origin)
    stored = said.login is not None and said.key is None
    base = said.base if said.base is not None and said.base.value.strip() else None
    anthropic = provider.protocol is Protocol.ANTHROPIC_MESSAGES
    header = _HEADERS.get(provider.protocol, AuthHeader.BEARER)
    return Connection(
        client=PROFILE.id,
        protocol=provider.protocol,
        base_url=chosen(base) or Setting(provider.base, DEFAULT),
        key=None if stored else chosen(said.key or shell),
        model=chosen(said.model),
        auth=Setting(header, DEFAULT),
        max_tokens=_budget(said.model) if anthropic else None,
        unsent=Setting(Unsent.OTHER_LOGIN, said.login) if stored and said.login else None,
        headers=tuple(_headers(said)),
    )


def _budget(model: Shadowed[str] | None) -> Setting[int] | None:
    """Of Anthropic's own models Cline knows more."""
    known = model is None or model.value.lower().startswith("claude")
    return None if known else Setting(_BUDGET, _BUDGET_ORIGIN)


def _headers(said: Chosen) -> Iterator[Header]:
    if not said.headers:
        return
    for name in said.file.table(*said.headers):
        value = said.file.secret(*said.headers, name)
        if value is not None:
            yield Header(name, value.value, value.origin)


def _empty(said: Chosen | None) -> Candidate:
    """For a user who named Cline: the usual provider, with nothing set."""
    base = Setting(_USUAL.base, DEFAULT)
    made = Connection(client=PROFILE.id, protocol=_USUAL.protocol, base_url=base)
    if said is None:
        return Candidate(PROFILE.id, "default", made)
    elsewhere = goes_to(PROFILE.label, said.provider, said.file.origin())
    return Candidate(PROFILE.id, said.file.shown, made, elsewhere=elsewhere)
