"""Cherry Studio. Its settings lie in the browser database of its app folder
(facts/gateway-clients.md §§3.0, 3.12; from documentation, not run).

The address is a host to which the version is added; with a slash at its end it is taken as it is.
"""

from __future__ import annotations

from doctor.clients.base import ClientProfile
from doctor.clients.machine import Machine
from doctor.clients.unreadable import say_the_address
from doctor.clients.whatwg import href
from doctor.connection import Protocol
from doctor.settings.found import Found
from doctor.text import _


def join(base: str, path: str) -> str:
    """Raises ``ClientRefusal``."""
    written = base.strip()
    return href(
        written.removesuffix("/") + path if written.endswith("/") else f"{written}/v1{path}"
    )


PROFILE = ClientProfile(
    id="cherry-studio",
    label="Cherry Studio",
    stack="node-fetch",
    paths={Protocol.OPENAI_CHAT: "/chat/completions"},
    models_path="/models",
    base_has_version=False,
    join=join,
    prepare_key=str.strip,
    default_base="https://api.openai.com",
)


def find(machine: Machine, *, always: bool) -> Found:
    """Nothing of its own accord. Raises ``ConfigError`` for a user who named it alone."""
    if always:
        raise say_the_address(PROFILE.label, _("the database of its app folder"), PROFILE.id)
    return Found()
