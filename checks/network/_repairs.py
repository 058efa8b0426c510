"""What to use in place of a proxy variable that the client does not take."""

from __future__ import annotations

from doctor.checkapi import Change, ProxyMode, SettingName, _
from doctor.proxyrules import Route, route, values
from doctor.urls import is_loopback

from ._way import Way
from ._words import shown_proxy


def instead_of(code: str, way: Way, *corrections: str) -> tuple[Change, ...]:
    """The changes to try, likeliest first.

    Where another variable leads on once the bad one is gone, leaving it out is right by itself.
    Else ``corrections`` of its value, plain http on the same port for a SOCKS URL (mixed ports
    take both), and the direct way; the latter first where the proxy is another machine, which may
    be long in not answering.
    """
    name = way.mine.variable or ""
    if way.by_environment:
        rest = way_without_bad_ones(way)
        meant = rest.chosen is not None
        if meant and rest.error is None:
            value = ProxyMode.DIRECT.value if rest.proxy is None else rest.proxy
            title = _("leave {name} out", name=name)
            return (Change(code, SettingName.PROXY, value, title),)
    chosen = way.variables.find(name) if way.by_environment else None
    value = chosen.value if chosen is not None else way.connection.proxy.value
    candidates = list(corrections)
    address = values.address(values.corrected(value) or value)
    if address is not None and values.scheme_of(values.corrected(value) or value) in values.SOCKS:
        candidates.append(f"http://{address}")
    near = address is not None and is_loopback(address.host)
    found = [
        Change(
            code,
            SettingName.PROXY,
            candidate,
            _("use {proxy} as the proxy", proxy=_named(candidate)),
            guess=True,
            rank=rank,
        )
        for rank, candidate in enumerate(dict.fromkeys(candidates))
    ]
    direct = Change(
        code,
        SettingName.PROXY,
        ProxyMode.DIRECT.value,
        _("leave {name} out and go to {host} direct", name=name, host=way.target.host),
        guess=bool(found),
        rank=len(found) if near else -1,
    )
    return (*found, direct)


def _named(value: str) -> str:
    address = values.address(value)
    return shown_proxy(value) if address is None else f"{address.scheme}://{address}"


def way_without_bad_ones(way: Way) -> Route:
    """The client's way with the variable at fault, and any other that it refuses, left out."""
    variables = way.variables.without([way.mine.variable or ""])
    while True:
        # The add-on's absence is in the fact, not in the rule, so it is asked for here as well.
        found = route(way.mine.stack, way.target, variables, socks=False)
        at_fault = found.chosen if found.error is not None else None
        if at_fault is None or variables.find(at_fault.name) is None:
            return found
        variables = variables.without([at_fault.name])
