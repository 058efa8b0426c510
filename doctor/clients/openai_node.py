"""The OpenAI SDK for JavaScript. Facts: facts/gateway-clients.md §§2.1, 2.2, 2.4, 2.6.

Seen with openai 7.59 on Node 20. Which model is asked for and how many tokens are allowed is the
program's own affair; OPENAI_MODEL and OPENAI_MAX_TOKENS are what such programs read.
"""

from __future__ import annotations

from doctor.clients import node_sdk
from doctor.clients.base import ClientProfile
from doctor.clients.javascript import join_before_query, refuse_credentials, trimmed, with_query
from doctor.clients.machine import Machine
from doctor.connection import Connection, Header, Protocol
from doctor.secrets import Secret
from doctor.settings.building import max_tokens_of, model_of
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found

_DEFAULT_BASE = "https://api.openai.com/v1"
_NAMED = (("OPENAI_ORG_ID", "OpenAI-Organization"), ("OPENAI_PROJECT_ID", "OpenAI-Project"))


def _join(base: str, path: str) -> str:
    return refuse_credentials(join_before_query(trimmed(base), path))


PROFILE = ClientProfile(
    id="openai-sdk-node",
    label="OpenAI SDK (JavaScript)",
    stack="node-fetch",
    paths={
        Protocol.OPENAI_CHAT: "/chat/completions",
        Protocol.OPENAI_RESPONSES: "/responses",
    },
    models_path="/models",
    base_has_version=True,
    join=_join,
    prepare_key=trimmed,
    key_refusal=node_sdk.key_refusal,
    keyless_refusal="Missing credentials. Please pass an `apiKey`, …",
    headers={"user-agent": "OpenAI/JS 7.59.0", "x-stainless-lang": "js", "accept-language": "*"},
    default_base=_DEFAULT_BASE,
    add_query=with_query,
)


def find(machine: Machine, *, always: bool) -> Found:
    """Only for a user who names it: the variables alone are the Python SDK's target as well."""
    found = Found()
    if not always:
        return found
    named = [(node_sdk.text(machine, variable), header) for variable, header in _NAMED]
    headers = [
        Header(header, Secret(trimmed(setting.value)), setting.origin)
        for setting, header in named
        if setting is not None
    ]
    connection = Connection(
        client=PROFILE.id,
        protocol=Protocol.OPENAI_CHAT,
        base_url=node_sdk.base(machine, "OPENAI_BASE_URL", _DEFAULT_BASE),
        key=node_sdk.secret(machine, "OPENAI_API_KEY"),
        model=model_of(machine.shell, ("OPENAI",)),
        max_tokens=max_tokens_of(machine.shell, ("OPENAI",)),
        headers=(*headers, *node_sdk.headers(machine, "OPENAI_CUSTOM_HEADERS")),
    )
    found.candidates.append(Candidate(PROFILE.id, "environment", connection))
    return found
