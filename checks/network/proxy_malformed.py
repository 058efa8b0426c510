"""KVD304: a proxy variable or a NO_PROXY list is written so that it does harm or nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    ProxyMode,
    SettingName,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.machine import PythonHome
from doctor.facts.settings import Settings
from doctor.proxyrules import route, values
from doctor.proxyrules.portable import NAMES, crashing
from doctor.proxyrules.values import Flaw
from doctor.proxyrules.variables import Chosen

from . import _no_proxy, _owner
from ._repairs import instead_of
from ._way import READS, Way, way
from ._words import (
    evidence_of_proxy,
    evidence_of_variables,
    outcome_of,
    paragraph,
    shown_proxy,
    source,
    who_is_not,
    who_stops,
)

CODE = _owner.MALFORMED
_PYTHON = frozenset({"httpx2", "requests", "urllib", "aiohttp"})


@check(
    code=CODE,
    slug="proxy-malformed",
    severity=Severity.ERROR,
    hop=Hop.PROXY,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.SETTINGS, facts.PYTHON_HOMES),
)
async def proxy_malformed(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A proxy variable or NO_PROXY is written so that a client does not start, or ignores it.

    ## What it checks
    The value of the variable that decides this target's way: missing scheme, `socks://`, quotes,
    blanks, a bad port, `https://` for a proxy that speaks no TLS. In NO_PROXY: entries separated
    by `;` or blanks, patterns such as `127.*`, entries with a scheme, and IPv6 ranges or brackets,
    with which httpx 0.28 does not start at all.

    ## Why it matters
    httpx fails when the client is constructed, whatever the target: "Unknown scheme for proxy
    URL", "Invalid port: ':'". An entry of NO_PROXY that no library understands excludes nothing,
    without a word.

    ## How to fix
    Write proxies as `http://host:port`, and NO_PROXY as exact names and addresses with commas.

    ## Fix safety
    Host and port of the proxy stay.

    ## References
    https://www.python-httpx.org/environment_variables/
    """
    w = await way(f)
    mine = _owner.owner(w) == CODE
    homes = await f.find(facts.PYTHON_HOMES) or ()
    if w.mine.error is not None:
        if mine:
            yield _refused(w)
        return
    lost = None
    if w.proxy is not None and w.by_environment:
        lost = _no_proxy.lost(w.mine.stack, w.target, w.variables)
    if lost is not None:
        yield _lost(w, lost, mine)
    elif mine:
        settings = await f.find(facts.SETTINGS)
        yield _unusable(w, settings)
    elif w.proxy is not None and w.by_environment and not w.reached:
        refused = _refused_elsewhere(w)
        if refused is not None:
            yield refused
    crash = _crash_elsewhere(w, homes)
    if crash is not None:
        yield crash


def _explains() -> tuple[str, ...]:
    return (*(code for code in _owner.ALL if code != CODE), *_owner.CONSEQUENCES)


def _refused(w: Way) -> Finding:
    """The client itself does not start with the value."""
    name = w.mine.variable or ""
    chosen = w.variables.find(name) if w.by_environment else None
    if chosen is not None and name.lower() == "no_proxy":
        return _no_proxy_refused(w, chosen)
    value = chosen.value if chosen is not None else w.connection.proxy.value
    better = values.corrected(value)
    return problem(
        _("{name} holds no proxy URL that this client takes", name=name),
        paragraph(
            _(
                "The client does not get as far as a request: {error}.",
                error=visible((w.mine.error or "").rstrip("."), 300),
            ),
            *_flaws(value),
            _("Use `{name}={value}`.", name=name, value=values.shown(better)) if better else "",
            who_is_not(w),
        ),
        evidence=(
            Evidence(_("environment"), source(w), values.shown(value)),
            *outcome_of(w),
        ),
        changes=instead_of(CODE, w, *(() if better is None else (better,))),
        explains=_explains(),
        clients=who_stops(w),
    )


def _no_proxy_refused(w: Way, chosen: Chosen) -> Finding:
    entries = crashing(chosen.value)
    better = _no_proxy.without(chosen.value, entries)
    rest = route(w.mine.stack, w.target, w.variables.replaced(chosen.name, better))
    line = _no_proxy.assignment(w.environment.platform, better)
    return problem(
        _("{name} stops this client from starting", name=chosen.name),
        paragraph(
            _(
                "{error}: httpx 0.28 takes {entries} for a host with a port, and fails for every "
                "target.",
                error=visible((w.mine.error or "").rstrip("."), 200),
                entries=_quoted(entries),
            ),
            _("Use `{line}`.", line=line),
        ),
        evidence=(*evidence_of_variables(w, chosen.name), *outcome_of(w)),
        changes=(
            Change(
                CODE,
                SettingName.PROXY,
                ProxyMode.DIRECT.value if rest.proxy is None else rest.proxy,
                _("take {entries} out of {name}", entries=_quoted(entries), name=chosen.name),
            ),
        ),
        explains=_explains(),
        clients=who_stops(w),
    )


