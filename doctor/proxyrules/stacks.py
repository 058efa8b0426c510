"""The route of each HTTP library: which proxy it takes for a URL, or why it does not start."""

from __future__ import annotations

import re
from collections.abc import Callable

from doctor.facts.network import Endpoint, StackRoute
from doctor.proxyrules import no_proxy, values
from doctor.proxyrules.variables import Chosen, Variables
from doctor.records import dataclass

SOCKSIO_MISSING = (
    "Using SOCKS proxy, but the 'socksio' package is not installed. "
    "Make sure to install httpx using `pip install httpx[socks]`."
)
PYSOCKS_MISSING = "Missing dependencies for SOCKS support."
_HTTPX_SCHEMES = ("http", "https", "socks5", "socks5h")


@dataclass(frozen=True, slots=True)
class Route:
    """What a library does with one URL.

    ``proxy`` None is the direct way; ``chosen`` is the variable that decided, a NO_PROXY among
    them, and ``entry`` the entry of that list which matched. ``error`` is the library's own text
    where it refuses to start, ``at_fault`` then the variable that it cannot take.
    """

    proxy: str | None = None
    chosen: Chosen | None = None
    entry: str | None = None
    error: str | None = None

    def of(self, stack: str) -> StackRoute:
        return StackRoute(stack, self.proxy, self.chosen.name if self.chosen else None, self.error)


DIRECT = Route()
# (target, variables, whether the library has its SOCKS add-on) → route
Rule = Callable[[Endpoint, Variables, bool], Route]


def _with_scheme(value: str, scheme: str = "http") -> str:
    return value if "://" in value else f"{scheme}://{value}"


# ------------------------------------------------------------------ Python


def _httpx_error(value: str, socks: bool) -> str | None:
    """Why httpx does not take ``value`` as a proxy, in its own words; None where it does."""
    url = _with_scheme(value)
    odd = next((c for c in url if c.isascii() and not c.isprintable()), None)
    if odd is not None:
        position = url.index(odd)
        return f"Invalid non-printable ASCII character in URL, {odd!r} at position {position}."
    scheme = url.split("://", 1)[0].lower()
    if re.fullmatch(r"[a-z][a-z0-9+.\-]*", scheme):
        host, port = values.authority_of(url)
        if port and not _is_number(port):
            return f"Invalid port: {port!r}"
        if any(not (c.isascii() or c.isalnum()) for c in host):
            return f"Invalid IDNA hostname: {host!r}"
    if scheme not in _HTTPX_SCHEMES:
        return f"Unknown scheme for proxy URL URL({values.shown(value)!r})"
    return SOCKSIO_MISSING if scheme.startswith("socks") and not socks else None


