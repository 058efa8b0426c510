"""``kvdoctor.toml``: targets that the user describes, and findings to leave out.

[targets.shop-api]
base_url = "https://gateway.example/v1"
key_env = "SHOP_KEY"                     # or key_file; a literal key is accepted, and told
model = "qwen3-8b"
kind = "gateway"                         # or "engine"
engine = "lab-vllm"                      # what is behind a gateway: a target here, or a URL
launch = "compose.yaml"                  # what starts the engine: a script, compose file, ...
client = "openai-sdk"
protocol = "openai-chat"
auth = "authorization"                   # or "x-api-key"
max_tokens = 1024
proxy = "environment"                    # or "direct", or a proxy's URL
ca_bundle = "certificates.pem"
timeout = 30
stream = true

[[ignore]]
code = "KVD117"
subject = "shop-api"                     # a target; none: everywhere
reason = "the lab network is trusted"
until = 2030-01-31

The tables ``[checklists.NAME]``, ``[[waive]]`` and ``[[answer]]`` are told of in
``doctor/checklists/own.py``.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from doctor.clients import ids, profile, speaking
from doctor.connection import AuthHeader, Protocol
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.documents import Document, Malformed, parse_toml
from doctor.settings.errors import ConfigError
from doctor.settings.ignore import IgnoreRule
from doctor.settings.locate import Path as KeyPath
from doctor.settings.tables import Tables, listed
from doctor.text import _
from doctor.untrusted import visible

_TYPES: dict[str, tuple[type, ...]] = {
    "kind": (str,),
    "engine": (str,),
    "launch": (str,),
    "client": (str,),
    "protocol": (str,),
    "base_url": (str,),
    "key_env": (str,),
    "key_file": (str,),
    "key": (str,),
    "auth": (str,),
    "model": (str,),
    "max_tokens": (int,),
    "proxy": (str,),
    "ca_bundle": (str,),
    "timeout": (int, float),
    "stream": (bool,),
}
# Read by ``doctor.checklists.own`` when a checklist is asked for.
CHECKLIST_TABLES = ("checklists", "waive", "answer")
_TARGET_NAME = Pattern(r"[\w.-]+")
_KEYS = ("key_env", "key_file", "key")
_IGNORE_TYPES: dict[str, tuple[type, ...]] = {
    "code": (str,),
    "subject": (str,),
    "reason": (str,),
    "until": (datetime.date,),
}


@dataclass(frozen=True, slots=True)
class TomlTarget:
    """A ``[targets.NAME]`` table; ``lines`` maps each key that is there to its line."""

    name: str
    values: Mapping[str, Any]
    lines: Mapping[str, int | None]
    line: int | None

    @property
    def client(self) -> str:
        return str(self.values.get("client", self._client_of_protocol()))

    @property
    def protocol(self) -> Protocol:
        named = self.values.get("protocol")
        return Protocol(named) if named else next(iter(profile(self.client).paths))

    def _client_of_protocol(self) -> str:
        named = self.values.get("protocol", Protocol.OPENAI_CHAT)
        return speaking(Protocol(named))


@dataclass(frozen=True, slots=True)
class KvdoctorToml:
    """One file. ``shown`` is its path for people, ``folder`` what its paths are relative to.

    ``document`` is the whole of it, for ``doctor.checklists``, which reads tables of its own."""

    folder: Path
    shown: str
    project: bool
    targets: tuple[TomlTarget, ...] = ()
    ignores: tuple[IgnoreRule, ...] = ()
    document: Document | None = None


def parse(text: str, folder: Path, shown: str, *, project: bool) -> KvdoctorToml:
    """Read a ``kvdoctor.toml``. Raises ``ConfigError`` with the line and, for a wrong name, the
    nearest right one."""
    try:
        document = parse_toml(text)
    except Malformed as malformed:
        raise ConfigError(malformed.message, shown, malformed.line) from None
    reader = _Reader(document, shown)
    return KvdoctorToml(folder, shown, project, reader.targets(), reader.ignores(), document)


class _Reader(Tables):
    def __init__(self, document: Document, shown: str) -> None:
        super().__init__(document, shown)
        self.known((), document.data, ("targets", "ignore", *CHECKLIST_TABLES))

    def targets(self) -> tuple[TomlTarget, ...]:
        tables = self.document.data.get("targets", {})
        if not isinstance(tables, dict):
            raise self.wrong(_("'targets' must hold tables: [targets.NAME]"), ("targets",))
        return tuple(self._target(name, table) for name, table in tables.items())

    def _target(self, name: str, table: Any) -> TomlTarget:
        path: KeyPath = ("targets", name)
        if not _TARGET_NAME.fullmatch(name):
            text = _("a target's name is made of letters, digits, '.', '_' and '-'")
            raise self.wrong(text, path)
        if not isinstance(table, dict):
            raise self.wrong(_("write a table: [targets.{name}]", name=visible(name)), path)
        self.typed(path, table, _TYPES)
        if "base_url" not in table:
            raise self.wrong(_("targets.{name} has no 'base_url'", name=visible(name)), path)
        given = [key for key in _KEYS if key in table]
        if len(given) > 1:
            text = _(
                "targets.{name} gives the key twice: {keys}", name=visible(name), keys=listed(given)
            )
            raise self.wrong(text, (*path, given[1]))
        self.choice(path, table, "kind", ("gateway", "engine"))
        self.choice(path, table, "client", ids())
        self.choice(path, table, "protocol", [p.value for p in Protocol])
        self.choice(path, table, "auth", [a.value for a in AuthHeader])
        if table.get("timeout", 1) <= 0:
            raise self.wrong(_("'timeout' must be more than 0 seconds"), (*path, "timeout"))
        lines = {key: self.document.line((*path, key)) for key in table}
        target = TomlTarget(name, table, lines, self.document.line(path))
        if "client" in table and target.protocol not in profile(target.client).paths:
            text = _(
                "client '{client}' does not speak '{protocol}'",
                client=target.client,
                protocol=target.protocol.value,
            )
            raise self.wrong(text, (*path, "protocol"))
        return target

    def ignores(self) -> tuple[IgnoreRule, ...]:
        tables = self.document.data.get("ignore", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self.wrong(_("'ignore' must hold tables: [[ignore]]"), ("ignore",))
        return tuple(self._ignore(index, table) for index, table in enumerate(tables))

    def _ignore(self, index: int, table: Mapping[str, Any]) -> IgnoreRule:
        path: KeyPath = ("ignore", index)
        self.typed(path, table, _IGNORE_TYPES)
        for key in ("code", "reason"):
            if not str(table.get(key, "")).strip():
                raise self.wrong(_("[[ignore]] needs a '{key}'", key=key), path)
        return IgnoreRule(
            code=table["code"],
            reason=table["reason"],
            subject=table.get("subject"),
            until=table.get("until"),
            path=self.shown,
            line=self.document.line(path),
        )
