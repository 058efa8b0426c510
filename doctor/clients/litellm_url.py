"""URLs of the library litellm, on which Aider and the LiteLLM proxy rest.

For OpenAI's protocol it hands the base to the SDK, which is openai 2 under Aider 0.86.2 (litellm
1.81) and openai 3 under the proxy (litellm 1.108); for Anthropic's it appends to the text of the
base itself. Observed with both.
"""

from __future__ import annotations

import urllib.parse

from doctor.clients import httpx_join

CHAT, MESSAGES = "/chat/completions", "/v1/messages"
_SAFE = "%/:=&?~#+!$,;'@()*[]"


def join(base: str, path: str) -> str:
    """The rule with openai 3. Raises ``ClientRefusal``."""
    return _of_anthropic(base) if path == MESSAGES else httpx_join.join(base, path)


def join_behind_query(base: str, path: str) -> str:
    """The rule with openai 2. Raises ``ClientRefusal``."""
    return _of_anthropic(base) if path == MESSAGES else httpx_join.join_behind_query(base, path)


def _of_anthropic(base: str) -> str:
    httpx_join.join(base, MESSAGES)  # refuses what nobody could dial
    whole = base if base.endswith(MESSAGES) else base + MESSAGES
    return urllib.parse.quote(whole, safe=_SAFE)