def _lost(w: Way, lost: _no_proxy.Lost, mine: bool) -> Finding:
    """An exclusion of this target that was meant and is not in effect."""
    line = _no_proxy.assignment(w.environment.platform, lost.portable)
    return problem(
        _(
            "{name} does not exclude {host}, though “{entry}” means it",
            name=lost.variable.name,
            host=w.target.host,
            entry=visible(lost.entry, 80),
        ),
        paragraph(
            _no_proxy.describe(lost.trouble, lost.entry),
            _(
                "So the request goes through the proxy {proxy}.",
                proxy=shown_proxy(w.proxy or ""),
            ),
            _("Use `{line}`.", line=line),
            who_is_not(w),
        ),
        evidence=(
            *evidence_of_variables(w, *NAMES, w.mine.variable or ""),
            *outcome_of(w),
        ),
        changes=(
            Change(
                CODE,
                SettingName.PROXY,
                ProxyMode.DIRECT.value,
                _("write the exclusion portably: {line}", line=line),
            ),
        )
        if mine
        else (),
        severity=Severity.ERROR if mine else Severity.WARNING,
        explains=_explains() if mine else (),
    )


def _unusable(w: Way, settings: Settings | None) -> Finding:
    """The client starts, but no proxy can ever be reached at this value."""
    value = w.proxy or ""
    said = "" if w.reply is None else w.reply.exchange.fault_text
    if not _owner.is_tls_to_plain_proxy(w):
        return problem(
            _("{source} names no proxy that could be used", source=source(w)),
            paragraph(
                *_flaws(value),
                _("The request fails: {error}.", error=visible(said.rstrip("."), 200))
                if said
                else "",
                who_is_not(w),
            ),
            evidence=(*evidence_of_proxy(w, settings), *outcome_of(w)),
            changes=instead_of(CODE, w),
            explains=_explains(),
        )
    plain = f"http://{value.split('://', 1)[1]}"
    return problem(
        _("The proxy {proxy} speaks no TLS", proxy=shown_proxy(value)),
        paragraph(
            _(
                "{source} begins with https, which asks for TLS with the proxy itself, and the "
                "handshake with it fails. For https targets too a plain proxy is written with "
                "http.",
                source=source(w),
            ),
            _("Use `{name}={value}`.", name=source(w), value=values.shown(plain)),
            who_is_not(w),
        ),
        evidence=(*evidence_of_proxy(w, settings), *outcome_of(w)),
        changes=(
            Change(
                CODE,
                SettingName.PROXY,
                plain,
                _("use {proxy} as the proxy", proxy=values.shown(plain)),
            ),
        ),
        explains=_explains(),
    )


def _refused_elsewhere(w: Way) -> Finding | None:
    """This client takes the value, others do not start with it."""
    chosen = w.variables.find(w.mine.variable or "")
    if chosen is None or not values.flaws(chosen.value):
        return None
    better = values.corrected(chosen.value)
    return problem(
        _("{name} is not written as every program needs it", name=chosen.name),
        paragraph(
            *_flaws(chosen.value),
            _("Use `{name}={value}`.", name=chosen.name, value=values.shown(better))
            if better
            else "",
        ),
        evidence=evidence_of_variables(w, chosen.name),
        severity=Severity.WARNING,
    )


def _crash_elsewhere(w: Way, homes: tuple[PythonHome, ...]) -> Finding | None:
    """Entries with which the older httpx does not start, where it may be in use."""
    if w.mine.stack not in _PYTHON or (homes and all("httpx" not in h.packages for h in homes)):
        return None
    chosen = w.variables.python().get("no")
    entries = () if chosen is None else crashing(chosen.value)
    if chosen is None or not entries:
        return None
    better = _no_proxy.without(chosen.value, entries)
    return problem(
        _("{name} stops programs that use httpx 0.28 from starting", name=chosen.name),
        paragraph(
            _(
                "httpx 0.28, on which the OpenAI SDK before 3 stands, takes {entries} for a host "
                "with a port: InvalidURL “Invalid port”, for every target, even without a proxy.",
                entries=_quoted(entries),
            ),
            _("Use `{line}`.", line=_no_proxy.assignment(w.environment.platform, better)),
        ),
        evidence=evidence_of_variables(w, chosen.name),
        severity=Severity.WARNING,
        confidence=Confidence.HIGH if homes else Confidence.MEDIUM,
    )


def _flaws(value: str) -> tuple[Text, ...]:
    return tuple(_describe(flaw, value) for flaw in values.flaws(value))


def _describe(flaw: Flaw, value: str) -> Text:
    shown = values.shown(value)
    if flaw is Flaw.QUOTES:
        return _("The quotes are part of the value: {value}.", value=shown)
    if flaw is Flaw.BLANK:
        return _("A blank stands before or behind the URL: “{value}”.", value=shown)
    if flaw is Flaw.FULL_WIDTH:
        return _("“{value}” holds full-width characters.", value=shown)
    if flaw is Flaw.NO_SCHEME:
        return _(
            "“{value}” has no scheme: curl and Python add http://, Node, Claude Code and aiohttp "
            "refuse it.",
            value=shown,
        )
    if flaw is Flaw.SOCKS_WITHOUT_VERSION:
        return _(
            "socks:// has no version number; desktop settings write it so, and libraries know "
            "socks5:// and socks5h:// only."
        )
    if flaw is Flaw.SOCKS4:
        return _("httpx knows socks5:// and socks5h://, not SOCKS 4.")
    if flaw is Flaw.PORT:
        return _("The port in “{value}” is no number from 1 to 65535.", value=shown)
    if flaw is Flaw.HOST:
        return _("“{value}” names no host.", value=shown)
    return _("“{value}” begins with no scheme of a proxy.", value=shown)


def _quoted(entries: tuple[str, ...]) -> str:
    return ", ".join(f"“{visible(entry, 60)}”" for entry in entries)
