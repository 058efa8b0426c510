"""The parts that draw nothing by themselves."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.content import Content

from doctor.connection import (
    AuthHeader,
    Connection,
    Origin,
    OriginKind,
    Protocol,
    Setting,
    SettingName,
)
from doctor.facts.machine import Environment
from doctor.fixes.refusal import RefusedEdit
from doctor.secrets import Redactor, Secret
from doctor.settings.kvdoctor_toml import parse
from doctor.text import Translator
from doctor.tui.curl import curl
from doctor.tui.ignore_rule import ignore_file
from doctor.tui.markdown import finding_markdown
from doctor.tui.pace import INTERVAL, Pace
from doctor.tui.runview import RunView
from doctor.tui.saying import said
from doctor.tui.session import Prepared
from doctor.tui.settingrows import HeadRow, RepairRow, SettingRow, ShadowRow, table
from doctor.tui.speech import Speech
from doctor.tui.state import State
from doctor.tui.strays import with_strays
from doctor.tui.terminal import settle_animations, theme_for
from doctor.tui.wrapping import hung
from tests.kit import KEY, connection, environment
from tests.tui import samples

SPEECH = Speech(Translator("en"), Redactor())

# ------------------------------------------------------------------ pace


class Timer:
    """A clock and timers that are moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def later(self, delay: float, callback: Callable[[], None]) -> None:
        self.waiting.append((self.now + delay, callback))

    def move(self, seconds: float) -> None:
        self.now += seconds
        due = [callback for at, callback in self.waiting if at <= self.now]
        self.waiting = [(at, callback) for at, callback in self.waiting if at > self.now]
        for callback in due:
            callback()


def test_many_changes_are_drawn_ten_times_a_second_and_the_last_is_not_lost() -> None:
    timer, drawn = Timer(), [0]
    pace = Pace(lambda: drawn.append(len(drawn)), timer.later, lambda: timer.now)

    for _change in range(1000):
        pace.ask()
        timer.move(0.001)
    timer.move(INTERVAL)

    assert 10 <= len(drawn) - 1 <= 12
    before = len(drawn)
    timer.move(10)
    assert len(drawn) == before


def test_the_first_change_is_drawn_at_once() -> None:
    timer, drawn = Timer(), []
    pace = Pace(lambda: drawn.append(1), timer.later, lambda: timer.now)

    pace.ask()

    assert drawn


# ------------------------------------------------------------------ the terminal


@pytest.mark.parametrize(
    ("environ", "theme"),
    [
        ({"COLORTERM": "truecolor"}, "kvdoctor-dark"),
        ({"COLORTERM": "24bit", "COLORFGBG": "0;15"}, "kvdoctor-light"),
        ({"TERM": "xterm-256color"}, "terminal-dark"),
        ({"TERM": "linux", "COLORFGBG": "0;default;7"}, "terminal-light"),
        ({"COLORFGBG": "15;0"}, "terminal-dark"),
    ],
)
def test_the_theme_is_what_the_terminal_can_show(environ: dict[str, str], theme: str) -> None:
    assert theme_for(environ) == theme


def test_over_ssh_nothing_moves_unless_the_user_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.delenv("TEXTUAL_ANIMATIONS", raising=False)
    settle_animations(over_ssh=False)
    assert "TEXTUAL_ANIMATIONS" not in os.environ
    settle_animations(over_ssh=True)
    assert os.environ["TEXTUAL_ANIMATIONS"] == "none"

    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "full")
    settle_animations(over_ssh=True)
    assert os.environ["TEXTUAL_ANIMATIONS"] == "full"


# ------------------------------------------------------------------ text


def test_stray_characters_stand_out_and_nothing_is_markup() -> None:
    content = with_strays("[red]sk-…WXYZ⏎[/red]")

    assert content.plain == "[red]sk-…WXYZ⏎[/red]"
    assert [content.plain[span.start : span.end] for span in content.spans] == ["⏎"]


def test_wrapped_lines_hang_under_the_first() -> None:
    lines = hung(Content("one two three four"), 16, 6, Content("key"))

    assert [line.plain for line in lines] == ["key   one two", "      three four"]


def test_an_error_is_said_without_its_number() -> None:
    assert said("[Errno 111] Connection refused") == "connection refused"
    assert said("127.0.0.1:9: [Errno -2] Name or service not known") == (
        "127.0.0.1:9: name or service not known"
    )


# ------------------------------------------------------------------ curl


def words(target: Connection) -> list[str]:
    """The command as a shell would split it, without the names of variables filled in."""
    text = curl(target)
    assert text is not None
    return shlex.split(text)


def test_curl_asks_what_the_client_asks() -> None:
    command = words(connection("https://gateway.example/v1"))

    assert "https://gateway.example/v1/chat/completions" in command
    assert "Authorization: Bearer ${OPENAI_API_KEY}" in command
    assert '"model": "qwen3-8b"' in command[-1]


def test_curl_speaks_the_protocol_and_the_header_of_the_client() -> None:
    target = connection(
        "https://gateway.example",
        client="anthropic-sdk",
        protocol=Protocol.ANTHROPIC_MESSAGES,
        auth=AuthHeader.X_API_KEY,
    )

    command = words(target)

    assert "x-api-key: ${OPENAI_API_KEY}" in command
    assert "anthropic-version: 2023-06-01" in command


@pytest.mark.parametrize(
    ("proxy", "flags"),
    [
        ("direct", ["--noproxy", "*"]),
        ("http://127.0.0.1:7890", ["--proxy", "http://127.0.0.1:7890"]),
        ("environment", []),
    ],
)
def test_curl_goes_the_way_of_the_client(proxy: str, flags: list[str]) -> None:
    command = words(connection(proxy=proxy))

    assert [word for word in command if word in flags] == flags
    assert ("--proxy" in command or "--noproxy" in command) == bool(flags)


