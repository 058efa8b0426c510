"""KVD310: the host name of the base URL has no address."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    Unavailable,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.network import DnsAnswer, TransportFault
from doctor.patterns import Pattern
from doctor.proxyrules.no_proxy import ip
from doctor.settings.providers import providers
from doctor.suggest import nearest

from ._nearby import proxies_of_others
from ._way import READS, Way, direct_way
from ._words import outcome_of, paragraph

CODE = "KVD310"
# EAI_AGAIN and its kin: the resolver did not answer, so nothing is known about the name.
_NO_RESOLVER = Pattern(
    r"errno -3\b|temporary failure|11002|EAI_AGAIN|no answer within|server misbehaving", re.I
)
_NEARLY = 0.86


@check(
    code=CODE,
    slug="dns-fails",
    severity=Severity.ERROR,
    hop=Hop.DNS,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.DNS),
    explains=("KVD311", "KVD312", "KVD313"),
)
async def dns_fails(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The host name of the base URL is not resolved.

    ## What it checks
    What the system's resolver says to the name, where the client asks it: behind a proxy the
    proxy does.

    ## Why it matters
    A name that does not exist is misspelt or belongs to another network (a VPN, a Docker
    network). A resolver that does not answer says nothing about the name.

    ## How to fix
    Correct the name, or join the network that knows it.

    ## Fix safety
    Another host is another place for the key, so a similar name is shown and never asked.

    ## References
    https://man7.org/linux/man-pages/man3/getaddrinfo.3.html
    """
    w = await direct_way(f)
    if ip(w.target.host) is not None:
        raise NotApplicable(_("the host is an address"))
    dns = await f.find(facts.DNS)
    said = _error(w, dns)
    if said is None:
        return
    silent = _NO_RESOLVER.search(said) is not None
    yield problem(
        _("The resolver does not answer for {host}", host=w.target.host)
        if silent
        else _("The name {host} does not exist", host=w.target.host),
        paragraph(
            _("The system's resolver says: {error}.", error=visible(said.rstrip("."), 200)),
            _silent() if silent else _about_the_name(w),
            proxies_of_others(w),
        ),
        evidence=(Evidence("DNS", w.target.host, visible(said, 300)), *outcome_of(w)),
    )


def _error(w: Way, dns: DnsAnswer | None) -> str | None:
    """The resolver's words, None where the name was resolved. Raises ``Unavailable``."""
    told = None if dns is None else dns.error
    if w.reply is not None:
        failed = w.fault is TransportFault.DNS
        return (told or w.reply.exchange.fault_text) if failed else None
    if dns is None:
        raise Unavailable(w.no_reply)
    return told


def _silent() -> Text:
    return _(
        "That says nothing about the name: likely there is no network, a VPN is down, or the DNS "
        "server in use does not answer."
    )


def _about_the_name(w: Way) -> Text | str:
    host = w.target.host
    if host == "host.docker.internal":
        if w.environment.in_container:
            return _(
                "On Linux a container knows it only with extra_hosts: "
                "host.docker.internal:host-gateway."
            )
        return _("Only containers know it. Outside of them the same server is at 127.0.0.1.")
    if "." not in host:
        return _(
            "One-word names are known inside their own network only, such as the services of one "
            "compose file. Outside of it use 127.0.0.1 with the published port."
        )
    known = [name for p in providers() for name in p.hosts if not name.startswith("*.")]
    near = nearest(host, known, cutoff=_NEARLY)
    if near is not None and near != host:
        return _(
            "Likely {near} is meant. The key is configured for {host}, so nothing was sent there.",
            near=near,
            host=host,
        )
    return ""
