"""Completions as real shells offer them, and a manual that groff reads without a warning."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from doctor.cli import main
from doctor.completions.files import PLACES, text_of
from doctor.completions.grammar import Kind, grammar

from . import shells

ROOT = Path(__file__).parents[2]
FOUND = grammar()


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("scripts")
    made = {}
    for kind in (*PLACES, "powershell"):
        made[kind] = folder / f"script.{kind}"
        made[kind].write_text(text_of(kind, FOUND), "utf-8")
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with one file and one folder to complete."""
    (tmp_path / "requests.jsonl").write_text("")
    (tmp_path / "models").mkdir()
    return tmp_path


# Typed → one word that must be offered, and one that must not.
OFFERED = [
    ("kvdoctor ", "check", "KVD101"),
    ("kvdoctor che", "checklist", "fix"),
    ("kvdoctor check --", "--no-spend", "check"),
    ("kvdoctor check --format ", "json", "--format"),
    ("kvdoctor --format ", "json", "check"),
    ("kvdoctor explain --format ", "plain", "jsonl"),
    ("kvdoctor check --fail-on ", "critical", "json"),
    ("kvdoctor check --select ", "network", "check"),
    ("kvdoctor check ", "claude-code", "KVD102"),
    ("kvdoctor rule ", "KVD102", "claude-code"),
    ("kvdoctor rule key-", "key-missing", "url-malformed"),
    ("kvdoctor demo ", "triple-fault", "KVD102"),
    ("kvdoctor checklist ", "onboarding", "demo"),
    ("kvdoctor completions ", "fish", "check"),
    ("kvdoctor prefix ", "requests.jsonl", "check"),
    ("kvdoctor replay req", "requests.jsonl", "models"),
    ("kvdoctor check --key-file ", "requests.jsonl", "json"),
]


@pytest.mark.parametrize(("line", "wanted", "unwanted"), OFFERED)
@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_what_is_offered(
    shell: str, line: str, wanted: str, unwanted: str, scripts: dict[str, Path], folder: Path
) -> None:
    offered = getattr(shells, shell)(scripts[shell], line, folder)

    assert wanted in offered
    assert unwanted not in offered


def test_a_value_that_cannot_be_known_is_not_offered(
    scripts: dict[str, Path], folder: Path
) -> None:
    assert shells.bash(scripts["bash"], "kvdoctor check --base-url ", folder) == []
    assert shells.fish(scripts["fish"], "kvdoctor check --base-url ", folder) == []


def test_bash_completes_behind_an_equals_sign(scripts: dict[str, Path], folder: Path) -> None:
    script = scripts["bash"]

    assert shells.bash(script, "kvdoctor check --format=j", folder) == ["json", "jsonl", "junit"]
    assert shells.bash(script, "kvdoctor check --out j", folder) == ["json=", "jsonl=", "junit="]
    assert shells.bash(script, "kvdoctor check --out json=req", folder) == ["requests.jsonl"]


def test_folders_alone_for_a_folder(scripts: dict[str, Path], folder: Path) -> None:
    line = "kvdoctor prefix --tokenizer "

    assert shells.bash(scripts["bash"], line, folder) == ["models"]
    assert shells.fish(scripts["fish"], line, folder) == ["models/"]


TYPED = [
    ("kvdoctor checkl", "kvdoctor checklist "),
    ("kvdoctor check --no-sp", "kvdoctor check --no-spend "),
    ("kvdoctor check --format mark", "kvdoctor check --format markdown "),
    ("kvdoctor check --format=mark", "kvdoctor check --format=markdown "),
    ("kvdoctor --fail-on crit", "kvdoctor --fail-on critical "),
    ("kvdoctor check --out mark", "kvdoctor check --out markdown="),
    ("kvdoctor check --out json=req", "kvdoctor check --out json=requests.jsonl "),
    ("kvdoctor check claude-", "kvdoctor check claude-code"),
    ("kvdoctor demo triple-", "kvdoctor demo triple-fault "),
    ("kvdoctor prefix req", "kvdoctor prefix requests.jsonl "),
    ("kvdoctor prefix requests.jsonl --tokenizer mo", None),
]


