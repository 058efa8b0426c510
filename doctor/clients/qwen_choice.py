"""Which model, address and key Qwen Code takes of all that is set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from doctor.clients.files import File, Files, as_secret, chosen
from doctor.clients.held import secrets, texts, way_of
from doctor.clients.qwen_limits import default, limit
from doctor.clients.qwen_settings import Config
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
from doctor.facts.settings import Role, Sighting
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.settings.names import looks_like_key
from doctor.text import _

_BASES = {
    Protocol.OPENAI_CHAT: "https://api.openai.com/v1",
    Protocol.OPENAI_RESPONSES: "https://api.openai.com/v1",
    Protocol.ANTHROPIC_MESSAGES: "https://api.anthropic.com",
    Protocol.GEMINI_GENERATE: "https://generativelanguage.googleapis.com",
}
_HEADERS = {Protocol.GEMINI_GENERATE: AuthHeader.X_GOOG_API_KEY}
_PROTOCOLS = {
    "openai": Protocol.OPENAI_CHAT,
    "openai-responses": Protocol.OPENAI_RESPONSES,
    "anthropic": Protocol.ANTHROPIC_MESSAGES,
    "gemini": Protocol.GEMINI_GENERATE,
}
# Variables by the method: key, base, models.
_VARIABLES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL", ("OPENAI_MODEL", "QWEN_MODEL")),
    "openai-responses": ("OPENAI_API_KEY", "OPENAI_BASE_URL", ("OPENAI_MODEL",)),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", ("ANTHROPIC_MODEL",)),
    "gemini": ("GEMINI_API_KEY", "", ("GEMINI_MODEL",)),
}
NAMES = {
    Role.KEY: ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"),
    Role.BASE_URL: ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"),
    Role.MODEL: ("OPENAI_MODEL", "QWEN_MODEL", "ANTHROPIC_MODEL", "GEMINI_MODEL"),
    Role.MAX_TOKENS: ("QWEN_CODE_MAX_OUTPUT_TOKENS",),
}
_OWN_MODEL = "qwen3.7-max"
_DEFAULT = Origin(OriginKind.DEFAULT, _("Qwen Code default"))


@dataclass(frozen=True, slots=True)
class Entry:
    """A model of ``modelProviders``: its file, the keys that lead to it, its id."""

    file: File
    keys: tuple[str | int, ...]
    id: str

    def text(self, *keys: str) -> Shadowed[str] | None:
        found = self.file.text(*self.keys, *keys)
        return found if found is not None and found.value else None


@dataclass(frozen=True, slots=True)
class Choice:
    connection: Connection
    entry: Entry | None
    origins: frozenset[Origin]


def selected(read: Config) -> Shadowed[str] | None:
    """The method, by the settings or by which variables are complete."""
    told = next(iter(read.texts("security", "auth", "selectedType")), None)
    if told is not None:
        return told
    for method, (key, base, models) in _VARIABLES.items():
        needed = [texts(read.space, key), texts(read.space, *models)]
        if base:
            needed.append(texts(read.space, base))
        if all(needed):
            return Shadowed(method, needed[0][0].origin)
    return None


def choice(read: Config, files: Files, method: Shadowed[str] | None) -> Choice | None:
    """None for a method that kvdoctor does not speak (Vertex AI)."""
    name = "openai" if method is None else method.value
    protocol = _PROTOCOLS.get(name)
    if protocol is None:
        return None
    key_name, base_name, model_names = _VARIABLES[name]
    named = read.texts("model", "name")
    asked = named or texts(read.space, *model_names)
    entry = _entry(read, name, asked[0].value if asked else None)
    own = entry.text("id") if entry is not None else None
    model = chosen(*([own] if own is not None else []), *(() if own else asked))
    if model is None and protocol is Protocol.OPENAI_CHAT:
        model = Setting(_OWN_MODEL, _DEFAULT)
    origins = set[Origin]()
    base = chosen(
        None if entry is None else _filled(read, entry.text("baseUrl")),
        *(texts(read.space, base_name) if base_name else ()),
        *read.texts("security", "auth", "baseUrl"),
    )
    variable = None if entry is None else entry.text("envKey")
    fallbacks = (
        *secrets(read.space, key_name),
        *(s for t in read.texts("security", "auth", "apiKey") if (s := as_secret(t))),
    )
    of_entry = () if variable is None else secrets(read.space, variable.value)
    if variable is not None:
        origins.add(variable.origin)
        if of_entry or not fallbacks:
            _see_variable(variable, files)
    _see_entry(entry, files)
    connection = Connection(
        client="qwen-code",
        protocol=protocol,
        base_url=base or Setting(_BASES[protocol], DEFAULT),
        key=chosen(*of_entry, *fallbacks),
        model=model,
        auth=Setting(_HEADERS.get(protocol, AuthHeader.BEARER), DEFAULT),
        max_tokens=_max_tokens(read, entry, "" if model is None else model.value),
        headers=_headers(read, entry),
        variables=_way(read),
    )
    return Choice(connection, entry, frozenset(origins))


def _filled(read: Config, text: Shadowed[str] | None) -> Shadowed[str] | None:
    return None if text is None else read.filled(text)


def _entry(read: Config, method: str, model: str | None) -> Entry | None:
    """The entry with the model's id, also told apart by ``model.baseUrl``; the first of all where
    no model is named."""
    file = read.file_with("modelProviders")
    listed = None if file is None else file.at("modelProviders", method)
    if file is None or not isinstance(listed, list):
        return None
    entries = [
        Entry(file, ("modelProviders", method, number), str(item.get("id")))
        for number, item in enumerate(listed)
        if isinstance(item, Mapping) and isinstance(item.get("id"), str)
    ]
    if model is None:
        return entries[0] if entries else None
    matching = [entry for entry in entries if entry.id == model]
    wanted = next(iter(read.texts("model", "baseUrl")), None)
    exact = (
        entry
        for entry in matching
        if wanted is not None and (text := entry.text("baseUrl")) and text.value == wanted.value
    )
    return next(exact, matching[0] if matching else None)


def _generation(read: Config, entry: Entry | None) -> list[tuple[File, tuple[str | int, ...]]]:
    """Where the parameters of a request stand: with the entry, else with the model."""
    if entry is not None:
        return [(entry.file, (*entry.keys, "generationConfig"))]
    return [(file, ("model", "generationConfig")) for file in read.files]


def _max_tokens(read: Config, entry: Entry | None, model: str) -> Setting[int] | None:
    places = _generation(read, entry)
    own = [file.number(*keys, "samplingParams", "max_tokens") for file, keys in places]
    told = chosen(*own)
    if told is not None:
        return told
    known = limit(model)
    for text in texts(read.space, "QWEN_CODE_MAX_OUTPUT_TOKENS"):
        if text.value.strip().isdecimal() and int(text.value) > 0:
            number = int(text.value)
            return Setting(number if known is None else min(number, known), text.origin)
    windows = [file.number(*keys, "contextWindowSize") for file, keys in places]
    window = next((number.value for number in windows if number is not None), None)
    number_of_its_own = default(model, window)
    return None if number_of_its_own is None else Setting(number_of_its_own, _DEFAULT)


def _headers(read: Config, entry: Entry | None) -> tuple[Header, ...]:
    found: dict[str, Header] = {}
    for file, keys in reversed(_generation(read, entry)):
        table: Mapping[str, Any] = file.table(*keys, "customHeaders")
        for name, value in table.items():
            if isinstance(value, str):
                origin = file.origin(*keys, "customHeaders", name)
                found[name.lower()] = Header(name, Secret(value), origin)
    return tuple(found.values())


def _way(read: Config) -> dict[str, Setting[str]]:
    """``proxy`` of the settings stands before every variable."""
    found = way_of(read.space)
    proxy = chosen(*read.texts("proxy"))
    return found if proxy is None else {**found, "HTTPS_PROXY": proxy}


def _see_entry(entry: Entry | None, files: Files) -> None:
    if entry is not None:
        files.see(entry.file, Role.MODEL, entry.text("id"))
        files.see(entry.file, Role.BASE_URL, entry.text("baseUrl"))


def _see_variable(named: Shadowed[str], files: Files) -> None:
    held = Secret(named.value) if looks_like_key(named.value) else named.value
    files.found.sightings.append(
        Sighting(Role.KEY_VARIABLE, named.origin.name, held, named.origin, raw=held)
    )
