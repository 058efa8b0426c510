"""Chat templates that write the date into every prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checks.prefix.template_adds_date import template_adds_date
from doctor import facts
from doctor.models import CheckResult, Severity, Status
from doctor.prefix.inputs import found_in
from tests.kit import run_check

LOOP = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}{% endfor %}"
PINNED = (
    "{%- if not date_string is defined %}\n"
    "  {%- if strftime_now is defined %}\n"
    '    {%- set date_string = strftime_now("%d %b %Y") %}\n'
    '  {%- else %}{%- set date_string = "26 Jul 2024" %}{%- endif %}\n'
    "{%- endif %}\n"
)
TO_THE_SECOND = "Now: {{ strftime_now('%Y-%m-%d %H:%M:%S') }}\n"
PLAIN = "Today: {{ strftime_now('%Y-%m-%d') }}\n"


def checked(folder: Path) -> CheckResult:
    return run_check(template_adds_date, given={facts.PREFIX_SOURCES: found_in((folder,))})


@pytest.mark.parametrize("kept_in", ["chat_template.jinja", "tokenizer_config.json"])
def test_the_date_is_a_note_and_says_how_to_pin_it(tmp_path: Path, kept_in: str) -> None:
    text = PINNED + LOOP
    held = text if kept_in.endswith(".jinja") else json.dumps({"chat_template": text})
    (tmp_path / kept_in).write_text(held)

    (finding,) = checked(tmp_path).findings
    assert finding.severity is Severity.INFO
    assert '{"date_string": …}' in finding.explanation
    assert kept_in in finding.evidence[0].location


def test_the_time_is_worse(tmp_path: Path) -> None:
    (tmp_path / "chat_template.jinja").write_text(TO_THE_SECOND + LOOP)
    (finding,) = checked(tmp_path).findings
    assert (finding.severity, finding.evidence[0].location[-2:]) == (Severity.WARNING, ":1")
    assert "--chat-template FILE" in finding.explanation


def test_several_templates_of_one_model(tmp_path: Path) -> None:
    several = [{"name": "default", "template": LOOP}, {"name": "tool", "template": PLAIN + LOOP}]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": several}))
    assert len(checked(tmp_path).findings) == 1


@pytest.mark.parametrize(
    "text", [LOOP, "{# strftime_now('%Y') #}" + LOOP, "{{ date_string }}" + LOOP, "{", "[]"]
)
def test_templates_without_it_are_sound(tmp_path: Path, text: str) -> None:
    (tmp_path / "chat_template.jinja").write_text(text)
    (tmp_path / "tokenizer_config.json").write_text(text)
    assert checked(tmp_path).status is Status.PASS


def test_without_a_template_it_has_nothing_to_look_at() -> None:
    assert run_check(template_adds_date).status is Status.SKIPPED