@pytest.mark.parametrize(("typed", "completed"), TYPED)
def test_zsh_completes_what_is_typed(
    typed: str, completed: str | None, scripts: dict[str, Path], folder: Path
) -> None:
    line = shells.zsh(scripts["zsh"], typed, folder)

    assert line.startswith(completed or f"{typed}dels/")


def test_zsh_finds_the_script_in_a_folder_of_functions(
    scripts: dict[str, Path], folder: Path
) -> None:
    typed = "kvdoctor check --format mark"

    line = shells.zsh(scripts["zsh"], typed, folder, autoloaded=True)

    assert line.startswith("kvdoctor check --format markdown ")


def test_powershell_gets_no_key_twice() -> None:
    """Keys of its tables are equal whatever their case, and two of them are a syntax error."""
    for command in FOUND.commands:
        names = [n.lower() for o in command.options if o.value is not None for n in o.names]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_reads_its_script_without_a_word(shell: str, scripts: dict[str, Path]) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([found, "-n", scripts[shell]], capture_output=True, text=True)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_powershell_completes(scripts: dict[str, Path]) -> None:
    found = shutil.which("pwsh")
    if found is None:
        pytest.skip("PowerShell is not installed")
    line = "kvdoctor check --format ju"
    program = (
        f". {scripts['powershell']}; "
        f"(TabExpansion2 '{line}' {len(line)}).CompletionMatches.CompletionText"
    )
    done = subprocess.run(
        [found, "-NoProfile", "-Command", program], capture_output=True, text=True
    )

    assert done.stdout.split() == ["junit"]


def test_every_command_and_option_is_in_every_script(scripts: dict[str, Path]) -> None:
    texts = {kind: path.read_text("utf-8") for kind, path in scripts.items()}
    for command in FOUND.commands:
        for option in command.options:
            for kind, text in texts.items():
                name = option.long.removeprefix("--") if kind == "fish" else option.long
                spelled = name.replace("-", "\\-") if kind == "man" else name
                assert spelled in text, (command.name, option.long, kind)


def test_an_options_value_is_known_to_be_a_file_by_its_name() -> None:
    (field,) = [o for o in FOUND.command("prefix").options if o.long == "--field"]
    (config,) = [o for o in FOUND.command("launch").options if o.long == "--model-config"]

    assert field.value is not None
    assert field.value.kind is Kind.FREE
    assert config.value is not None
    assert config.value.kind is Kind.FILE


def test_the_command_prints_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completions", "fish"]) == 0

    assert capsys.readouterr().out == text_of("fish", FOUND)


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish", "powershell", "man"])
def test_a_terminal_without_unicode_gets_a_script_as_well(kind: str) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "doctor", "completions", kind],
        cwd=ROOT,
        env=os.environ | plain,
        capture_output=True,
    )

    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 1000
    assert done.stdout.decode("ascii")


def test_the_manual_is_read_without_a_warning(scripts: dict[str, Path]) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    done = subprocess.run(
        [groff, "-man", "-ww", "-Tutf8", "-P-cbou", scripts["man"]], capture_output=True, text=True
    )

    assert done.stderr == ""
    assert "kvdoctor - finds what is broken" in " ".join(done.stdout.split())
    for command in FOUND.commands:
        assert f"   {command.name}\n" in done.stdout


def test_a_build_needs_the_standard_library_alone() -> None:
    """Where a wheel is built there is no other package."""
    program = (
        "import sys; sys.path.insert(0, '.')\n"
        "from doctor.completions.files import PLACES, text_of\n"
        "print(*(kind for kind in PLACES if text_of(kind)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], cwd=ROOT, capture_output=True, text=True
    )

    assert done.stdout.split() == list(PLACES), done.stderr
