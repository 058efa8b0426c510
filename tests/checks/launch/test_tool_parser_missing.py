from __future__ import annotations

from tests.checks.launch.world import codes, corrected, findings, only

CODE = "KVD911"


def test_the_parser_of_a_known_family_is_added() -> None:
    line = "vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --port 1"

    assert only(line, CODE)["severity"] == "error"
    assert corrected(line) == (
        "vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes --port 1"
    )


def test_an_unknown_family_is_left_to_the_user() -> None:
    line = "vllm serve Org/Unheard --enable-auto-tool-choice"

    assert "the model's card" in only(line, CODE)["explanation"]
    assert corrected(line) == line


def test_with_a_parser_or_switched_off() -> None:
    assert codes("vllm serve m --enable-auto-tool-choice --tool-call-parser hermes") == []
    assert codes("vllm serve m --no-enable-auto-tool-choice") == []


def test_what_is_added_when_it_runs_may_hold_it() -> None:
    assert findings('vllm serve m --enable-auto-tool-choice "$@"', CODE) == []
