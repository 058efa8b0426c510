"""Scenarios in which the key is at fault."""

from __future__ import annotations

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import ENGINE, GOOD, demo_key
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import Key, KeyState, NewApiConfig
from doctor.demo.servers import Servers
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.secrets import Secret
from doctor.text import _

from .scenario import Area, Scenario, Setup
from .sound import base_of, elsewhere, env_file, shell


async def _key_with_newline(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    return Setup(shell(base_of(gateway), GOOD + "\n"), right={"key": Secret(GOOD)})


def _in_docker(gateway: LoopbackServer, key: str) -> Setup:
    """An env file for ``docker run --env-file``, which takes every value as it stands.

    The gateway is on another machine: a container's 127.0.0.1 would be the container.
    """
    base, arguments = elsewhere(gateway)
    return Setup(
        files={".env": env_file(shell(base, key))},
        arguments=("--env-file", ".env", "--env-reader", "docker", *arguments),
        right={"key": Secret(GOOD)},
    )


async def _key_in_quotes(servers: Servers) -> Setup:
    return _in_docker(await servers.open(NewApi()), f'"{GOOD}"')


async def _key_with_comment(servers: Servers) -> Setup:
    return _in_docker(await servers.open(NewApi()), f"{GOOD} # the key for the demo")


async def _key_with_bearer(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    return Setup(shell(base_of(gateway), f"Bearer {GOOD}"), right={"key": Secret(GOOD)})


async def _key_invisible_character(servers: Servers) -> Setup:
    """A key copied from a chat, with a zero-width space in its middle."""
    gateway = await servers.open(NewApi())
    copied = f"{GOOD[:12]}\u200b{GOOD[12:]}"
    return Setup(shell(base_of(gateway), copied), right={"key": Secret(GOOD)})


async def _key_placeholder(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    return Setup(files={".env": env_file(shell(base_of(gateway), "sk-你的Key"))})


async def _key_empty(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    return Setup(shell(base_of(gateway), ""))


async def _key_expired(servers: Servers) -> Setup:
    key = Key(state=KeyState.EXPIRED, expires_at=1_700_000_000)
    gateway = await servers.open(NewApi(NewApiConfig(keys=(key,))))
    return Setup(shell(base_of(gateway)))


async def _quota_empty(servers: Servers) -> Setup:
    keys = (Key(state=KeyState.USER_WITHOUT_QUOTA, remaining=0),)
    gateway = await servers.open(NewApi(NewApiConfig(keys=keys)))
    return Setup(shell(base_of(gateway)))


async def _wrong_header(servers: Servers) -> Setup:
    """vLLM looks at Authorization alone; the client was told to send x-api-key."""
    engine = await servers.open(Vllm(VllmConfig(models=("qwen3-8b",), api_keys=(ENGINE,))))
    declared = (
        "[targets.engine]\n"
        f'base_url = "{engine.origin}/v1"\n'
        'key_env = "VLLM_API_KEY"\n'
        'model = "qwen3-8b"\n'
        'auth = "x-api-key"\n'
    )
    return Setup(
        {"VLLM_API_KEY": ENGINE},
        {"kvdoctor.toml": declared},
        right={"auth": "authorization"},
    )


async def _renewed_key_loses(servers: Servers) -> Setup:
    """The new key is in .env, beside the address; the old one is still exported and wins."""
    gateway = await servers.open(NewApi())
    old = demo_key("old")
    return Setup(
        {"OPENAI_API_KEY": old},
        {".env": env_file(shell(base_of(gateway)))},
        right={"key": Secret(GOOD)},
    )


async def _key_and_url_swapped(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    base = base_of(gateway)
    return Setup(shell(GOOD, base), right={"base_url": base, "key": Secret(GOOD)})


async def _key_over_plaintext(servers: Servers) -> Setup:
    base, arguments = elsewhere(await servers.open(NewApi()))
    return Setup(shell(base), arguments=arguments)


C = Area.CREDENTIALS
SCENARIOS = (
    Scenario(
        "key-with-newline",
        C,
        _("The key ends in a line break."),
        _key_with_newline,
        ("KVD102",),
        proved=True,
    ),
    Scenario(
        "key-in-quotes",
        C,
        _("The key stands in quotes in .env, and docker takes them as part of it."),
        _key_in_quotes,
        ("KVD103",),
        proved=True,
    ),
    Scenario(
        "key-with-comment",
        C,
        _("A comment follows the key in .env, and docker takes it as part of the key."),
        _key_with_comment,
        ("KVD107",),
        proved=True,
    ),
    Scenario(
        "key-with-bearer",
        C,
        _('The key begins with "Bearer ", which the client adds itself.'),
        _key_with_bearer,
        ("KVD105",),
        proved=True,
    ),
    Scenario(
        "key-invisible-character",
        C,
        _("A zero-width space was copied along with the key."),
        _key_invisible_character,
        ("KVD104",),
        proved=True,
    ),
    Scenario(
        "key-placeholder",
        C,
        _("The key is still the sample of the manual."),
        _key_placeholder,
        ("KVD106",),
    ),
    Scenario(
        "key-empty",
        C,
        _("OPENAI_API_KEY is set, but to nothing."),
        _key_empty,
        ("KVD101",),
    ),
    Scenario(
        "key-expired",
        C,
        _("The key is spelled right and has expired at the gateway."),
        _key_expired,
        ("KVD111",),
    ),
    Scenario(
        "quota-empty",
        C,
        _("The key is good; its owner has no balance left."),
        _quota_empty,
        ("KVD115",),
    ),
    Scenario(
        "wrong-header",
        C,
        _("The key goes to vLLM as x-api-key, which it does not look at."),
        _wrong_header,
        ("KVD114",),
        proved=True,
    ),
    Scenario(
        "renewed-key-loses",
        C,
        _("The renewed key is in .env, and the old one that is exported wins over it."),
        _renewed_key_loses,
        ("KVD110",),
        proved=True,
    ),
    Scenario(
        "key-and-url-swapped",
        C,
        _("The key stands in OPENAI_BASE_URL and the address in OPENAI_API_KEY."),
        _key_and_url_swapped,
        ("KVD112",),
        proved=True,
    ),
    Scenario(
        "key-over-plaintext",
        C,
        _("Nothing fails, and the key travels to another machine over http."),
        _key_over_plaintext,
        ("KVD117",),
        answers=True,
    ),
)
