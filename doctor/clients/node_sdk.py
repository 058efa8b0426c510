"""What the SDKs of OpenAI and Anthropic for JavaScript share.

They read the variables of the process, trimmed; one that holds nothing else counts as unset. Their
program may read a ``.env`` before: that is not theirs (facts/gateway-clients.md §2.2).
"""

from __future__ import annotations

from collections.abc import Iterator

from doctor.clients.files import chosen
from doctor.clients.javascript import custom_headers, header_refusal, trimmed
from doctor.clients.machine import Machine
from doctor.connection import Header, Setting, Shadowed
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT


def text(machine: Machine, *names: str) -> Setting[str] | None:
    """The first of ``names`` that holds something, shadowing the others, as it stands."""
    held = (machine.shell.get(name) for name in names)
    return chosen(*(Shadowed(h.value, h.origin) for h in held if h and trimmed(h.value)))


def secret(machine: Machine, *names: str) -> Setting[Secret] | None:
    """As ``text``, for keys. Where all that is set is blank, that blank is the key."""
    found = text(machine, *names)
    if found is None:
        blank = (held for name in names if (held := machine.shell.get(name)) is not None)
        return chosen(*(Shadowed(Secret(held.value), held.origin) for held in blank))
    lost = tuple(Shadowed(Secret(s.value), s.origin) for s in found.shadows)
    return Setting(Secret(found.value), found.origin, lost)


def base(machine: Machine, name: str, default: str) -> Setting[str]:
    """The address; a blank variable stands for the vendor's own."""
    return text(machine, name) or Setting(default, DEFAULT)


def headers(machine: Machine, name: str) -> Iterator[Header]:
    """The headers of a variable with lines "Name: value"; they replace the SDK's own."""
    setting = text(machine, name)
    if setting is not None:
        for header, value in custom_headers(setting.value):
            yield Header(header, Secret(value), setting.origin)


def key_refusal(key: str) -> str | None:
    """Node's words where the header of ``key`` cannot be sent."""
    return header_refusal(f"Bearer {key}")
