"""The better order loses nothing, and hits as much as was promised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from doctor.prefix.analyse import Analyser
from doctor.prefix.player import Engine
from doctor.prefix.stream import lines
from doctor.prefix.writing import write_log

from .requests import RULES, analysed, chat


def log() -> list[dict[str, Any]]:
    return [
        chat(f"Time: 2026-03-01 09:00:{n:02}\n{RULES}", f"question {n}", temperature=0)
        for n in range(30)
    ]


def test_the_written_log_reaches_the_rate_that_was_promised(tmp_path: Path) -> None:
    source = tmp_path / "log.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in log()))
    analyser = Analyser(Engine())
    analyser.lines(lines([str(source)]))
    promised = analyser.finish().hit_rate_after

    assert write_log([str(source)], tmp_path / "better.jsonl", analyser) == 30

    written = [json.loads(line) for line in (tmp_path / "better.jsonl").read_text().splitlines()]
    again = analysed(written)
    assert promised > 0.9
    assert abs(again.hit_rate - promised) < 0.02
    assert again.causes == []


def test_every_value_still_stands_in_its_request(tmp_path: Path) -> None:
    source = tmp_path / "log.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in log()))
    analyser = Analyser(Engine())
    analyser.lines(lines([str(source)]))
    analyser.finish()
    write_log([str(source)], tmp_path / "better.jsonl", analyser)

    for n, line in enumerate((tmp_path / "better.jsonl").read_text().splitlines()):
        body = json.loads(line)
        assert body["temperature"] == 0
        assert "2026" not in body["messages"][0]["content"]
        last = body["messages"][-1]
        assert last["role"] == "user"
        assert last["content"].endswith(f"Time: 2026-03-01 09:00:{n:02}")


def test_one_prompt_sent_through_two_apis_is_written_in_the_form_of_each(tmp_path: Path) -> None:
    def system(n: int) -> str:
        return f"Time: 2026-03-01 09:00:{n:02}\n{RULES}"

    bodies = [
        chat(system(n), f"question {n}")
        if n % 2
        else {"model": "shop-8b", "instructions": system(n), "input": f"question {n}"}
        for n in range(20)
    ]
    source = tmp_path / "log.jsonl"
    source.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    analyser = Analyser(Engine())
    analyser.lines(lines([str(source)]))
    assert analyser.finish().lineages == 1

    write_log([str(source)], tmp_path / "better.jsonl", analyser)

    written = [json.loads(line) for line in (tmp_path / "better.jsonl").read_text().splitlines()]
    assert [list(body) for body in written] == [list(body) for body in bodies]
    systems = {body.get("instructions") or body["messages"][0]["content"] for body in written}
    assert len(systems) == 1


def test_a_text_that_was_cut_off_within_a_character_is_written_as_it_was(tmp_path: Path) -> None:
    source = tmp_path / "log.jsonl"
    bodies = [chat("Zeit für 订单 " + RULES, f"question {n} \ud83d") for n in range(3)]
    source.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    analyser = Analyser(Engine())
    analyser.lines(lines([str(source)]))
    analyser.finish()
    write_log([str(source)], tmp_path / "better.jsonl", analyser)

    text = (tmp_path / "better.jsonl").read_text("utf-8")
    assert [json.loads(line) for line in text.splitlines()] == bodies
    assert "订单" in text


def test_parts_stay_parts() -> None:
    records: list[dict[str, Any]] = [
        {
            "model": "m",
            "system": [
                {"type": "text", "text": f"Time: 2026-03-01 09:00:{n:02}"},
                {"type": "text", "text": RULES, "cache_control": {"type": "ephemeral"}},
            ],
            "messages": [{"role": "user", "content": [{"type": "text", "text": f"q {n}"}]}],
        }
        for n in range(5)
    ]
    from doctor.prefix.rewrite import rewritten

    analyser = Analyser(Engine())
    made = []
    for record in records:
        prompt = analyser.reader.prompt(record)
        made.append(rewritten(record, analyser.lineages.place(prompt)))
    last = made[-1]
    assert [part["type"] for part in last["system"]] == ["text"]
    assert last["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert last["messages"][0]["content"][-1]["text"] == "Time: 2026-03-01 09:00:04"
    assert records[-1]["system"][0]["text"].startswith("Time: ")
