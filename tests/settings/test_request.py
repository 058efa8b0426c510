"""What the command line asks for."""

from __future__ import annotations

from typing import Any

import pytest

from doctor.connection import Protocol
from doctor.facts.settings import Role
from doctor.secrets import Secret
from doctor.settings.discover import TargetRequest
from doctor.settings.errors import ConfigError
from tests.settings.machine import KEY, OTHER_KEY, Machine, key_of, sighting

BASE = "https://gateway.example/v1"


def test_a_url_with_the_providers_key(machine: Machine) -> None:
    target = machine.only(
        variables={"TAOTOKEN_API_KEY": KEY, "TAOTOKEN_MODEL": "m", "OPENAI_API_KEY": OTHER_KEY},
        request=TargetRequest(names=("https://taotoken.net/api/v1",)),
    )
    assert (target.id, target.named) == ("taotoken.net", True)
    assert str(target.connection.base_url.origin) == "command line"
    assert key_of(target.connection) == KEY
    assert target.connection.model is not None


@pytest.mark.parametrize(
    ("url", "identity"),
    [
        ("http://127.0.0.1:8000/v1", "127.0.0.1-8000"),
        ("taotoken.net/api", "taotoken.net"),
        ("localhost:8000", "localhost-8000"),
        ("https://gateway.example", "gateway.example"),
        ("https：//gateway.example/v1", "https-gateway.example-v1"),
    ],
)
def test_an_address_is_taken_as_it_is_typed(machine: Machine, url: str, identity: str) -> None:
    target = machine.only(request=TargetRequest(names=(url,)))
    assert target.connection.base_url.value == url
    assert target.id == identity


def test_the_sdks_key_goes_where_no_base_says_otherwise(machine: Machine) -> None:
    request = TargetRequest(base_url=BASE)
    target = machine.only(variables={"OPENAI_API_KEY": KEY, "OPENAI_MODEL": "m"}, request=request)
    assert key_of(target.connection) == KEY
    assert target.named
    assert target.connection.base_url.origin.name == "--base-url"


def test_a_key_that_belongs_to_another_host_stays_home(machine: Machine) -> None:
    found = machine.discover(
        variables={
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": "https://other.example/v1",
            "OPENAI_MODEL": "m",
        },
        request=TargetRequest(base_url=BASE),
    )
    made = found.targets[0].connection
    assert made.key is None
    assert made.model is None
    assert found.notes == (
        "OPENAI_API_KEY was not sent: it belongs to https://other.example/v1. To send it all the "
        "same: --key-env OPENAI_API_KEY",
    )
    assert [s.value for s in made.base_url.shadows] == ["https://other.example/v1"]


def test_a_key_whose_shape_says_whose_it_is_stays_home(machine: Machine) -> None:
    found = machine.discover(
        variables={"OPENAI_API_KEY": "sk-proj-made0up0made0up0made0up0"},
        request=TargetRequest(names=(BASE,)),
    )
    assert found.targets[0].connection.key is None
    assert found.notes[0].startswith("OPENAI_API_KEY was not sent: it belongs to OpenAI.")


def test_another_base_on_the_same_host_keeps_key_and_model(machine: Machine) -> None:
    made = machine.only(
        variables={"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": BASE, "OPENAI_MODEL": "m"},
        request=TargetRequest(base_url="https://gateway.example/api/v1"),
    ).connection
    assert key_of(made) == KEY
    assert made.model is not None


def test_a_family_lends_to_its_own_host(machine: Machine) -> None:
    made = machine.only(
        variables={"LLM_BASE_URL": BASE, "LLM_API_KEY": KEY, "LLM_MODEL": "m"},
        request=TargetRequest(names=("https://gateway.example/v2",)),
    ).connection
    assert key_of(made) == KEY


FILE = """[llm]
base_url = "https://gateway.example/v1"
{key}
model = "made-up"
"""


