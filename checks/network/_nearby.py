"""What else is there: local servers near a refused port, proxies that other programs use."""

from __future__ import annotations

from collections.abc import Iterable

from doctor.checkapi import Text, _
from doctor.facts.machine import Listener
from doctor.urls import is_loopback

from ._local_programs import SERVERS, listening_proxies
from ._way import Way
from ._words import paragraph, shown_proxy

_MOST = 3


def proxies_of_others(w: Way) -> Text | str:
    """Other libraries would go through a proxy where this client goes direct."""
    if w.proxy is not None:
        return ""
    found = next((route for route in w.others if route.proxy is not None), None)
    if found is None or found.proxy is None:
        return ""
    return _(
        "This client goes direct; {stack} would go through the proxy {proxy} ({variable}). If this "
        "network has no other way out, the client has to be told of it.",
        stack=found.stack,
        proxy=shown_proxy(found.proxy),
        variable=found.variable or "",
    )


def unused_proxy(w: Way, listeners: Iterable[Listener]) -> Text | str:
    """A local proxy that runs while this client goes direct."""
    if w.proxy is not None or w.target_is_local:
        return ""
    running = listening_proxies(listeners, 0)
    if not running:
        return ""
    first = running[0]
    return _(
        "{program} listens on 127.0.0.1:{port}, and this client does not use it. To try "
        "it: `{line}`.",
        program=first.process or _("A program"),
        port=first.port,
        line=f"export {w.target.scheme.upper()}_PROXY=http://127.0.0.1:{first.port}",
    )


def servers_near(w: Way, listeners: Iterable[Listener]) -> Text | str:
    """What listens on this machine where the client found nothing."""
    if not is_loopback(w.target.host):
        return ""
    there = tuple(listeners)
    same_port = sorted({one.address for one in there if one.port == w.target.port})
    elsewhere = [address for address in same_port if not is_loopback(address)]
    if elsewhere:
        return _(
            "Port {port} takes connections at {address} only.",
            port=w.target.port,
            address=", ".join(elsewhere),
        )
    known = {one.port: one for one in there if one.port in SERVERS and one.port != w.target.port}
    parts = [
        _(
            "Port {port} listens ({program}, likely {server}).",
            port=one.port,
            program=one.process or _("a program"),
            server=SERVERS[one.port],
        )
        for one in list(known.values())[:_MOST]
    ]
    return paragraph(*parts) if parts else ""
