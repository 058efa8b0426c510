"""What Claude Code authenticates with: which credential goes into which of two headers.

The table of facts/gateway-clients.md §3.1, seen on the wire with 2.1.332. ``Authorization`` holds
``ANTHROPIC_AUTH_TOKEN``, else the output of ``apiKeyHelper``, else (without an API key) an OAuth
token; ``x-api-key`` holds ``ANTHROPIC_API_KEY``, else the helper's output, else (without an OAuth
token in the other) ``primaryApiKey``. Both may be sent at once.
"""

from __future__ import annotations

from dataclasses import replace

from doctor.clients.claude_settings import CLIENT, Layers, config_folder
from doctor.clients.files import Files
from doctor.clients.helpers import helper_key, in_keychain
from doctor.connection import (
    AuthHeader,
    Connection,
    Origin,
    OriginKind,
    Setting,
    Shadowed,
    Unsent,
)
from doctor.facts.settings import Login, LoginKind, Role
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.settings.found import KeyPlace
from doctor.text import _

TOKEN, KEY = "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"
OAUTH = "CLAUDE_CODE_OAUTH_TOKEN"
VENDOR = "api.anthropic.com"
_KEYCHAIN_LOGIN, _KEYCHAIN_KEY = "Claude Code-credentials", "Claude Code"
_SCOPE = "user:inference"
_VENDORS_OWN = "sk-ant-"  # how keys and tokens of Anthropic begin


@dataclass(frozen=True, slots=True)
class Credentials:
    """What goes on the wire. ``token_wins`` says that a header ``Authorization`` of the user's own
    loses, as it does against a token or a helper."""

    key: Setting[Secret] | None = None
    auth: AuthHeader = AuthHeader.BEARER
    unsent: Setting[Unsent] | None = None
    second_key: Setting[Secret] | None = None
    second_unsent: Setting[Unsent] | None = None
    token_wins: bool = False

    def on(self, connection: Connection) -> Connection:
        """``connection`` with these."""
        return replace(
            connection,
            key=self.key,
            auth=Setting(self.auth, DEFAULT),
            unsent=self.unsent,
            second_key=self.second_key,
            second_unsent=self.second_unsent,
        )


@dataclass(frozen=True, slots=True)
class _Sent:
    """One credential: its text, or that there is one which kvdoctor does not send."""

    key: Setting[Secret] | None = None
    unsent: Setting[Unsent] | None = None


def credentials(layers: Layers, files: Files) -> Credentials:
    """Also notes every login, and the command that prints a key."""
    token, key = _filled(layers, TOKEN), _filled(layers, KEY)
    helper, login, primary = _helper(layers, files), _login(layers, files), _primary(layers, files)
    bearer = token or helper or (None if key is not None else login)
    of_login = bearer is not None and bearer is login
    second = key or helper or (None if of_login else primary)
    if bearer is not None:
        return Credentials(
            key=bearer.key,
            unsent=bearer.unsent,
            second_key=None if second is None else second.key,
            second_unsent=None if second is None else second.unsent,
            token_wins=not of_login,
        )
    if second is not None:
        return Credentials(second.key, AuthHeader.X_API_KEY, second.unsent)
    return Credentials(_blank(layers))


def _filled(layers: Layers, name: str) -> _Sent | None:
    setting = layers.filled(name)
    return None if setting is None else _Sent(_secret(setting))


def _blank(layers: Layers) -> Setting[Secret] | None:
    """A variable that is set to nothing, where it is all there is."""
    blank = (layers.variable(name) for name in (TOKEN, KEY))
    return next((_secret(setting) for setting in blank if setting is not None), None)


def _secret(setting: Setting[str]) -> Setting[Secret]:
    lost = tuple(Shadowed(Secret(s.value), s.origin) for s in setting.shadows)
    return Setting(Secret(setting.value), setting.origin, lost)


