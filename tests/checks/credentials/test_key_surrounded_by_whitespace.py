from __future__ import annotations

import pytest

from checks.credentials.key_surrounded_by_whitespace import key_surrounded_by_whitespace
from doctor.connection import OriginKind, Protocol
from doctor.models import Finding, Severity
from tests.checks.credentials.world import HEALTHY, KEY, NOT_SENT, REFUSED, Given, keys, with_key
from tests.kit import connection, run_check

OTHER = "sk-other0up0other0up0other0up0other0up0other0up0oth"


def found(key: str, given: Given = REFUSED) -> tuple[Finding, ...]:
    return run_check(key_surrounded_by_whitespace, connection(key=key), given).findings


@pytest.mark.parametrize(
    ("key", "title"),
    [
        (f"{KEY}\n", "The key ends in a line break"),
        (f"{KEY}\r\n", "The key ends in a Windows line break (CR LF)"),
        (f"{KEY}\r", "The key ends in a carriage return (CR)"),
        (f"{KEY}  ", "The key ends in 2 blanks"),
        (f"{KEY}\t", "The key ends in a tab"),
        (f" {KEY}", "The key starts with a blank"),
        (f" {KEY}\n", "The key starts with a blank and ends in a line break"),
    ],
)
def test_the_character_and_its_place_are_named_and_it_is_stripped(key: str, title: str) -> None:
    (finding,) = found(key)
    assert finding.title == title
    assert keys(list(finding.changes)) == [KEY]
    assert not finding.changes[0].guess


def test_the_line_break_is_told_per_client() -> None:
    (finding,) = found(f"{KEY}\n", NOT_SENT)
    for part in ("Illegal header value", "Codex drops the header", "Node and Claude Code trim"):
        assert part in finding.explanation
    assert "U+000A LINE FEED at position 52 of 52" in [e.value for e in finding.evidence]
    assert finding.evidence[0].value == "sk-…0up0⏎, 52 characters"


def test_a_file_with_windows_line_ends_is_named() -> None:
    target = with_key(connection(), f"{KEY}\r", kind=OriginKind.FILE, path="~/app/.env", line=1)
    (finding,) = run_check(key_surrounded_by_whitespace, target, NOT_SENT).findings
    assert "~/app/.env was likely saved with Windows line ends" in finding.explanation


def test_of_two_keys_each_is_tried() -> None:
    (finding,) = found(f"{KEY}\n{OTHER}")
    assert keys(list(finding.changes))[:2] == [KEY, OTHER]
    assert all(change.guess for change in finding.changes)
    assert "2 keys" in finding.explanation


def test_a_key_that_was_wrapped_is_joined() -> None:
    (finding,) = found(f"{KEY[:30]}\n  {KEY[30:]}")
    assert keys(list(finding.changes))[0] == KEY


def test_a_note_behind_a_blank_is_cut_off() -> None:
    (finding,) = found(f"{KEY} shop account")
    assert keys(list(finding.changes))[0] == KEY
    assert finding.title == "The key has a blank inside"
    assert "at position 52 of" in finding.evidence[1].value


@pytest.mark.parametrize("key", [KEY, "two words", f"Bearer {KEY}", f"{KEY} # note"])
def test_a_key_without_such_a_fault_passes(key: str) -> None:
    assert found(key, HEALTHY) == ()


@pytest.mark.parametrize("key", [f"Bearer {KEY}", f"{KEY} # note", f"{KEY} 用这个", "<your key>"])
def test_what_other_checks_tell_better_is_left_to_them(key: str) -> None:
    assert found(key) == ()


def test_a_client_that_trims_it_is_not_kept_from_anything() -> None:
    target = connection(key=f"{KEY}\n", client="claude-code", protocol=Protocol.ANTHROPIC_MESSAGES)
    (finding,) = run_check(key_surrounded_by_whitespace, target, NOT_SENT).findings
    assert finding.severity is Severity.WARNING
    assert "Claude Code cuts that off itself" in finding.explanation
