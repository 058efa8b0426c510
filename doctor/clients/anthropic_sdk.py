"""The Anthropic SDK for Python, and what Claude Code shares with it.

Both append ``/v1/messages``, so their base has no version. ``ANTHROPIC_AUTH_TOKEN`` travels as
Bearer; since anthropic-python 2 so does ``ANTHROPIC_API_KEY`` (facts/gateway-clients.md §§0.8,
2.1, 2.2).
"""

from __future__ import annotations

from doctor.clients.base import ClientProfile
from doctor.clients.httpx_join import join_behind_query
from doctor.clients.httpx_keys import value_refusal
from doctor.connection import Protocol

PROFILE = ClientProfile(
    id="anthropic-sdk",
    label="Anthropic SDK (Python)",
    stack="httpx2",
    paths={Protocol.ANTHROPIC_MESSAGES: "/v1/messages"},
    models_path="/v1/models",
    base_has_version=False,
    join=join_behind_query,
    key_refusal=value_refusal,
    headers={"anthropic-version": "2023-06-01"},
    default_base="https://api.anthropic.com",
)
