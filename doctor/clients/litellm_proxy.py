"""The LiteLLM proxy: each route of its configuration is a connection to an engine or a gateway.

Facts: facts/gateway-clients.md §3.10. Its file may have any name, so files of the working folder
are known by their shape (``doctor.settings.settings_files``); ``CONFIG_FILE_PATH`` names one too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doctor.clients.base import ClientProfile
from doctor.clients.files import File, Files, chosen, see
from doctor.clients.held import texts
from doctor.clients.httpx_keys import bearer_refusal
from doctor.clients.litellm_models import Family, routed
from doctor.clients.litellm_url import CHAT, MESSAGES, join
from doctor.clients.machine import Machine
from doctor.clients.not_examined import goes_to
from doctor.connection import (
    AuthHeader,
    Connection,
    Header,
    Origin,
    Protocol,
    Setting,
    Shadowed,
)
from doctor.facts.settings import Role, Sighting
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT, provider_of
from doctor.settings.candidates import Candidate, slug
from doctor.settings.found import Found, KeyPlace
from doctor.settings.names import is_real_secret, looks_like_key
from doctor.settings.references import comes_from_elsewhere
from doctor.settings.variables import Space
from doctor.untrusted import visible

ID = "litellm-proxy"
_VARIABLE = "os.environ/"
_LIST, _PARAMS = "model_list", "litellm_params"
_DEFAULT_BASE = "https://api.openai.com/v1"

PROFILE = ClientProfile(
    id=ID,
    label="LiteLLM proxy",
    stack="httpx",
    paths={Protocol.OPENAI_CHAT: CHAT, Protocol.ANTHROPIC_MESSAGES: MESSAGES},
    models_path="/models",
    models_paths={Protocol.ANTHROPIC_MESSAGES: "/v1/models"},
    base_has_version=True,
    join=join,
    # Its transport, aiohttp, bears blanks at the end.
    key_refusal=lambda key: bearer_refusal(key.rstrip(" \t")),
    default_base=_DEFAULT_BASE,
)


def find(machine: Machine, *, always: bool) -> Found:
    """The routes of the file that CONFIG_FILE_PATH names."""
    found = Found()
    files = Files(machine, ID, found)
    named = machine.variable("CONFIG_FILE_PATH")
    path = None if named is None else machine.cwd / named.value
    elsewhere = ""
    if path is not None and path.suffix in (".yaml", ".yml"):
        file = files.yaml(path)
        own = files.env(machine.cwd / ".env")
        if file is not None and isinstance(file.at(_LIST), list):
            routes(file, Space((*machine.shell.layers, *([own] if own else []))), found)
            elsewhere = _elsewhere(file)
    if always and not found.candidates:
        base = Setting(_DEFAULT_BASE, DEFAULT)
        empty = Connection(client=ID, protocol=Protocol.OPENAI_CHAT, base_url=base)
        found.candidates.append(Candidate(ID, "environment", empty, elsewhere=elsewhere))
    return found


def _elsewhere(file: File) -> str:
    """Of the first route; all of them are other vendors'."""
    model = file.text(_LIST, 0, _PARAMS, "model")
    if model is None:
        return ""
    return goes_to(PROFILE.label, model.value.partition("/")[0], model.origin)


def routes(file: File, space: Space, found: Found) -> None:
    """Adds what a configuration holds: a target per route that kvdoctor can ask, what was seen,
    and the keys in the file."""
    made = list(_routes(file, space, found))
    for name, connection, origins in made:
        alone = len(made) == 1
        known = provider_of(connection.base_url.value)
        found.candidates.append(
            Candidate(
                ID if alone else f"{ID}-{slug(name)}",
                f"{file.shown} ({visible(name, 80)})",
                connection,
                kind="gateway" if known is not None and not known.engine else "engine",
                aliases=frozenset({ID, file.path.name, file.shown, name}),
                origins=origins,
            )
        )
    master = file.secret("general_settings", "master_key")
    if master is not None and is_real_secret(master.value.reveal()):
        place = KeyPlace(str(file.path), file.shown, master.origin.line, master.origin.name)
        found.key_places.append(place)