def test_curl_names_the_variable_of_a_repaired_key() -> None:
    target = samples.connection().with_(samples.KEY_FAULT.changes[0])

    text = curl(target)

    assert text is not None
    assert "${OPENAI_API_KEY}" in text
    assert KEY not in text


def test_a_model_that_would_end_the_quotes_stays_inside_them() -> None:
    command = words(connection(model="x'; touch /tmp/nope; '"))

    assert command[-2] == "-d"
    assert "touch /tmp/nope" in command[-1]


def test_there_is_no_curl_for_what_the_client_refuses_to_send() -> None:
    assert curl(connection("not a url")) is None


# ------------------------------------------------------------------ Markdown


def test_markdown_of_a_finding_escapes_what_others_wrote() -> None:
    nasty = replace(samples.KEY_FAULT, title="a <script> and *stars* and `ticks`")

    text = finding_markdown(nasty, SPEECH)

    assert r"\<script\>" in text
    assert r"\*stars\*" in text
    assert text.count("```") == 2


# ------------------------------------------------------------------ settings


def test_the_table_tells_value_shadows_and_the_proved_value() -> None:
    view = RunView(lambda: 0.0)
    view.begin(partial=False)
    for event in samples.events_of(samples.broken_report()):
        view.apply(event)
    rows = table(State(view, prepared=Prepared((samples.target(),), ())))

    assert isinstance(rows[0], HeadRow)
    key = [row for row in rows if not isinstance(row, HeadRow) and row.name == "key"]
    assert [type(row) for row in key] == [SettingRow, ShadowRow, RepairRow]
    assert [getattr(row, "value", "") for row in key] == [
        "sk-…0up0⏎ (52 characters)",
        "sk-…0up0 (51 characters)",
        "sk-…0up0 (51 characters)",
    ]


@pytest.mark.parametrize(
    ("verdict", "word"), [(True, "verified"), (False, "fails"), (None, "not verified")]
)
def test_a_key_is_verified_only_where_a_made_up_one_was_refused(
    verdict: bool | None, word: str
) -> None:
    report = samples.healthy_report()
    report = replace(report, verdicts=replace(report.verdicts, authenticated=verdict))
    view = RunView(lambda: 0.0)
    view.begin(partial=False)
    for event in samples.events_of(report):
        view.apply(event)

    rows = table(State(view))

    row = next(r for r in rows if isinstance(r, SettingRow) and r.name == "key")
    assert row.sign.word == word


def test_before_a_run_nothing_is_verified_and_what_is_unset_is_said_to_be() -> None:
    rows = table(State(RunView(lambda: 0.0), prepared=Prepared((samples.target(),), ())))

    words = {row.name: row.sign.word for row in rows if isinstance(row, SettingRow)}
    assert words["base_url"] == "not verified"
    assert words["max_tokens"] == "not set"


def test_a_blank_key_is_not_shown_as_nothing() -> None:
    target = replace(samples.target(), connection=_with_key(" \n"))
    rows = table(State(RunView(lambda: 0.0), prepared=Prepared((target,), ())))

    row = next(r for r in rows if isinstance(r, SettingRow) and r.name == "key")
    assert row.value == "(blank) (2 characters)"


def _with_key(text: str) -> Connection:
    setting = samples.connection().key
    assert setting is not None
    return replace(samples.connection(), key=Setting(Secret(text), setting.origin))


# ------------------------------------------------------------------ ignoring

REASON = 'the lab\'s "network" \\ is trusted'


def folder(tmp_path: Path) -> Environment:
    return environment(home=str(tmp_path), cwd=str(tmp_path))


@pytest.mark.parametrize(
    "before",
    [
        None,
        b"",
        b'[targets.a]\nbase_url = "https://a.example/v1"',
        b'# mine\r\n[[ignore]]\r\ncode = "KVD117"\r\nreason = "lab"\r\n',
    ],
)
def test_a_rule_is_added_and_nothing_else_is_touched(tmp_path: Path, before: bytes | None) -> None:
    path = tmp_path / "kvdoctor.toml"
    if before is not None:
        path.write_bytes(before)

    change = ignore_file(folder(tmp_path), "KVD113", "shop-api", REASON)

    assert change.after.startswith(change.before)
    rules = parse(change.after.decode(), tmp_path, "kvdoctor.toml", project=True).ignores
    assert (rules[-1].code, rules[-1].subject, rules[-1].reason) == ("KVD113", "shop-api", REASON)
    if before is not None:
        assert path.read_bytes() == before
        assert (b"\r\n" in before) == (b"\r\n" in change.after)


@pytest.mark.parametrize("before", [b"[targets", b'ignore = "no"\n', b"\xff\xfe"])
def test_a_file_that_makes_no_sense_is_left_alone(tmp_path: Path, before: bytes) -> None:
    path = tmp_path / "kvdoctor.toml"
    path.write_bytes(before)

    with pytest.raises(RefusedEdit):
        ignore_file(folder(tmp_path), "KVD113", "shop-api", "lab")
    assert path.read_bytes() == before


def test_a_command_for_others_sends_both_credentials_and_shows_neither() -> None:
    second = "sk-second-made-up-0123456789"
    origin = Origin(OriginKind.ENVIRONMENT, "ANTHROPIC_API_KEY")
    held = Setting(Secret(second), origin)
    both = replace(connection("http://10.0.0.5"), second_key=held)
    told = curl(both)

    assert told is not None
    assert '-H "x-api-key: ${ANTHROPIC_API_KEY}"' in told
    assert second not in told


def test_settings_names_are_those_a_change_may_touch() -> None:
    from doctor.tui.settingrows import NAMES

    assert {name.value for name in SettingName} <= set(NAMES)
