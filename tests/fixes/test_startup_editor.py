"""Start-up files: a real shell gets the new value and everything else as before."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doctor.fixes.editors import edit
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan import fish, posix, powershell
from doctor.fixes.scan.base import Scan
from doctor.fixes.steps import EditFile, Format, Operation
from doctor.secrets import Secret
from tests.fixes.shells import need, value_after
from tests.fixes.strategies import COMMENTS, HARD_TEXT, KEY, LINE_ENDS, NEW_VALUES, SHELL_NAMES

ALLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
SCANS = {Format.SHELL: posix.scan, Format.FISH: fish.scan, Format.POWERSHELL: powershell.scan}


def step(
    format_: Format,
    name: str,
    line: int | None,
    old: str | None,
    new: str | None,
    operation: Operation | None = None,
    secret: bool = False,
) -> EditFile:
    chosen = operation or (Operation.REMOVE if new is None else Operation.SET)
    return EditFile(
        path="/nowhere",
        shown="~/rc",
        format=format_,
        at=(name,),
        line=line,
        old=Secret(old) if secret and old is not None else old,
        new=Secret(new) if secret and new is not None else new,
        operation=chosen,
        exports=name,
    )


def double(text: str) -> str:
    return '"' + "".join("\\" + c if c in '\\"$`' else c for c in text) + '"'


def single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def ansi(text: str) -> str:
    return "$'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


@st.composite
def posix_files(draw: st.DrawFn, *, plain_sh: bool = False) -> str:
    """Files of assignments in all their forms, among the usual rest of a start-up file."""
    end = draw(LINE_ENDS) if not plain_sh else "\n"
    quotes = [double, single] if plain_sh else [double, single, ansi]
    lines: list[str] = []
    for _line in range(draw(st.integers(1, 6))):
        name = draw(SHELL_NAMES)
        text = draw(st.one_of(HARD_TEXT, NEW_VALUES, st.just(KEY + "\n")))
        value = draw(st.sampled_from(quotes))(text)
        bare = draw(NEW_VALUES)
        comment = f" # {draw(COMMENTS)}" if draw(st.booleans()) else ""
        simple = [
            f"export {name}={value}{comment}",
            f"  export {name}={value}",
            f"export A={bare} {name}={value}",
            f"export {name}=pre{value}'post'",
            f"# export {name}={bare}",
            "",
        ]
        # With Windows line ends no "fi" is one, so that a shell does not get through the rest.
        lines.append(
            draw(
                st.sampled_from(
                    simple
                    if end == "\r\n"
                    else [
                        *simple,
                        f"{name}={bare}; export {name}{comment}",
                        f"if true; then{end}  export {name}={value}{comment}{end}fi",
                        f"[ -n x ] && export {name}={bare}",
                        f"export {name}=\\\n{bare}",
                        f"case x in (a) export {name}=no ;; *) export {name}={bare};; esac",
                        f"f() {{ export {name}={value}; }}",
                        f"(export {name}=lost)",
                        f"export {name}=lost | true",
                        f'x=$(echo "a b" # {draw(COMMENTS)}{end})',
                        f"cat <<'END'{end}export {name}={value}{end}END",
                        f"echo \"${{x:-y}}\" '{comment}'" if "'" not in comment else "true",
                        f"alias q={single(text)}",
                    ]
                )
            )
        )
    return end.join(lines) + draw(st.sampled_from(["", end]))


def unambiguous(scan: Scan) -> list[tuple[str, int, str]]:
    """Exported variables that are set once, to a known value, when the file is read."""
    names = [a.name for a in scan.assignments]
    return [
        (a.name, a.line, a.value)
        for a in scan.assignments
        if names.count(a.name) == 1 and a.value is not None and a.exported and a.nesting < 2
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash"])
@settings(deadline=None, max_examples=60, suppress_health_check=ALLOW)
@given(data=st.data(), new=NEW_VALUES)
def test_a_real_shell_agrees_on_the_value_before_and_after(
    tmp_path: Path, shell: str, data: st.DataObject, new: str
) -> None:
    need(shell)
    text = data.draw(posix_files(plain_sh=shell == "dash"))
    path = tmp_path / "rc"
    known = unambiguous(posix.scan(text))
    if not known:
        return
    name, line, old = data.draw(st.sampled_from(known))
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert value_after(shell, path, name) == old
    try:
        made = edit(text, step(Format.SHELL, name, line, old, new))
    except RefusedEdit:
        return
    after = made.applied(text)
    path.write_bytes(after.encode("utf-8", "surrogateescape"))

    assert value_after(shell, path, name) == new
    assert after[: made.start] + after[made.start + len(made.text) :] == (
        text[: made.start] + text[made.end :]
    )


@pytest.mark.parametrize("shell", ["bash", "zsh"])
@settings(deadline=None, max_examples=40, suppress_health_check=ALLOW)
@given(data=st.data())
def test_a_variable_that_was_taken_out_is_not_set_any_more(
    tmp_path: Path, shell: str, data: st.DataObject
) -> None:
    need(shell)
    text = data.draw(posix_files())
    path = tmp_path / "rc"
    known = unambiguous(posix.scan(text))
    if not known:
        return
    name, line, old = data.draw(st.sampled_from(known))
    others = [row for row in known if row[0] != name]
    try:
        after = edit(text, step(Format.SHELL, name, line, old, None)).applied(text)
    except RefusedEdit:
        return
    path.write_bytes(after.encode("utf-8", "surrogateescape"))

    assert value_after(shell, path, name) is None
    for other, _line, value in others:
        assert value_after(shell, path, other) == value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('export K="{old}" # mine', 'export K="{new}" # mine'),
        ("export K='{old}'", "export K='{new}'"),
        ("K={old}; export K", "K={new}; export K"),
        ("export A=1 K={old} B=2", "export A=1 K={new} B=2"),
        ("typeset -gx K={old}", "typeset -gx K={new}"),
        ("\texport K=$'{old}\\n'", "\texport K='{new}'"),
        ('export K="{old}\n" # two lines', 'export K="{new}" # two lines'),
        ("export K={old} 2>/dev/null", "export K={new} 2>/dev/null"),
    ],
)
def test_only_the_value_changes(before: str, after: str) -> None:
    text = f"# rc\nalias a='b'\n{before.format(old='http://h', new='')}\nexport Z=1\n"
    old = next(a.value for a in posix.scan(text).assignments if a.name == "K")

    edited = edit(text, step(Format.SHELL, "K", 3, old, "http://h/v1")).applied(text)

    expected = after.format(old="", new="http://h/v1")
    assert edited == f"# rc\nalias a='b'\n{expected}\nexport Z=1\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("export P=http://p", "# export P=http://p"),
        ("  export P=http://p # dead", "  # export P=http://p # dead"),
        ("P=http://p; export P", "# P=http://p; export P"),
        ("export A=1 P=http://p B=2", "export A=1 B=2"),
        ('export P="http://p\n"', '# export P="http://p\n# "'),
        ("if x; then\n  export P=http://p\nfi", "if x; then\n  : # export P=http://p\nfi"),
    ],
)
def test_a_line_is_commented_out_and_can_be_read_still(before: str, after: str) -> None:
    text = f"export Z=1\n{before}\nexport Y=2\n"
    found = next(a for a in posix.scan(text).assignments if a.name == "P")

    edited = edit(text, step(Format.SHELL, "P", found.line, found.value, None)).applied(text)

    assert edited == f"export Z=1\n{after}\nexport Y=2\n"


@pytest.mark.parametrize(
    "line",
    [
        "[ -n x ] && export P=http://p",
        "export P=http://p; start_proxy",
        "export P=http://p && echo on",
        'export "P=http://p"',
    ],
)
def test_a_line_that_does_more_is_not_taken_out(line: str) -> None:
    with pytest.raises(RefusedEdit):
        edit(f"{line}\n", step(Format.SHELL, "P", 1, "http://p", None))


def test_a_line_is_added_behind_another() -> None:
    text = "if x; then\n\texport P=http://p\nfi\n"
    found = next(iter(posix.scan(text).assignments))
    made = step(Format.SHELL, "NO_PROXY", found.line, None, "localhost,h", Operation.ADD)

    edited = edit(text, made).applied(text)

    assert edited == "if x; then\n\texport P=http://p\n\texport NO_PROXY=localhost,h\nfi\n"


def test_a_line_is_added_where_the_file_ends_without_a_line_break() -> None:
    made = step(Format.SHELL, "NO_PROXY", 1, None, "h", Operation.ADD)

    assert edit("export P=1", made).applied("export P=1") == "export P=1\nexport NO_PROXY=h"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("export K=1\necho 'open\n", 2),
        ('export K="1\n', 1),
        ("cat <<END\nexport K=1\n", 2),
        ("x=$(echo\nexport K=1\n", 1),
        ("echo )\n", 1),
    ],
)
def test_a_file_that_cannot_be_followed_is_refused_with_the_line(text: str, line: int) -> None:
    with pytest.raises(RefusedEdit) as caught:
        edit(text, step(Format.SHELL, "K", 1, "1", "2"))

    assert caught.value.line == line


# ------------------------------------------------------------------ fish


@settings(deadline=None, max_examples=25, suppress_health_check=ALLOW)
@given(
    text=st.one_of(HARD_TEXT, NEW_VALUES).filter(lambda t: bool(t.strip())),
    new=NEW_VALUES,
    form=st.sampled_from(
        [
            "set -gx K {value}{comment}",
            "if true\n  set -x -g K {value}\nend",
            "set --global --export K {value}",
            "export K={value}",
            "set -gx OTHER 'it\\'s'; set -gx K {value}",
        ]
    ),
    comment=COMMENTS,
    quote=st.booleans(),
)
def test_fish_itself_reads_the_new_value(
    tmp_path: Path, text: str, new: str, form: str, comment: str, quote: bool
) -> None:
    need("fish")
    if quote:
        value = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    else:
        value = '"' + "".join("\\" + c if c in '\\"$' else c for c in text) + '"'
    content = f"set x (echo 'a)')\n{form.format(value=value, comment=f' # {comment}')}\n"
    found = next(a for a in fish.scan(content).assignments if a.name == "K")
    assert found.value == text
    path = tmp_path / "config.fish"

    made = edit(content, step(Format.FISH, "K", found.line, text, new))
    path.write_text(made.applied(content), "utf-8")

    assert value_after("fish", path, "K") == new
    if not form.startswith("set -gx OTHER"):
        gone = edit(content, step(Format.FISH, "K", found.line, text, None)).applied(content)
        path.write_text(gone, "utf-8")
        assert value_after("fish", path, "K") is None


# ------------------------------------------------------------------ PowerShell

PROFILE = """\
# $env:OPENAI_BASE_URL = 'no'
<# $env:OPENAI_BASE_URL = 'no' #>
function proxy { $env:HTTP_PROXY = "http://p" }
$text = @"
$env:OPENAI_BASE_URL = 'no'
"@
$env:OPENAI_BASE_URL = 'http://h'   # mine
${env:OPENAI_API_KEY}="sk-made-up`n"; $env:OTHER = 'it''s'
"""


def test_a_powershell_profile_keeps_everything_but_the_value() -> None:
    made = step(Format.POWERSHELL, "OPENAI_BASE_URL", 7, "http://h", "http://h/v1")

    after = edit(PROFILE, made).applied(PROFILE)

    assert after == PROFILE.replace("'http://h' ", "'http://h/v1' ")


def test_a_key_in_double_quotes_with_a_line_break_is_cleaned() -> None:
    made = step(Format.POWERSHELL, "OPENAI_API_KEY", 8, "sk-made-up\n", "sk-made-up", secret=True)

    after = edit(PROFILE, made).applied(PROFILE)

    assert after == PROFILE.replace("made-up`n", "made-up")


def test_a_value_of_a_function_is_known_to_be_one() -> None:
    found = [a for a in powershell.scan(PROFILE).assignments if a.name == "HTTP_PROXY"]

    assert [a.nesting.name for a in found] == ["FUNCTION"]


def test_typographic_quotes_in_a_powershell_profile_are_refused() -> None:
    with pytest.raises(RefusedEdit):
        powershell.scan("$env:K = “x”\n")
