"""What is wrong with the path of a request that got 404 or 405, by the path and the provider."""

from __future__ import annotations

from urllib.parse import urlsplit

from doctor.explain.model import Cause
from doctor.patterns import Pattern
from doctor.settings.providers import Provider, provider_for_host
from doctor.text import _

_VERSION = r"v\d+(?:beta|alpha)?\d*"
_DOUBLED = Pattern(rf"/{_VERSION}/(?:openai/)?{_VERSION}(?=/|$)")
_VERSIONED = Pattern(rf"/{_VERSION}(?=/|$)")
_QUERY = Pattern(r"\?(?!beta=|alt=|api-version=|key=)")
_ENDPOINT = Pattern(r"/(chat/completions|completions|responses|messages|models|embeddings)/?$")
# A base as SDKs take it, with nothing behind it.
_BASE_ALONE = Pattern(rf"(?:^|/{_VERSION}(?:/openai)?|^/(?:api|openai|anthropic))/?$")
_OLLAMA = Pattern(r"/api/(?:chat(?!/)|generate|tags|show|embed)\b")
# The same without the folder that they lie in (docs.ollama.com/api).
_OLLAMA_BARE = Pattern(r"^/(?:v1/)?(?:chat|generate|tags|show|embed|embeddings|ps|pull)/?$")
_OLLAMA_PORT = 11434

_NO_VERSION = Cause("KVD201", 0.6, _("does the base URL end in /v1?"))
_NO_PREFIX = Cause("KVD202", 0.2, _("does this gateway serve under /api?"))
_MODEL_TOO = _("some servers answer 404 for an unknown model")


def causes_of(path: str, url: str | None = None, *, posted: bool = False) -> tuple[Cause, ...]:
    """``path`` with its query; ``url`` the whole address where the text has it. ``posted``: it is
    known to be that of a POST."""
    if _QUERY.search(path):
        return (Cause("KVD205", 0.9, _("a query in the base URL swallows the path")), _NO_PREFIX)
    bare = path.partition("?")[0]
    if _DOUBLED.search(bare) or "//" in bare:
        return ()  # a symptom of its own
    known = _known(url, bare)
    if known:
        return known
    versioned = _VERSIONED.search(bare) is not None
    if _OLLAMA.search(bare):
        return (
            Cause("KVD214", 0.45, _("this is Ollama's own API: does the server speak it?")),
            Cause("KVD209", 0.3, _("a client of Ollama's API takes the base without /v1")),
            Cause("KVD501", 0.2, _("Ollama answers 404 for a model that is not pulled, too")),
        )
    if _OLLAMA_BARE.search(bare) and _is_ollama(url):
        return (
            Cause("KVD202", 0.85, _("Ollama's own API lies below /api: end the base URL in /api")),
            Cause("KVD209", 0.15, _("or take a client of the OpenAI API, with a base of /v1")),
        )
    match = _ENDPOINT.search(bare)
    end = match.group(1) if match else ""
    if end in ("chat/completions", "completions", "models", "embeddings"):
        return _of_chat(versioned)
    if end in ("responses", "messages"):
        return (
            Cause("KVD214", 0.7 if versioned else 0.3, _("the server may lack this API")),
            Cause("KVD201", 0.1 if versioned else 0.5, _("does the base URL end in /v1?")),
            Cause("KVD202", 0.2, _("does this gateway serve under /api?")),
        )
    if posted and (_BASE_ALONE.search(bare) or _is_known_base(url, bare)):
        return (
            Cause(
                "KVD209",
                0.8,
                _("the client adds nothing, so it wants the whole endpoint: BASE/chat/completions"),
            ),
            Cause("KVD205", 0.15, _("or does a # in the base URL cut off what the client adds?")),
        )
    return (Cause("KVD205", 0.5, _("a query in the base URL swallows the path")), _NO_VERSION)


def _of_chat(versioned: bool) -> tuple[Cause, ...]:
    if not versioned:
        return (_NO_VERSION, _NO_PREFIX)
    return (
        Cause("KVD202", 0.35, _("a prefix such as /api may be missing before /v1")),
        Cause("KVD216", 0.25, _("this product may serve no such version")),
        Cause("KVD501", 0.2, _MODEL_TOO),
        Cause("KVD217", 0.2, _("a doubled or trailing slash")),
    )


def _known(url: str | None, path: str) -> tuple[Cause, ...]:
    """Where it is known which paths the host serves; empty where it is not."""
    provider = _provider(url)
    match = _ENDPOINT.search(path)
    if provider is None or match is None:
        return ()
    family = "anthropic" if match.group(1) == "messages" else "openai"
    base = path[: match.start()]
    if family == "anthropic":
        base = base.removesuffix("/v1") if base.endswith("/v1") else base + " without /v1"
    served = _paths(provider, family, url)
    if not served:
        return (Cause("KVD214", 0.85, _("{name} does not serve this API", name=provider.label)),)
    if base in served:
        return _of_known_base(provider, served, base, match.group(1))
    right = _("{name} serves it below {path}", name=provider.label, path=served[0] or "/")
    if base.endswith(" without /v1"):
        return (Cause("KVD201", 0.7, right), Cause("KVD209", 0.3, right))
    lacks = any(path.startswith(base + "/") for path in served) or base == ""
    ends = any(path.endswith(base) for path in served) and base != ""
    if ends:
        return (Cause("KVD202", 0.8, right), Cause("KVD211", 0.2, right))
    if lacks and all(path.count("/") <= 1 for path in served):
        return (Cause("KVD201", 0.85, right),)
    return (Cause("KVD211", 0.7, right), Cause("KVD201", 0.2, right), Cause("KVD202", 0.2, right))


def _of_known_base(
    provider: Provider, served: tuple[str, ...], base: str, end: str
) -> tuple[Cause, ...]:
    """What a 404 means where the provider is known to serve at ``base``; empty: nothing special.

    Perplexity lists no models (LibreChat's documentation of it), and what it has lies at the bare
    host first (ThunderAI, issue 219).
    """
    if end == "responses":
        says = _("{name} may lack the Responses API", name=provider.label)
        return (Cause("KVD214", 0.85, says),)
    shorter = served[0]
    if end != "models" or base == shorter or not base.startswith(shorter + "/"):
        return ()
    right = _("{name} serves it below {path}", name=provider.label, path=shorter or "/")
    return (Cause("KVD216", 0.5, right),)


def _is_ollama(url: str | None) -> bool:
    try:
        parts = urlsplit(url or "")
        return parts.port == _OLLAMA_PORT or "ollama" in (parts.hostname or "")
    except ValueError:
        return False


def _is_known_base(url: str | None, path: str) -> bool:
    """Whether the path is the whole base of a provider, with nothing behind it."""
    provider = _provider(url)
    return provider is not None and path.rstrip("/") in _paths(provider, "openai", url)


def _provider(url: str | None) -> Provider | None:
    try:
        host = urlsplit(url or "").hostname
    except ValueError:
        return None
    return provider_for_host(host) if host else None


def _paths(provider: Provider, family: str, url: str | None) -> tuple[str, ...]:
    host = urlsplit(url or "").hostname or ""
    found = (api.paths.get(family, ()) for api in provider.apis if api.serves(host))
    return tuple(path for paths in found for path in paths)
