"""claude-code-router. Facts: facts/gateway-clients.md §3.4, from its sources and README.

Up to version 2 ``config.json`` holds the whole address of each provider's endpoint, and a route
names a provider and a model. Version 3 keeps a database, which takes the place of that file.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path

from doctor.clients import claude_code_router_database
from doctor.clients.base import ClientProfile
from doctor.clients.files import File, Files, chosen
from doctor.clients.javascript import header_refusal
from doctor.clients.machine import Machine
from doctor.clients.whatwg import href
from doctor.connection import AuthHeader, Connection, Origin, Protocol, Setting, Shadowed
from doctor.facts.settings import Role, Sighting, Unsupported
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.settings.candidates import Candidate, slug
from doctor.settings.found import Found, KeyPlace
from doctor.settings.names import is_real_secret
from doctor.settings.references import Reference, reference
from doctor.text import _
from doctor.untrusted import visible

ID = "claude-code-router"
_NO_START = _("claude-code-router does not start")
# Routes of "Router", the usual one first; "default" alone is what every request may take.
_ROUTES = ("default", "background", "think", "longContext", "webSearch", "image")
_OTHER_APIS = frozenset({"gemini", "vertex-gemini", "vertex-claude", "anthropic"})
_NATIVE = "gemini"


def join(base: str, path: str) -> str:
    """The transformer for Google's API resolves the model against the address, as a link in a page
    (from its sources, 1.0.73 and 2.0.0). Raises ``ClientRefusal``."""
    if not path:
        return href(base)
    return href(urllib.parse.urljoin(href(base), f"./{path}"))


PROFILE = ClientProfile(
    id=ID,
    label="claude-code-router",
    stack="undici",
    # A base is the whole address, in the file as it stands, of the database as it is asked.
    paths={
        Protocol.OPENAI_CHAT: "",
        Protocol.OPENAI_RESPONSES: "",
        Protocol.ANTHROPIC_MESSAGES: "",
        Protocol.GEMINI_GENERATE: "{model}:streamGenerateContent?alt=sse",
    },
    models_path=None,
    base_has_version=True,
    join=join,
    key_refusal=lambda key: header_refusal(f"Bearer {key}"),
    default_base="https://api.openai.com/v1/chat/completions",
)


def find(machine: Machine, *, always: bool) -> Found:
    """A target for each provider that a route of ``config.json`` uses."""
    found = Found()
    files = Files(machine, ID, found)
    database = machine.appdata / ID if machine.windows else _folder(machine)
    if not claude_code_router_database.read(machine, ID, database, found):
        file = files.json(_folder(machine) / "config.json", consequence=_NO_START)
        if file is not None:
            _read(file, files)
    if always and not found.candidates:
        base = Setting(PROFILE.default_base or "", DEFAULT)
        empty = Connection(client=ID, protocol=Protocol.OPENAI_CHAT, base_url=base)
        found.candidates.append(Candidate(ID, "environment", empty))
    return found


def _folder(machine: Machine) -> Path:
    return machine.home / ".claude-code-router"


@dataclass(frozen=True, slots=True)
class _Provider:
    file: File
    number: int

    def text(self, *keys: str) -> Shadowed[str] | None:
        found = self.file.text("Providers", self.number, *keys)
        return found if found is not None and found.value else None

    @property
    def protocol(self) -> Protocol | None:
        """What its transformers make of a request; None for an API that is not known here."""
        used = self.file.at("Providers", self.number, "transformer", "use")
        named = (name[0] if isinstance(name, list) and name else name for name in used or ())
        others = {n.lower() for n in named if isinstance(n, str)} & _OTHER_APIS
        if not others:
            return Protocol.OPENAI_CHAT
        return Protocol.GEMINI_GENERATE if others == {_NATIVE} else None


def _read(file: File, files: Files) -> None:
    listed = file.at("Providers")
    providers = {
        str(entry.get("name")): _Provider(file, number)
        for number, entry in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(entry, Mapping)
    }
    for provider in providers.values():
        _sight(provider, files)
    key = file.secret("APIKEY")
    if key is not None and is_real_secret(key.value.reveal()):
        place = KeyPlace(str(file.path), file.shown, key.origin.line, key.origin.name)
        files.found.key_places.append(place)
    made = list(_made(file, providers, files))
    for name, connection, origins in made:
        identity = ID if len(made) == 1 else f"{ID}-{slug(name)}"
        files.found.candidates.append(
            Candidate(
                identity,
                f"{file.shown} ({name})",
                connection,
                aliases=frozenset({ID}),
                origins=origins,
            )
        )


def _made(
    file: File, providers: Mapping[str, _Provider], files: Files
) -> Iterator[tuple[str, Connection, frozenset[Origin]]]:
    seen = set[tuple[str, str]]()
    for route in _ROUTES:
        told = file.text("Router", route)
        if told is None or "," not in told.value:
            continue
        name, _comma, model = told.value.partition(",")
        provider = providers.get(name.strip())
        known = (name.strip(), model.strip())
        if provider is None:
            files.found.unsupported.append(_unknown_provider(route, told, name.strip()))
            continue
        protocol = provider.protocol
        if known in seen or protocol is None:
            continue
        seen.add(known)
        base = provider.text("api_base_url")
        if base is None:
            continue
        key = _key(provider, files)
        written = provider.text("api_key")
        native = protocol is Protocol.GEMINI_GENERATE
        header = AuthHeader.X_GOOG_API_KEY if native else AuthHeader.BEARER
        connection = Connection(
            client=ID,
            protocol=protocol,
            base_url=_resolved(base, files) or Setting(base.value, base.origin),
            key=key,
            model=Setting(known[1], told.origin),
            auth=Setting(header, DEFAULT),
            proxy=_proxy(file) or Setting("environment", DEFAULT),
        )
        yield known[0], connection, frozenset() if written is None else frozenset({written.origin})


def _unknown_provider(route: str, told: Shadowed[str], name: str) -> Unsupported:
    reason = _(
        "Providers holds none of the name {name}, so each request of this route fails",
        name=visible(name, 80),
    )
    return Unsupported(
        ID,
        f"Router.{route}",
        told.origin,
        reason,
        _("Write the name of one, and a model behind a comma."),
        fatal=route == "default",
        title=_("Router.{route} names a provider that there is not", route=route),
    )


def _reference(text: str) -> Reference | None:
    return reference(text) if text.startswith("$") else None


def _resolved(text: Shadowed[str], files: Files) -> Setting[str] | None:
    """The variable that ``$NAME`` or ``${NAME}`` stands for; as it stands where it is unset."""
    named = _reference(text.value)
    held = None if named is None else files.machine.variable(named.name)
    return None if held is None else Setting(held.value, held.origin)


def _key(provider: _Provider, files: Files) -> Setting[Secret] | None:
    written = provider.text("api_key")
    if written is None:
        return None
    if _reference(written.value) is None:
        return Setting(Secret(written.value), written.origin)
    held = _resolved(written, files)
    return None if held is None else Setting(Secret(held.value), held.origin)


def _sight(provider: _Provider, files: Files) -> None:
    files.see(provider.file, Role.BASE_URL, provider.text("api_base_url"))
    written = provider.text("api_key")
    if written is None:
        return
    named = _reference(written.value)
    if named is None:
        files.see(provider.file, Role.KEY, Shadowed(Secret(written.value), written.origin))
        return
    origin = written.origin
    sighting = Sighting(Role.KEY_VARIABLE, origin.name, named.name, origin, raw=named.name)
    files.found.sightings.append(sighting)


def _proxy(file: File) -> Setting[str] | None:
    text = file.text("PROXY_URL")
    return chosen(text) if text is not None and text.value else None
