"""Anthropic's SDK for JavaScript. Facts: facts/gateway-clients.md §§0.8, 2.1, 2.2, 2.4, 2.6.

Seen with @anthropic-ai/sdk 1.14 on Node 20: a key travels as Bearer like a token, and of both the
key is taken; the path is put behind the base as it stands, so that a query swallows it.
"""

from __future__ import annotations

from doctor.clients import node_sdk
from doctor.clients.base import ClientProfile
from doctor.clients.javascript import join, refuse_credentials, trimmed, with_query
from doctor.clients.machine import Machine
from doctor.connection import Connection, Protocol
from doctor.settings.building import max_tokens_of, model_of
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found

_DEFAULT_BASE = "https://api.anthropic.com"


def _join(base: str, path: str) -> str:
    return refuse_credentials(join(trimmed(base), path))


PROFILE = ClientProfile(
    id="anthropic-sdk-node",
    label="Anthropic SDK (JavaScript)",
    stack="node-fetch",
    paths={Protocol.ANTHROPIC_MESSAGES: "/v1/messages"},
    models_path="/v1/models",
    base_has_version=False,
    join=_join,
    prepare_key=trimmed,
    key_refusal=node_sdk.key_refusal,
    keyless_refusal="Could not resolve authentication method. …",
    headers={
        "anthropic-version": "2026-10-21",
        "user-agent": "Anthropic/JS 1.14.0",
        "x-stainless-lang": "js",
    },
    default_base=_DEFAULT_BASE,
    add_query=with_query,
)


def find(machine: Machine, *, always: bool) -> Found:
    """Only for a user who names it: the variables alone are the Python SDK's target as well."""
    found = Found()
    if not always:
        return found
    connection = Connection(
        client=PROFILE.id,
        protocol=Protocol.ANTHROPIC_MESSAGES,
        base_url=node_sdk.base(machine, "ANTHROPIC_BASE_URL", _DEFAULT_BASE),
        key=node_sdk.secret(machine, "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        model=model_of(machine.shell, ("ANTHROPIC",)),
        max_tokens=max_tokens_of(machine.shell, ("ANTHROPIC",)),
        headers=tuple(node_sdk.headers(machine, "ANTHROPIC_CUSTOM_HEADERS")),
    )
    found.candidates.append(Candidate(PROFILE.id, "environment", connection))
    return found
