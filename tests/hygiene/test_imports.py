"""Nothing heavy is imported before it is needed (budgets of docs/architecture.md)."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

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
