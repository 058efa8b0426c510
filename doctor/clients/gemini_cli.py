"""Gemini CLI. Facts: facts/gateway-clients.md §3.12, and observed with 0.61.0.

Variables of the shell win over its env file, also empty ones; ``GEMINI_MODEL`` wins over the
settings. With a Google login it talks to Google's own server, whatever GOOGLE_GEMINI_BASE_URL says.
"""

from __future__ import annotations

import re

from doctor.clients.base import ClientProfile
from doctor.clients.files import Files, chosen
from doctor.clients.gemini_settings import FOLDER, Config, config, home_of
from doctor.clients.gemini_url import MODELS_PATH, STREAM_PATH, join, key_refusal
from doctor.clients.held import secrets, see, texts, way_of
from doctor.clients.javascript import trimmed
from doctor.clients.machine import Machine
from doctor.connection import (
    AuthHeader,
    Connection,
    Header,
    OriginKind,
    Protocol,
    Setting,
    Shadowed,
    Unsent,
)
from doctor.facts.settings import Login, LoginKind, Role, Unsupported
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found
from doctor.text import _

ID = "gemini-cli"
_BASE, _KEY, _MODEL = "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY", "GEMINI_MODEL"
_METHOD = ("security", "auth", "selectedType")
_OLD_METHOD = "selectedAuthType"
_BY_KEY = "gemini-api-key"
_GATEWAY = "gateway"
_VERTEX = "vertex-ai"
# Where a Google login is used, and by whom it is accepted.
_LOGIN_HOST = "cloudcode-pa.googleapis.com"
# Names of its own for models that it chooses itself.
_ALIASES = frozenset({"auto", "pro", "flash", "flash-lite", "auto-gemini-3", "auto-gemini-2.5"})

PROFILE = ClientProfile(
    id=ID,
    label="Gemini CLI",
    stack="undici",
    paths={Protocol.GEMINI_GENERATE: STREAM_PATH},
    models_path=MODELS_PATH,
    base_has_version=False,
    join=join,
    auth=AuthHeader.X_GOOG_API_KEY,
    prepare_key=trimmed,
    key_refusal=key_refusal,
    keyless_refusal=(
        "When using Gemini API, you must specify the GEMINI_API_KEY environment variable."
    ),
    default_base="https://generativelanguage.googleapis.com",
)


def find(machine: Machine, *, always: bool) -> Found:
    """One target where a base of the user's own is set."""
    found = Found()
    files = Files(machine, ID, found)
    read = config(files)
    _sight(read, files)
    login = _login(files)
    bases = texts(read.space, _BASE)
    method = _method(read, bases)
    if always or bases:
        connection = _connection(read, bases, method, login)
        found.unsupported += _unsupported(read, bases, method)
        found.candidates.append(Candidate(ID, _label(connection), connection))
    return found


def _sight(read: Config, files: Files) -> None:
    for role, name in ((Role.BASE_URL, _BASE), (Role.KEY, _KEY), (Role.MODEL, _MODEL)):
        see(files, role, read.env, read.env_path, name)
    for file in read.files:
        files.see(file, Role.MODEL, file.text("model", "name"))


def _login(files: Files) -> Login | None:
    """The token of a Google login is renewed by itself; nothing of it is kept."""
    file = files.json(home_of(files.machine) / "oauth_creds.json")
    if file is None or not (file.at("access_token") or file.at("refresh_token")):
        return None
    login = Login(ID, LoginKind.OAUTH, _("Google login"), file.origin(), _LOGIN_HOST)
    files.found.logins.append(login)
    return login


def _method(read: Config, bases: tuple[Shadowed[str], ...]) -> Shadowed[str] | None:
    """How it authenticates, with the place that says so."""
    told = next(iter(read.texts(*_METHOD)), None)
    if told is not None:
        return told
    switches = (
        ("GOOGLE_GENAI_USE_GCA", "oauth-personal"),
        ("GOOGLE_GENAI_USE_VERTEXAI", _VERTEX),
    )
    for name, method in switches:
        held = read.space.get(name)
        if held is not None and held.value == "true":
            return Shadowed(method, held.origin)
    if bases:
        return Shadowed(_GATEWAY, bases[0].origin)
    keys = secrets(read.space, _KEY)
    return Shadowed(_BY_KEY, keys[0].origin) if keys else None


def _by_key(method: Shadowed[str] | None) -> bool:
    return method is None or method.value in (_BY_KEY, _GATEWAY)


