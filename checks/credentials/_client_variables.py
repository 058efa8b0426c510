"""The variables from which a client takes its key."""

from __future__ import annotations

# gateway-clients.md §§2.2, 3.1; the first one is the one to set for a gateway.
_KEY_VARIABLES = {
    "anthropic-sdk": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "claude-code": ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"),
    "gemini-cli": ("GEMINI_API_KEY",),
    # Codex takes the variable that its provider's env_key names, and no other.
    "codex": (),
}


def key_variables(client: str) -> tuple[str, ...]:
    """Empty where the client looks at none by itself."""
    return _KEY_VARIABLES.get(client, ("OPENAI_API_KEY",))
