"""What the command line says about targets."""

from __future__ import annotations

from doctor.connection import Protocol
from doctor.facts.settings import EnvReader
from doctor.records import dataclass

ENV_READERS = {
    "dotenv": EnvReader.DOTENV,
    "docker": EnvReader.DOCKER,
    "compose": EnvReader.COMPOSE,
    "shell": EnvReader.SHELL,
}


@dataclass(frozen=True, slots=True)
class TargetRequest:
    """Names, URLs and clients to examine (none: everything discovered), and values from flags.

    ``key_stdin`` is the text that came on stdin. ``env_reader`` is a key of ``ENV_READERS``.
    ``proxy`` is "direct", "environment" or a proxy's URL. ``keychain`` and ``run_key_helper`` let
    clients' own credentials be looked for there, ``trust_project`` those of project files.
    ``beside`` says that the address is a second one beside that of the target: only a key that is
    configured for it goes there, not one that is configured for no address.
    """

    names: tuple[str, ...] = ()
    base_url: str | None = None
    model: str | None = None
    max_tokens: int | None = None
    client: str | None = None
    protocol: str | Protocol | None = None
    key_env: str | None = None
    key_file: str | None = None
    key_stdin: str | None = None
    env_file: str | None = None
    env_reader: str | None = None
    proxy: str | None = None
    ca_bundle: str | None = None
    timeout: float | None = None
    keychain: bool = False
    run_key_helper: bool = False
    trust_project: bool = False
    beside: bool = False
