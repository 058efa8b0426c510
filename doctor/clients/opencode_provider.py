"""From the settings of opencode to the connection of one provider.

What stands where was observed with opencode 1.18.33 (facts/gateway-clients.md §3.8): the package
that a provider names decides on the protocol; without ``baseURL`` the AI SDK reads
``ANTHROPIC_BASE_URL`` and ``OPENAI_BASE_URL``; ``apiKey`` wins over a key in ``auth.json``, that
over the one variable of the provider. A ChatGPT login for ``openai`` wins over all of these and
sends every request to ChatGPT's own server; GitHub Copilot's token takes the place of the key and
goes to ``baseURL``.
"""

from __future__ import annotations

from collections.abc import Iterator

from doctor.clients.files import as_secret, chosen
from doctor.clients.machine import Machine
from doctor.clients.opencode_auth import Auth
from doctor.clients.opencode_layers import first, merged_names
from doctor.clients.opencode_source import Source
from doctor.connection import (
    AuthHeader,
    Connection,
    Header,
    Origin,
    OriginKind,
    Protocol,
    Setting,
    Shadowed,
    Unsent,
)
from doctor.facts.settings import Role
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.text import _

OPENAI, ANTHROPIC = "openai", "anthropic"
LOGIN_BASE = "https://chatgpt.com/backend-api/codex"
# opencode never asks for more, unless its variable says so.
CAP = 32_000
_CAP_VARIABLE = "OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX"
_CAP_ORIGIN = Origin(OriginKind.DEFAULT, _("opencode default"))


@dataclass(frozen=True, slots=True)
class Package:
    """What a provider package of the AI SDK does. ``base_variable`` is "" where it reads none."""

    protocol: Protocol
    default_base: str
    auth: AuthHeader = AuthHeader.BEARER
    base_variable: str = ""