def _connection(
    read: Config,
    bases: tuple[Shadowed[str], ...],
    method: Shadowed[str] | None,
    login: Login | None,
) -> Connection:
    key, unsent = chosen(*secrets(read.space, _KEY)), None
    base = chosen(*bases) or Setting(PROFILE.default_base or "", DEFAULT)
    if method is not None and not _by_key(method):
        key, base = None, Setting(f"https://{_LOGIN_HOST}", DEFAULT)
        unsent = Setting(Unsent.GOOGLE_LOGIN, method.origin if login is None else login.origin)
    elif key is None and method is not None and method.origin.kind is OriginKind.FILE:
        # A key that was typed in at the first start is kept where kvdoctor does not look.
        stored = method.value == _BY_KEY
        unsent = Setting(Unsent.KEYCHAIN, method.origin) if stored else None
    models = (*texts(read.space, _MODEL), *read.texts("model", "name"))
    model = chosen(*models)
    return Connection(
        client=ID,
        protocol=Protocol.GEMINI_GENERATE,
        base_url=base,
        key=key,
        model=None if model is None or model.value in _ALIASES else model,
        auth=Setting(AuthHeader.X_GOOG_API_KEY, DEFAULT),
        unsent=unsent,
        headers=(*_headers(read), *_bearer(read, key)),
        variables=way_of(read.space),
    )


def _headers(read: Config) -> tuple[Header, ...]:
    """``GEMINI_CLI_CUSTOM_HEADERS``: "Name: value, Other: value"."""
    text = next(iter(texts(read.space, "GEMINI_CLI_CUSTOM_HEADERS")), None)
    if text is None:
        return ()
    pairs = (entry.partition(":") for entry in re.split(r",(?=\s*[^,:]+:)", text.value))
    return tuple(
        Header(name.strip(), Secret(value.strip()), text.origin)
        for name, colon, value in pairs
        if colon and name.strip()
    )


def _bearer(read: Config, key: Setting[Secret] | None) -> tuple[Header, ...]:
    """On demand the key travels as Bearer besides."""
    told = next(iter(texts(read.space, "GEMINI_API_KEY_AUTH_MECHANISM")), None)
    if key is None or told is None or told.value != "bearer":
        return ()
    bearer = Secret(f"Bearer {trimmed(key.value.reveal())}")
    return (Header("Authorization", bearer, told.origin),)


def _unsupported(
    read: Config, bases: tuple[Shadowed[str], ...], method: Shadowed[str] | None
) -> list[Unsupported]:
    old = _old_name(read, method)
    if old is not None:
        return [old]
    if not bases or method is None:
        return []
    origin = bases[0].origin
    instead = _(
        '"security": {{"auth": {{"selectedType": "{method}"}}}} in {file}',
        method=_BY_KEY,
        file=f"~/{FOLDER}/settings.json",
    )
    if not _by_key(method):
        reason = _(
            "with the auth method {method} it talks to Google's own server and ignores this"
            " address",
            method=method.value,
        )
        return [Unsupported(ID, _BASE, origin, reason, instead)]
    told_by_base = method.value == _GATEWAY and not read.texts(*_METHOD)
    if told_by_base and not read.is_on("security", "auth", "useExternal"):
        reason = _(
            "without an auth method in its settings this address stands for the method 'gateway', "
            "which `gemini -p` refuses: Invalid auth method selected."
        )
        return [Unsupported(ID, _BASE, origin, reason, instead)]
    return []


def _old_name(read: Config, method: Shadowed[str] | None) -> Unsupported | None:
    """The method under the name that it had before the settings were grouped: with 0.61.0 a key
    decided, whatever stood there."""
    if read.texts(*_METHOD):
        return None
    old = next(iter(read.texts(_OLD_METHOD)), None)
    if old is None or method is None or method.value == old.value:
        return None
    reason = _(
        "it reads the auth method under another name by now, so that {place} decides, and not"
        " {method}",
        place=str(method.origin),
        method=old.value,
    )
    instead = _(
        '"security": {{"auth": {{"selectedType": "{method}"}}}} in {file}',
        method=old.value,
        file=old.origin.path or f"~/{FOLDER}/settings.json",
    )
    return Unsupported(ID, _OLD_METHOD, old.origin, reason, instead)


def _label(connection: Connection) -> str:
    """The file that its address, or else its key, comes from."""
    settings = (connection.base_url, connection.key, connection.unsent)
    paths = (setting.origin.path for setting in settings if setting is not None)
    return next((path for path in paths if path is not None), "environment")
