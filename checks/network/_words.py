"""Sentences that the checks of the way share: the proxy, where it is set, who else takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from doctor.checkapi import Evidence, Text, _, listed, visible
from doctor.connection import OriginKind
from doctor.facts.network import StackRoute
from doctor.facts.settings import EnvFile, Settings
from doctor.outcomes import fault_words
from doctor.proxyrules import values
from doctor.proxyrules.variables import SYSTEM_NAMES
from doctor.secrets import Secret

from ._way import Way

# How people call the libraries. What is not here is not worth a word in a sentence.
_LABELS = {
    "httpx2": _("OpenAI SDK ≥ 3 (Python)"),
    "httpx": _("httpx 0.28 (older SDKs)"),
    "requests": "requests",
    "urllib": "urllib",
    "aiohttp": "aiohttp",
    "node-fetch": _("Node's fetch"),
    "axios": "axios",
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini-cli": "Gemini CLI",
    "qwen-code": "Qwen Code",
    "curl": "curl",
}


def paragraph(*sentences: str) -> Text:
    """The sentences that are not empty, in one text that can be translated piece by piece."""
    kept = [sentence for sentence in sentences if sentence]
    names = [f"s{number}" for number in range(len(kept))]
    return Text(" ".join(f"{{{name}}}" for name in names), **dict(zip(names, kept, strict=True)))


def shown_proxy(value: str) -> str:
    """``127.0.0.1:7890``, with the scheme where it is not plain http; never a password."""
    address = values.address(value)
    if address is None:
        return values.shown(value)
    plain = address.scheme in ("", "http")
    return str(address) if plain else f"{address.scheme}://{address}"


def set_by_system(way: Way) -> bool:
    """The system's own setting decides, no variable."""
    return way.mine.variable in SYSTEM_NAMES.values()


def source(way: Way) -> str:
    """Where the proxy is set: the variable, the setting with its file, or the system."""
    if set_by_system(way):
        return _("The {system}", system=way.mine.variable)
    if way.by_environment:
        return _placed(way, way.mine.variable or "")
    origin = way.connection.proxy.origin
    if origin.kind is not OriginKind.CHANGE:
        return str(origin)
    # The repair search put the value of another variable in the place of a bad one.
    named = (v for v in way.variables if v.name.lower().endswith("_proxy"))
    same = (
        v.name for v in named if values.same_proxy(values.corrected(v.value) or v.value, way.proxy)
    )
    return next(same, _("the proxy setting"))


def _placed(way: Way, name: str) -> str:
    """The variable; with its file where one of the client's own gives it."""
    own = way.connection.variables.get(name)
    return name if own is None or own.origin.path is None else str(own.origin)


def evidence_of_proxy(way: Way, settings: Settings | None) -> tuple[Evidence, ...]:
    """The deciding variable with its value, and the lines of env files that say the same."""
    if not way.by_environment:
        shown = values.shown(way.connection.proxy.value)
        return (Evidence(_("client setting"), source(way), shown),)
    name = way.mine.variable or ""
    chosen = way.variables.find(name)
    if chosen is None:
        return (Evidence(_("system"), name, values.shown(way.proxy or "")),)
    return (
        _evidence(way, name, values.shown(chosen.value)),
        *_lines_with(name, chosen.value, () if settings is None else settings.env_files),
    )


def evidence_of_variables(way: Way, *names: str) -> tuple[Evidence, ...]:
    """The variables that are set, with their values."""
    found = (way.variables.find(name) for name in names)
    return tuple(
        _evidence(way, chosen.name, values.shown(chosen.value) or _("(empty)"))
        for chosen in dict.fromkeys(found)
        if chosen is not None
    )


def _evidence(way: Way, name: str, value: str) -> Evidence:
    own = way.connection.variables.get(name)
    if own is None or own.origin.path is None:
        return Evidence(_("environment"), name, value)
    return Evidence(_("client setting"), str(own.origin), value)


def _lines_with(name: str, value: str, files: Iterable[EnvFile]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(_("env file"), f"{file.path}:{line.number}", values.shown(value))
        for file in files
        for line in file.lines
        if any(
            assigned is not None
            and assigned[0] == name
            and not isinstance(assigned[1], Secret)
            and assigned[1] == value
            for assigned in line.values.values()
        )
    )


def outcome_of(way: Way) -> tuple[Evidence, ...]:
    """What came of the request, as evidence."""
    if way.reply is None:
        return ()
    exchange, outcome = way.reply.exchange, way.reply.outcome
    said = fault_words(outcome.message or exchange.fault_text) or outcome.kind.value
    value = said if exchange.status is None else f"{exchange.status} {said}"
    return (Evidence(_("request"), f"{exchange.method} {exchange.url}", visible(value, 400)),)


def variables_to_unset(way: Way) -> tuple[str, ...]:
    """Every variable that leads this target to the same proxy, the deciding one first."""
    names = [way.mine.variable] if way.mine.variable and not set_by_system(way) else []
    for key in (way.target.scheme, "all"):
        for name in (f"{key.upper()}_PROXY", f"{key}_proxy"):
            chosen = way.variables.find(name)
            if chosen is not None and values.same_proxy(chosen.value, way.proxy):
                names.append(chosen.name)
    return tuple(dict.fromkeys(names))


def how_to_go_direct(way: Way) -> str:
    """The line that takes the proxy away."""
    if not way.by_environment:
        return _("Without it: remove {setting}.", setting=source(way))
    if set_by_system(way):
        return _(
            "Without it: switch the proxy off in the system's network settings, or set "
            "NO_PROXY={host}, with which these libraries no longer ask the system.",
            host=way.target.host,
        )
    names = variables_to_unset(way)
    if way.environment.platform == "win32":
        return _("Without it: `{line}`.", line=" && ".join(f"set {name}=" for name in names))
    return _("Without it: `{line}`.", line=f"unset {' '.join(names)}")


def who_is_hit(way: Way) -> tuple[str, ...]:
    """The libraries that take the same proxy, as people call them."""
    if way.proxy is None:
        return ()
    own = _LABELS.get(way.mine.stack)
    others = _labels(way.others, lambda route: _same(route, way.proxy))
    return (*(() if own is None else (own,)), *others)


def who_stops(way: Way) -> tuple[str, ...]:
    """The libraries that refuse to start with these variables."""
    own = _LABELS.get(way.mine.stack)
    others = _labels(way.others, lambda route: route.error is not None)
    return (*(() if own is None or way.mine.error is None else (own,)), *others)


def who_is_not(way: Way) -> Text | str:
    """The libraries that go direct: why one program works and another fails."""
    direct = _labels(way.others, lambda route: route.proxy is None and route.error is None)
    if not direct:
        return ""
    return _(
        "{names} would go direct here; that is why one program works and another fails.",
        names=listed(direct),
    )


def _same(route: StackRoute, proxy: str | None) -> bool:
    return route.proxy is not None and values.same_proxy(route.proxy, proxy)


def _labels(routes: Iterable[StackRoute], fits: Callable[[StackRoute], bool]) -> list[str]:
    return [_LABELS[route.stack] for route in routes if route.stack in _LABELS and fits(route)]
