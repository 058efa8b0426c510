"""``kvdoctor.tap/1``: what a sitting came to, as data. ``schemas/tap-1.json`` is its contract."""

from __future__ import annotations

import dataclasses
from typing import Any

from doctor.facts.prefixlog import PrefixLog
from doctor.render.document import finding_document, setting_document, tool
from doctor.tap.origins import LOOPBACK
from doctor.tap.outcome import Outcome, figures_of
from doctor.tap.preparing import Place
from doctor.tap.record import document
from doctor.untrusted import visible

SCHEMA = "kvdoctor.tap/1"
# The requests themselves are in the file of --record; here the last ones are enough.
_MOST = 1_000


def tap_document(outcome: Outcome) -> dict[str, Any]:
    """English, masked, without prompts."""
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "client": outcome.client or None,
        "command": [visible(word, 500) for word in outcome.command],
        "exit_code": outcome.exit_code,
        "duration_ms": round(outcome.seconds * 1000),
        "listeners": [_listener(place, outcome.ports) for place in outcome.places],
        "figures": dataclasses.asdict(figures_of(outcome.records)),
        "requests": [document(record) for record in outcome.records[-_MOST:]],
        "differences": [dataclasses.asdict(difference) for difference in outcome.differences],
        "prompts": None if outcome.prompts is None else _prompts(outcome.prompts),
        "findings": [finding_document(finding) for finding in outcome.findings],
        "notes": [visible(note) for note in outcome.notes],
    }


def _listener(place: Place, ports: dict[str, int]) -> dict[str, Any]:
    proxy = place.upstream.proxy
    return {
        "id": place.lead.id,
        "name": visible(place.lead.name),
        "address": f"http://{LOOPBACK}:{ports[place.lead.id]}",
        "upstream": place.upstream.origin.url,
        "base_url": setting_document(place.connection.base_url),
        "proxy": None if proxy is None else visible(proxy),
    }


def _prompts(log: PrefixLog) -> dict[str, Any]:
    reported = log.reported_rate
    return {
        "requests": log.requests,
        "prompt_tokens": log.prompt_tokens,
        "exact": log.exact,
        "hit_rate": round(log.hit_rate, 6),
        "hit_rate_after": round(log.hit_rate_after, 6),
        "reported_hit_rate": None if reported is None else round(reported, 6),
    }
