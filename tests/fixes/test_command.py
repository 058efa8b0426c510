"""``kvdoctor fix`` and ``kvdoctor undo`` on the demo's broken setups, staged in real files."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import jsonschema
import pytest

from doctor.cli import build_parser
from doctor.commands.fix import Session
from doctor.demo import scenarios
from doctor.demo.stage import Stage, staged
from doctor.fixes.journal import Journal
from doctor.fixes.startup import find_export
from doctor.fixes.undo import undo
from doctor.secrets import Redactor
from tests.fixes.test_startup_editor import double
from tests.program import Finished, kvdoctor

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Machine:
    """A staged scenario whose variables are exported by ``~/.bashrc``, for real programs to see."""

    stage: Stage
    home: Path

    @property
    def bashrc(self) -> Path:
        return self.home / ".bashrc"

    @property
    def variables(self) -> dict[str, str]:
        """The environment of programs that the user starts."""
        return {
            **self.stage.environment.variables,
            "SHELL": "/bin/bash",
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
        }

    def snapshot(self) -> Mapping[str, bytes]:
        """Every file of the user but kvdoctor's own state."""
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and ".local" not in path.parts
        }

    async def run(self, *arguments: str, stdin: str = "") -> Finished:
        """``kvdoctor`` as a program of its own, in the stage's environment."""
        cwd = self.stage.environment.cwd
        return await kvdoctor(*arguments, cwd=cwd, env=self.variables, stdin=stdin)


def validate(document: object, schema: str) -> None:
    """Against the schema that ships with the program."""
    text = (ROOT / "doctor" / "schemas" / f"{schema}.json").read_text("utf-8")
    jsonschema.Draft202012Validator(json.loads(text)).validate(document)


@contextlib.asynccontextmanager
async def machine(scenario: str) -> AsyncIterator[Machine]:
    async with staged(scenarios.find(scenario)) as stage:
        home = Path(stage.environment.home)
        lines = ["# ~/.bashrc", 'export PATH="$PATH:/opt/bin"']
        lines += [f"export {n}={double(v)}  # {n}" for n, v in stage.setup.variables.items()]
        (home / ".bashrc").write_text("\n".join([*lines, "alias ll='ls -l'", ""]))
        (home / ".bashrc").chmod(0o644)
        yield Machine(stage, home)


async def test_the_triple_fault_is_repaired_verified_and_taken_back() -> None:
    async with machine("triple-fault") as user:
        before = user.snapshot()

        fixed = await user.run("fix", "--yes")

        assert fixed.code == 0, fixed.out + fixed.err
        assert "verified, the request answers now (200" in fixed.out
        key = user.stage.setup.variables["OPENAI_API_KEY"].strip()
        assert key not in fixed.out + fixed.err
        text = user.bashrc.read_text()
        assert f'export OPENAI_API_KEY="{key}"  # OPENAI_API_KEY\n' in text
        assert '/v1"  # OPENAI_BASE_URL\n' in text
        assert "export NO_PROXY=localhost,127.0.0.1,::1\n" in text
        assert user.bashrc.stat().st_mode & 0o777 == 0o644

        undone = await user.run("undo")

        assert undone.code == 0
        assert key not in undone.out
        assert user.snapshot() == before


async def test_a_diff_writes_nothing_at_all() -> None:
    async with machine("triple-fault") as user:
        before = user.snapshot()

        shown = await user.run("fix", "--diff")

        assert shown.code == 1
        assert '-export OPENAI_API_KEY="sk-…0000⏎\n-"  # OPENAI_API_KEY' in shown.out
        assert '+export OPENAI_API_KEY="sk-…0000"  # OPENAI_API_KEY' in shown.out
        assert user.snapshot() == before
        assert not (user.home / ".local").exists()


async def test_without_a_terminal_nothing_is_written_unasked() -> None:
    async with machine("base-without-v1") as user:
        before = user.snapshot()

        done = await user.run("fix", stdin="y\n")

        assert done.code == 1
        assert "Nothing was written. --yes applies what is safe and proved." in done.out
        assert user.snapshot() == before


