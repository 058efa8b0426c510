"""NextChat (ChatGPT-Next-Web). It is set up by the variables of its container; its browsers ask its
own server, and that asks the address of ``BASE_URL``. From its public source
(``app/api/common.ts``); not run.
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
    """Without a scheme it takes https; one slash at the end goes. Raises ``ClientRefusal``."""
    whole = base if base.startswith("http") else f"https://{base}"
    return href(whole.removesuffix("/") + path)


PROFILE = ClientProfile(
    id="next-chat",
    label="NextChat",
    stack="node-fetch",
    paths={Protocol.OPENAI_CHAT: "/v1/chat/completions"},
    models_path="/v1/models",
    base_has_version=False,
    join=join,
    prepare_key=str.strip,
    default_base="https://api.openai.com",
)


def find(machine: Machine, *, always: bool) -> Found:
    """Nothing of its own accord: its compose file is read with all others. Raises ``ConfigError``
    for a user who named it alone."""
    if always:
        raise say_the_address(PROFILE.label, _("the variables of its container"), PROFILE.id)
    return Found()
