"""The logins of opencode: ``auth.json``, or the variable that holds the same.

``{"ID": {"type": "api", "key": …}}``; a token of a login is never kept (facts/gateway-clients.md
§3.8, observed with opencode 1.18.33).
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from doctor.clients.expiry import seconds
from doctor.clients.files import File, Files
from doctor.connection import Origin, OriginKind, Setting, Shadowed, Unsent
from doctor.facts.settings import Login, LoginKind, Role
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.documents import Malformed, parse_json
from doctor.text import _
from doctor.untrusted import visible

_VARIABLE = "OPENCODE_AUTH_CONTENT"
_VENDORS = {
    "anthropic": "api.anthropic.com",
    "openai": "chatgpt.com",
    "github-copilot": "api.githubcopilot.com",
    "google": "googleapis.com",
}
# Whose tokens opencode sends by itself, in place of any key of the settings; it passes over those
# of others, Anthropic's as well, and takes the key, or says that one is missing.
_SENT = {"openai": Unsent.CHATGPT_LOGIN, "github-copilot": Unsent.OTHER_LOGIN}


@dataclass(slots=True)
class Auth:
    """By the provider's id."""

    keys: dict[str, Shadowed[Secret]] = field(default_factory=dict)
    logins: dict[str, Setting[Unsent]] = field(default_factory=dict)


def stored(files: Files) -> Auth:
    """What does not parse counts as no login, as it does for opencode."""
    machine = files.machine
    auth = Auth()
    file = files.json(
        machine.data / "opencode" / "auth.json",
        consequence=_("opencode takes it for no login."),
    )
    if file is not None:
        _read(file.document.data, file, files, auth)
    held = machine.variable(_VARIABLE)
    if held is not None:
        try:
            _read(parse_json(held.value).data, None, files, auth)
        except Malformed:
            return auth
    return auth


def _read(data: Any, file: File | None, files: Files, auth: Auth) -> None:
    if not isinstance(data, dict):
        return
    for name, entry in data.items():
        if not isinstance(entry, dict):
            continue
        kind = entry.get("type")
        if kind == "api" and isinstance(entry.get("key"), str):
            origin = _origin(file, name, "key")
            key = Shadowed(Secret(entry["key"]), origin)
            files.see(file, Role.KEY, key)
            label = _("key of /connect for {name}", name=visible(name, 60))
            files.found.logins.append(
                Login(files.client, LoginKind.API_KEY, label, origin, key=key.value)
            )
            auth.keys[name] = key
        elif kind == "oauth":
            origin = _origin(file, name, "access")
            label = _("login for {name}", name=visible(name, 60))
            files.found.logins.append(
                Login(
                    files.client,
                    LoginKind.OAUTH,
                    label,
                    origin,
                    _VENDORS.get(name, ""),
                    expires_at=seconds(entry.get("expires")),
                    renewable=bool(entry.get("refresh")),
                )
            )
            if name in _SENT:
                auth.logins[name] = Setting(_SENT[name], origin)


def _origin(file: File | None, *keys: str) -> Origin:
    return Origin(OriginKind.ENVIRONMENT, _VARIABLE) if file is None else file.origin(*keys)
