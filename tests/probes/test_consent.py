"""A file of the working folder does not choose where a key of the user goes."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from doctor.connection import (
    Change,
    Connection,
    Origin,
    OriginKind,
    Setting,
    SettingName,
)
from doctor.context import Options
from doctor.demo.http import Answer, LoopbackServer, Request, json_response
from doctor.facts import COMPLETION, MODELS, SDK, TOKEN_STATE, Unavailable
from doctor.facts.answers import OutcomeKind
from doctor.probes.consent import refusal
from doctor.secrets import Secret
from tests.kit import KEY, connection
from tests.probes.world import TIMEOUT, world

PROJECT = Origin(OriginKind.FILE, "base_url", "./kvdoctor.toml", 3, project=True)
USERS = Origin(OriginKind.FILE, "base_url", "~/.config/kvdoctor.toml", 3)
SHELL = Origin(OriginKind.ENVIRONMENT, "OPENAI_API_KEY")


def made(
    base: str = "https://elsewhere.example/v1",
    base_from: Origin = PROJECT,
    key_from: Origin = SHELL,
    **more: Any,
) -> Connection:
    return dataclasses.replace(
        connection(),
        base_url=Setting(base, base_from),
        key=Setting(Secret(KEY), key_from),
        **more,
    )


def allowed(target: Connection, host: str = "elsewhere.example", **options: Any) -> bool:
    return refusal(target, host, Options(**options), "shop-api") is None


def test_a_key_of_the_shell_stays_here() -> None:
    assert not allowed(made())


def test_a_key_of_a_users_file_stays_here() -> None:
    assert not allowed(made(key_from=USERS))


@pytest.mark.parametrize(
    "target",
    [
        made(base_from=USERS),
        made(base_from=Origin(OriginKind.FLAG, "--base-url")),
        made(key_from=PROJECT),
        made(key_from=Origin(OriginKind.FLAG, "--key-stdin")),
        dataclasses.replace(made(), key=None),
        dataclasses.replace(made(), key=Setting(Secret(""), SHELL)),
    ],
)
def test_where_no_stranger_chose_the_key_is_sent(target: Connection) -> None:
    assert allowed(target)


def test_the_user_may_allow_it() -> None:
    assert allowed(made(), trust_project=True)
    assert allowed(made(), named=frozenset({"shop-api"}))
    assert not allowed(made(), named=frozenset({"another"}))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
def test_this_machine_is_no_stranger(host: str) -> None:
    assert allowed(made(f"http://{host}:8000/v1"), host)


def test_a_variable_named_after_the_provider_may_go_there() -> None:
    openai = made("https://api.openai.com/v1")
    assert allowed(openai, "api.openai.com")
    assert not allowed(made("https://api.deepseek.com/v1"), "api.deepseek.com")


def test_a_change_does_not_whitewash_the_origin() -> None:
    change = Change("KVD201", SettingName.BASE_URL, "https://elsewhere.example/v2/v1", "x")  # type: ignore[arg-type]
    key = Change("KVD102", SettingName.KEY, Secret(KEY.strip()), "x")  # type: ignore[arg-type]
    assert not allowed(made().with_(change).with_(key).with_(change))
    assert allowed(made(base_from=USERS).with_(change))


def test_a_proxy_of_the_project_does_not_read_along() -> None:
    proxy = Setting("http://proxy.example:3128", PROJECT)
    base: dict[str, Any] = {"base_from": USERS, "proxy": proxy}
    assert not allowed(made("http://elsewhere.example/v1", **base))
    # In a tunnel it sees no key.
    assert allowed(made("https://elsewhere.example/v1", **base))
    local: dict[str, Any] = {"base_from": USERS, "proxy": Setting("http://127.0.0.1:7890", PROJECT)}
    assert allowed(made("http://elsewhere.example/v1", **local))


BUNDLE = Setting("/home/user/app/ca.pem", PROJECT)
AWAY = Setting("http://proxy.example:3128", PROJECT)
NEAR = Setting("http://127.0.0.1:7890", PROJECT)


def test_an_authority_of_the_project_does_not_open_the_tunnel() -> None:
    openai: dict[str, Any] = {"base": "https://api.openai.com/v1", "ca_bundle": BUNDLE}
    assert not allowed(made(**openai), "api.openai.com")
    assert not allowed(made(**openai, proxy=AWAY), "api.openai.com")
    assert not allowed(made(**openai, base_from=USERS), "api.openai.com")
    assert allowed(made(**openai, base_from=USERS), "api.openai.com", trust_project=True)
    own = Setting(BUNDLE.value, USERS)
    assert allowed(made(**(openai | {"ca_bundle": own}), proxy=AWAY), "api.openai.com")


def test_a_server_on_this_machine_may_have_an_authority_of_the_project() -> None:
    local: dict[str, Any] = {"base": "https://localhost:8443/v1", "ca_bundle": BUNDLE}
    assert allowed(made(**local), "localhost")
    assert allowed(made(**local, proxy=NEAR), "localhost")
    assert not allowed(made(**local, proxy=AWAY), "localhost")


def test_a_proxy_of_the_project_does_not_stand_before_this_machine() -> None:
    assert not allowed(made("http://127.0.0.1:8000/v1", proxy=AWAY), "127.0.0.1")
    assert allowed(made("http://127.0.0.1:8000/v1", proxy=NEAR), "127.0.0.1")


def changed(target: Connection, **values: Any) -> Connection:
    for name, value in values.items():
        change = Change("KVD999", SettingName(name), value, "x")  # type: ignore[arg-type]
        target = target.with_(change)
    return target


def test_a_change_goes_where_some_setting_says() -> None:
    own = made("https://llm.example", base_from=USERS)
    assert allowed(changed(own, base_url="https://llm.example/v1"), "llm.example")
    assert not allowed(changed(own, base_url="https://other.example/v1"), "other.example")
    assert not allowed(changed(own, base_url="http://llm.example/v1"), "llm.example")
    assert not allowed(changed(own, base_url="https://llm.example:8443/v1"), "llm.example")
    lab = made("https://10.1.2.3:8000/v1", base_from=USERS)
    assert allowed(changed(lab, base_url="http://10.1.2.3:8000/v1"), "10.1.2.3")


def test_values_in_each_others_place_keep_their_authors() -> None:
    swapped = dataclasses.replace(
        made(KEY),
        key=Setting(Secret("https://llm.example/v1"), SHELL),
        base_url=Setting(KEY, SHELL),
    )
    right: dict[str, Any] = {"base_url": "https://llm.example/v1", "key": Secret(KEY)}
    assert allowed(changed(swapped, **right), "llm.example")
    stranger = dataclasses.replace(swapped, key=Setting(swapped.key.value, PROJECT))  # type: ignore[union-attr]
    assert not allowed(changed(stranger, **right), "llm.example")


@pytest.mark.parametrize("fact", [MODELS, COMPLETION, SDK, TOKEN_STATE])
async def test_no_probe_sends_it(fact: Any) -> None:
    async def ok(request: Request) -> Answer:
        return json_response(401, {"error": "Unauthorized"})

    async with LoopbackServer(ok) as server:
        mapping = {("elsewhere.example", 80): ("127.0.0.1", server.port)}
        options = Options(timeout=TIMEOUT, connect_to=mapping)
        async with world(made("http://elsewhere.example/v1"), options) as facts:
            with pytest.raises(Unavailable) as refused:
                await facts.get(fact)
        assert server.connections == 0
    if fact in (MODELS, COMPLETION):
        assert str(refused.value) == (
            "the key of OPENAI_API_KEY is not sent to elsewhere.example, which the project file"
            " ./kvdoctor.toml chose; --trust-project allows it"
        )


async def test_with_consent_it_is_sent() -> None:
    async def ok(request: Request) -> Answer:
        return json_response(200, {"data": [{"id": "m"}]})

    async with LoopbackServer(ok) as server:
        mapping = {("elsewhere.example", 80): ("127.0.0.1", server.port)}
        options = Options(timeout=TIMEOUT, connect_to=mapping, trust_project=True)
        async with world(made("http://elsewhere.example/v1"), options) as facts:
            listed = await facts.get(MODELS)
    assert listed.reply.outcome.kind is OutcomeKind.ANSWERED