def _is_number(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True


def _httpx(matcher: no_proxy.Matcher) -> Rule:
    def rule(target: Endpoint, variables: Variables, socks: bool) -> Route:
        found = variables.python()
        excluded = found.get("no")
        if excluded is not None and "*" in no_proxy.separated(excluded.value):
            return Route(chosen=excluded, entry="*")
        # The client makes a transport for every variable when it is constructed, also for those
        # that this URL would never use, so one bad value stops all of it.
        proxies = [found[key] for key in ("http", "https", "all") if key in found]
        for chosen in proxies:
            error = _httpx_error(chosen.value, socks=True)
            if error is not None:
                return Route(chosen=chosen, error=error)
        for chosen in proxies:
            error = _httpx_error(chosen.value, socks)
            if error is not None:
                return Route(chosen=chosen, error=error)
        if excluded is not None:
            try:
                entry = matcher(excluded.value, target)
            except no_proxy.Refused as refused:
                return Route(chosen=excluded, error=str(refused))
            if entry is not None:
                return Route(chosen=excluded, entry=entry)
        used = found.get(target.scheme) or found.get("all")
        return DIRECT if used is None else Route(_with_scheme(used.value), used)

    return rule


def _requests(target: Endpoint, variables: Variables, socks: bool) -> Route:
    excluded = variables.first_set("no_proxy", "NO_PROXY")
    found = variables.python()
    if excluded is not None:
        entry = no_proxy.requests(excluded.value, target)
        if entry is not None:
            return Route(chosen=excluded, entry=entry)
    used = found.get(target.scheme) or found.get("all")
    if used is None:
        return DIRECT
    scheme = values.scheme_of(used.value)
    if scheme in values.SOCKS and not socks:
        return Route(chosen=used, error=PYSOCKS_MISSING)
    if scheme == "socks":
        text = f"Unable to determine SOCKS version from {values.shown(used.value)}"
        return Route(chosen=used, error=text)
    if not _dialable(used.value):
        return Route(chosen=used, error=f"Failed to parse: {values.shown(used.value)}")
    if scheme and scheme not in ("http", "https", *values.SOCKS):
        text = f"Proxy URL had unsupported scheme {scheme}, should use http:// or https://"
        return Route(chosen=used, error=text)
    return Route(_with_scheme(used.value), used)


def _dialable(value: str) -> bool:
    return values.address(_with_scheme(value)) is not None


def _urllib(target: Endpoint, variables: Variables, socks: bool) -> Route:
    found = variables.python()
    excluded, used = found.get("no"), found.get(target.scheme)
    if excluded is not None:
        entry = no_proxy.urllib_(excluded.value, target)
        if entry is not None:
            return Route(chosen=excluded, entry=entry)
    if used is None:
        return DIRECT
    scheme = values.scheme_of(used.value)
    if scheme and scheme not in ("http", "https"):
        return Route(chosen=used, error=f"unknown url type: {scheme}")
    if not _dialable(used.value):
        return Route(chosen=used, error=f"no host given in {values.shown(used.value)}")
    return Route(_with_scheme(used.value), used)


def _aiohttp(target: Endpoint, variables: Variables, socks: bool) -> Route:
    found = variables.python()
    excluded, used = found.get("no"), found.get(target.scheme)
    if excluded is not None:
        entry = no_proxy.aiohttp(excluded.value, target)
        if entry is not None:
            return Route(chosen=excluded, entry=entry)
    if used is None or values.scheme_of(used.value) == "https":
        return DIRECT
    if not values.scheme_of(used.value) or not _dialable(used.value):
        return Route(chosen=used, error=f"InvalidURL: {values.shown(used.value)}")
    # Any other scheme, a SOCKS one too, is spoken to as to an HTTP proxy.
    return Route(used.value, used)


# ------------------------------------------------------------------ JavaScript


def _node_env_proxy(target: Endpoint, variables: Variables, socks: bool) -> Route:
    """Node 24 with ``--use-env-proxy``: https falls back to HTTP_PROXY, ALL_PROXY is unknown."""
    names = {"http": ("http_proxy", "HTTP_PROXY"), "https": ("https_proxy", "HTTPS_PROXY")}
    candidates = {scheme: variables.first_there(*pair) for scheme, pair in names.items()}
    for chosen in candidates.values():
        if chosen is None:
            continue
        known = values.scheme_of(chosen.value) in ("http", "https", "socks", "socks5")
        if not known or not _dialable(chosen.value):
            return Route(chosen=chosen, error="Invalid URL")
    excluded = variables.first_there("no_proxy", "NO_PROXY")
    if excluded is not None:
        entry = no_proxy.node(excluded.value, target)
        if entry is not None:
            return Route(chosen=excluded, entry=entry)
    used = candidates.get(target.scheme) or candidates["http"]
    return DIRECT if used is None else Route(used.value, used)


def _node_fetch(target: Endpoint, variables: Variables, socks: bool) -> Route:
    """Node's fetch ignores every variable unless it is told to look at them."""
    switch = variables.find("NODE_USE_ENV_PROXY")
    options = variables.find("NODE_OPTIONS")
    told = (switch is not None and switch.value == "1") or (
        options is not None and "--use-env-proxy" in options.value.split()
    )
    return _node_env_proxy(target, variables, socks) if told else DIRECT


def _axios(target: Endpoint, variables: Variables, socks: bool) -> Route:
    excluded = variables.first_set("no_proxy", "NO_PROXY")
    if excluded is not None:
        entry = no_proxy.axios(excluded.value, target)
        if entry is not None:
            return Route(chosen=excluded, entry=entry)
    name = f"{target.scheme}_proxy"
    used = variables.first_set(name, name.upper(), "all_proxy", "ALL_PROXY")
    if used is None:
        return DIRECT
    scheme = values.scheme_of(used.value)
    if scheme and scheme not in ("http", "https"):
        return Route(chosen=used, error="protocol mismatch")
    if not _dialable(used.value):
        return Route(chosen=used, error="Invalid URL")
    return Route(_with_scheme(used.value, target.scheme), used)


def _claude_code(target: Endpoint, variables: Variables, socks: bool) -> Route:
    """Claude Code takes HTTPS_PROXY, then HTTP_PROXY for every URL, and refuses what is no URL.

    ALL_PROXY is left to Bun, which takes it for http without a scheme and passes SOCKS over.
    """
    used = variables.first_set("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY")
    last = variables.first_set("all_proxy", "ALL_PROXY") if used is None else None
    if last is not None and values.scheme_of(last.value) not in ("", "http", "https"):
        last = None
    if used is not None and not (values.scheme_of(used.value.strip()) and _dialable(used.value)):
        shown = values.shown(used.value)
        text = f'Invalid proxy URL in {used.name}: "{shown}" cannot be parsed as a URL.'
        return Route(chosen=used, error=text)
    excluded = variables.first_set("no_proxy", "NO_PROXY")
    if excluded is not None:
        entry = no_proxy.claude_code(excluded.value, target)
        if entry is not None:
            return Route(chosen=excluded, entry=entry)
    if used is None:
        return DIRECT if last is None else Route(_with_scheme(last.value.strip()), last)
    if values.scheme_of(used.value.strip()) not in ("http", "https"):
        text = "Unable to connect to API (UnsupportedProxyProtocol)"
        return Route(chosen=used, error=text)
    return Route(used.value.strip(), used)


def _undici_agent(lists: tuple[str, str], *, adds_scheme: bool) -> Rule:
    """Gemini CLI and Qwen Code give one proxy to undici's EnvHttpProxyAgent for every URL: the
    first of four variables; ALL_PROXY is unknown. ``lists`` are the names of NO_PROXY in the order
    in which they are looked at, where an empty one ends the search (observed with Gemini CLI
    0.61.0 and Qwen Code 0.24.4)."""

    def rule(target: Endpoint, variables: Variables, socks: bool) -> Route:
        used = variables.first_set("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
        if used is None or not used.value.strip():
            return DIRECT
        value = used.value.strip()
        scheme = values.scheme_of(value)
        if not scheme and adds_scheme:
            value, scheme = _with_scheme(value), "http"
        if scheme in values.SOCKS and adds_scheme:
            return Route(chosen=used, error="SOCKS proxy is not supported.")
        if not scheme or not _dialable(value):
            return Route(chosen=used, error="Invalid URL")
        if scheme not in ("http", "https"):
            text = "Invalid URL protocol: the URL must start with `http:` or `https:`."
            return Route(chosen=used, error=text)
        excluded = variables.first_there(*lists)
        if excluded is not None:
            entry = no_proxy.node(excluded.value.strip(), target)
            if entry is not None:
                return Route(chosen=excluded, entry=entry)
        return Route(value, used)

    return rule


def _bun(target: Endpoint, variables: Variables, socks: bool) -> Route:
    """Bun's own fetch (opencode, Cline): one variable per scheme, no ALL_PROXY; a value that is no
    URL of a proxy fails at the request (observed with Bun 1.3.13 and 1.3.14)."""
    used = variables.first_set(f"{target.scheme}_proxy", f"{target.scheme.upper()}_PROXY")
    if used is None:
        return DIRECT
    excluded = variables.first_set("no_proxy", "NO_PROXY")
    if excluded is not None:
        entry = no_proxy.bun(excluded.value, target)
        if entry is not None:
            return Route(chosen=excluded, entry=entry)
    if values.scheme_of(used.value) not in ("", "http", "https"):
        return Route(chosen=used, error="UnsupportedProxyProtocol")
    if not _dialable(used.value) or used.value != used.value.strip():
        text = "Unable to connect. Is the computer able to access the url?"
        return Route(chosen=used, error=text)
    return Route(_with_scheme(used.value), used)


# ------------------------------------------------------------------ native


def _codex(target: Endpoint, variables: Variables, socks: bool) -> Route:
    """Codex looks at upper case first; a scheme that it does not know counts as no proxy."""
    used = variables.first_there(f"{target.scheme.upper()}_PROXY", f"{target.scheme}_proxy")
    if target.scheme == "http" and variables.find("REQUEST_METHOD") is not None:
        used = None
    used = used or variables.first_there("ALL_PROXY", "all_proxy")
    if used is None or values.scheme_of(used.value) not in ("", *values.DEFAULT_PORTS, "socks4a"):
        return DIRECT
    if not _dialable(used.value):
        return (
            DIRECT
            if values.flaws(used.value) != (values.Flaw.PORT,)
            else Route(chosen=used, error="Reconnecting... waiting for network")
        )
    excluded = variables.first_there("NO_PROXY", "no_proxy")
    if excluded is not None:
        entry = no_proxy.codex(excluded.value, target)
        if entry is not None:
            return Route(chosen=excluded, entry=entry)
    return Route(_with_scheme(used.value), used)


def _curl(target: Endpoint, variables: Variables, socks: bool) -> Route:
    """curl never reads upper-case HTTP_PROXY, which a web server could have set."""
    excluded = variables.first_set("no_proxy", "NO_PROXY")
    if excluded is not None:
        entry = no_proxy.curl(excluded.value, target)
        if entry is not None:
            return Route(chosen=excluded, entry=entry)
    names = ("http_proxy",) if target.scheme == "http" else ("https_proxy", "HTTPS_PROXY")
    used = variables.first_set(*names, "all_proxy", "ALL_PROXY")
    if used is None:
        return DIRECT
    scheme = values.scheme_of(used.value)
    if scheme and scheme not in ("http", "https", *values.SOCKS):
        text = f"Unsupported proxy scheme for '{values.shown(used.value)}'"
        return Route(chosen=used, error=text)
    if not _dialable(used.value) or used.value != used.value.strip():
        text = f"Unsupported proxy syntax in '{values.shown(used.value)}'"
        return Route(chosen=used, error=text)
    return Route(_with_scheme(used.value), used)


STACKS: dict[str, Rule] = {
    "httpx2": _httpx(no_proxy.httpx2),
    "httpx": _httpx(no_proxy.httpx),
    "requests": _requests,
    "urllib": _urllib,
    "aiohttp": _aiohttp,
    "node-fetch": _node_fetch,
    "node-env-proxy": _node_env_proxy,
    "axios": _axios,
    "claude-code": _claude_code,
    "gemini-cli": _undici_agent(("NO_PROXY", "no_proxy"), adds_scheme=False),
    "qwen-code": _undici_agent(("no_proxy", "NO_PROXY"), adds_scheme=True),
    "bun": _bun,
    "codex": _codex,
    "curl": _curl,
}

# What a client's profile may call the library, and clients with rules of their own.
CLIENT_STACKS = {
    "undici": "node-fetch",
    "node": "node-fetch",
    "fetch": "node-fetch",
    "reqwest": "codex",
    "rust": "codex",
}


def route(stack: str, target: Endpoint, variables: Variables, socks: bool = True) -> Route:
    """The way of ``stack`` to ``target``. ``socks`` says whether its SOCKS add-on is installed.

    Raises ``KeyError`` for a library whose rules are not known.
    """
    return STACKS[CLIENT_STACKS.get(stack, stack)](target, variables, socks)


def explicit(stack: str, value: str, name: str, socks: bool = True) -> Route:
    """The way where the client's own setting ``name`` holds the proxy: no variable counts."""
    chosen = Chosen(name, value)
    if CLIENT_STACKS.get(stack, stack) in ("httpx", "httpx2"):
        error = _httpx_error(value, socks)
    else:
        error = None if _dialable(value) else f"Invalid URL: {values.shown(value)}"
    return Route(chosen=chosen, error=error) if error else Route(_with_scheme(value), chosen)
