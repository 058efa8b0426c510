"""Start-up files are read as a shell would, without one."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.clinic.shellfile import Unclear, exported
from doctor.demo.shell import exports
from tests.fixes.shells import value_after

READ = [
    ("export A=1\n", "1"),
    ("A=1\nexport A\n", "1"),
    ("export A=1\nexport A=2\n", "2"),
    ("export A=1\nunset A\n", None),
    ("export A=1\n# unset A\n", "1"),
    ("export A=1\nunset -v A\n", None),
    ("# export A=1\n", None),
    ("A=1\n", None),
    ("export B=2 A='x y'\n", "x y"),
    ("export A=$'x\\n'\n", "x\n"),
    ("unset A; export A=3\n", "3"),
    ("export A=1\nunset 'A'\n", None),
    ("export A=1\nunset A | true\n", "1"),
]


@pytest.mark.parametrize(("text", "value"), READ)
def test_a_file_gives_what_bash_gives(text: str, value: str | None, tmp_path: Path) -> None:
    path = tmp_path / "startup"
    path.write_text(text)

    assert exported(text).get("A") == value
    assert value_after("bash", path, "A") == value


@pytest.mark.parametrize(
    "text",
    [
        "export A=$B\n",
        "export A=$(id)\n",
        "if true; then export A=1; fi\n",
        "f() {\n export A=1\n}\n",
        "export A=1\nif true; then unset A; fi\n",
    ],
)
def test_what_only_running_would_tell_is_unclear(text: str) -> None:
    with pytest.raises(Unclear, match="A"):
        exported(text)


@given(st.dictionaries(st.from_regex(r"[A-Z]{1,6}", fullmatch=True), st.text(max_size=12)))
def test_what_the_demo_writes_is_read_back(variables: dict[str, str]) -> None:
    kept = {
        name: value
        for name, value in variables.items()
        if "\0" not in value and not any("\ud800" <= char <= "\udfff" for char in value)
    }

    assert exported("\n".join(exports(kept)) + "\n") == kept


@given(st.text())
def test_nothing_ends_in_a_traceback(text: str) -> None:
    with contextlib.suppress(Unclear):
        assert all(name and value is not None for name, value in exported(text).items())
