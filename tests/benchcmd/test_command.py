"""``kvdoctor bench``, as its user runs it, against servers on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from doctor.bench.told import VERDICTS
from doctor.demo.http import LoopbackServer

from .engine import KEY, SlottedEngine

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "doctor" / "schemas" / "bench-1.json").read_text("utf-8"))
SMALL = ("--prompt-tokens", "40", "--output-tokens", "6", "--warmup", "0")


async def bench(
    folder: Path, engine: SlottedEngine, *arguments: str, url: str = "", given: str = ""
) -> tuple[int, str, str]:
    """Exit code, stdout, stderr. ``url`` stands in for the engine's."""
    async with LoopbackServer(engine) as server:
        return await run(folder, url or f"{server.origin}/v1", *arguments, given=given)


async def run(
    folder: Path,
    url: str,
    *arguments: str,
    given: str = "",
    interrupt: SlottedEngine | None = None,
    path: Path | None = None,
) -> tuple[int, str, str]:
    """As ``bench``. ``interrupt``: Ctrl-C as soon as that engine writes. ``path``: a folder that
    Python imports from first."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "doctor",
        "bench",
        *arguments,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "XDG_STATE_HOME": str(folder / "state"),
            "PYTHONPATH": str(ROOT) if path is None else f"{path}{os.pathsep}{ROOT}",
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": KEY,
        },
        cwd=folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    if interrupt is not None:
        await interrupt.begun.wait()
        process.send_signal(signal.SIGINT)
    out, err = await process.communicate(given.encode())
    assert process.returncode is not None
    assert KEY not in (out + err).decode()
    assert "Traceback" not in err.decode()
    return process.returncode, out.decode(), err.decode()


def told(out: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    return found


def late(*levels: dict[str, Any]) -> bool:
    """Whether the client was so late that what it measured is not judged."""
    return any(level["client_lag_s"] >= 0.02 for level in levels)


async def test_one_load_is_measured(tmp_path: Path) -> None:
    engine = SlottedEngine(first=0.03, each=0.005)
    code, out, err = await bench(
        tmp_path, engine, *SMALL, "--concurrency", "3", "--requests", "9", "--format", "json"
    )
    assert code == 0, err
    found = told(out)
    [level] = found["levels"]
    # Three repeats of nine, each of six tokens; two requests before to learn the prompts' length.
    assert (level["requests"], level["repeats"], level["errors"]) == (27, 3, {})
    assert level["output_tokens"] == 27 * 6
    assert level["prompt_tokens"] == 27 * 40
    assert found["spent"]["requests"] == len(engine.asked) == 29
    assert level["ttft_s"]["p50"]["value"] >= 0.03
    assert level["tpot_s"]["p50"]["value"] >= 0.005
    assert level["latency_s"]["p50"]["value"] >= 0.055
    assert level["inter_token_s"]["count"] == 27 * 5
    assert engine.most <= 3
    low, high = level["ttft_s"]["p50"]["interval"]
    assert low <= level["ttft_s"]["p50"]["value"] <= high


async def test_no_prompt_is_sent_twice_unless_it_is_to_be_shared(tmp_path: Path) -> None:
    load = ("--concurrency", "2", "--requests", "8", "--repeats", "1")
    unique, shared = SlottedEngine(), SlottedEngine()
    await bench(tmp_path, unique, *SMALL, *load)
    await bench(tmp_path, shared, *SMALL, *load, "--shared", "0.75")

    def first_words(engine: SlottedEngine) -> set[str]:
        texts = [body["messages"][0]["content"] for body in engine.asked[2:]]
        assert len(set(texts)) == len(texts) == 8
        return {" ".join(text.split()[:30]) for text in texts}

    assert len(first_words(unique)) == 8
    assert len(first_words(shared)) == 1


async def test_a_sweep_finds_the_slots_of_the_engine(tmp_path: Path) -> None:
    engine = SlottedEngine(slots=2, each=0.03)
    code, out, err = await bench(
        tmp_path,
        engine,
        "--prompt-tokens",
        "20",
        "--output-tokens",
        "12",
        "--up-to",
        "8",
        "--requests",
        "16",
        "--format",
        "json",
    )
    assert code == 0, err
    found = told(out)
    knee = found["knee"]
    assert knee["reached"]
    assert (knee["limit"]["kind"], knee["limit"]["at"]) == ("max-num-seqs", 2)
    assert found["levels"][-1]["engine"]["running_max"] == 2
    assert found["levels"][-1]["engine"]["waiting_max"] >= 1


async def test_an_open_loop_starts_requests_whatever_becomes_of_them(tmp_path: Path) -> None:
    engine = SlottedEngine(each=0.05)
    code, out, err = await bench(
        tmp_path, engine, *SMALL, "--rate", "100", "--requests", "30", "--repeats", "1",
        "--format", "json",
    )  # fmt: skip
    assert code == 0, err
    [level] = told(out)["levels"]
    assert (level["load"], level["rate"], level["requests"]) == ("100/s", 100, 30)
    # Each takes a quarter of a second, and begins a hundredth after the one before.
    assert engine.most > 5


async def test_what_a_server_refuses_is_left_out(tmp_path: Path) -> None:
    engine = SlottedEngine(refuses="stream_options", metrics=False)
    code, out, err = await bench(
        tmp_path, engine, *SMALL, "--concurrency", "1", "--requests", "5", "--format", "json"
    )
    assert code == 0, err
    found = told(out)
    assert not any("stream_options" in body or "ignore_eos" in body for body in engine.asked)
    # Nobody tells the tokens now, which is said.
    assert found["levels"][0]["output_tokens"] == 15 * 6
    assert any("does not tell its tokens" in note for note in found["notes"])


async def test_tokens_are_bounded(tmp_path: Path) -> None:
    engine = SlottedEngine()
    _code, out, _err = await bench(
        tmp_path, engine, *SMALL, "--concurrency", "1,2", "--requests", "50", "--repeats", "1",
        "--max-total-tokens", "500", "--format", "json",
    )  # fmt: skip
    found = told(out)
    assert found["levels"][0]["prompt_tokens"] + found["levels"][0]["output_tokens"] <= 500
    assert [level["load"] for level in found["levels"]] == ["1"]
    assert "the bound of tokens ended the run" in found["notes"]


async def test_a_server_that_answers_nothing(tmp_path: Path) -> None:
    code, out, err = await bench(tmp_path, SlottedEngine(fails=500), *SMALL, "--concurrency", "1")
    assert (code, out) == (1, "")
    assert "does not answer: 500: out of order" in err


async def test_streams_that_break_off_are_failures(tmp_path: Path) -> None:
    code, out, err = await bench(
        tmp_path, SlottedEngine(cut=True), "--log", str(log(tmp_path)), "--warmup", "0",
        "--concurrency", "1", "--requests", "8", "--repeats", "1", "--format", "json",
    )  # fmt: skip
    assert code == 1, err
    [level] = told(out)["levels"]
    # After five failures in a row nothing else is sent.
    assert (level["requests"], level["errors"]) == (0, {"cut": 5})


def log(folder: Path) -> Path:
    file = folder / "requests.jsonl"
    turns = {n: [{"role": "user", "content": f"question {n}"}] for n in (4, 5)}
    bodies = [{"model": "other", "messages": turns[n], "max_tokens": n} for n in turns]
    file.write_text("not JSON\n" + "".join(json.dumps(body) + "\n" for body in bodies))
    return file


async def test_prompts_of_a_log(tmp_path: Path) -> None:
    engine = SlottedEngine()
    code, out, err = await bench(
        tmp_path, engine, "--log", str(log(tmp_path)), "--concurrency", "1", "--requests", "6",
        "--repeats", "1", "--format", "json",
    )  # fmt: skip
    assert code == 0, err
    found = told(out)
    assert {body["messages"][0]["content"] for body in engine.asked} == {"question 4", "question 5"}
    assert {body["max_tokens"] for body in engine.asked} == {4, 5}
    assert {body["model"] for body in engine.asked} == {"shop-8b"}
    assert any("2 prompts" in note for note in found["notes"])
    assert "1 lines of the log could not be sent" in found["notes"]


async def test_a_run_is_kept_and_another_is_held_against_it(tmp_path: Path) -> None:
    load = (*SMALL, "--concurrency", "2", "--requests", "12")
    fast, slow = SlottedEngine(each=0.005), SlottedEngine(each=0.06)
    code, _out, err = await bench(tmp_path, fast, *load, "--save", "before")
    assert code == 0, err
    # A name is not used up by accident, and nothing is sent for it.
    again = SlottedEngine()
    code, _out, err = await bench(tmp_path, again, *load, "--save", "before")
    assert (code, again.asked) == (2, [])
    assert "--replace" in err

    code, out, err = await bench(
        tmp_path, slow, *load, "--compare", "before", "--save", "after", "--format", "json"
    )
    _code, before, _err = await run(
        tmp_path, "http://127.0.0.1:9/v1", "--from", "before", "--format", "json"
    )
    found = told(out)["comparison"]
    assert found["with"] == "before"
    assert {change["name"] for change in found["changed"]} == {"server"}
    # What a client that was late has measured is not judged.
    verdicts = {difference["figure"]: difference["verdict"] for difference in found["differences"]}
    worse = {"tpot", "latency", "output_rate"} <= {n for n, v in verdicts.items() if v == "worse"}
    assert worse or late(*told(before)["levels"], *told(out)["levels"]), verdicts
    assert code == (1 if found["verdict"] == "worse" else 0), err

    _code, out, _err = await run(tmp_path, "http://127.0.0.1:9/v1", "--list", "--format", "json")
    assert [entry["name"] for entry in told(out)["runs"]] == ["before", "after"]
    # A kept run can be looked at without asking anybody; it is what it was.
    again_code, out, _err = await run(
        tmp_path, "http://127.0.0.1:9/v1", "--from", "after", "--compare", "before"
    )
    assert again_code == code
    assert f"Altogether: {VERDICTS[found['verdict']]}." in out
    kept = "".join(file.read_text() for file in (tmp_path / "state").rglob("*.json"))
    assert KEY not in kept


async def test_the_same_run_is_no_worse_than_itself(tmp_path: Path) -> None:
    engine = SlottedEngine(each=0.01)
    load = (*SMALL, "--concurrency", "2", "--requests", "12", "--save", "one")
    await bench(tmp_path, engine, *load)
    code, out, _err = await run(
        tmp_path, "http://127.0.0.1:9/v1", "--from", "one", "--compare", "one", "--format", "json"
    )
    found = told(out)["comparison"]
    assert code == 0
    assert found["changed"] == []
    assert {difference["change"] for difference in found["differences"]} == {0}
    assert found["verdict"] in ("same", "unclear")


async def test_what_a_gateway_adds(tmp_path: Path) -> None:
    direct, gateway = SlottedEngine(), SlottedEngine(first=0.2, metrics=False)
    async with LoopbackServer(gateway) as server:
        code, out, err = await bench(
            tmp_path, direct, *SMALL, "--concurrency", "2", "--requests", "8",
            "--through", f"{server.origin}/v1", "--format", "json",
        )  # fmt: skip
    assert code == 0, err
    through = told(out)["through"]
    first = next(d for d in through["overhead"] if d["figure"] == "ttft")
    assert first["after"] - first["before"] >= 0.1
    assert first["verdict"] == "worse" or late(*told(out)["levels"], *through["levels"])
    # Both were asked alike.
    assert not any("ignore_eos" in body for body in (*direct.asked, *gateway.asked))
    assert len(direct.asked) == len(gateway.asked)


@pytest.mark.parametrize("answer", ["", "n\n"])
async def test_a_hosted_server_is_not_asked_without_consent(tmp_path: Path, answer: str) -> None:
    code, out, err = await run(tmp_path, "https://gateway.example/v1", *SMALL, given=answer)
    assert (code, out) == (2, "")
    assert "--yes" in err
    assert "tokens" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--no-spend",), "--no-spend"),
        (("--rate", "1", "--concurrency", "1"), "closed loop or an open one"),
        (("--compare", "nothing-such"), "no run of that name"),
        (("--save", "../escape"), "a name has letters"),
        (("--log", "missing.jsonl"), "missing.jsonl"),
        (("--concurrency", "0"), "at least 1"),
        (("--shared", "2"), "from 0 to 1"),
    ],
)
async def test_what_makes_no_sense_is_told_before_anything_is_sent(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    engine = SlottedEngine()
    code, _out, err = await bench(tmp_path, engine, *arguments)
    assert (code, engine.asked) == (2, [])
    assert words in err


DAMAGED = ["{", "[]", '{"schema": "kvdoctor.bench-run/1"}', "\x00", "9" * 5000]


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
async def test_a_kept_run_that_is_damaged(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "state" / "kvdoctor" / "bench"
    folder.mkdir(parents=True)
    (folder / "broken.json").write_text(text)
    code, _out, err = await run(tmp_path, "http://127.0.0.1:9/v1", "--from", "broken")
    assert code == 2
    assert "no run that bench has kept" in err


async def test_it_can_be_interrupted(tmp_path: Path) -> None:
    engine = SlottedEngine(each=30.0)
    async with LoopbackServer(engine) as server:
        url = f"{server.origin}/v1"
        code, out, err = await run(tmp_path, url, *SMALL, interrupt=engine)
    assert (code, out) == (130, "")
    assert err.endswith("interrupted\n")