def _helper(layers: Layers, files: Files) -> _Sent | None:
    """The command that prints a key; it is run only where the user asked for that."""
    command = next(iter(layers.texts("apiKeyHelper")), None)
    if command is None or not command.value.strip():
        return None
    managed = command.origin.path in layers.managed
    login = Login(CLIENT, LoginKind.HELPER, "apiKeyHelper", command.origin, managed=managed)
    files.found.logins.append(login)
    printed = helper_key(command, files.machine, files.found, CLIENT)
    if printed is not None:
        return _Sent(key=Setting(printed.value, printed.origin))
    return _Sent(unsent=Setting(Unsent.KEY_HELPER, command.origin))


def _login(layers: Layers, files: Files) -> _Sent | None:
    """An OAuth token: the variable before the stored login."""
    variable = layers.filled(OAUTH)
    stored = _stored(files)
    if stored is not None:
        files.found.logins.append(stored)
    if variable is None:
        if stored is None:
            return None
        return _Sent(unsent=Setting(Unsent.CLAUDE_LOGIN, stored.origin))
    if not variable.value.strip().startswith(_VENDORS_OWN):
        return _Sent(_secret(variable))  # no token of Anthropic's: a key in an unusual place
    label = _("the token in {name}", name=OAUTH)
    files.found.logins.append(
        Login(CLIENT, LoginKind.OAUTH, label, variable.origin, VENDOR, renewable=False)
    )
    return _Sent(unsent=Setting(Unsent.CLAUDE_LOGIN, variable.origin))


def _stored(files: Files) -> Login | None:
    """The login of ``claude /login``: that it is there and when it ends, never its token."""
    machine = files.machine
    path = config_folder(machine) / ".credentials.json"
    file = files.json(path, strict=True, consequence=_("Claude Code takes it for no login"))
    label = "claude.ai login"
    if file is None:
        if not in_keychain(_KEYCHAIN_LOGIN, machine):
            return None
        origin = Origin(OriginKind.DEFAULT, _("{item} in the keychain", item=_KEYCHAIN_LOGIN))
        return Login(CLIENT, LoginKind.OAUTH, label, origin, VENDOR)
    entry = "claudeAiOauth"
    scopes = file.at(entry, "scopes")
    if not file.at(entry, "accessToken") or not isinstance(scopes, list) or _SCOPE not in scopes:
        return None
    token = file.origin(entry, "accessToken")
    files.found.key_places.append(KeyPlace(str(file.path), file.shown, token.line, token.name))
    expires = file.at(entry, "expiresAt")
    known = isinstance(expires, int | float) and not isinstance(expires, bool)
    return Login(
        CLIENT,
        LoginKind.OAUTH,
        label,
        token,
        VENDOR,
        expires_at=expires / 1000 if known else None,
        renewable=bool(file.at(entry, "refreshToken")),
    )


def _primary(layers: Layers, files: Files) -> _Sent | None:
    """The key that a login at Anthropic's console left, or that somebody wrote in its place."""
    state = layers.state
    key = None if state is None else state.secret("primaryApiKey")
    if key is None:
        if not in_keychain(_KEYCHAIN_KEY, files.machine):
            return None
        origin = Origin(OriginKind.DEFAULT, _("{item} in the keychain", item=_KEYCHAIN_KEY))
        return _managed_key(files, origin, None)
    if not key.value.reveal().strip():
        return None
    files.see(state, Role.KEY, key)
    if key.value.reveal().strip().startswith(_VENDORS_OWN):
        return _managed_key(files, key.origin, key.value)
    return _Sent(Setting(key.value, key.origin))


def _managed_key(files: Files, origin: Origin, key: Secret | None) -> _Sent:
    label = _("key of a Console login")
    login = Login(CLIENT, LoginKind.API_KEY, label, origin, VENDOR, key=key)
    files.found.logins.append(login)
    kind = Unsent.KEYCHAIN if key is None else Unsent.OTHER_LOGIN
    return _Sent(unsent=Setting(kind, origin))
