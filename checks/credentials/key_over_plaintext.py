"""KVD117: a key travels over http to another network."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.network import DnsAnswer

from ._key_text import is_empty
from ._place import is_local
from ._placeholder import is_placeholder, stands_for_no_key
from ._show import key_evidence


@check(
    code="KVD117",
    slug="key-over-plaintext",
    severity=Severity.WARNING,
    blocking=False,
    needs=(facts.ENDPOINT,),
    wants=(facts.DNS,),
)
async def key_over_plaintext(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The key is sent over http, unencrypted, to a host outside of the own network.

    What it checks: the scheme of the base URL where a real key is sent. Loopback and private
    addresses do not count, nor names that resolve to such.

    Why it matters: everybody on the way reads the key and the prompts, and can change the
    answers.

    How to fix: use https in the base URL where the server speaks it.

    Fix safety: nothing is changed: whether the server speaks https on that port is for KVD207
    to try.

    References: RFC 6750 section 5.3
    """
    setting = f.connection.key
    text = "" if setting is None else setting.value.reveal()
    if setting is None or is_empty(text) or is_placeholder(text) or stands_for_no_key(text):
        raise NotApplicable("no key is sent")
    endpoint = await f.get(facts.ENDPOINT)
    if endpoint.scheme != "http" or is_local(endpoint.host):
        return
    dns: DnsAnswer | None = await f.find(facts.DNS)
    if dns is not None and dns.addresses and all(map(is_local, dns.addresses)):
        return
    yield problem(
        _("The key goes to {host} over http, unencrypted", host=endpoint.host),
        _(
            "Everybody on the way to {host} can read the key and the prompts. Use an https URL "
            "if the server has one, else a tunnel or a private network.",
            host=endpoint.host,
        ),
        evidence=(
            Evidence(_("base URL"), _("request"), visible(endpoint.url or "", 200)),
            key_evidence(setting),
        ),
    )