async def test_one_fix_by_its_code_leaves_the_others() -> None:
    async with machine("triple-fault") as user:
        done = await user.run("fix", "KVD201", "--yes")

        assert done.code == 1
        assert "the request still fails" in done.out
        assert "What was written stays. 'kvdoctor undo" in done.out
        text = user.bashrc.read_text()
        assert '/v1"  # OPENAI_BASE_URL\n' in text
        assert "NO_PROXY" not in text


async def test_the_files_of_a_project_are_repaired() -> None:
    async with machine("key-base-and-model") as user:
        before = user.snapshot()

        done = await user.run("fix", "--yes")

        assert done.code == 0, done.out + done.err
        env = (Path(user.stage.environment.cwd) / ".env").read_text()
        assert "utm_source" not in env
        assert "“" not in env
        assert (await user.run("undo")).code == 0
        assert user.snapshot() == before


async def test_taking_something_away_needs_to_be_allowed() -> None:
    async with machine("renewed-key-loses") as user:
        refused = await user.run("fix", "--yes")
        assert refused.code == 1
        assert "export OPENAI_API_KEY" in user.bashrc.read_text()
        assert "Not applied: KVD110:key (unsafe, proved)" in refused.out

        done = await user.run("fix", "--yes", "--unsafe")

        assert done.code == 0, done.out + done.err
        assert "# export OPENAI_API_KEY=" in user.bashrc.read_text()


async def test_key_and_url_change_places_together_or_not_at_all() -> None:
    async with machine("key-and-url-swapped") as user:
        before = user.snapshot()
        refused = await user.run("fix", "--yes")
        assert refused.code == 1
        assert user.snapshot() == before

        done = await user.run("fix", "KVD112:base_url", "--yes", "--unsafe")

        assert done.code == 0, done.out + done.err


async def test_a_machine_reads_one_document() -> None:
    async with machine("triple-fault") as user:
        done = await user.run("fix", "--yes", "--format", "json")
        listed = await user.run("undo", "--list", "--format", "json")

    document = json.loads(done.out)
    validate(document, "fix-1")
    validate(json.loads(listed.out), "undo-1")
    assert document["schema"] == "kvdoctor.fix/1"
    assert document["root_causes"] == ["KVD102", "KVD201", "KVD301"]
    assert [fix["applicability"] for fix in document["fixes"]] == ["safe"] * 3
    assert [verdict["verified"] for verdict in document["verdicts"]] == [True]
    entry = json.loads(listed.out)["entries"][0]
    assert (entry["id"], entry["state"]) == (document["applied"], "applied")
    assert user.stage.setup.variables["OPENAI_API_KEY"].strip() not in done.out + listed.out