def test_a_settings_file_lends_its_key_to_the_address_that_it_is_for(machine: Machine) -> None:
    made = machine.only(
        {"config.toml": FILE.format(key=f'api_key = "{KEY}"')},
        request=TargetRequest(base_url="https://gateway.example/api/v1"),
    ).connection
    assert key_of(made) == KEY
    assert made.key is not None
    assert str(made.key.origin) == "llm.api_key, config.toml:3"
    assert made.model is not None
    assert made.model.value == "made-up"


def test_a_settings_file_names_the_variable_for_the_address(machine: Machine) -> None:
    made = machine.only(
        {"config.toml": FILE.format(key='api_key_env = "MINE"')},
        {"MINE": KEY},
        TargetRequest(names=("https://gateway.example/v1",)),
    ).connection
    assert key_of(made) == KEY


@pytest.mark.parametrize(
    "typed",
    ["http://gateway.example/v1", "https://gateway.example:8443/v1", "https://other.example/v1"],
)
def test_a_files_key_stays_at_its_scheme_host_and_port(machine: Machine, typed: str) -> None:
    files = {"config.toml": FILE.format(key=f'api_key = "{KEY}"')}
    made = machine.only(files, request=TargetRequest(base_url=typed)).connection
    assert made.key is None
    assert made.model is None


def test_files_that_disagree_lend_no_key(machine: Machine) -> None:
    files = {
        "a.toml": FILE.format(key=f'api_key = "{KEY}"'),
        "b.toml": FILE.format(key=f'api_key = "{OTHER_KEY}"'),
    }
    assert machine.only(files, request=TargetRequest(base_url=BASE)).connection.key is None


def test_a_file_does_not_lead_the_shells_key_away_from_its_owner(machine: Machine) -> None:
    found = machine.discover(
        {"config.toml": FILE.format(key='api_key_env = "OPENAI_API_KEY"')},
        {"OPENAI_API_KEY": "sk-proj-made0up0made0up0made0up0"},
        TargetRequest(base_url=BASE),
    )
    assert found.targets[0].connection.key is None
    assert found.notes[0].startswith("OPENAI_API_KEY was not sent: it belongs to OpenAI.")


def test_flags_shadow_what_they_replace(machine: Machine) -> None:
    made = machine.only(
        variables={
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": BASE,
            "OPENAI_MODEL": "m",
            "MINE": OTHER_KEY,
        },
        request=TargetRequest(
            model="n",
            max_tokens=7,
            key_env="MINE",
            proxy="direct",
            ca_bundle="own.pem",
            timeout=3.0,
            protocol="openai-responses",
        ),
    ).connection
    assert made.model is not None
    assert (made.model.value, made.model.origin.name) == ("n", "--model")
    assert [s.value for s in made.model.shadows] == ["m"]
    assert made.key is not None
    assert (made.key.value, str(made.key.origin)) == (Secret(OTHER_KEY), "MINE, environment")
    assert [s.value for s in made.key.shadows] == [Secret(KEY)]
    assert made.max_tokens is not None
    assert made.max_tokens.value == 7
    assert made.proxy.value == "direct"
    assert made.ca_bundle is not None
    assert made.timeout == 3.0
    assert made.protocol is Protocol.OPENAI_RESPONSES


def test_a_variable_that_is_not_set_leaves_no_key(machine: Machine) -> None:
    found = machine.discover(
        variables={"OPENAI_API_KEY": KEY}, request=TargetRequest(base_url=BASE, key_env="NOPE")
    )
    assert found.targets[0].connection.key is None
    seen = sighting(found, Role.KEY_VARIABLE, "--key-env")
    assert (seen.value, seen.in_effect_for) == ("NOPE", ("gateway.example",))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (KEY, KEY),
        (KEY + "\n", KEY),
        (KEY + "\r\n", KEY),
        (KEY + "\n\n", KEY + "\n"),
        (KEY + " \n", KEY + " "),
        ("\ufeff" + KEY, "\ufeff" + KEY),
        ("", ""),
    ],
)
def test_files_and_stdin_lose_one_line_end(machine: Machine, text: str, key: str) -> None:
    machine.write("key.txt", text)
    from_file = machine.only(request=TargetRequest(base_url=BASE, key_file="key.txt"))
    from_stdin = machine.only(request=TargetRequest(base_url=BASE, key_stdin=text))
    assert key_of(from_file.connection) == key
    assert key_of(from_stdin.connection) == key
    assert from_file.connection.key is not None
    assert str(from_file.connection.key.origin) == "--key-file, key.txt"


