"""KVD301: the proxy of the client's route takes no connection."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    ProxyMode,
    SettingName,
    Severity,
    Unavailable,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.machine import Listener
from doctor.proxyrules import values

from . import _owner
from ._container import loopback_proxies, proxies_of_a_launch
from ._local_programs import listening_proxies
from ._way import READS, Way, way
from ._words import (
    evidence_of_proxy,
    how_to_go_direct,
    outcome_of,
    paragraph,
    shown_proxy,
    source,
    who_is_hit,
    who_is_not,
)

CODE = _owner.DEAD
_TRIED_ALTERNATIVES = 2


@check(
    code=CODE,
    slug="proxy-unreachable",
    severity=Severity.ERROR,
    hop=Hop.PROXY,
    wants=(*READS, facts.LISTENERS, facts.SETTINGS, facts.LAUNCH),
)
async def proxy_unreachable(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The proxy that the client takes for this target is not running.

    ## What it checks
    Which proxy the client's HTTP library takes for the base URL, by its own rules for HTTP_PROXY,
    HTTPS_PROXY, ALL_PROXY, NO_PROXY and the system's setting, and whether that proxy takes a
    connection. A dead proxy that this target does not use is no finding. Besides, a proxy on
    localhost among the variables of a container (compose services, `--env-file`, a server's launch
    line) that does not use the host's network.

    ## Why it matters
    A variable left over from a closed Clash or v2rayN makes every request fail with `Connection
    refused`, and most libraries do not say that it was the proxy. Node's fetch ignores the
    variables, so the same key and URL work there.

    ## How to fix
    Start the proxy, correct its port, or take the variable away.

    ## Fix safety
    Without the proxy the request goes straight to the configured host. Another local proxy is
    tried for https targets only, whose content no proxy can read.

    ## References
    https://docs.python.org/3/library/urllib.request.html#urllib.request.getproxies
    """
    settings = await f.find(facts.SETTINGS)
    launch = await f.find(facts.LAUNCH)
    # A service that is read as a launch line as well is told once.
    elsewhere = tuple(loopback_proxies(settings, f.target)) or tuple(proxies_of_a_launch(launch))
    for finding in elsewhere:
        yield finding
    try:
        w = await way(f)
    except (Unavailable, NotApplicable):
        if elsewhere:
            return  # what was found stands, whatever is not known of this process's own way
        raise
    if w.proxy is None or w.mine.error is not None:
        return
    if not w.proxy_is_dead:
        if w.reply is None and w.proxy_tcp is None and not elsewhere:
            raise Unavailable(w.no_reply or _("no connection to the proxy was tried"))
        return
    mine = _owner.owner(w) == CODE
    listeners = await f.find(facts.LISTENERS) or ()
    running = _running(w, listeners)
    yield problem(
        _title(w),
        paragraph(
            _(
                "{source} sends the request to {host} through {proxy}, and the connection to it "
                "fails: {error}.",
                source=source(w),
                host=w.target.host,
                proxy=shown_proxy(w.proxy),
                error=_error(w),
            ),
            _what_listens(w, running),
            _in_a_container(w),
            how_to_go_direct(w),
            who_is_not(w) if mine else "",
        ),
        evidence=(
            *evidence_of_proxy(w, settings),
            *_connect(w),
            *outcome_of(w),
        ),
        changes=_changes(w, running) if mine else (),
        explains=_explains() if mine else (),
        clients=who_is_hit(w),
    )


def _explains() -> tuple[str, ...]:
    return (*(code for code in _owner.ALL if code != CODE), *_owner.CONSEQUENCES)


def _title(w: Way) -> str:
    proxy = shown_proxy(w.proxy or "")
    if w.proxy_tcp is not None and w.proxy_tcp.ok:
        return _("The proxy {proxy} takes the connection and does not go on with it", proxy=proxy)
    if w.proxy_tcp is not None and w.proxy_tcp.error == "refused":
        return _("The proxy {proxy} is not running", proxy=proxy)
    return _("The proxy {proxy} cannot be reached", proxy=proxy)


def _error(w: Way) -> str:
    if w.proxy_tcp is not None and not w.proxy_tcp.ok:
        return visible(w.proxy_tcp.text or w.proxy_tcp.error or "", 200)
    if w.reply is not None and w.reply.exchange.fault_text:
        return visible(w.reply.exchange.fault_text, 200)
    return _("no connection")


def _connect(w: Way) -> tuple[Evidence, ...]:
    tcp = w.proxy_tcp
    if tcp is None:
        return ()
    place = f"{tcp.address or tcp.host}:{tcp.port}"
    return (Evidence("TCP", place, visible(tcp.text or tcp.error or _("connected"), 200)),)


def _running(w: Way, listeners: tuple[Listener, ...]) -> tuple[Listener, ...]:
    address = values.address(w.proxy or "")
    if address is None or not w.proxy_is_loopback:
        return ()
    return listening_proxies(listeners, address.port)[:_TRIED_ALTERNATIVES]


def _what_listens(w: Way, running: tuple[Listener, ...]) -> str:
    if not running or w.proxy is None:
        return ""
    first = running[0]
    return _(
        "{program} listens on port {port}: if that is the proxy, set {source} to {value}.",
        program=first.process or _("A program"),
        port=first.port,
        source=source(w),
        value=_at_port(first),
    )


def _in_a_container(w: Way) -> str:
    address = values.address(w.proxy or "")
    if address is None or not w.environment.in_container or not w.proxy_is_loopback:
        return ""
    return _(
        "This process runs in a container, where {host} is the container itself. The proxy of the "
        "Docker host is {value}; it has to accept connections from other machines (“Allow LAN”), "
        "and on Linux the container needs extra_hosts: host.docker.internal:host-gateway.",
        host=address.host,
        value=f"http://host.docker.internal:{address.port}",
    )


def _changes(w: Way, running: tuple[Listener, ...]) -> tuple[Change, ...]:
    others = tuple(
        Change(
            CODE,
            SettingName.PROXY,
            _at_port(one),
            _("use the proxy that listens on 127.0.0.1:{port}", port=one.port),
            guess=True,
            rank=rank,
        )
        for rank, one in enumerate(running)
        # Through plain http a proxy sees the key, and this one is not the configured one.
        if w.target.scheme == "https"
    )
    direct = Change(
        CODE,
        SettingName.PROXY,
        ProxyMode.DIRECT.value,
        _("go to {host} without the proxy", host=w.target.host),
        guess=bool(others),
        rank=len(others),
    )
    return (*others, direct)


def _at_port(one: Listener) -> str:
    return f"http://127.0.0.1:{one.port}"