@pytest.mark.parametrize(
    "name", [scenario.name for scenario in scenarios.scenarios() if scenario.proved]
)
async def test_whatever_the_demo_proves_can_be_made_lasting_and_taken_back(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with machine(name) as user:
        before = user.snapshot()
        environment = replace(user.stage.environment, variables=user.variables)
        arguments = ["fix", *user.stage.arguments, "--yes", "--unsafe", "--format", "json"]
        options = build_parser().parse_args(arguments)
        journal = Journal(user.home / ".local" / "journal")

        code = await Session(options, environment, Redactor(), journal).run()

        document = json.loads(capsys.readouterr().out)
        assert code == 0, document
        assert [verdict["verified"] for verdict in document["verdicts"]] == [True]
        entry = journal.find(None)
        assert entry is not None
        undo(journal, entry)
        assert user.snapshot() == before


async def test_documents_of_every_stage_keep_to_their_schema() -> None:
    async with machine("triple-fault") as user:
        documents = [
            await user.run("fix", "--diff", "--format", "json"),
            await user.run("fix", "--format", "json"),
            await user.run("fix", "KVD201", "--yes", "--format", "json"),
            await user.run("undo", "--diff", "--format", "json"),
            await user.run("undo", "--format", "json"),
            await user.run("undo", "--format", "json"),
        ]

    for done, schema in zip(documents, ["fix-1"] * 3 + ["undo-1"] * 3, strict=True):
        validate(json.loads(done.out), schema)


async def on_a_terminal(user: Machine, answers: str, *arguments: str) -> Finished:
    """``kvdoctor`` with both ends on a terminal, where ``answers`` are typed."""
    master, slave = os.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "doctor",
        *arguments,
        cwd=user.stage.environment.cwd,
        env=user.variables,
        stdin=slave,
        stdout=slave,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(slave)
    os.write(master, answers.encode())
    out = await asyncio.to_thread(_read_all, master)
    _nothing, err = await process.communicate()
    assert process.returncode is not None
    return Finished(process.returncode, out, err.decode())


def _read_all(descriptor: int) -> str:
    data = b""
    with contextlib.suppress(OSError):  # how a terminal says that its other end is closed
        while piece := os.read(descriptor, 4096):
            data += piece
    os.close(descriptor)
    return data.decode().replace("\r\n", "\n")


async def test_on_a_terminal_every_fix_is_asked_for() -> None:
    async with machine("triple-fault") as user:
        done = await on_a_terminal(user, "y\na\n", "fix")

        assert done.code == 0, done.out + done.err
        assert "Apply KVD102:key, strip the key (safe, proved)? [y/N/a]" in done.out
        assert "Apply KVD301" not in done.out
        assert "verified, the request answers now" in done.out


async def test_on_a_terminal_what_did_not_help_is_taken_back_on_request() -> None:
    async with machine("triple-fault") as user:
        before = user.snapshot()

        done = await on_a_terminal(user, "y\nn\nn\ny\n", "fix")

        assert done.code == 1
        assert "the request still fails" in done.out
        assert "Taken back: every file is as it was." in done.out
        assert user.snapshot() == before


async def test_on_a_terminal_no_means_no() -> None:
    async with machine("triple-fault") as user:
        before = user.snapshot()

        done = await on_a_terminal(user, "n\n\nn\n", "fix")

        assert done.code == 1
        assert user.snapshot() == before
        assert not (user.home / ".local").exists()


async def test_a_healthy_setup_has_nothing_to_fix() -> None:
    async with machine("healthy-gateway") as user:
        before = user.snapshot()

        done = await user.run("fix", "--yes")

        assert done.code == 0, done.out
        assert "no proved fix" in done.out
        assert user.snapshot() == before


async def test_a_fix_that_does_not_exist_is_named() -> None:
    async with machine("base-without-v1") as user:
        done = await user.run("fix", "KVD999", "--yes")

    assert done.code == 2
    assert "KVD999: this run has no such fix" in done.err


async def test_undo_refuses_a_file_that_was_edited_since() -> None:
    async with machine("base-without-v1") as user:
        assert (await user.run("fix", "--yes")).code == 0
        with user.bashrc.open("a") as file:
            file.write("export MORE=1\n")
        before = user.snapshot()

        undone = await user.run("undo")

        assert undone.code == 1
        assert "~/.bashrc: the file has changed since the fix" in undone.err
        assert user.snapshot() == before


async def test_undo_has_nothing_to_do_at_first_and_knows_its_ids() -> None:
    async with machine("healthy-gateway") as user:
        first = await user.run("undo")
        unknown = await user.run("undo", "20200101-000000-abcd")

    assert (first.code, first.out) == (0, "There is nothing to undo.\n")
    assert unknown.code == 2


async def test_the_line_of_a_variable_is_known_to_the_user() -> None:
    async with machine("base-without-v1") as user:
        environment = replace(user.stage.environment)
        origin = find_export(
            "OPENAI_BASE_URL", user.stage.setup.variables["OPENAI_BASE_URL"], environment
        )

    assert str(origin) == "OPENAI_BASE_URL, ~/.bashrc:3"


def test_undo_imports_neither_checks_nor_a_parser(tmp_path: Path) -> None:
    from tests.hygiene.test_imports import modules_after

    loaded = modules_after(
        f"import os; os.environ['XDG_STATE_HOME'] = {str(tmp_path)!r}; "
        "import doctor.cli; doctor.cli.main(['undo'])"
    )

    assert not loaded & {"checks", "httpx", "openai", "ruamel", "textual", "rich", "psutil"}


@pytest.mark.parametrize("arguments", [["fix", "--help"], ["undo", "--help"]])
def test_the_commands_are_documented(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    from doctor.cli import main

    with pytest.raises(SystemExit):
        main(arguments)

    assert "--diff" in capsys.readouterr().out
