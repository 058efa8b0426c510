"""Planted secrets appear in what no command writes, neither for people nor for programs.

``test_canary.py`` asks the same of ``check``, ``replay``, ``explain`` and ``checklist``.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctor.demo.keys import GOOD
from doctor.demo.messages import Answer, Request
from doctor.demo.vllm import Vllm, VllmConfig

from .api import Api, answer_of
from .backstage import Backstage
from .machine import Machine
from .outputs import leaked
from .test_canary import HEX, KEYS, MODEL, WORDY, echo, shell

SHEETS = ("junit", "sarif", "github", "markdown", "html")


def told(machine: Machine, *typed: str) -> dict[str, str]:
    """Both streams of one command, named after it."""
    ran = machine.run(*typed)
    return {f"{typed[0]} stdout": ran.out, f"{typed[0]} stderr": ran.err}


def files_below(folder: Path, *beside: str) -> dict[str, str]:
    """Every file there, those of the folders ``beside`` left out."""
    return {
        str(path): path.read_text("utf-8", "replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not set(beside) & set(path.relative_to(folder).parts)
    }


# ------------------------------------------------------------------ reports, repairs


@pytest.mark.parametrize("kind", [*KEYS])
def test_a_report_and_its_bundle_tell_none(kind: str, machine: Machine, stage: Backstage) -> None:
    key, secrets = KEYS[kind]
    shell(machine, f"{stage.open(echo).origin}/v1", key)
    found = told(machine, "report", "--out", "markdown=report.md", "--with-bundle")
    found |= files_below(machine.cwd)

    assert {Path(name).name for name in found} >= {"report.md", "report.md.bundle.json"}
    assert leaked(found, secrets) == []


MENDED = {
    "behind Bearer": HEX,
    "behind Bearer twice": f"sk-{WORDY}",
    "with a mark of byte order": HEX,
    "with an invisible blank": f"sk-{WORDY}",
}


@pytest.mark.parametrize("kind", [*MENDED])
def test_a_repair_and_its_undoing_tell_none(kind: str, machine: Machine, stage: Backstage) -> None:
    """The journal keeps the files as they were, to put them back: it is its owner's alone."""
    key, secrets = KEYS[kind]
    base = f"{stage.open(Api(key=MENDED[kind])).origin}/v1"
    text = f"OPENAI_BASE_URL={base}\nOPENAI_MODEL={MODEL}\nOPENAI_API_KEY={key}\n"
    machine.write(".env", text, 0o600)
    found: dict[str, str] = {}
    for number, typed in enumerate(
        (
            ("fix", "--diff"),
            ("fix", "--diff", "--format", "json"),
            ("fix", "--yes", "--unsafe"),
            ("undo", "--list"),
            ("undo", "--list", "--format", "json"),
            ("undo", "--diff"),
            ("undo", "--format", "json"),
        )
    ):
        found |= {f"{number} {name}": text for name, text in told(machine, *typed).items()}

    assert "applied" in found["3 undo stdout"]
    assert leaked(found, (*secrets, MENDED[kind])) == []
    kept = [path for path in (machine.home / ".local").rglob("*") if path.is_file()]
    assert kept
    assert [path for path in kept if path.stat().st_mode & 0o077] == []


def test_a_case_of_the_clinic_tells_none(machine: Machine) -> None:
    """Its keys are made up and stand in its files, which are to be mended, not read aloud."""
    found: dict[str, str] = {}
    for typed in ((), ("--format", "json"), ("--check",), ("--hint",), ("--hint",), ("--reset",)):
        ran = machine.run("demo", "--clinic", "1.1", *typed)
        found |= {f"{len(found)} {typed} stdout": ran.out, f"{typed} stderr": ran.err}

    assert any(GOOD in path.read_text("utf-8") for path in machine.home.rglob(".bashrc"))
    assert leaked(found, (GOOD,)) == []


# ------------------------------------------------------------------ engines and their load


def measured(machine: Machine) -> dict[str, str]:
    """A load of two requests, kept, and all that can be said of it later."""
    load = ("--requests", "2", "--repeats", "1", "--warmup", "0", "--concurrency", "1", "--yes")
    found: dict[str, str] = {}
    for typed in (
        ("bench", *load, "--save", "one"),
        ("bench", *load, "--compare", "one", "--format", "json"),
        ("bench", "--list"),
        ("bench", "--from", "one"),
        ("bench", "--export", "locust"),
        ("bench", "--export", "guidellm"),
    ):
        found |= {f"{' '.join(typed[-2:])} {k}": v for k, v in told(machine, *typed).items()}
    return found | files_below(machine.home / ".local")