COMPATIBLE = "@ai-sdk/openai-compatible"
PACKAGES = {
    COMPATIBLE: Package(Protocol.OPENAI_CHAT, ""),
    "@ai-sdk/openai": Package(
        Protocol.OPENAI_RESPONSES,
        "https://api.openai.com/v1",
        base_variable="OPENAI_BASE_URL",
    ),
    "@ai-sdk/anthropic": Package(
        Protocol.ANTHROPIC_MESSAGES,
        "https://api.anthropic.com/v1",
        AuthHeader.X_API_KEY,
        "ANTHROPIC_BASE_URL",
    ),
}
_USUAL_PACKAGE = {OPENAI: "@ai-sdk/openai", ANTHROPIC: "@ai-sdk/anthropic"}
_KEY_VARIABLE = {OPENAI: "OPENAI_API_KEY", ANTHROPIC: "ANTHROPIC_API_KEY"}


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider of the settings. ``model`` is the id that its ``models`` know."""

    sources: tuple[Source, ...]
    machine: Machine
    name: str
    model: Shadowed[str] | None = None

    def texts(self, *keys: str) -> tuple[Shadowed[str], ...]:
        return first(self.sources, "provider", self.name, *keys)

    @property
    def package(self) -> Package | None:
        """None for a package whose protocol is not known here."""
        usual = _USUAL_PACKAGE.get(self.name, COMPATIBLE)
        own = self.texts("models", self.model.value, "provider", "npm") if self.model else ()
        named = next(iter((*own, *self.texts("npm"))), None)
        return PACKAGES.get(usual if named is None else named.value)

    @property
    def addressed(self) -> bool:
        """Whether the settings themselves say its address."""
        return bool(self.texts("options", "baseURL") or self.texts("api"))

    def see(self) -> None:
        for source in self.sources:
            source.see(Role.BASE_URL, "provider", self.name, "options", "baseURL")

    def connection(self, auth: Auth) -> Connection | None:
        """None where it speaks a protocol that is not known here."""
        package = self.package
        if package is None:
            return None
        key, unsent = self._key(auth)
        return Connection(
            client="opencode",
            protocol=package.protocol,
            base_url=self._base(package, unsent),
            key=key,
            model=self._model(),
            auth=Setting(package.auth, DEFAULT),
            max_tokens=self._max_tokens(package),
            unsent=unsent,
            headers=tuple(self._headers()),
            query=tuple(self._query()),
        )

    def _base(self, package: Package, unsent: Setting[Unsent] | None) -> Setting[str]:
        """The variable is every program's, so one that loses against a file is no shadow."""
        if unsent is not None and unsent.value is Unsent.CHATGPT_LOGIN:
            return Setting(LOGIN_BASE, DEFAULT)
        where = ("provider", self.name)
        written = chosen(
            *first(self.sources, *where, "options", "baseURL", read=Source.address),
            *first(self.sources, *where, "api", read=Source.address),
        )
        held = self.machine.variable(package.base_variable) if package.base_variable else None
        if written is not None or held is None:
            return written or Setting(package.default_base, DEFAULT)
        return Setting(held.value, held.origin)

    def _key(self, auth: Auth) -> tuple[Setting[Secret] | None, Setting[Unsent] | None]:
        if self.name in auth.logins:
            return None, auth.logins[self.name]
        where = ("provider", self.name, "options", "apiKey")
        hidden = next((source for source in self.sources if source.hidden(*where)), None)
        written = first(self.sources, *where, read=Source.secret)
        if hidden is not None and self._first_with(where) is hidden:
            return None, Setting(Unsent.KEY_FILE, hidden.origin(*where))
        if written and not written[0].value:
            return None, None  # set to nothing, which nothing else fills
        own = chosen(*map(as_secret, written), auth.keys.get(self.name))
        return own or chosen(self._variable()), None

    def _first_with(self, where: tuple[str, ...]) -> Source | None:
        return next((s for s in self.sources if s.file.text(*where) is not None), None)

    def _variable(self) -> Shadowed[Secret] | None:
        """Of several names that it could have, opencode takes none."""
        names = next((s.at("provider", self.name, "env") for s in self.sources), None)
        name = _KEY_VARIABLE.get(self.name)
        if isinstance(names, list) and names:
            name = names[0] if len(names) == 1 and isinstance(names[0], str) else None
        held = None if name is None else self.machine.variable(name)
        return None if held is None else Shadowed(Secret(held.value), held.origin)

    def _model(self) -> Setting[str] | None:
        if self.model is None:
            return None
        real = self.texts("models", self.model.value, "id")
        return chosen(*real, self.model)

    def _max_tokens(self, package: Package) -> Setting[int] | None:
        """The model's ``limit.output`` up to the cap. Of a model that only opencode's own list
        knows nothing can be told."""
        if self.model is None or self.model.value not in self._models():
            return None
        table = ("provider", self.name, "models", self.model.value)
        if package is PACKAGES[COMPATIBLE]:
            own = self._number(*table, "options", "max_tokens")
            if own is not None:
                return Setting(own.value, own.origin)
        cap = self._cap()
        limit = self._number(*table, "limit", "output")
        if limit is None or limit.value <= 0:
            return Setting(cap.value, cap.origin)
        if limit.value <= cap.value:
            return Setting(limit.value, limit.origin)
        return Setting(cap.value, cap.origin, (limit,))

    def _models(self) -> tuple[str, ...]:
        return merged_names(self.sources, "provider", self.name, "models")

    def _number(self, *keys: str) -> Shadowed[int] | None:
        found = (source.number(*keys) for source in self.sources)
        return next((number for number in found if number is not None), None)

    def _cap(self) -> Shadowed[int]:
        held = self.machine.variable(_CAP_VARIABLE)
        if held is not None and held.value.isascii() and held.value.isdigit() and int(held.value):
            return Shadowed(int(held.value), held.origin)
        return Shadowed(CAP, _CAP_ORIGIN)

    def _headers(self) -> Iterator[Header]:
        """Those of the model win."""
        tables: list[tuple[str, ...]] = [("options", "headers")]
        if self.model is not None:
            tables.append(("models", self.model.value, "headers"))
        found: dict[str, Header] = {}
        for table in tables:
            for name in merged_names(self.sources, "provider", self.name, *table):
                where = ("provider", self.name, *table, name)
                value = next(iter(first(self.sources, *where, read=Source.secret)), None)
                if value is not None:
                    found[name.lower()] = Header(name, Secret(value.value), value.origin)
        yield from found.values()

    def _query(self) -> Iterator[tuple[str, str]]:
        table = ("options", "queryParams")
        for name in merged_names(self.sources, "provider", self.name, *table):
            value = next(iter(self.texts(*table, name)), None)
            if value is not None:
                yield name, value.value
