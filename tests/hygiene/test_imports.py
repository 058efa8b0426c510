"""Nothing heavy is imported before it is needed (budgets of docs/architecture.md)."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import Key, Model, NewApiConfig

ROOT = Path(__file__).parents[2]
# What a healthy check does without: front ends, the reading and writing of files that are not
# there, saving, explaining, mending.
NOT_OF_A_HEALTHY_CHECK = {
    "cattrs",
    "difflib",
    "doctor.demo",
    "doctor.enginemetrics",
    "doctor.explain",
    "doctor.fixes",
    "doctor.launch",
    "doctor.probes.direct",
    "doctor.probes.engine",
    "doctor.probes.gpus",
    "doctor.probes.metrics",
    "doctor.probes.nvml",
    "doctor.probes.starting",
    "doctor.settings.compose_files",
    "doctor.settings.envfile",
    "doctor.settings.kvdoctor_toml",
    "doctor.tui",
    "importlib.metadata",
    "openai",
    "platformdirs",
    "psutil",
    "pydantic",
    "pynvml",
    "rich",
    "ruamel",
    "textual",
    "tomlkit",
    "truststore",
}

HEAVY = {"textual", "openai", "httpx", "httpx2", "rich", "pydantic", "cattrs", "psutil", "checks"}


def modules_after(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after ``code``."""
    program = (
        "import sys, json, io, contextlib\n"
        "quiet = io.StringIO()\n"
        "with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):\n"
        "    try:\n"
        f"        {code}\n"
        "    except SystemExit:\n"
        "        pass\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_the_first_words_import_nothing_heavy(argument: str) -> None:
    loaded = modules_after(f"import doctor.cli; doctor.cli.main([{argument!r}])")

    assert not loaded & (HEAVY | {"asyncio", "tomllib"})


def test_a_rule_page_imports_neither_the_network_nor_a_terminal_library() -> None:
    loaded = modules_after("import doctor.cli; doctor.cli.main(['rule', 'KVD102'])")

    assert not loaded & {"textual", "openai", "httpx", "httpx2", "rich", "psutil"}


def test_an_offline_run_imports_no_http_library_and_no_terminal_library() -> None:
    loaded = modules_after(
        "import doctor.cli; doctor.cli.main(['check', 'http://127.0.0.1:9/v1', '--offline', "
        "'--format', 'json'])"
    )

    assert "checks" in loaded
    assert not loaded & {"textual", "openai", "rich"}


async def in_a_healthy_check(home: Path, format_: str, told: str) -> list[str]:
    """A fresh process's check of the demo's gateway in order: what ``told`` evaluates to in it
    when the check has ended."""
    model = "deepseek-v4-flash"
    config = NewApiConfig(keys=(Key(GOOD),), models=(Model(model),))
    program = (
        "import dataclasses, gc, json, re, sys\n"
        # Where developers have click, httpx imports its own command line, and rich with it.
        "sys.modules['click'] = None\n"
        "from doctor.cli import main\n"
        "from doctor.patterns import Pattern\n"
        f"code = main(['check', '--format', {format_!r}])\n"
        f"sys.stderr.write('\\n' + json.dumps({told}))\n"
        "sys.exit(code)\n"
    )
    async with LoopbackServer(NewApi(config)) as server:
        variables = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "OPENAI_API_KEY": GOOD,
            "OPENAI_BASE_URL": f"{server.origin}/api/v1",
            "OPENAI_MODEL": model,
        }
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program),
            cwd=home,
            env=variables,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, errors = await process.communicate()
    text = errors.decode()
    assert process.returncode == 0, text
    answer: list[str] = json.loads(text.splitlines()[-1])
    return answer


@pytest.mark.parametrize("format_", ["json", "plain"])
async def test_a_healthy_check_imports_nothing_that_only_others_need(
    tmp_path: Path, format_: str
) -> None:
    loaded = await in_a_healthy_check(tmp_path, format_, "sorted(sys.modules)")

    assert "doctor.probes.http" in loaded
    unneeded = {
        module
        for module in loaded
        for barred in NOT_OF_A_HEALTHY_CHECK
        if module == barred or module.startswith(f"{barred}.")
    }
    assert not unneeded


async def test_a_healthy_check_compiles_no_dictionary_of_refusals(tmp_path: Path) -> None:
    compiled = (
        "[each.pattern for each in gc.get_objects()"
        " if isinstance(each, Pattern) and 'compiled' in vars(each)]"
    )
    patterns = set(await in_a_healthy_check(tmp_path, "json", compiled))

    from doctor.probes.reading import budget, refusals

    rules = (*refusals.BEFORE_BUDGET, *refusals.AFTER_BUDGET)
    dictionary = {rule.pattern.pattern for rule in rules}
    dictionary |= {pattern.pattern for pattern in budget._TOO_LONG}
    assert patterns
    assert not patterns & dictionary


async def test_what_every_run_defines_is_cheap_to_define(tmp_path: Path) -> None:
    """See ``doctor.records`` and ``doctor.patterns``."""
    dear = (
        "[f'{name}.{thing}' for name, module in sorted(sys.modules.items())"
        " if name.partition('.')[0] in ('doctor', 'checks')"
        " for thing, value in vars(module).items() if isinstance(value, re.Pattern)"
        " or dataclasses.is_dataclass(value) and value.__init__.__module__ != 'doctor.records']"
    )

    assert not await in_a_healthy_check(tmp_path, "json", dear)
