"""From the settings of Codex to the connection of the provider that it uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from doctor.clients.codex_auth import (
    Credential,
    Stored,
    of_command,
    of_openai,
    of_variable,
)
from doctor.clients.codex_layers import Layers
from doctor.clients.files import File, Files, as_secret, chosen
from doctor.connection import (
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

OPENAI = "openai"
DEFAULT_BASE = "https://api.openai.com/v1"
LOGIN_BASE = "https://chatgpt.com/backend-api/codex"
# Providers that Codex brings, with the port of each.
LOCAL = {"ollama": 11434, "lmstudio": 1234}
TABLE = "model_providers"
# Variables of Codex's own .env that decide on the way to the server.
_WAY = frozenset(
    {f"{name}_PROXY" for name in ("HTTP", "HTTPS", "ALL", "NO")} | {"SSL_CERT_FILE", "SSL_CERT_DIR"}
)


@dataclass(frozen=True, slots=True)
class Made:
    """``local`` says that a program on this machine is meant."""

    connection: Connection
    origins: frozenset[Origin] = frozenset()
    local: bool = False


def connection_of(layers: Layers, files: Files, stored: Stored) -> Made:
    """What Codex would use. Never fails: what it refuses is told elsewhere."""
    name = next((text.value for text in layers.texts("model_provider")), OPENAI)
    if name in LOCAL:
        return Made(_connection(layers, _local_base(layers, name), Credential()), local=True)
    if name == OPENAI:
        credential = of_openai(files, stored)
        base = chosen(*layers.texts("openai_base_url"))
        if base is None:
            by_login = credential.unsent is not None
            base = Setting(LOGIN_BASE if by_login else DEFAULT_BASE, DEFAULT)
        return Made(_connection(layers, base, credential), credential.origins)
    base = chosen(*layers.texts(TABLE, name, "base_url")) or Setting(DEFAULT_BASE, DEFAULT)
    credential = _credential(layers, files, name, stored)
    headers = tuple(
        header
        for header in _headers(layers, name)
        if not (credential.some and header.name.lower() == "authorization")
    )
    query = tuple((text.name, text.value.reveal()) for text in _pairs(layers, name, "query_params"))
    made = _connection(layers, base, credential, headers, query)
    return Made(made, credential.origins)


def _connection(
    layers: Layers,
    base: Setting[str],
    credential: Credential,
    headers: tuple[Header, ...] = (),
    query: tuple[tuple[str, str], ...] = (),
) -> Connection:
    way = layers.dotenv.held.values() if layers.dotenv is not None else ()
    return Connection(
        client="codex",
        protocol=Protocol.OPENAI_RESPONSES,
        base_url=base,
        key=credential.key,
        model=chosen(*layers.models()),
        unsent=credential.unsent,
        headers=headers,
        query=query,
        variables={
            held.name: Setting(held.value, held.origin) for held in way if held.name.upper() in _WAY
        },
    )


def _local_base(layers: Layers, name: str) -> Setting[str]:
    """``CODEX_OSS_BASE_URL``, else the provider's port or ``CODEX_OSS_PORT``."""
    held = layers.variables.get("CODEX_OSS_BASE_URL")
    if held is not None and held.value.strip():
        return Setting(held.value, held.origin)
    port = layers.variables.get("CODEX_OSS_PORT")
    if port is not None and port.value.isascii() and port.value.isdigit():
        return Setting(f"http://localhost:{port.value}/v1", port.origin)
    usual = Origin(OriginKind.DEFAULT, _("Codex default of {name}", name=name))
    return Setting(f"http://localhost:{LOCAL[name]}/v1", usual)


def _credential(layers: Layers, files: Files, name: str, stored: Stored) -> Credential:
    variable = next(iter(layers.texts(TABLE, name, "env_key")), None)
    if variable is not None:
        return of_variable(files, layers, variable)
    token = chosen(*map(as_secret, layers.texts(TABLE, name, "experimental_bearer_token")))
    if token is not None:
        return Credential(token)
    for file in layers.own:
        if isinstance(file.at(TABLE, name, "auth", "command"), str):
            return of_command(files, file, TABLE, name, "auth")
    asks = (file.at(TABLE, name, "requires_openai_auth") for file in layers.own)
    if next((asked for asked in asks if asked is not None), False) is True:
        return of_openai(files, stored)
    return Credential()


def _headers(layers: Layers, name: str) -> Iterator[Header]:
    """Those of variables win; one that is blank, or no value of a header, is left out."""
    fixed = {header.name.lower(): header for header in _pairs(layers, name, "http_headers")}
    for named in _pairs(layers, name, "env_http_headers"):
        held = layers.variables.get(named.value.reveal())
        if held is not None and held.value.strip():
            header = Header(named.name, Secret(held.value), held.origin)
            fixed[named.name.lower()] = header
    for header in fixed.values():
        if header.value.reveal().isprintable():
            yield header


def _pairs(layers: Layers, name: str, table: str) -> Iterator[Header]:
    """The entries of a table of a provider, each from the file that wins."""
    for key in layers.names(TABLE, name, table):
        value = next(iter(layers.texts(TABLE, name, table, key)), None)
        if value is not None:
            yield Header(key, Secret(value.value), value.origin)


def see(of: Iterable[File], layers: Layers, files: Files) -> None:
    """Note what these files say, in effect or not; of the providers not in use the keys alone."""
    used = next((text.value for text in layers.texts("model_provider")), OPENAI)
    for file in of:
        files.see(file, Role.MODEL, file.text("model"))
        if file in layers.projects:
            continue
        files.see(file, Role.BASE_URL, file.text("openai_base_url"))
        for name in file.table(TABLE):
            files.see(file, Role.KEY, file.secret(TABLE, name, "experimental_bearer_token"))
            if name == used:
                files.see(file, Role.BASE_URL, file.text(TABLE, name, "base_url"))
                _see_variable(file.text(TABLE, name, "env_key"), files)


def _see_variable(named: Shadowed[str] | None, files: Files) -> None:
    if named is None:
        return
    held = Secret(named.value) if looks_like_key(named.value) else named.value
    files.found.sightings.append(
        Sighting(Role.KEY_VARIABLE, named.origin.name, held, named.origin, raw=held)
    )
