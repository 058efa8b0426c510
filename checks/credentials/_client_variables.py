"""The variables from which a client takes its key."""

from __future__ import annotations

# gateway-clients.md §§2.2, 3.1, 3.5, 3.12; the first one is the one to set for a gateway.
_KEY_VARIABLES = {
    "anthropic-sdk": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "anthropic-sdk-node": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "claude-code": ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"),
    "gemini-cli": ("GEMINI_API_KEY",),
    # These take the variable that their own files name, and no other.
    "codex": (),
    "opencode": (),
    "continue": (),
    "litellm-proxy": (),
    "claude-code-router": (),
    "cc-switch": (),
    # Desktop programs and servers that keep their keys themselves.
    "chatbox": (),
    "cherry-studio": (),
    "dify": (),
    "roo-code": (),
}


def key_variables(client: str) -> tuple[str, ...]:
    """Empty where the client looks at none by itself."""
    return _KEY_VARIABLES.get(client, ("OPENAI_API_KEY",))


# How a settings file of the client names a variable (facts/gateway-clients.md §3.7, §3.8, §3.10).
_REFERENCE_FORMS = {
    "continue": "${{{{ secrets.{name} }}}}",
    "opencode": "{{env:{name}}}",
    "litellm-proxy": "os.environ/{name}",
}


def reference_form(client: str, name: str) -> str | None:
    """What to write for the value of the variable ``name``; None where nothing is expanded."""
    form = _REFERENCE_FORMS.get(client)
    return None if form is None else form.format(name=name)
