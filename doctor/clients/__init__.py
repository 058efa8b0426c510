"""The client programs that kvdoctor knows, one module each."""

from __future__ import annotations

from doctor.clients.base import ClientProfile, ClientRefusal


def profiles() -> tuple[ClientProfile, ...]:
    """All of them."""
    from doctor.clients import anthropic_sdk, openai_sdk

    return (openai_sdk.PROFILE, anthropic_sdk.PROFILE)


def profile(client: str) -> ClientProfile:
    """By id. Raises ``KeyError``."""
    for candidate in profiles():
        if candidate.id == client:
            return candidate
    raise KeyError(client)


__all__ = ["ClientProfile", "ClientRefusal", "profile", "profiles"]