def test_targets_by_name(machine: Machine) -> None:
    machine.write("kvdoctor.toml", '[targets.shop]\nbase_url = "https://a.example"\n')
    machine.write("a.json", '{"base_url": "https://b.example", "model": "m"}')
    machine.variables |= {"LLM_BASE_URL": BASE, "LLM_API_KEY": KEY, "OPENAI_API_KEY": OTHER_KEY}

    def named(*names: str) -> list[str]:
        found = machine.discover(request=TargetRequest(names=names)).targets
        assert all(target.named for target in found)
        return [target.id for target in found]

    assert named("shop") == ["shop"]
    assert named("a.json", "llm") == ["a.json", "llm"]
    assert named("openai-sdk") == ["openai-sdk"]
    assert named("llm", "llm") == ["llm"]


def test_a_client_without_any_settings_can_be_asked_for(machine: Machine) -> None:
    target = machine.only(request=TargetRequest(names=("anthropic-sdk",)))
    assert target.connection.base_url.value == "https://api.anthropic.com"
    assert target.connection.key is None


def test_client_and_protocol_flags_choose(machine: Machine) -> None:
    machine.variables |= {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": OTHER_KEY}
    for request in (
        TargetRequest(client="anthropic-sdk"),
        TargetRequest(protocol="anthropic-messages"),
    ):
        assert machine.only(request=request).id == "anthropic-sdk"
    made = machine.only(request=TargetRequest(base_url=BASE, client="anthropic-sdk")).connection
    assert made.protocol is Protocol.ANTHROPIC_MESSAGES
    assert key_of(made) == OTHER_KEY


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"names": ("shp",)}, "no target is called 'shp'; the nearest is 'shop'"),
        ({"names": ("qqqqq",)}, "no target is called 'qqqqq'; found here: shop, client.json"),
        (
            {"names": ("cliemt.json",)},
            "no target is called 'cliemt.json'; the nearest is 'client.json'",
        ),
        ({"key_env": KEY}, "--key-env takes the name of a variable, not the key itself"),
        ({"key_env": "A", "key_file": "b"}, "--key-env and --key-file give the key twice"),
        ({"key_file": "none", "names": ("shop",)}, "--key-file none: No such file or directory"),
        ({"env_file": "none"}, "--env-file none: No such file or directory"),
        ({"env_reader": "node"}, "--env-reader node: one of dotenv, docker, compose, shell"),
        ({"client": "openai-skd"}, "--client openai-skd: unknown; known: openai-sdk"),
        ({"protocol": "soap"}, "--protocol soap: one of openai-chat, "),
        (
            {"protocol": "openai-chat", "client": "anthropic-sdk"},
            "--client anthropic-sdk does not speak --protocol openai-chat",
        ),
        ({"base_url": BASE, "names": ("a", "b")}, "--base-url is for one target"),
    ],
)
def test_what_cannot_be_meant(machine: Machine, request_: dict[str, Any], message: str) -> None:
    machine.write("kvdoctor.toml", '[targets.shop]\nbase_url = "https://a.example"\n')
    machine.write("client.json", '{"base_url": "https://b.example/v1", "model": "m"}')
    with pytest.raises(ConfigError) as raised:
        machine.discover(request=TargetRequest(**request_))
    assert str(raised.value).startswith(message)
    assert KEY not in str(raised.value)


def test_one_key_for_several_targets_is_refused(machine: Machine) -> None:
    machine.variables |= {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": OTHER_KEY, "K": "x"}
    with pytest.raises(ConfigError, match="name one"):
        machine.discover(request=TargetRequest(key_env="K"))


def test_a_key_without_a_target_is_refused(machine: Machine) -> None:
    with pytest.raises(ConfigError, match="--base-url"):
        machine.discover(request=TargetRequest(key_stdin=KEY))