@pytest.mark.parametrize("answers", [True, False])
def test_a_load_and_what_is_kept_of_it_tell_none(
    answers: bool, machine: Machine, stage: Backstage
) -> None:
    server = stage.open(Vllm(VllmConfig((MODEL,), api_keys=(HEX,))) if answers else echo)
    shell(machine, f"{server.origin}/v1", HEX)
    found = measured(machine)

    assert answers == any(name.endswith(".json") for name in found)
    assert leaked(found, (HEX,)) == []


def test_a_watch_tells_none(machine: Machine, stage: Backstage) -> None:
    async def tell(request: Request) -> Answer:
        return answer_of(401, {"error": f"{request.path}: {HEX} is no key"})

    for handler in (tell, Vllm(VllmConfig(api_keys=(HEX,)))):
        shell(machine, f"{stage.open(handler).origin}/v1", HEX)
        found: dict[str, str] = {}
        for form in ("plain", "json"):
            count = ("--count", "2", "--interval", "0.01", "--format", form)
            found |= {f"{form} {k}": v for k, v in told(machine, "watch", *count).items()}
        assert leaked(found, (HEX,)) == []


# ------------------------------------------------------------------ texts that hold one


@pytest.mark.parametrize(
    "line",
    [
        f"vllm serve m --api-key {HEX}",
        f"vllm serve m --api-key={HEX} --swap-space 4",
        f"VLLM_API_KEY={HEX} HF_TOKEN={WORDY} vllm serve m --swap-space 4",
        f"docker run -e HF_TOKEN={WORDY} vllm/vllm-openai:v0.11.0 --model m --api-key {HEX}",
    ],
)
def test_a_launch_line_with_a_key_tells_none(line: str, machine: Machine) -> None:
    machine.write("start.sh", f"#!/bin/sh\n{line}\n")
    outs = [f"--out={name}={machine.root / 'out' / name}" for name in ("json", *SHEETS)]
    (machine.root / "out").mkdir()
    found = told(machine, "launch", "start.sh", *outs)
    found |= files_below(machine.root / "out")

    assert len(found) == 2 + 1 + len(SHEETS)
    assert leaked(found, (HEX, WORDY)) == []


def test_a_request_log_with_the_key_of_this_shell_tells_none(machine: Machine) -> None:
    """Whose prompts hold it, as those of a program that reads its own settings do."""
    machine.variables["OPENAI_API_KEY"] = HEX
    head = f"The key is {HEX}, it is {{:02}}:15. " + "Be of help. " * 60
    rows = [
        {"model": "m", "messages": [{"role": "system", "content": head.format(hour)}]}
        for hour in range(24)
    ]
    machine.write("log.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    outs = [f"--out={name}={machine.root / 'out' / name}" for name in ("json", *SHEETS)]
    (machine.root / "out").mkdir()
    found = told(machine, "prefix", "log.jsonl", *outs)
    found |= files_below(machine.root / "out")

    assert "00:15" in found["prefix stdout"]
    assert leaked(found, (HEX,)) == []


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
@pytest.mark.parametrize(
    "typed",
    [
        ("bench", "--seed", HEX),
        ("bench", "--concurrency", f"4,{HEX}"),
        ("check", "--format", HEX),
        ("check", f"--plain={HEX}"),
        ("rule", "KVD102", HEX),
        ("rule", HEX),
        ("checklist", HEX),
        ("demo", HEX),
        ("demo", "--clinic", HEX),
        ("undo", HEX),
        ("replay", HEX),
        ("bench", "--from", HEX),
        (HEX,),
    ],
    ids=" ".join,
)
def test_a_key_in_any_place_of_the_command_line_is_not_repeated(
    typed: tuple[str, ...], lang: str, machine: Machine
) -> None:
    machine.variables["LANG"] = f"{lang}.UTF-8"
    ran = machine.run(*typed)

    assert ran.code == 2
    assert leaked({"stdout": ran.out, "stderr": ran.err}, (HEX,)) == []
