"""The OpenAI SDK for Python. Facts: facts/gateway-clients.md §§2.1, 2.2, 2.4, 2.5."""

from __future__ import annotations

from doctor.clients.base import ClientProfile
from doctor.clients.httpx_join import join
from doctor.clients.httpx_keys import bearer_refusal
from doctor.connection import Protocol

PROFILE = ClientProfile(
    id="openai-sdk",
    label="OpenAI SDK (Python)",
    stack="httpx2",
    paths={
        Protocol.OPENAI_CHAT: "/chat/completions",
        Protocol.OPENAI_RESPONSES: "/responses",
    },
    models_path="/models",
    base_has_version=True,
    join=join,
    key_refusal=bearer_refusal,
    headers={"user-agent": "OpenAI/Python 3.57.0", "x-stainless-lang": "python"},
    default_base="https://api.openai.com/v1",
)
