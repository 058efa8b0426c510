"""Settings files of the working folder that name a model's address: JSON, TOML, YAML.

Known by their shape, not by their name: the ``settings.json`` and ``config.toml`` of the guides
(facts/gateway-clients.md §4.1, §4.2), a gateway's route, a client's snippet, an editor plugin's
export. Whatever has another shape is nobody's business. No program is known to read the guides'
two files as they stand, so what they hold is what their author means to use.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from doctor.connection import Origin, OriginKind, Protocol, Setting
from doctor.facts.settings import Role, Sighting, SourceProblem
from doctor.patterns import Pattern
from doctor.secrets import Secret
from doctor.settings import textfile
from doctor.settings.building import (
    ANTHROPIC_SDK,
    OPENAI_SDK,
    connection,
    provider_of,
    provider_origin,
)
from doctor.settings.candidates import Candidate, slug
from doctor.settings.client_blocks import CHOOSES, NAMES_A_BASE, Block, Entry, blocks
from doctor.settings.documents import PARSERS, Document, Malformed
from doctor.settings.found import Found, KeyPlace
from doctor.settings.locate import Path as KeyPath
from doctor.settings.names import is_real_secret, looks_like_key
from doctor.settings.places import Places
from doctor.settings.provider_targets import ollama_base
from doctor.settings.providers import Provider
from doctor.settings.references import comes_from_elsewhere, reference
from doctor.settings.variables import Space
from doctor.untrusted import visible

_MAX_FILES = 200
_BASE_NAMED = Pattern(
    rf"(?:\"|^)(?:(?:openai|anthropic|llm)[-_]?)?(?:{NAMES_A_BASE.pattern})",
    re.IGNORECASE | re.MULTILINE,
)
_LIMIT = 128 * 1024
# Files with their own readers, and those that only ever describe a package or a build.
_NOT_SETTINGS = frozenset(
    {"kvdoctor.toml", "package.json", "package-lock.json", "tsconfig.json", "composer.json"}
    | {"pyproject.toml", "Cargo.toml", "pnpm-lock.yaml", "mkdocs.yml", "_config.yml"}
    | {"docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"}
    | {"docker-compose.override.yml", "docker-compose.override.yaml"}
    | {"compose.override.yml", "compose.override.yaml"}
)
_SAMPLES = frozenset({"example", "sample", "template", "dist", "tmpl"})
_ROUTE = frozenset(
    {"model_name", "provider", "base_url", "api_key", "max_tokens", "timeout", "weight", "priority"}
)
# What a channel of one-api or new-api has beside its type, a number, and its models.
_CHANNEL = frozenset({"group", "groups", "model_mapping", "key", "priority", "weight", "status"})
_GUIDES = (
    (Role.WINDOW, "inference", "max_model_len"),
    (Role.WINDOW, "model", "max_model_len"),
    (Role.MODEL, "model", "name"),
    (Role.ENGINE, "inference", "gpu_memory_utilization"),
    (Role.ENGINE, "inference", "kv_cache_dtype"),
    (Role.ENGINE, "inference", "enable_prefix_caching"),
    (Role.ENGINE, "memory", "gpu_memory_utilization"),
    (Role.ENGINE, "memory", "kv_cache_dtype"),
    (Role.ENGINE, "memory", "block_size"),
)
# Clients of these speak another protocol at this address.
_NATIVE = frozenset({"gemini", "azure-openai"})
# Vendors whose SDK takes another base than OpenAI's: what the latter ends in.
_WITH_SDK = {"cohere": "/compatibility/v1", "groq": "/openai/v1", "mistral": "/v1"}
_OWN_CLOUD = Pattern(r"(?:^|//)[\w.-]+\.amazonaws\.com|//(?:[\w-]+-)?aiplatform\.googleapis\.com")
# What only a client of Azure's own API has beside its address.
_OF_AZURE = frozenset(
    {"apiversion", "azureapiversion", "azuredeployment", "azuredeploymentname", "deployment"}
    | {"deploymentname", "deploymentid"}
)


def settings_files(
    folder: Path, places: Places, space: Space, taken: Collection[str] = ()
) -> Found:
    """Everything that the settings files in ``folder`` itself say, but for those ``taken``."""
    found = Found()
    for path in _files(folder):
        if str(path) not in taken:
            found.extend(_file(path, places, space))
    return found


def _files(folder: Path) -> list[Path]:
    paths = (folder / name for name in textfile.names_in(folder))
    return [path for path in paths if _is_settings(path)][:_MAX_FILES]


def _is_settings(path: Path) -> bool:
    return (
        path.suffix.lower() in PARSERS
        and path.name not in _NOT_SETTINGS
        and not _SAMPLES.intersection(path.name.lower().replace("-", ".").split("."))
    )


def _file(path: Path, places: Places, space: Space) -> Found:
    found = Found()
    try:
        source = textfile.read(path, _LIMIT)
    except textfile.Unreadable:
        return found
    if not (NAMES_A_BASE.search(source.text) or CHOOSES.search(source.text)):
        return found
    shown = places.shown(str(path))
    try:
        document = PARSERS[path.suffix.lower()](source.text)
    except Malformed as malformed:
        if _names_a_base(source.text):
            found.problems.append(SourceProblem(shown, malformed.line, malformed.message))
        return found
    if _is_our_own(document):
        return found
    if _is_litellm(document):
        from doctor.clients.files import File
        from doctor.clients.litellm_proxy import routes

        routes(File(path, shown, places.in_project(str(path)), document), space, found)
        return found
    found_here = [b for b in blocks(document) if not _is_channel(_node(document, b.path))]
    for block in found_here:
        if block.provider is not None and not _is_used(block, found_here, space):
            continue
        reader = _BlockReader(document, block, path, shown, places.in_project(str(path)), space)
        reader.read(found)
    return found


def _is_our_own(document: Document) -> bool:
    """Whether kvdoctor has written it: a report or a saved run, which name an address as well."""
    data = document.data
    schema = data.get("schema") if isinstance(data, Mapping) else None
    return isinstance(schema, str) and schema.startswith("kvdoctor.")


def _is_litellm(document: Document) -> bool:
    """Whether it is the configuration of a LiteLLM proxy, which has a reader of its own."""
    data = document.data
    listed = data.get("model_list") if isinstance(data, Mapping) else None
    return isinstance(listed, list) and any(
        isinstance(entry, Mapping) and "litellm_params" in entry for entry in listed
    )


def _is_channel(node: Mapping[str, Any]) -> bool:
    """Whether it is a channel of one-api or new-api, as their exports and scripts hold it: the
    gateway joins that base in its own way, and no client reads it."""
    kind = node.get("type")
    numbered = isinstance(kind, int) and not isinstance(kind, bool)
    return numbered and "models" in node and bool(_CHANNEL.intersection(node))


def _is_used(block: Block, beside: Sequence[Block], space: Space) -> bool:
    """Whether a provider that is chosen by its name is asked at its own address.

    Not where a variable sets another, and not where its key is missing and other blocks may be
    the ones in use.
    """
    known = block.provider
    if known is None or space.setting(known.base_variables, str) is not None:
        return False
    variable = block.entries.get(Role.KEY_VARIABLE)
    has_key = variable is None or space.get(variable.value) is not None
    return has_key or len(beside) == 1


def _speaks_another_api(node: Mapping[str, Any], block: Block, base: str) -> bool:
    """Whether its program joins the address for itself, to ask an API of the vendor's own.

    Spring AI puts /v1 behind its base-url. Google's API and Amazon's are asked as OpenAI's only
    below a path of that name. A block that is called after a vendor with an SDK of its own, which
    takes the bare host, is likely for that.
    """
    if block.path[:2] == ("spring", "ai") or (_OWN_CLOUD.search(base) and "/open" not in base):
        return True
    known = provider_of(base)
    if known is None:
        return False
    if known.id == "gemini":
        return block.kind is None and "/openai" not in base
    if known.id in _WITH_SDK and known.id in block.path:
        return block.kind is None and not base.rstrip("/ ").endswith(_WITH_SDK[known.id])
    return known.id == "azure-openai" and _is_azures_own(node, block, base)


def _is_azures_own(node: Mapping[str, Any], block: Block, base: str) -> bool:
    """Whether it is of a client of Azure's own API, which puts deployment and version into the
    address itself (AzureOpenAI of the OpenAI SDK) and takes what Azure calls the endpoint: the
    bare host of the resource."""
    names = {_folded(name) for name in node if isinstance(name, str)}
    path = urlsplit(base.strip()).path.strip("/")
    if path:
        return "deployments/" in path and not names.isdisjoint(_OF_AZURE)
    named = block.base is not None and _folded(block.base.name).endswith("endpoint")
    return named or not names.isdisjoint(_OF_AZURE)


def _folded(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def _is_anthropics(base: str) -> bool:
    """Whether it is Anthropic's bare host, below which its own API is asked."""
    known = provider_of(base)
    return known is not None and known.id == "anthropic" and not urlsplit(base).path.strip("/")


