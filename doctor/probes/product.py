"""What answers, told by the marks of the answers that were had anyway.

Marks: facts/gateway-clients.md §§1.2, 1.5, facts/vllm.md §§2.1 to 2.6. That a mark is missing
proves nothing: reverse proxies strip and rename headers.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import field

from doctor.facts import COMPLETION, ENDPOINT, MODELS
from doctor.facts.answers import Exchange, ModelsReply, OutcomeKind, Product, Reply
from doctor.facts.store import Facts
from doctor.patterns import Pattern
from doctor.probes.reading.errorbody import ErrorBody, error_of
from doctor.probes.reading.jsontext import NotJson, parse, parse_object, words
from doctor.probes.reading.pages import is_html, proxy_marks, title_of
from doctor.probes.request import ProbeRequest, origin_of
from doctor.probes.way import Blocked, Way, way_of
from doctor.records import dataclass
from doctor.settings.providers import Provider, provider_for_host
from doctor.untrusted import visible

K = OutcomeKind

# From the surest to the vaguest; the first that has a mark is it.
_ORDER = (
    "litellm",
    "one-api",
    "new-api",
    "vllm",
    "openai",
    "claude-relay-service",
    "proxy",
    "web-page",
    "openai-compatible",
)
_ONE_API_CREATED = 1626777600
_FINGERPRINT = Pattern(r"\bvllm-(\d[\w.]*)")
_NONSENSE = "/v1/kvdoctor-no-such-path"
_TITLES = (
    (Pattern(r"\bnew[ -]?api\b", re.I), "new-api"),
    (Pattern(r"\bone[ -]?api\b", re.I), "one-api"),
    (Pattern(r"\blitellm\b", re.I), "litellm"),
)
# Its last route, for all paths that are none of its own (src/app.js).
_RELAY_ROUTE = Pattern(r"^Route /\S* not found$")
_RELAY_NAMES = frozenset({"error", "message", "timestamp"})
_INVALID_URL = Pattern(r"^Invalid URL \([A-Z]+ /")
_UNSURE = ("unknown", "web-page")


@dataclass(slots=True)
class _Marks:
    """Marks by product; ``version`` of the first that tells one."""

    found: dict[str, list[str]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def add(self, product: str, mark: str, version: str = "") -> None:
        marks = self.found.setdefault(product, [])
        shown = visible(mark, 200)
        if shown not in marks:
            marks.append(shown)
        if version:
            self.versions.setdefault(product, visible(version, 60))

    def product(self, provider: str | None) -> Product:
        best = next((name for name in _ORDER if name in self.found), "unknown")
        first = self.found.get(best, [])
        rest = [mark for name in _ORDER if name != best for mark in self.found.get(name, [])]
        return Product(best, self.versions.get(best), (*first, *rest), provider)


async def product(facts: Facts) -> Product:
    """By the models list and the completion; asks further, without the key, only where the
    completion failed and told nothing. Never raises ``Unavailable``."""
    listed, reply = await asyncio.gather(_listed(facts), _replied(facts))
    provider = await _provider(facts)
    label = None if provider is None else provider.label
    marks = _Marks()
    for each in (None if listed is None else listed.reply, reply):
        if each is not None:
            _read(marks, each.exchange)
    _read_list(marks, listed)
    if provider is not None and provider.id == "openai":
        marks.add("openai", f"host of {provider.label}")
    _read_outcome(marks, listed, reply)
    told = marks.product(label)
    failed = reply is not None and reply.outcome.kind is not K.ANSWERED
    if failed and reply is not None and reply.exchange.status and told.id in _UNSURE:
        for exchange in await _asked(facts):
            _read(marks, exchange)
        told = marks.product(label)
    return told


async def _listed(facts: Facts) -> ModelsReply | None:
    return await facts.find(MODELS)


async def _replied(facts: Facts) -> Reply | None:
    return await facts.find(COMPLETION)


async def _provider(facts: Facts) -> Provider | None:
    endpoint = await facts.find(ENDPOINT)
    return None if endpoint is None or not endpoint.host else provider_for_host(endpoint.host)


async def _asked(facts: Facts) -> list[Exchange]:
    """Two answers without a key: an unknown path, and the engine's version."""
    try:
        way = await way_of(facts)
    except Blocked:
        return []
    return list(await asyncio.gather(*(_ask(facts, way, path) for path in (_NONSENSE, "/version"))))


