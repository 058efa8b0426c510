"""A client that was named and that nothing configures gets its whole block; others are let be."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import pytest

from checks.clients.client_not_configured import client_not_configured
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting
from doctor.engine import run_checks
from doctor.facts.settings import Settings
from doctor.facts.store import Facts
from doctor.models import CheckResult, FileEntry, Status
from tests.kit import connection, environment, store_of

from .world import CHATGPT, claude

DEFAULT = Origin(OriginKind.DEFAULT, "default")
FLAG = Origin(OriginKind.FLAG, "--base-url")


def codex(base: str | None = None, model: str | None = None) -> Connection:
    made = connection(key=None, model=model, client="codex", protocol=Protocol.OPENAI_RESPONSES)
    setting = Setting("https://api.openai.com/v1", DEFAULT) if base is None else Setting(base, FLAG)
    return dataclasses.replace(made, base_url=setting)


def checked(
    target: Connection, settings: Settings | None = None, name: str = "codex"
) -> CheckResult:
    """With ``name`` as the target's: that of the client is what its user typed."""
    store = store_of(target, settings=settings)
    named = Facts(store.run, name, target)
    return asyncio.run(run_checks([client_not_configured], named, lambda event: None))[0]


def entries(result: CheckResult) -> dict[str | int, FileEntry]:
    (finding,) = result.findings
    (lasting,) = finding.lasting
    return {entry.keys[-1]: entry for entry in lasting.entries}


def test_the_usual_gateway_is_proposed_with_the_keys_variable() -> None:
    block = entries(checked(codex()))

    assert block["base_url"].new == "https://taotoken.net/api/v1"
    assert block["env_key"].new == "TAOTOKEN_API_KEY"
    assert block["wire_api"].new == "responses"


@pytest.mark.parametrize("path", ["", "/v1", "/v1/", "/v1/chat/completions"])
def test_the_base_gets_the_form_of_the_client(path: str) -> None:
    block = entries(checked(codex(f"http://127.0.0.1:8000{path}", "qwen3-8b")))

    assert block["base_url"].new == "http://127.0.0.1:8000/v1"
    assert block["model"].new == "qwen3-8b"
    assert "env_key" not in block


def test_a_client_with_a_login_of_its_own_is_configured() -> None:
    assert checked(codex(), Settings(logins=(CHATGPT,))).status is Status.SKIPPED


def test_a_client_that_nobody_named_is_let_be() -> None:
    assert checked(codex(), name="shop-api").status is Status.SKIPPED


@pytest.mark.parametrize(
    ("platform", "state", "silent"),
    [
        ("darwin", '{"oauthAccount": {"emailAddress": "user@example.com"}}', True),
        ("darwin", '{"projects": {}}', False),
        ("linux", '{"oauthAccount": {"emailAddress": "user@example.com"}}', False),
    ],
)
def test_a_login_in_the_keychain_that_the_state_speaks_of_is_one(
    platform: str, state: str, silent: bool, tmp_path: Path
) -> None:
    (tmp_path / ".claude.json").write_text(state)
    target = claude("https://api.anthropic.com")
    target = dataclasses.replace(target, base_url=Setting("https://api.anthropic.com", DEFAULT))
    there = environment(platform=platform, home=str(tmp_path), cwd=str(tmp_path))
    named = Facts(store_of(target, env=there).run, "claude-code", target)

    (result,) = asyncio.run(run_checks([client_not_configured], named, lambda event: None))

    assert (result.findings == ()) is silent