def _node(document: Document, path: KeyPath) -> Mapping[str, Any]:
    node: Any = document.data
    for part in path:
        node = node[part]
    return node if isinstance(node, Mapping) else {}


def _names_a_base(text: str) -> bool:
    """Whether a text that does not parse has one of the names where a key would stand."""
    return _BASE_NAMED.search(text) is not None


class _BlockReader:
    def __init__(
        self,
        document: Document,
        block: Block,
        path: Path,
        shown: str,
        project: bool,
        space: Space,
    ) -> None:
        self.document = document
        self.block = block
        self.path = path
        self.shown = shown
        self.project = project
        self.space = space
        self.extra: set[Origin] = set()

    def read(self, found: Found) -> None:
        for role, entry in self.block.entries.items():
            self._sight(found, role, entry)
        self._sight_guides(found)
        candidate = self._candidate()
        if candidate is not None:
            found.candidates.append(candidate)

    def _origin(self, path: KeyPath, line: int | None) -> Origin:
        name = visible(".".join(str(part) for part in path))
        return Origin(OriginKind.FILE, name, self.shown, line, self.project)

    def _sight(self, found: Found, role: Role, entry: Entry) -> None:
        value = entry.value
        if comes_from_elsewhere(value):
            return
        named = reference(value)
        if role is Role.KEY and named is not None:
            role, value = Role.KEY_VARIABLE, named.name
        elif named is not None:
            return
        hidden = role is Role.KEY or (role is Role.KEY_VARIABLE and looks_like_key(value))
        origin = self._origin(entry.path, entry.line)
        provider = self._provider()
        held: str | Secret = Secret(value) if hidden else value
        found.sightings.append(
            Sighting(
                role,
                origin.name,
                held,
                origin,
                raw=held,
                provider=provider.id if provider else None,
            )
        )
        self.extra.add(origin)
        if hidden and is_real_secret(value):
            place = KeyPlace(str(self.path), self.shown, entry.line, origin.name)
            found.key_places.append(place)

    def _sight_guides(self, found: Found) -> None:
        """The guides' two files keep the engine's window, and one of them the model, in tables
        beside the client's."""
        if self.block.path not in (("llm",), ("server",)):
            return
        for role, table, name in _GUIDES:
            value = self._section(table).get(name)
            plain = isinstance(value, int | str) and not isinstance(value, bool)
            if plain or (role is Role.ENGINE and isinstance(value, bool | float)):
                where = (table, name)
                origin = self._origin(where, self.document.line(where))
                text = str(value)
                found.sightings.append(Sighting(role, origin.name, text, origin, raw=text))
                self.extra.add(origin)

    def _section(self, name: str) -> Mapping[str, Any]:
        data = self.document.data
        section = data.get(name) if isinstance(data, Mapping) else None
        return section if isinstance(section, Mapping) else {}

    def _candidate(self) -> Candidate | None:
        kind = self.block.kind
        base = self._base()
        model = self._model()
        if base is None or kind in _NATIVE:
            return None
        if _speaks_another_api(_node(self.document, self.block.path), self.block, base.value):
            return None
        known = provider_of(base.value)
        key = self._key()
        remote = known is not None and known.local_port is None
        if key is None and remote and not self._names_a_key():
            return None  # its program keeps the key where nobody here can tell
        anthropic = self.block.protocol is Protocol.ANTHROPIC_MESSAGES or _is_anthropics(base.value)
        client = ANTHROPIC_SDK if anthropic else OPENAI_SDK
        made = connection(client, base, key, model=model, max_tokens=self._max_tokens())
        parts = [part for part in self.block.path if isinstance(part, str)]
        return Candidate(
            id=slug("-".join((self.path.name, *parts))),
            label=f"{self.shown} ({visible('.'.join(parts))})" if parts else self.shown,
            connection=made,
            kind="engine" if self._is_route() or kind == "ollama" else "gateway",
            aliases=frozenset({self.path.name, self.shown}),
            origins=frozenset(self.extra),
        )

    def _setting(self, role: Role) -> Setting[str] | None:
        """The value of ``role`` with what it refers to filled in."""
        entry = self.block.entries.get(role)
        if entry is None or comes_from_elsewhere(entry.value):
            return None
        named = reference(entry.value)
        if named is None:
            return Setting(entry.value, self._origin(entry.path, entry.line))
        held = self.space.get(named.name)
        if held is not None:
            return Setting(held.value, held.origin)
        if named.default is not None:
            return Setting(named.default, self._origin(entry.path, entry.line))
        return None

    def _provider(self) -> Provider | None:
        base = self.block.base
        return self.block.provider if base is None else provider_of(base.value)

    def _base(self) -> Setting[str] | None:
        known = self.block.provider
        if known is not None:
            protocol = self.block.protocol or Protocol.OPENAI_CHAT
            own = known.base(protocol)
            return None if own is None else Setting(own, provider_origin(known))
        base = self._setting(Role.BASE_URL)
        if base is None or self.block.kind != "ollama":
            return base
        try:
            return Setting(ollama_base(base.value), base.origin)
        except ValueError:
            return base

    def _names_a_key(self) -> bool:
        return not self.block.entries.keys().isdisjoint((Role.KEY, Role.KEY_VARIABLE))

    def _key(self) -> Setting[Secret] | None:
        known = self._provider()
        if known is not None and not self._names_a_key():
            return self.space.setting(known.key_variables, Secret)
        variable = self.block.entries.get(Role.KEY_VARIABLE)
        if variable is not None:
            held = self.space.get(variable.value)
            return None if held is None else Setting(Secret(held.value), held.origin)
        key = self._setting(Role.KEY)
        return None if key is None else Setting(Secret(key.value), key.origin)

    def _model(self) -> Setting[str] | None:
        model = self._setting(Role.MODEL)
        if model is None and self.block.path == ("server",):
            name = self._section("model").get("name")
            if isinstance(name, str):
                where = ("model", "name")
                return Setting(name, self._origin(where, self.document.line(where)))
        return model

    def _max_tokens(self) -> Setting[int] | None:
        text = self._setting(Role.MAX_TOKENS)
        try:
            return None if text is None else Setting(int(text.value), text.origin)
        except ValueError:
            return None

    def _is_route(self) -> bool:
        """A gateway's route to an engine: the model's public name, and the engine behind it."""
        names = set(_node(self.document, self.block.path))
        return {"model_name", "provider", "base_url"} <= names <= _ROUTE and (
            self._provider() is None
        )
