"""Claude Code: its files, and the connection that it makes of them.

Facts: facts/gateway-clients.md §§2.1, 2.4, 3.1, and what 2.1.332 put on the wire. It appends
``/v1/messages?beta=true`` to a base without a version, trims blanks off base and keys, and its
files' ``env`` beats the shell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from doctor.clients.base import ClientProfile
from doctor.clients.claude_auth import KEY, OAUTH, TOKEN, VENDOR, Credentials, credentials
from doctor.clients.claude_models import MAX_TOKENS_VARIABLE, max_tokens, model
from doctor.clients.claude_settings import CLIENT, Layers, config_folder, layers
from doctor.clients.claude_unsupported import cloud, elsewhere, ignored, refused
from doctor.clients.claude_url import join
from doctor.clients.files import File, Files, as_secret
from doctor.clients.javascript import custom_headers, header_refusal, trimmed
from doctor.clients.machine import Machine
from doctor.clients.strays import move_to, strays
from doctor.connection import (
    AuthHeader,
    Connection,
    Header,
    OriginKind,
    Protocol,
    Setting,
    Unsent,
)
from doctor.facts.settings import Role
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT, host_of
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found
from doctor.text import _

DEFAULT_BASE = f"https://{VENDOR}"
BASE, HEADERS = "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS"
# Variables of a file's ``env`` that decide on the way to the server.
_WAY = (
    *(f"{name}_PROXY" for name in ("HTTP", "HTTPS", "ALL", "NO")),
    *(f"{name}_proxy" for name in ("http", "https", "all", "no")),
    *("NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),
)
_ROLES = (
    (BASE, Role.BASE_URL),
    (TOKEN, Role.KEY),
    (KEY, Role.KEY),
    ("ANTHROPIC_MODEL", Role.MODEL),
    (MAX_TOKENS_VARIABLE, Role.MAX_TOKENS),
)


def _key_refusal(key: str) -> str | None:
    if header_refusal(key) is None or not any(char in "\r\n\0" or ord(char) > 255 for char in key):
        return None  # other control characters are sent
    return "Invalid API key · Fix external API key"


PROFILE = ClientProfile(
    id=CLIENT,
    label="Claude Code",
    stack=CLIENT,
    paths={Protocol.ANTHROPIC_MESSAGES: "/v1/messages?beta=true"},
    models_path="/v1/models",
    base_has_version=False,
    join=join,
    prepare_key=trimmed,
    key_refusal=_key_refusal,
    keyless_refusal="Not logged in · Please run /login",
    headers={"anthropic-version": "2023-06-01", "user-agent": "claude-cli/2.1.332 (external, cli)"},
    default_base=DEFAULT_BASE,
    tools=True,
)


def find(machine: Machine, *, always: bool) -> Found:
    """The one connection of ``claude`` in the working folder."""
    found = Found()
    files = Files(machine, CLIENT, found)
    usual = layers(files)
    for file in (*usual.files, *([] if usual.state is None else [usual.state])):
        _see(file, files)
    sent = credentials(usual, files)
    connection = _connection(usual, sent)
    found.unsupported += [*ignored(usual), *refused(usual), *elsewhere(usual)]
    if connection.base_url.origin.kind is OriginKind.DEFAULT:
        right = machine.places.shown(str(config_folder(machine) / "settings.json"))
        found.unsupported += strays(files, _unread(machine), _sign, move_to(right))
    spoken_to = cloud(usual)
    if spoken_to is not None:
        connection = _of_cloud(*spoken_to, connection, found, always=always)
    if always or (spoken_to is None and _leads_somewhere(connection)):
        found.candidates.append(Candidate(CLIENT, _label(connection), connection))
    return found


def _unread(machine: Machine) -> Iterator[Path]:
    """Names and folders as other programs have them; a local file belongs to a project."""
    yield machine.config / "claude" / "settings.json"
    yield machine.config / "claude-code" / "settings.json"
    yield machine.home / ".claude" / "config.json"
    yield machine.home / ".claude" / "settings.local.json"
    yield machine.cwd / ".claude" / "config.json"


def _sign(file: File) -> tuple[str, ...] | None:
    return ("env", BASE) if file.text("env", BASE) is not None else None


def _of_cloud(
    switch: Setting[str], label: str, connection: Connection, found: Found, *, always: bool
) -> Connection:
    """What is not examined: no credential that was found here is sent."""
    if always:
        place = str(switch.origin)
        found.note([_("Claude Code speaks to {cloud} ({place}).", cloud=label, place=place)])
    unsent = Setting(Unsent.OTHER_LOGIN, switch.origin)
    return replace(connection, key=None, second_key=None, second_unsent=None, unsent=unsent)


def _connection(usual: Layers, sent: Credentials) -> Connection:
    asked = model(usual)
    headers = tuple(_headers(usual, sent))
    connection = Connection(
        client=CLIENT,
        protocol=Protocol.ANTHROPIC_MESSAGES,
        base_url=_base(usual),
        model=asked,
        max_tokens=max_tokens(usual, asked.value),
        headers=headers,
        variables=_variables(usual),
    )
    connection = sent.on(connection)
    if any(header.name.lower() == AuthHeader.BEARER for header in headers):
        return replace(connection, unsent=None)  # the login's token is not sent then
    return connection


def _base(usual: Layers) -> Setting[str]:
    """The variable, else the vendor's address, which takes the place of an empty one too."""
    setting = usual.variable(BASE)
    if setting is None:
        return Setting(DEFAULT_BASE, DEFAULT)
    if trimmed(setting.value):
        return setting
    return Setting(DEFAULT_BASE, DEFAULT, setting.shadows)


def _headers(usual: Layers, sent: Credentials) -> Iterator[Header]:
    setting = usual.filled(HEADERS)
    if setting is None:
        return
    for name, value in custom_headers(setting.value):
        if not (sent.token_wins and name.lower() == AuthHeader.BEARER):
            yield Header(name, Secret(value), setting.origin)


def _variables(usual: Layers) -> dict[str, Setting[str]]:
    """What the files say about the way; the shell's own is in the environment already."""
    own = {name: usual.variable(name) for name in _WAY}
    return {
        name: setting
        for name, setting in own.items()
        if setting is not None and setting.origin.kind is OriginKind.FILE
    }


def _see(file: File, files: Files) -> None:
    for name, role in _ROLES:
        held = file.text("env", name)
        files.see(file, role, as_secret(held) if role is Role.KEY else held)
    files.see(file, Role.MODEL, file.text("model"))


def _leads_somewhere(connection: Connection) -> bool:
    """Whether files of Claude Code's own say something about the way, or about a server that is
    not its vendor's."""
    if connection.variables:
        return True
    place = host_of(trimmed(connection.base_url.value))
    if place is not None and place[1] == VENDOR:
        return False
    settings = (
        connection.base_url,
        connection.key,
        connection.second_key,
        connection.unsent,
        connection.second_unsent,
    )
    return any(
        # That variable is no other program's.
        s is not None and (s.origin.kind is OriginKind.FILE or s.origin.name == OAUTH)
        for s in settings
    )


def _label(connection: Connection) -> str:
    """The file that its address, or else its key, comes from."""
    settings = (connection.base_url, connection.key, connection.unsent)
    paths = (setting.origin.path for setting in settings if setting is not None)
    return next((path for path in paths if path is not None), "environment")
