"""What the checks of logins and keys share: which credentials there are, and whose they are."""

from __future__ import annotations

from doctor.checkapi import Evidence, _
from doctor.connection import Connection, Origin, OriginKind, Setting
from doctor.facts.settings import Login, LoginKind, Settings
from doctor.secrets import Secret
from doctor.settings.building import host_of

# Hosts of one vendor, whose logins are meant for each of them.
_HOUSES = (
    frozenset({"anthropic.com", "claude.ai", "claude.com"}),
    frozenset({"openai.com", "chatgpt.com"}),
    frozenset({"googleapis.com", "google.com"}),
)


def logins_of(settings: Settings, client: str) -> tuple[Login, ...]:
    """What is stored for that client, in effect or not."""
    return tuple(login for login in settings.logins if login.client == client)


def first(settings: Settings, client: str, kind: LoginKind) -> Login | None:
    """The first login of that kind."""
    return next((one for one in logins_of(settings, client) if one.kind is kind), None)


def login_in_effect(settings: Settings, target: str) -> Login | None:
    """The login that the requests of the target carry."""
    return next((one for one in settings.logins if target in one.in_effect_for), None)


def key_of_user(connection: Connection, settings: Settings) -> Setting[Secret] | None:
    """The key in effect, where it is none that the client stored itself."""
    key = connection.key
    if key is None or not key.value.reveal().strip():
        return None
    stored = {login.origin for login in settings.logins}
    return None if key.origin in stored else key


def base_host(connection: Connection) -> str:
    """The host of the base URL, "" where it has none."""
    place = host_of(connection.base_url.value)
    return "" if place is None else place[1].lower()


def of_one_house(vendor: str, host: str) -> bool:
    """Whether ``host`` belongs to the vendor that gave out a login for ``vendor``."""
    if _below(host, vendor) or _below(vendor, host):
        return True
    return any(_any_below(vendor, house) and _any_below(host, house) for house in _HOUSES)


def _any_below(host: str, domains: frozenset[str]) -> bool:
    return any(_below(host, domain) for domain in domains)


def _below(host: str, domain: str) -> bool:
    return host == domain or host.endswith("." + domain)


def variable(origin: Origin) -> str:
    """The variable or key by itself, also below a table of a settings file."""
    return origin.name.rpartition(".")[2]


def is_set(setting: Setting[Secret] | None) -> bool:
    return setting is not None and bool(setting.value.reveal().strip())


def key_shown(role: str, setting: Setting[Secret]) -> Evidence:
    return Evidence(role, str(setting.origin), setting.value.described)


def login_shown(login: Login) -> Evidence:
    """That it is there, and since when it is no longer good; never its text."""
    return Evidence(_("login"), str(login.origin), login_words(login))


def the(login: Login) -> str:
    """``the claude.ai login``; a label that says so itself stays as it is."""
    return login.label if login.label.startswith("the ") else _("the {login}", login=login.label)


def login_words(login: Login) -> str:
    expires = _day(login.expires_at)
    if expires is None:
        return login.label
    return _("{login}, good until {day}", login=login.label, day=expires)


def _day(seconds: float | None) -> str | None:
    """A time as a day of the calendar; None for one that no calendar has."""
    import datetime

    if seconds is None:
        return None
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return None


def from_user(origin: Origin) -> bool:
    """Whether a person wrote the value down."""
    return origin.kind in (OriginKind.ENVIRONMENT, OriginKind.FILE, OriginKind.FLAG)
