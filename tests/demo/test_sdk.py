"""What the real openai SDK makes of the servers: the symptoms of facts 2.1 and 2.3."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from doctor.demo.console import Console
from doctor.demo.faults import Fault
from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD, UNKNOWN
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig
from doctor.demo.vllm import Vllm

MODEL = "deepseek-v4-flash"
HI: Any = [{"role": "user", "content": "hi"}]


def sdk(base: str, key: str = GOOD) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=base, api_key=key, max_retries=0, timeout=5.0)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def content(base: str, key: str = GOOD, model: str = MODEL) -> str | None:
    async with sdk(base, key) as client:
        answer = await client.chat.completions.create(model=model, messages=HI)
        return answer.choices[0].message.content


async def test_gateway_and_engine_answer() -> None:
    async with LoopbackServer(NewApi()) as gateway:
        assert await content(gateway.origin + "/api/v1") == "ok"
    async with LoopbackServer(Vllm()) as engine:
        assert await content(engine.origin + "/v1", model="tiny") == "ok"


@pytest.mark.parametrize(
    ("fault", "error", "text"),
    [
        (Fault.HTML_PAGE, AttributeError, "'str' object has no attribute 'choices'"),
        (Fault.ERROR_IN_SUCCESS, TypeError, "'NoneType' object is not subscriptable"),
        (Fault.SUCCESS_FALSE, TypeError, "'NoneType' object is not subscriptable"),
        (Fault.CHOICES_NULL, TypeError, "'NoneType' object is not subscriptable"),
        (Fault.CHOICES_EMPTY, IndexError, "list index out of range"),
        (Fault.JSON_NULL, AttributeError, "'NoneType' object has no attribute 'choices'"),
        (Fault.JSON_ARRAY, AttributeError, "'list' object has no attribute 'choices'"),
        (Fault.EMPTY_TEXT, AttributeError, "'str' object has no attribute 'choices'"),
        (Fault.SSE_UNASKED, AttributeError, "'str' object has no attribute 'choices'"),
        (Fault.EMPTY_JSON, ValueError, "Expecting value"),
    ],
)
async def test_symptoms(fault: Fault, error: type[Exception], text: str) -> None:
    config = NewApiConfig(faults={"/v1/chat/completions": fault})
    async with LoopbackServer(NewApi(config)) as gateway:
        with pytest.raises(error, match=text):
            await content(gateway.origin + "/api/v1")


async def test_console_instead_of_the_api() -> None:
    async with LoopbackServer(Console()) as server:
        with pytest.raises(AttributeError, match="'str' object has no attribute 'choices'"):
            await content(server.origin)


async def test_statuses_become_exceptions() -> None:
    async with LoopbackServer(NewApi()) as gateway:
        base = gateway.origin + "/api/v1"
        with pytest.raises(openai.AuthenticationError, match="Invalid token"):
            await content(base, UNKNOWN)
        with pytest.raises(openai.InternalServerError, match="No available channel"):
            await content(base, model="nope")
        with pytest.raises(openai.NotFoundError, match="Invalid URL"):
            await content(gateway.origin + "/api")


async def stream(fault: Fault) -> list[str]:
    config = NewApiConfig(faults={"/v1/chat/completions": fault})
    async with (
        LoopbackServer(NewApi(config)) as gateway,
        sdk(gateway.origin + "/api/v1") as client,
    ):
        chunks = await client.chat.completions.create(model=MODEL, messages=HI, stream=True)
        return [chunk.choices[0].delta.content or "" async for chunk in chunks]


@pytest.mark.parametrize("fault", [Fault.HTML_PAGE, Fault.STREAM_EMPTY, Fault.EMPTY_JSON])
async def test_streams_without_chunks_are_no_error(fault: Fault) -> None:
    assert await stream(fault) == []


@pytest.mark.parametrize(
    ("fault", "error", "text"),
    [
        (Fault.STREAM_USAGE_CHUNK, IndexError, "list index out of range"),
        (Fault.STREAM_AZURE_FILTER, IndexError, "list index out of range"),
        (Fault.CHOICES_NULL, TypeError, "'NoneType' object is not subscriptable"),
        (Fault.STREAM_ERROR_EVENT, openai.APIError, "do request failed"),
    ],
)
async def test_stream_symptoms(fault: Fault, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        await stream(fault)


async def test_a_stream_that_ends_early_is_no_error() -> None:
    assert await stream(Fault.STREAM_ENDS_EARLY) == ["", "o"]
