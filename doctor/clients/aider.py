"""Aider. Facts: facts/gateway-clients.md §3.9, and observed with 0.86.2 (litellm 1.81).

litellm prefers OPENAI_BASE_URL, so one of the shell wins over ``openai-api-base`` of the
configuration, which only sets OPENAI_API_BASE.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from doctor.clients.aider_settings import Config, config
from doctor.clients.base import ClientProfile
from doctor.clients.files import Files, as_secret, chosen
from doctor.clients.held import way_of
from doctor.clients.httpx_keys import bearer_refusal
from doctor.clients.litellm_models import OPENAI, Family, Routed, routed
from doctor.clients.litellm_url import CHAT, MESSAGES, join_behind_query
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
)
from doctor.facts.settings import Role, Unsupported
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found
from doctor.text import _

ID = "aider"
_DEFAULT = Origin(OriginKind.DEFAULT, _("Aider default"))
# Short names of its own for the two protocols that kvdoctor speaks.
_ALIASES = {
    "sonnet": "claude-sonnet-4-5",
    "haiku": "claude-haiku-4-5",
    "opus": "claude-opus-4-6",
    "4": "gpt-4-0613",
    "4o": "gpt-4o",
    "4-turbo": "gpt-4-1106-preview",
    "35turbo": "gpt-3.5-turbo",
    "35-turbo": "gpt-3.5-turbo",
    "3": "gpt-3.5-turbo",
    "deepseek": "deepseek/deepseek-chat",
    "flash": "gemini/gemini-flash-latest",
    "r1": "deepseek/deepseek-reasoner",
    "gemini": "gemini/gemini-3-pro-preview",
}
# By which key it chooses a model where none is named; the first that is set counts.
_BY_KEY = (
    ("OPENROUTER_API_KEY", "openrouter/"),
    ("ANTHROPIC_API_KEY", "claude-sonnet-4-5"),
    ("DEEPSEEK_API_KEY", "deepseek/deepseek-chat"),
    ("OPENAI_API_KEY", "gpt-4o"),
)
_NO_KEY_NEEDED = "fake-api-key"

PROFILE = ClientProfile(
    id=ID,
    label="Aider",
    stack="httpx",
    paths={Protocol.OPENAI_CHAT: CHAT, Protocol.ANTHROPIC_MESSAGES: MESSAGES},
    models_path="/models",
    models_paths={Protocol.ANTHROPIC_MESSAGES: "/v1/models"},
    base_has_version=True,
    join=join_behind_query,
    key_refusal=bearer_refusal,
    default_base="https://api.openai.com/v1",
)


def find(machine: Machine, *, always: bool) -> Found:
    """One target where its files and variables lead to an address of the user's own."""
    found = Found()
    files = Files(machine, ID, found)
    read = config(files)
    _sight(read, files)
    name = _model(read)
    way = Routed(OPENAI, "") if name is None else routed(name.value)
    family = way.family
    if family is None and not way.known and read.variable("OPENAI_API_BASE"):
        family = OPENAI  # meant, but refused
    elsewhere = ""
    if family is None:
        if not always:
            return found
        if way.known and name is not None:
            elsewhere = goes_to(PROFILE.label, name.value.partition("/")[0], name.origin)
        family, way = OPENAI, Routed(OPENAI, way.model, way.known)
    connection = _connection(read, name, way, family)
    if always or _is_of_its_own(connection, read):
        if name is not None and not way.known:
            found.unsupported.append(_without_prefix(name))
        candidate = Candidate(ID, _label(connection), connection, elsewhere=elsewhere)
        found.candidates.append(candidate)
    return found


def _sight(read: Config, files: Files) -> None:
    for file in read.confs:
        files.see(file, Role.BASE_URL, file.text("openai-api-base"))
        files.see(file, Role.KEY, file.secret("openai-api-key"))
        files.see(file, Role.KEY, file.secret("anthropic-api-key"))
        files.see(file, Role.MODEL, file.text("model"))


def _model(read: Config) -> Shadowed[str] | None:
    """The name in effect with short names replaced; what it chooses by itself where none is."""
    told = next(iter(read.option("model")), None)
    if told is None:
        for variable, model in _BY_KEY:
            if read.variable(variable):
                return Shadowed(model, _DEFAULT)
        return None
    own = (entry.value.partition(":") for entry in read.listed("alias"))
    aliases = {**_ALIASES, **{short.strip(): name.strip() for short, _sign, name in own}}
    return Shadowed(aliases.get(told.value, told.value), told.origin)


def _connection(
    read: Config, name: Shadowed[str] | None, way: Routed, family: Family
) -> Connection:
    extra = tuple(read.parameters("" if name is None else name.value))
    base = chosen(
        *(file.text(*keys, "api_base") for file, keys in extra),
        *(text for variable in family.bases for text in read.variable(variable)),
    )
    key = chosen(
        *(file.secret(*keys, "api_key") for file, keys in extra),
        *(as_secret(text) for variable in family.keys for text in read.variable(variable)),
    )
    if key is None and family.default_base is None:
        key = Setting(Secret(_NO_KEY_NEEDED), _DEFAULT)
    others = [Shadowed(routed(t.value).model, t.origin) for t in read.option("model")[1:]]
    # By OPENROUTER_API_KEY alone it lets its user choose.
    model = None
    if name is not None and way.model:
        model = chosen(Shadowed(way.model, name.origin), *others)
    messages = family.protocol is Protocol.ANTHROPIC_MESSAGES
    return Connection(
        client=ID,
        protocol=family.protocol,
        base_url=base or Setting(family.default_base or PROFILE.default_base or "", DEFAULT),
        key=key,
        model=model,
        auth=Setting(AuthHeader.X_API_KEY if messages else AuthHeader.BEARER, DEFAULT),
        max_tokens=chosen(*(file.number(*keys, "max_tokens") for file, keys in extra)),
        headers=_headers(extra),
        variables=way_of(read.space),
    )


def _headers(extra: tuple[Any, ...]) -> tuple[Header, ...]:
    found: dict[str, Header] = {}
    for file, keys in reversed(extra):
        table: Mapping[str, Any] = file.table(*keys, "extra_headers")
        for name, value in table.items():
            if isinstance(value, str):
                origin = file.origin(*keys, "extra_headers", name)
                found[str(name).lower()] = Header(str(name), Secret(value), origin)
    return tuple(found.values())


def _is_of_its_own(connection: Connection, read: Config) -> bool:
    """An address other than the vendor's, of which its own configuration says at least a part."""
    base = connection.base_url
    if base.origin.kind is OriginKind.DEFAULT:
        return False
    own = {file.shown for file in (*read.confs, *read.models)}
    settings = (base, connection.key, connection.model)
    return any(
        setting is not None
        and (setting.origin.path in own or setting.origin.name.startswith("AIDER_"))
        for setting in settings
    )


def _without_prefix(name: Shadowed[str]) -> Unsupported:
    instead = f"openai/{name.value}"
    reason = _(
        "a name without the protocol in front is refused before anything is sent: LLM Provider"
        " NOT provided"
    )
    return Unsupported(
        ID,
        name.origin.name,
        name.origin,
        reason,
        instead,
        fatal=True,
        value=name.value,
        replacement=instead,
    )


def _label(connection: Connection) -> str:
    """The file that its address, or else its key, comes from."""
    settings = (connection.base_url, connection.key, connection.model)
    paths = (setting.origin.path for setting in settings if setting is not None)
    return next((path for path in paths if path is not None), "environment")
