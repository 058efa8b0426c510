"""Where a variable comes from: file and line, by the value, without running anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.connection import OriginKind
from doctor.facts.machine import Environment
from doctor.fixes.startup import Startup, find_export, user_shell
from doctor.fixes.steps import Shell


def environment(home: Path, **variables: str) -> Environment:
    return Environment(variables=variables, platform="linux", home=str(home), cwd=str(home / "app"))


def write(home: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def place(home: Path, name: str, value: str, **variables: str) -> str | None:
    origin = find_export(name, value, environment(home, **variables))
    if origin is None:
        return None
    assert origin.kind is OriginKind.ENVIRONMENT
    return f"{origin.path}:{origin.line}"


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (".bashrc", "export KEY=x"),
        (".bash_profile", 'export KEY="x"'),
        (".profile", "KEY=x; export KEY"),
        (".zshrc", "export A=1 KEY=x"),
        (".zprofile", "typeset -x KEY=x"),
        (".zshenv", "export KEY='x' # mine"),
        (".config/fish/config.fish", "set -gx KEY x"),
        (".config/fish/conf.d/keys.fish", "set --export KEY 'x'"),
        (".config/environment.d/keys.conf", "KEY=x"),
        (".config/powershell/profile.ps1", "$env:KEY = 'x'"),
    ],
)
def test_the_line_is_found(tmp_path: Path, file: str, line: str) -> None:
    write(tmp_path, {file: f"# first\n\n{line}\n"})

    assert place(tmp_path, "KEY", "x") == f"~/{file}:3"


def test_a_line_with_another_value_is_not_where_it_comes_from(tmp_path: Path) -> None:
    write(tmp_path, {".bashrc": "export KEY=other\n"})

    assert place(tmp_path, "KEY", "x") is None


@pytest.mark.parametrize(
    "text",
    [
        "KEY=x\n",
        "KEY=x program\n",
        "(export KEY=x)\n",
        "# export KEY=x\n",
        "cat <<END\nexport KEY=x\nEND\n",
        "echo 'export KEY=x'\n",
        "alias k='export KEY=x'\n",
        "export KEY=$OTHER\n",
        "export KEY=$(echo x)\n",
    ],
)
def test_what_exports_nothing_is_not_where_it_comes_from(tmp_path: Path, text: str) -> None:
    write(tmp_path, {".bashrc": text})

    assert place(tmp_path, "KEY", "x", OTHER="x") is None


def test_the_files_of_the_users_own_shell_count_most(tmp_path: Path) -> None:
    write(tmp_path, {".bashrc": "export KEY=x\n", ".zshrc": "\nexport KEY=x\n"})

    assert place(tmp_path, "KEY", "x", SHELL="/bin/zsh") == "~/.zshrc:2"
    assert place(tmp_path, "KEY", "x", SHELL="/usr/bin/bash") == "~/.bashrc:1"


def test_a_file_that_the_start_up_file_reads_is_followed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".zshrc": '[ -f ~/.secrets ] && source "$HOME/.secrets"\n',
            ".secrets": ". ~/.config/keys.sh\n",
            ".config/keys.sh": "\nexport KEY=x\n",
        },
    )

    assert place(tmp_path, "KEY", "x") == "~/.config/keys.sh:2"


def test_files_that_read_one_another_end(tmp_path: Path) -> None:
    write(tmp_path, {".zshrc": ". ~/.a\n", ".a": ". ~/.zshrc\nexport KEY=x\n"})

    assert place(tmp_path, "KEY", "x") == "~/.a:2"


def test_a_file_outside_of_the_home_is_not_followed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(tmp_path, {"elsewhere.sh": "export KEY=x\n"})
    write(home, {".zshrc": f". {tmp_path}/elsewhere.sh\n. ~/../elsewhere.sh\n"})

    assert place(home, "KEY", "x") is None


def test_nothing_of_a_file_runs(tmp_path: Path) -> None:
    write(tmp_path, {".bashrc": f"touch {tmp_path}/ran\nexport KEY=x\n$(touch {tmp_path}/ran2)\n"})

    assert place(tmp_path, "KEY", "x") == "~/.bashrc:2"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".bashrc"]


def test_a_function_counts_less_than_a_plain_line(tmp_path: Path) -> None:
    write(tmp_path, {".zshrc": "export KEY=x\non() {\n  export KEY=x\n}\n"})

    assert place(tmp_path, "KEY", "x", SHELL="/bin/zsh") == "~/.zshrc:1"


def test_zdotdir_and_the_config_folder_are_heeded(tmp_path: Path) -> None:
    write(tmp_path, {"z/.zshrc": "export KEY=x\n", "c/fish/config.fish": "set -gx F y\n"})
    moved = {"ZDOTDIR": str(tmp_path / "z"), "XDG_CONFIG_HOME": str(tmp_path / "c")}

    assert place(tmp_path, "KEY", "x", **moved) == "~/z/.zshrc:1"
    assert place(tmp_path, "F", "y", **moved) == "~/c/fish/config.fish:1"


def test_a_file_that_cannot_be_followed_says_nothing(tmp_path: Path) -> None:
    write(tmp_path, {".bashrc": "export KEY=x\necho 'open\n", ".profile": "export KEY=x\n"})

    assert place(tmp_path, "KEY", "x") == "~/.profile:1"


def test_each_file_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, {".bashrc": "export KEY=x\nexport B=y\n"})
    startup = Startup(environment(tmp_path))
    startup.exports("KEY", "x")
    (tmp_path / ".bashrc").unlink()
    write(tmp_path, {".bashrc": ""})

    assert [e.place for e in startup.exports("B", "y")] == ["~/.bashrc:2"]


@pytest.mark.parametrize(
    ("shell", "platform", "expected"),
    [
        ("/bin/zsh", "darwin", Shell.ZSH),
        ("/usr/bin/fish", "linux", Shell.FISH),
        ("/bin/dash", "linux", Shell.SH),
        ("", "linux", Shell.SH),
        ("", "win32", Shell.POWERSHELL),
    ],
)
def test_the_users_shell_is_known(shell: str, platform: str, expected: Shell) -> None:
    assert user_shell(Environment({"SHELL": shell}, platform, "/h", "/h")) is expected