def _routes(
    file: File, space: Space, found: Found
) -> Iterator[tuple[str, Connection, frozenset[Origin]]]:
    listed = file.at(_LIST)
    for number, entry in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(entry, Mapping) or not isinstance(entry.get(_PARAMS), Mapping):
            continue
        route = _Route(file, (_LIST, number, _PARAMS), space, found)
        made = route.connection()
        if made is not None:
            yield str(entry.get("model_name", made.model and made.model.value)), made, route.origins


class _Route:
    """One entry of ``model_list``."""

    def __init__(self, file: File, keys: tuple[str | int, ...], space: Space, found: Found) -> None:
        self.file = file
        self.keys = keys
        self.space = space
        self.found = found
        places = (self._text(name) for name in ("api_base", "api_key", "model", "max_tokens"))
        self.origins = frozenset(text.origin for text in places if text is not None)

    def connection(self) -> Connection | None:
        """None for another vendor's route, and where no address of the user's own is told."""
        written = self._text("model")
        way = None if written is None else routed(written.value)
        base = self._base()
        self._sight_key()
        see(self.found, self.file, Role.BASE_URL, self._text("api_base", "base_url"))
        see(self.found, self.file, Role.MAX_TOKENS, self._text("max_tokens"))
        if written is None or way is None or way.family is None or base is None:
            return None
        messages = way.family.protocol is Protocol.ANTHROPIC_MESSAGES
        return Connection(
            client=ID,
            protocol=way.family.protocol,
            base_url=base,
            key=self._key(way.family),
            model=Setting(way.model, written.origin),
            auth=Setting(AuthHeader.X_API_KEY if messages else AuthHeader.BEARER, DEFAULT),
            max_tokens=chosen(self.file.number(*self.keys, "max_tokens")),
            headers=tuple(self._headers()),
        )

    def _text(self, *names: str) -> Shadowed[str] | None:
        found = (self.file.text(*self.keys, name) for name in names)
        return next((text for text in found if text is not None and text.value), None)

    def _base(self) -> Setting[str] | None:
        written = self._text("api_base", "base_url")
        if written is None or comes_from_elsewhere(written.value):
            return None
        if not written.value.startswith(_VARIABLE):
            return chosen(written)
        name = written.value.removeprefix(_VARIABLE)
        held = chosen(*texts(self.space, name))
        if held is not None:
            return held
        # The whole rest is the name; where it is not set, the provider's own host is asked.
        origin = written.origin
        seen = Sighting(Role.BASE_VARIABLE, origin.name, name, origin, raw=name)
        self.found.sightings.append(seen)
        return Setting("", origin)

    def _key(self, family: Family) -> Setting[Secret] | None:
        written = self._text("api_key")
        if written is None:
            named = texts(self.space, *family.keys)
        elif written.value.startswith(_VARIABLE):
            named = texts(self.space, written.value.removeprefix(_VARIABLE))
        elif comes_from_elsewhere(written.value):
            return None
        else:
            return Setting(Secret(written.value), written.origin)
        return chosen(*(Shadowed(Secret(text.value), text.origin) for text in named))

    def _sight_key(self) -> None:
        written = self._text("api_key")
        if written is None or comes_from_elsewhere(written.value):
            return
        if not written.value.startswith(_VARIABLE):
            see(self.found, self.file, Role.KEY, Shadowed(Secret(written.value), written.origin))
            return
        name = written.value.removeprefix(_VARIABLE)
        held = Secret(name) if looks_like_key(name) else name
        sighting = Sighting(Role.KEY_VARIABLE, written.origin.name, held, written.origin, raw=held)
        self.found.sightings.append(sighting)

    def _headers(self) -> Iterator[Header]:
        table: Mapping[str, Any] = self.file.table(*self.keys, "extra_headers")
        for name, value in table.items():
            if isinstance(value, str):
                origin = self.file.origin(*self.keys, "extra_headers", name)
                yield Header(str(name), Secret(value), origin)