async def _ask(facts: Facts, way: Way, path: str) -> Exchange:
    scheme, host, port = origin_of(way.url) or ("http", "", 80)
    netloc = f"[{host}]" if ":" in host else host
    return await facts.run.requester.send(
        ProbeRequest(
            purpose="product",
            method="GET",
            url=f"{scheme}://{netloc}:{port}{path}",
            headers=(("accept", "application/json"),),
            proxy=way.proxy,
            trust=way.trust,
            follow=False,
        )
    )


def _read(marks: _Marks, exchange: Exchange) -> None:
    if exchange.status is None:
        return
    _read_headers(marks, exchange)
    for mark in proxy_marks(exchange.headers, exchange.body):
        marks.add("proxy", mark)
    value = parse(exchange.body)
    if value is NotJson:
        if is_html(exchange.body, exchange.content_type):
            _read_page(marks, exchange.body)
    elif exchange.status >= 400:
        _read_error(marks, exchange.status, error_of(value), value)
    elif isinstance(value, dict) and set(value) == {"version"}:
        marks.add("vllm", "GET /version", words(value["version"]))
    for text in _answers(exchange):
        match = _FINGERPRINT.match(words(parse_object(text).get("system_fingerprint")))
        if match is not None:
            marks.add("vllm", f"system_fingerprint {match.group(0)}", match.group(1))
            break


def _answers(exchange: Exchange) -> Iterator[str]:
    yield from exchange.events[:5]
    if exchange.body:
        yield exchange.body


def _read_headers(marks: _Marks, exchange: Exchange) -> None:
    headers = exchange.headers
    if "x-new-api-version" in headers:
        version = headers["x-new-api-version"]
        marks.add("new-api", f"header x-new-api-version: {version}", version)
    if "x-oneapi-request-id" in headers:
        # Both products send it; an error's type tells which (§1.2).
        marks.add("new-api", "header x-oneapi-request-id")
    version = headers.get("x-litellm-version", "")
    name = next((name for name in headers if name.startswith("x-litellm-")), None)
    if name is not None:
        marks.add("litellm", f"header {name}", version)
    if "openai-processing-ms" in headers and not any(n.startswith("x-litellm") for n in headers):
        marks.add("openai", "header openai-processing-ms")


def _read_page(marks: _Marks, page: str) -> None:
    title = title_of(page)
    for pattern, name in _TITLES:
        if pattern.search(title):
            marks.add(name, f"page title {title}")
            return
    marks.add("web-page", f"page title {title}" if title else "an HTML page")


def _read_error(marks: _Marks, status: int, error: ErrorBody | None, value: object) -> None:
    if error is None:
        return
    for kind, name in (("new_api", "new-api"), ("one_api", "one-api")):
        if error.type.startswith(kind):
            marks.add(name, f"error type {error.type}")
    if status == 404 and _INVALID_URL.match(error.message) and error.type:
        # OpenAI's own API says the same, but that is known by its host.
        marks.add("new-api", "404 Invalid URL")
    if value == {"error": "Unauthorized"} and status == 401:
        marks.add("vllm", '401 {"error":"Unauthorized"}')
    if error.message.startswith(("Authentication Error,", "litellm.")):
        marks.add("litellm", f"error {error.message[:60]}")
    framed = isinstance(value, dict) and set(value) == _RELAY_NAMES and error.type == "Not Found"
    if status == 404 and framed and _RELAY_ROUTE.match(error.message):
        marks.add("claude-relay-service", "404 Route … not found")
    if error.message == "No connected db.":
        marks.add("litellm", "error No connected db.")


def _read_list(marks: _Marks, listed: ModelsReply | None) -> None:
    if listed is None or not listed.models:
        return
    if any(model.owned_by == "vllm" for model in listed.models):
        marks.add("vllm", "models owned_by vllm")
    value = parse_object(listed.reply.exchange.body)
    entries = value.get("data")
    first = entries[0] if isinstance(entries, list) and entries else None
    if isinstance(first, dict) and first.get("created") == _ONE_API_CREATED:
        marks.add("new-api", f"models created {_ONE_API_CREATED}")
    elif value.get("success") is True and "data" in value:
        marks.add("new-api", "models list with success")


def _read_outcome(marks: _Marks, listed: ModelsReply | None, reply: Reply | None) -> None:
    """The vaguest: it answers as OpenAI's API does."""
    if reply is not None and reply.outcome.kind is K.PROXY_PAGE:
        marks.add("proxy", f"status {reply.exchange.status} from the proxy")
    if reply is not None and reply.outcome.kind is K.ANSWERED:
        marks.add("openai-compatible", "a completion")
    if listed is not None and listed.reply.outcome.kind is K.ANSWERED:
        marks.add("openai-compatible", "a models list")
