"""What a gateway tells about a key that it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from doctor.connection import Connection
from doctor.demo import keys
from doctor.demo.http import Answer, LoopbackServer, Request, json_response
from doctor.demo.litellm import LiteLlm
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import Key, KeyState, NewApiConfig, StatusPlace
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.facts import TOKEN_STATE, Unavailable
from doctor.facts.answers import TokenState
from doctor.probes.gateway import roots
from tests.kit import connection
from tests.probes.world import world

PAST, FUTURE = 1_700_000_000, 4_000_000_000


def gateway(*, status_at: StatusPlace = StatusPlace.API, **key: Any) -> LoopbackServer:
    config = NewApiConfig(keys=(Key(**key),), status_at=status_at)
    return LoopbackServer(NewApi(config))


def at(server: LoopbackServer, path: str = "/api/v1", key: str = keys.GOOD) -> Connection:
    return connection(server.origin + path, key=key, model="deepseek-v4-flash")


async def told(server: LoopbackServer, **more: Any) -> TokenState:
    async with world(at(server, **more)) as facts:
        return await facts.get(TOKEN_STATE)


async def test_an_expired_key() -> None:
    async with gateway(state=KeyState.EXPIRED, expires_at=PAST, name="shop") as server:
        state = await told(server)
    assert (state.name, state.expired, state.expires_at) == ("shop", True, PAST)
    assert state.source.endswith("/api/usage/token/")


async def test_an_exhausted_key_with_its_amount() -> None:
    async with gateway(state=KeyState.EXHAUSTED) as server:
        state = await told(server)
    assert (state.exhausted, state.available, state.expired) == (True, 0.0, False)
    assert state.text == "0.00 US dollars left"
    assert state.expires_at is None


async def test_a_key_whose_account_has_nothing_left() -> None:
    limited = frozenset({"deepseek-v4-flash"})
    key: dict[str, Any] = {
        "state": KeyState.USER_WITHOUT_QUOTA,
        "models": limited,
        "expires_at": FUTURE,
    }
    async with gateway(**key) as server:
        state = await told(server)
    assert (state.exhausted, state.expired, state.models) == (False, False, ("deepseek-v4-flash",))
    assert state.text == "10.00 US dollars left"


async def test_an_unlimited_key_needs_no_rate() -> None:
    async with gateway(state=KeyState.USER_WITHOUT_QUOTA, unlimited=True) as server:
        state = await told(server)
        assert not [r for r in server.requests if r.path.endswith("/status")]
    assert (state.unlimited, state.exhausted) == (True, False)


async def test_a_disabled_key_is_told_in_words() -> None:
    async with gateway(state=KeyState.DISABLED) as server:
        state = await told(server)
    assert state.available is None
    assert state.text


@pytest.mark.parametrize("place", [StatusPlace.API, StatusPlace.DOUBLED])
async def test_the_state_is_found_at_either_place_with_three_requests_at_most(
    place: StatusPlace,
) -> None:
    async with gateway(state=KeyState.EXHAUSTED, status_at=place) as server:
        state = await told(server)
        asked = [r for r in server.requests if "/v1/" not in r.path]
        assert len(asked) <= 3
    assert state.exhausted


async def test_a_gateway_that_hides_the_route() -> None:
    async with gateway(state=KeyState.EXPIRED, status_at=StatusPlace.NOWHERE) as server:
        with pytest.raises(Unavailable, match="tells nothing"):
            await told(server)
        assert len([r for r in server.requests if "usage" in r.path]) == 2


@pytest.mark.parametrize(
    ("server", "key"),
    [
        (LoopbackServer(NewApi()), keys.GOOD),
        (LoopbackServer(Vllm(VllmConfig(api_keys=(keys.ENGINE,)))), keys.UNKNOWN),
        (LoopbackServer(LiteLlm()), keys.UNKNOWN),
    ],
)
async def test_nobody_is_asked_without_need(server: LoopbackServer, key: str) -> None:
    path = "/api/v1" if key is keys.GOOD else "/v1"
    async with server:
        with pytest.raises(Unavailable):
            await told(server, path=path, key=key)
        assert not [r for r in server.requests if "usage" in r.path]


async def test_numbers_that_make_no_sense_are_not_told() -> None:
    data = {"object": "token_usage", "total_available": "many", "expires_at": 10**30}
    data |= {"unlimited_quota": "no", "model_limits": ["a"], "name": {"a": 1}}

    async def handler(request: Request) -> Answer:
        if "usage" in request.path:
            return json_response(200, {"code": True, "data": data})
        return json_response(401, {"error": {"message": "Invalid token", "type": "x"}})

    async with LoopbackServer(handler) as server:
        state = await told(server)
    assert (state.name, state.available, state.expires_at) == (None, None, None)
    assert (state.unlimited, state.models, state.exhausted) == (None, None, None)


@pytest.mark.parametrize(
    ("url", "places"),
    [
        ("https://g.example/v1/chat/completions", ("https://g.example",)),
        (
            "https://g.example/api/v1/chat/completions",
            ("https://g.example/api", "https://g.example"),
        ),
        ("https://g.example:8443/chat/completions", ("https://g.example:8443",)),
        ("https://g.example/api/v1/messages", ("https://g.example/api", "https://g.example")),
        ("https://g.example/x/v1beta/models", ("https://g.example/x", "https://g.example")),
    ],
)
def test_where_the_admin_api_may_hang(url: str, places: tuple[str, ...]) -> None:
    assert roots(url) == places
