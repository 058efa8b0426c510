"""The diff that is shown is the change that is made, with keys masked and strays visible."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doctor.fixes.diff import FileDiff, diff, shown_lines
from doctor.fixes.masking import masked
from doctor.fixes.prepare import FileChange, prepare
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan import posix
from doctor.fixes.steps import EditFile, Format, Operation
from doctor.secrets import Secret
from tests.fixes.strategies import KEY, NEW_VALUES
from tests.fixes.test_startup_editor import posix_files

ALLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def applied(shown: FileDiff, lines: list[str]) -> list[str]:
    """The lines that result when the shown diff is applied to shown lines, as ``patch`` would."""
    out: list[str] = []
    position = 0
    for hunk in shown.hunks:
        start = hunk.before - 1
        out += lines[position:start]
        position = start
        for line in hunk.lines:
            if line.sign != "+":
                assert (line.number, line.text) == (position + 1, lines[position])
                position += 1
            if line.sign != "-":
                out.append(line.text)
            if line.sign == "+":
                assert line.number == len(out)
    return out + lines[position:]


def change_of(path: Path, name: str, line: int, old: str, new: str | None) -> FileChange:
    operation = Operation.REMOVE if new is None else Operation.SET
    step = EditFile(
        path=str(path),
        shown="~/rc",
        format=Format.SHELL,
        at=(name,),
        line=line,
        old=Secret(old),
        new=None if new is None else Secret(new),
        operation=operation,
    )
    return prepare([step]).files[0]


@settings(deadline=None, max_examples=80, suppress_health_check=ALLOW)
@given(text=posix_files(), data=st.data(), new=st.one_of(NEW_VALUES, st.none()))
def test_applying_what_is_shown_gives_what_is_written(
    tmp_path: Path, text: str, data: st.DataObject, new: str | None
) -> None:
    known = [a for a in posix.scan(text).assignments if a.value is not None and a.exported]
    if not known:
        return
    chosen = data.draw(st.sampled_from(known))
    path = tmp_path / "rc"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    try:
        change = change_of(path, chosen.name, chosen.line, chosen.value or "", new)
    except RefusedEdit:
        return

    shown = diff(change)

    before = shown_lines(change.before, change.literals)
    after = shown_lines(change.after, change.literals)
    assert applied(shown, before) == after
    assert applied(shown.reversed(), after) == before
    assert len(before) == len(text.split("\n")) - text.endswith("\n")
    assert KEY not in "\n".join(shown.lines()) or new == KEY or KEY in text


def test_a_key_is_masked_alike_on_both_sides_and_its_line_break_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rc"
    path.write_text(f'export A=1\nexport OPENAI_API_KEY="{KEY}\n"\nexport B=2\n')

    lines = diff(change_of(path, "OPENAI_API_KEY", 2, f"{KEY}\n", KEY)).lines()

    assert lines == [
        "--- ~/rc",
        "+++ ~/rc",
        "@@ -1,4 +1,3 @@",
        " export A=1",
        '-export OPENAI_API_KEY="sk-…0up0⏎',
        '-"',
        '+export OPENAI_API_KEY="sk-…0up0"',
        " export B=2",
    ]


@pytest.mark.parametrize(
    ("literal", "shown"),
    [
        (KEY, "sk-…0up0"),
        (f"Bearer {KEY}", "Bearer sk-…0up0"),
        (f"“{KEY}”", "“sk-…0up0”"),
        (f"{KEY}\\n", "sk-…0up0\\n"),
        (f"{KEY[:20]}\u200b{KEY[20:]}", "…<U+200B>…0up0"),
        (f"{KEY}\u00a0", "sk-…0up0<U+00A0>"),
        (f'\\"{KEY}\\"', '\\"sk-…0up0\\"'),
    ],
)
def test_stray_characters_of_a_key_are_visible(literal: str, shown: str) -> None:
    assert masked(literal) == shown


def test_other_secrets_near_by_are_masked_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "rc"
    path.write_text(
        "export DB_PASSWORD=hunter2hunter2\n"
        f"export OPENAI_API_KEY='{KEY} '\n"
        'export GITHUB_TOKEN="made-up-token-made-up-token"\n'
    )

    shown = "\n".join(diff(change_of(path, "OPENAI_API_KEY", 2, f"{KEY} ", KEY)).lines())

    assert "hunter2" not in shown
    assert "made-up-token" not in shown
    assert "export DB_PASSWORD=" in shown


def test_another_secret_in_the_line_that_changes_is_masked(tmp_path: Path) -> None:
    path = tmp_path / "rc"
    path.write_text(f"export DB_PASSWORD=hunter2hunter2 OPENAI_API_KEY='{KEY} '\n")

    shown = "\n".join(diff(change_of(path, "OPENAI_API_KEY", 1, f"{KEY} ", KEY)).lines())

    assert "hunter2" not in shown


def test_a_commented_key_stays_masked(tmp_path: Path) -> None:
    path = tmp_path / "rc"
    path.write_text(f"export OPENAI_API_KEY={KEY}\n")

    shown = diff(change_of(path, "OPENAI_API_KEY", 1, KEY, None)).changed()

    assert shown == [
        "- export OPENAI_API_KEY=sk-…0up0",
        "+ # export OPENAI_API_KEY=sk-…0up0",
    ]


def test_terminal_escapes_of_a_file_are_spelled_out(tmp_path: Path) -> None:
    path = tmp_path / "rc"
    path.write_text(f"# \x1b[31mred\nexport OPENAI_API_KEY='{KEY} '\n")

    shown = "\n".join(diff(change_of(path, "OPENAI_API_KEY", 2, f"{KEY} ", KEY)).lines())

    assert "\x1b" not in shown
    assert "<U+001B>[31mred" in shown


def test_a_symlink_shows_where_it_leads(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles-zshrc"
    real.write_text(f"export OPENAI_API_KEY='{KEY} '\n")
    link = tmp_path / ".zshrc"
    link.symlink_to(real)

    shown = diff(change_of(link, "OPENAI_API_KEY", 1, f"{KEY} ", KEY))

    assert shown.lines()[0] == f"--- ~/rc → {real}"
