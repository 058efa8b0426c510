"""How the traffic of a program is led to a listener: by its arguments and variables alone.

No file is written or changed. What each program obeys was seen by running it
(facts/gateway-clients.md §§2.2, 3; tests/live/test_tap.py).
"""

from __future__ import annotations

from importlib import import_module

from doctor.tap.steering.base import Launch, Lead, Scene, Steering

__all__ = ["Launch", "Lead", "Scene", "Steering", "steering_of"]

# Modules by the client's id; every other program is led by variables.
_MODULES = {
    "aider": "aider",
    "claude-code": "claude_code",
    "cline": "by_hand",
    "codex": "codex",
    "opencode": "opencode",
    "gemini-cli": "gemini_cli",
    "qwen-code": "qwen_code",
}


def steering_of(client: str) -> Steering:
    """The rules of a client by its id; "" is any program."""
    module = import_module(f"doctor.tap.steering.{_MODULES.get(client, 'variables')}")
    steering: Steering = module.STEERING
    return steering
