"""Earlier turns that are not as they were."""

from __future__ import annotations

import json
from pathlib import Path

from checks.prefix.history_rewritten import history_rewritten
from doctor import facts
from doctor.models import CheckResult, Severity, Status
from doctor.prefix.inputs import found_in
from tests.kit import run_check

from .logs import cause, log


def test_it_is_told_with_its_price_and_two_examples() -> None:
    (finding,) = run_check(history_rewritten, given=log(cause("KVD712", "rewritten"))).findings

    assert finding.severity is Severity.WARNING
    assert "earlier turns change" in finding.title
    assert "50%" in finding.explanation
    assert len(finding.evidence) == 2


def test_turns_that_fall_out_are_told_apart() -> None:
    (finding,) = run_check(history_rewritten, given=log(cause("KVD712", "evicted"))).findings

    assert "oldest turns" in finding.title
    assert "many turns at a time" in finding.explanation


def test_what_costs_next_to_nothing_is_not() -> None:
    cheap = cause("KVD712", "rewritten", tokens_lost=100, blocks_lost=6)
    assert run_check(history_rewritten, given=log(cheap)).status is Status.PASS


def test_without_a_log_it_has_nothing_to_look_at() -> None:
    assert run_check(history_rewritten).status is Status.SKIPPED


QWEN = (
    "{%- for message in messages %}{# loop.index0 > ns.last_query_index #}\n"
    "{%- if CONDITION %}{{ '<think>' + reasoning_content }}{%- endif %}{%- endfor %}\n"
    "{%- if add_generation_prompt %}x{%- endif %}"
)
AFTER = "loop.index0 > ns.last_query_index"
ASKED = f"(preserve_thinking is defined and preserve_thinking is true) or ({AFTER})"


def of_template(folder: Path, condition: str) -> CheckResult:
    text = QWEN.replace("CONDITION", condition)
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": text}))
    return run_check(history_rewritten, given={facts.PREFIX_SOURCES: found_in((folder,))})


def test_a_template_that_leaves_thinking_out_is_a_note(tmp_path: Path) -> None:
    (finding,) = of_template(tmp_path, AFTER).findings

    assert finding.severity is Severity.INFO
    assert "chat template leaves the thinking out" in finding.title
    assert "--chat-template FILE" in finding.explanation


def test_what_a_request_can_set_is_named(tmp_path: Path) -> None:
    (finding,) = of_template(tmp_path, ASKED).findings

    assert '{"preserve_thinking": true}' in finding.explanation


def test_a_template_that_keeps_it_is_in_order(tmp_path: Path) -> None:
    assert of_template(tmp_path, "true").status is Status.PASS
