"""``kvdoctor prefix FILE --prove``, as its user runs it, against engines on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Answer, Request, Response
from tests.program import kvdoctor, variables_of

from .engine import KEY, CachingEngine
from .requests import RULES, chat
from .test_command import SCHEMA

LONG = RULES * 5


def sick(count: int = 12) -> list[dict[str, Any]]:
    return [
        chat(f"Current time: 2026-03-01 09:00:{n:02}\n{LONG}", f"question {n} of a customer")
        for n in range(count)
    ]


def stable(count: int = 12) -> list[dict[str, Any]]:
    return [chat(LONG, f"question {n} of a customer") for n in range(count)]


async def run(
    folder: Path, records: list[dict[str, Any]], engine: CachingEngine, *arguments: str
) -> tuple[int, str, str]:
    """Exit code, stdout, stderr."""
    (folder / "log.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    async with LoopbackServer(engine) as server:
        env = variables_of(folder, OPENAI_BASE_URL=f"{server.origin}/v1", OPENAI_API_KEY=KEY)
        words = ("prefix", "log.jsonl", "--prove", *arguments)
        done = await kvdoctor(*words, cwd=folder, env=env)
    assert KEY not in done.out + done.err
    return done.code, done.out, done.err


async def document(
    folder: Path, records: list[dict[str, Any]], engine: CachingEngine
) -> dict[str, Any]:
    code, out, err = await run(folder, records, engine, "--format", "json")
    assert code in (0, 1), err
    found: dict[str, Any] = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    return found


def codes(found: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in found["findings"]]


async def test_the_cause_is_proved_by_the_server_itself(tmp_path: Path) -> None:
    engine = CachingEngine()
    found = await document(tmp_path, sick(), engine)

    assert (found["proof"]["shown"], codes(found)) == ("cause", ["KVD701"])
    assert "Proved" in found["findings"][0]["explanation"]
    as_sent, better = found["proof"]["as_sent"]["second"], found["proof"]["better"]["second"]
    assert as_sent["cached_tokens"] < 100 < better["cached_tokens"]
    # Two pairs, one token each, with nothing of the log's own budgets.
    assert [body["max_tokens"] for body in engine.asked] == [1] * 4
    assert found["proof"]["spent"]["requests"] == 4


async def test_what_it_will_spend_is_said_before(tmp_path: Path) -> None:
    _code, out, err = await run(tmp_path, sick(), CachingEngine())
    assert "--prove sends 4 requests to http://127.0.0.1" in err
    assert "Proved: the cache works" in " ".join(out.split())


async def test_nothing_is_sent_where_nothing_may_be_spent(tmp_path: Path) -> None:
    engine = CachingEngine()
    code, _out, err = await run(tmp_path, sick(), engine, "--no-spend")
    assert (code, engine.asked) == (2, [])
    assert "--no-spend" in err


async def test_stable_prompts_that_hit_are_well(tmp_path: Path) -> None:
    engine = CachingEngine()
    found = await document(tmp_path, stable(), engine)
    assert (found["proof"]["shown"], codes(found), len(engine.asked)) == ("well", [], 2)


FAULTS: dict[str, tuple[CachingEngine, str, str | None]] = {
    "caching is off": (CachingEngine(caching=False), "off", "KVD706"),
    "the block is longer": (CachingEngine(block=65_536), "short", "KVD708"),
    "nothing tells": (CachingEngine(tells=False, metrics=False), "not-told", "KVD710"),
    "nothing is found": (CachingEngine(broken=True), "misses", "KVD707"),
    "two replicas": (CachingEngine(replicas=2), "late", "KVD707"),
    "the counters alone tell": (CachingEngine(tells=False), "well", None),
    "a hosted service": (CachingEngine(metrics=False), "well", None),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_stable_prompts_are_never_blamed(name: str, tmp_path: Path) -> None:
    engine, shown, code = FAULTS[name]
    engine.asked.clear()
    found = await document(tmp_path, stable(), engine)

    assert found["proof"]["shown"] == shown
    assert codes(found) == ([] if code is None else [code])
    if code == "KVD707":
        assert "sender is not at fault" in found["findings"][0]["explanation"]


async def test_several_engines_behind_one_address_are_named(tmp_path: Path) -> None:
    found = await document(tmp_path, stable(), CachingEngine(replicas=2))
    assert "session affinity" in found["findings"][0]["explanation"]


async def test_a_rate_over_all_users_is_not_misread(tmp_path: Path) -> None:
    engine = CachingEngine()
    await run(tmp_path, [chat(f"{n} {LONG}", f"question {n}") for n in range(2)], engine)
    _code, out, _err = await run(tmp_path, stable(), engine)
    assert "over all requests of all its users" in " ".join(out.split())


async def test_a_request_that_is_refused_proves_nothing(tmp_path: Path) -> None:
    found = await document(tmp_path, stable(), CachingEngine(refuses="no such thing"))
    assert found["proof"]["shown"] == "unanswered"
    assert "no such thing" in found["proof"]["trouble"]
    assert codes(found) == []


async def test_what_was_asked_before_says_nothing_without_a_salt(tmp_path: Path) -> None:
    engine = CachingEngine(metrics=False)
    assert (await document(tmp_path, sick(), engine))["proof"]["shown"] == "cause"
    assert (await document(tmp_path, sick(), engine))["proof"]["shown"] == "warm"
    # An engine takes a salt, which keeps apart what was asked before.
    engine = CachingEngine()
    for _time in range(2):
        assert (await document(tmp_path, sick(), engine))["proof"]["shown"] == "cause"


async def test_a_log_of_one_request_has_nothing_to_prove(tmp_path: Path) -> None:
    engine = CachingEngine()
    code, _out, err = await run(tmp_path, stable(1), engine)
    assert (code, engine.asked) == (0, [])
    assert "nothing to prove" in err


class Gateway:
    """Passes completions on to an engine, shows nothing of it, and drops what is told of its
    cache."""

    def __init__(self, engine: CachingEngine) -> None:
        self.engine = engine

    async def __call__(self, request: Request) -> Answer:
        if request.path not in ("/v1/chat/completions", "/v1/models"):
            return Response(404, b"{}", (("content-type", "application/json"),))
        answer = await self.engine(request)
        assert isinstance(answer, Response)
        return Response(answer.status, answer.body.replace(b'"vllm"', b'"shop"'), answer.headers)


async def test_behind_a_gateway_the_named_engines_counters_tell(tmp_path: Path) -> None:
    engine = CachingEngine(tells=False)
    async with LoopbackServer(engine) as lab, LoopbackServer(Gateway(engine)) as shop:
        (tmp_path / "kvdoctor.toml").write_text(
            f'[targets.shop]\nbase_url = "{shop.origin}/v1"\nkey_env = "SHOP_KEY"\n'
            f'model = "shop-8b"\nengine = "lab"\n'
            f'[targets.lab]\nbase_url = "{lab.origin}/v1"\nkind = "engine"\nmodel = "shop-8b"\n'
        )
        (tmp_path / "log.jsonl").write_text("".join(json.dumps(r) + "\n" for r in sick()))
        done = await kvdoctor(
            *("prefix", "log.jsonl", "--prove", "--target", "shop", "--format", "json"),
            cwd=tmp_path,
            env=variables_of(tmp_path, SHOP_KEY=KEY),
        )
        # The gateway's key goes to the gateway alone.
        assert {request.header("authorization") for request in lab.requests} == {None}
    assert done.code == 1, done.err
    found = json.loads(done.out)
    assert (found["proof"]["shown"], codes(found)) == ("cause", ["KVD701"])
    # Nothing that a gateway may not know.
    assert all("cache_salt" not in body for body in engine.asked)
