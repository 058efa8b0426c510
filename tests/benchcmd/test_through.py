"""``--through``: which key goes to the second address. A recorder stands there."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from doctor.demo.http import LoopbackServer
from doctor.settings.discover import TargetRequest, discover
from doctor.settings.environment import this_environment

from .engine import KEY, SlottedEngine
from .test_command import ROOT, SMALL

OTHER = "sk-made0up0second0made0up0second0"
LOAD = (*SMALL, "--concurrency", "1", "--requests", "2", "--repeats", "1", "--model", "shop-8b")


async def bench(
    folder: Path, arguments: tuple[str, ...], given: str = "", **variables: str
) -> tuple[int, str]:
    """Exit code and stderr; no key is in what was written."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "doctor", "bench", *arguments, *LOAD,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT), **variables},
        cwd=folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate(given.encode())
    written = (out + err).decode()
    assert KEY not in written
    assert OTHER not in written
    assert process.returncode is not None
    return process.returncode, err.decode()


def keys_of(server: LoopbackServer) -> set[str | None]:
    """Of every request that came, under any of the names that a key travels by."""
    return {
        request.header(name)
        for request in server.requests
        for name in ("authorization", "x-api-key", "api-key")
        if request.header(name) is not None
    }


@pytest.mark.parametrize("with_base", [False, True], ids=["no base URL", "the engine's base URL"])
async def test_the_engines_key_does_not_go_to_the_gateway(tmp_path: Path, with_base: bool) -> None:
    engine, gateway = SlottedEngine(), SlottedEngine(metrics=False)
    async with LoopbackServer(engine) as direct, LoopbackServer(gateway) as second:
        base = f"{direct.origin}/v1"
        variables = {"OPENAI_API_KEY": KEY} | ({"OPENAI_BASE_URL": base} if with_base else {})
        through = ("--through", f"{second.origin}/v1")
        code, err = await bench(tmp_path, (base, *through), **variables)
        assert code == 0, err
        assert keys_of(direct) == {f"Bearer {KEY}"}
        assert keys_of(second) == set()
        assert len(gateway.asked) == len(engine.asked) > 0
    assert "OPENAI_API_KEY was not sent to the second address" in err
    assert "--through-key-env OPENAI_API_KEY" in err


async def test_a_key_from_stdin_does_not_go_to_the_gateway(tmp_path: Path) -> None:
    engine, gateway = SlottedEngine(), SlottedEngine(metrics=False)
    async with LoopbackServer(engine) as direct, LoopbackServer(gateway) as second:
        words = (f"{direct.origin}/v1", "--key-stdin", "--through", f"{second.origin}/v1")
        code, err = await bench(tmp_path, words, given=KEY)
        assert code == 0, err
        assert keys_of(direct) == {f"Bearer {KEY}"}
        assert keys_of(second) == set()


async def test_the_key_that_is_named_for_it_goes_there(tmp_path: Path) -> None:
    async with (
        LoopbackServer(SlottedEngine()) as direct,
        LoopbackServer(SlottedEngine(metrics=False)) as second,
    ):
        words = (f"{direct.origin}/v1", "--through", f"{second.origin}/v1")
        named = ("--through-key-env", "GATEWAY_KEY")
        code, err = await bench(tmp_path, (*words, *named), OPENAI_API_KEY=KEY, GATEWAY_KEY=OTHER)
        assert code == 0, err
        assert keys_of(direct) == {f"Bearer {KEY}"}
        assert keys_of(second) == {f"Bearer {OTHER}"}
        assert "was not sent" not in err


async def test_a_key_that_is_configured_for_it_goes_there(tmp_path: Path) -> None:
    async with (
        LoopbackServer(SlottedEngine()) as direct,
        LoopbackServer(SlottedEngine(metrics=False)) as second,
    ):
        words = (f"{direct.origin}/v1", "--through", f"{second.origin}/v1")
        variables = {"GATEWAY_BASE_URL": f"{second.origin}/v1", "GATEWAY_API_KEY": OTHER}
        code, err = await bench(tmp_path, words, OPENAI_API_KEY=KEY, **variables)
        assert code == 0, err
        assert keys_of(direct) == {f"Bearer {KEY}"}
        assert keys_of(second) == {f"Bearer {OTHER}"}


@pytest.mark.parametrize(
    ("url", "goes"),
    [
        ("https://taotoken.net/api", True),
        # Its host, but neither its scheme nor its port.
        ("http://taotoken.net/api", False),
        ("https://taotoken.net:8443/api", False),
        ("https://taotoken.net.attacker.example/api", False),
    ],
)
def test_a_providers_own_key_goes_to_its_own_origin(tmp_path: Path, url: str, goes: bool) -> None:
    variables = {"TAOTOKEN_API_KEY": OTHER, "OPENAI_API_KEY": KEY}
    environment = replace(this_environment(), cwd=str(tmp_path), home=str(tmp_path))
    environment = replace(environment, variables=variables)
    [target] = discover(TargetRequest(names=(url,), beside=True), environment).targets
    key = target.connection.key
    assert (None if key is None else key.value.reveal()) == (OTHER if goes else None)
