"""KVD401: Claude's token and its key are both set."""

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
    problem,
)
from doctor.connection import Protocol, Setting, Shadowed
from doctor.secrets import Secret

CODE = "KVD401"
_TOKEN, _KEY = "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"  # names of variables


@check(
    code=CODE,
    slug="claude-token-and-key-set",
    severity=Severity.WARNING,
    blocking=False,
)
async def claude_token_and_key_set(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """`ANTHROPIC_AUTH_TOKEN` and `ANTHROPIC_API_KEY` are both in effect, and differ.

    What it checks: whether both variables hold something for a client that speaks Anthropic's
    API. The same text in both does no harm.

    Why it matters: Claude Code sends both, the token as `Authorization` and the key as
    `x-api-key`, and new-api lets the key win there; the SDK for Python takes the key. So what
    authenticates is not what the user believes, and Claude Code warns of an auth conflict.

    How to fix: keep the one that belongs to the base URL, and remove the other from the shell,
    the `.env` or the settings file that holds it.

    Fix safety: none is made; which of the two is meant cannot be seen.

    References: facts/gateway-clients.md §§0.2, 2.2, 3.1
    """
    connection = f.connection
    if connection.protocol is not Protocol.ANTHROPIC_MESSAGES or connection.key is None:
        raise NotApplicable("no client of Anthropic's API")
    token, key = _held(connection.key, _TOKEN), _held(connection.key, _KEY)
    if token is None or key is None or token.value.reveal() == key.value.reveal():
        return
    yield problem(
        _("{token} and {key} are both set", token=_TOKEN, key=_KEY),
        _(
            "Claude Code sends both, and a gateway such as new-api then takes {key}; the Python SDK"
            " uses {key} alone. Keep the one that belongs to {base}.",
            key=_KEY,
            base=connection.base_url.value,
        ),
        evidence=(
            Evidence(_("token"), str(token.origin), token.value.described),
            Evidence(_("key"), str(key.origin), key.value.described),
        ),
    )


def _held(setting: Setting[Secret], name: str) -> Shadowed[Secret] | None:
    """The first filled value under ``name``, in effect or not."""
    values = (Shadowed(setting.value, setting.origin), *setting.shadows)
    named = (held for held in values if held.origin.name == name)
    return next((held for held in named if held.value.reveal().strip()), None)
