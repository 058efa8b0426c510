"""LangChain and LlamaIndex: programs of the user's own, of which only the variables are known.

They take ``OPENAI_API_BASE`` before ``OPENAI_BASE_URL``, which OpenAI's own SDK alone reads, so
where both are set and differ one program goes here and another there (facts/gateway-clients.md
§2.2).
"""

from __future__ import annotations

from doctor.clients.base import ClientProfile
from doctor.clients.files import Files
from doctor.clients.held import secrets, texts
from doctor.clients.httpx_join import join_behind_query
from doctor.clients.httpx_keys import bearer_refusal
from doctor.clients.machine import Machine
from doctor.connection import Connection, Protocol, Setting
from doctor.settings.building import DEFAULT, max_tokens_of, model_of
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found
from doctor.settings.variables import Space

_DEFAULT_BASE = "https://api.openai.com/v1"
OWN, SDK = "OPENAI_API_BASE", "OPENAI_BASE_URL"


def profile_of(client: str, label: str) -> ClientProfile:
    """All of them ask by means of OpenAI's own SDK."""
    return ClientProfile(
        id=client,
        label=label,
        stack="httpx",
        paths={Protocol.OPENAI_CHAT: "/chat/completions"},
        models_path="/models",
        base_has_version=True,
        join=join_behind_query,
        key_refusal=bearer_refusal,
        default_base=_DEFAULT_BASE,
    )


def find_for(
    client: str, machine: Machine, *, always: bool, names: tuple[str, ...], package: str
) -> Found:
    """``names`` are the variables of its base in the order in which they count, ``package`` the
    distribution that shows that it is used here."""
    found = Found()
    files = Files(machine, client, found)
    own = files.env(machine.cwd / ".env")
    space = Space((*machine.shell.layers, *([own] if own is not None else [])))
    # The other name is no shadow of the value: OpenAI's own SDK takes it.
    bases = next((held for name in names if (held := texts(space, name))), ())
    if not always and not (_differ(space) and _is_installed(package, machine)):
        return found
    keys = secrets(space, "OPENAI_API_KEY")
    base = Setting(bases[0].value, bases[0].origin, bases[1:]) if bases else None
    connection = Connection(
        client=client,
        protocol=Protocol.OPENAI_CHAT,
        base_url=base or Setting(_DEFAULT_BASE, DEFAULT),
        key=Setting(keys[0].value, keys[0].origin, keys[1:]) if keys else None,
        model=model_of(space, ("OPENAI",)),
        max_tokens=max_tokens_of(space, ("OPENAI",)),
    )
    found.candidates.append(Candidate(client, base.origin.name if base else client, connection))
    return found


def _differ(space: Space) -> bool:
    """Whether the SDK and these programs go to different places."""
    own, sdk = texts(space, OWN), texts(space, SDK)
    return bool(own and sdk) and own[0].value.rstrip("/") != sdk[0].value.rstrip("/")


def _is_installed(package: str, machine: Machine) -> bool:
    from doctor.probes.python_homes import homes_of

    return any(package in home.packages for home in homes_of(machine.environment))
