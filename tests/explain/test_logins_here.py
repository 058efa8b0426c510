"""Stored logins and keys are told by their place, never by their text, and only beside a text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctor.explain.logins_here import logins_here
from doctor.explain.rank import in_context, rank
from doctor.explain.read import symptoms_in
from doctor.facts.machine import Environment

TOKEN = "made-up-token-0123456789"
KEY = "sk-made0up0made0up0made0up0"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path


def _write(home: Path, name: str, data: object) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")


def _here(home: Path, **variables: str) -> dict[str, str]:
    return dict(logins_here(Environment(variables, "linux", str(home), str(home / "app"))))


def test_a_clean_home_shows_nothing(home: Path) -> None:
    assert _here(home, ANTHROPIC_AUTH_TOKEN=TOKEN) == {}


def test_token_in_the_settings_and_key_in_the_shell(home: Path) -> None:
    _write(home, ".claude/settings.json", {"env": {"ANTHROPIC_AUTH_TOKEN": TOKEN}})

    assert _here(home, ANTHROPIC_API_KEY=KEY) == {"KVD401": "ANTHROPIC_API_KEY"}
    assert _here(home, ANTHROPIC_API_KEY="") == {}
    assert _here(home, ANTHROPIC_API_KEY=TOKEN) == {}


def test_the_settings_win_over_the_shell(home: Path) -> None:
    settings = {"env": {"ANTHROPIC_BASE_URL": "https://relay.example.com"}}
    _write(home, "app/.claude/settings.local.json", settings)

    found = _here(home, ANTHROPIC_BASE_URL="http://127.0.0.1:4000")

    assert found == {"KVD404": ".claude/settings.local.json"}
    assert _here(home, ANTHROPIC_BASE_URL="https://relay.example.com") == {}


@pytest.mark.parametrize(
    ("file", "data"),
    [
        (".claude.json", {"primaryApiKey": KEY}),
        (".claude/.credentials.json", {"claudeAiOauth": {"accessToken": TOKEN}}),
    ],
)
def test_a_stored_login_of_claude(home: Path, file: str, data: object) -> None:
    _write(home, file, data)

    assert _here(home) == {"KVD402": f"~/{file}"}


def test_a_moved_folder_of_claude_holds_its_state_too(home: Path) -> None:
    _write(home, "elsewhere/.claude.json", {"primaryApiKey": KEY})

    assert _here(home) == {}
    assert _here(home, CLAUDE_CONFIG_DIR=str(home / "elsewhere")) == {
        "KVD402": "~/elsewhere/.claude.json"
    }


def test_a_login_token_as_key_and_a_helper(home: Path) -> None:
    settings = {"apiKeyHelper": "/made/up", "env": {"ANTHROPIC_API_KEY": "sk-ant-oat01-made-up"}}
    _write(home, ".claude/settings.json", settings)

    assert _here(home) == {"KVD108": "~/.claude/settings.json", "KVD405": "~/.claude/settings.json"}


def test_codex_with_a_login_and_with_a_setting_of_old(home: Path) -> None:
    _write(home, ".codex/auth.json", {"OPENAI_API_KEY": None, "tokens": {"access_token": TOKEN}})
    assert _here(home) == {"KVD403": "~/.codex/auth.json"}

    _write(
        home,
        ".codex/config.toml",
        'model_provider = "a"\n[model_providers.a]\nwire_api = "chat"\nrequires_openai_auth = true',
    )
    assert _here(home) == {"KVD403": "~/.codex/config.toml", "KVD408": "~/.codex/config.toml"}


@pytest.mark.parametrize("text", ["{", "[]", '{"env": 7, "tokens": []}', "\x00", "a = "])
def test_files_that_are_something_else_are_passed_over(home: Path, text: str) -> None:
    for name in (".claude/settings.json", ".claude.json", ".codex/auth.json", ".codex/config.toml"):
        _write(home, name, text)

    assert _here(home) == {}


def test_a_login_counts_only_where_the_text_is_of_its_client() -> None:
    here = {"KVD402": "~/.claude.json", "KVD403": "~/.codex/auth.json"}

    def first(text: str) -> str:
        return rank(in_context(symptoms_in([text]), here), here)[0].cause.code

    assert first("Invalid API key · Fix external API key") == "KVD402"
    assert first("exceeded retry limit, last status: 401 Unauthorized") == "KVD403"
    assert first("Incorrect API key provided: sk-te*****abcd. You can find") == "KVD111"


def test_a_key_of_another_vendor_in_the_login_of_codex(home: Path) -> None:
    """It goes to OpenAI, as long as no other provider is chosen."""
    foreign = "0123456789abcdef0123456789abcdef.MadeUpMadeUp0123"
    _write(home, ".codex/auth.json", {"OPENAI_API_KEY": foreign})
    assert "KVD108" in _here(home)

    _write(home, ".codex/config.toml", 'model_provider = "zhipu"\n')
    assert "KVD108" not in _here(home)


def test_a_key_beside_the_token_of_a_subscription(home: Path) -> None:
    both = {"ANTHROPIC_API_KEY": KEY, "CLAUDE_CODE_OAUTH_TOKEN": TOKEN}
    assert "KVD402" in _here(home, **both)
    assert "KVD402" not in _here(home, ANTHROPIC_API_KEY=KEY)


def test_a_key_beside_a_login_that_lies_in_the_keychain(home: Path) -> None:
    """On macOS the state names the account, and no file holds the login."""
    _write(home, ".claude.json", {"oauthAccount": {"emailAddress": "user@example.com"}})

    assert _here(home, ANTHROPIC_API_KEY=KEY) == {"KVD402": "ANTHROPIC_API_KEY"}
    assert _here(home) == {}
    gateway = "https://relay.example.com"
    assert _here(home, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=gateway) == {}


def test_a_key_that_codex_does_not_read_without_a_login(home: Path) -> None:
    assert _here(home, OPENAI_API_KEY=KEY) == {"KVD408": "OPENAI_API_KEY"}
    assert _here(home, OPENAI_API_KEY=" ") == {}
    assert _here(home, OPENAI_API_KEY=KEY, CODEX_API_KEY=KEY) == {}

    _write(home, ".codex/config.toml", 'cli_auth_credentials_store = "keyring"')
    assert _here(home, OPENAI_API_KEY=KEY) == {}
    _write(home, ".codex/config.toml", 'model_provider = "mine"')
    assert _here(home, OPENAI_API_KEY=KEY) == {}


def test_a_key_that_codex_has_from_a_login(home: Path) -> None:
    _write(home, ".codex/auth.json", {"OPENAI_API_KEY": KEY})
    assert _here(home, OPENAI_API_KEY=KEY) == {}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ERROR: exceeded retry limit, last status: 401 Unauthorized, request id: x", "KVD408"),
        ("openai.AuthenticationError: Error code: 401 - Incorrect API key provided", "KVD111"),
        ("yaml.scanner.ScannerError: while scanning for the next token", "KVD409"),
    ],
)
def test_a_key_that_codex_ignores_counts_in_its_own_words_only(
    home: Path, text: str, code: str
) -> None:
    here = _here(home, OPENAI_API_KEY=KEY)
    ranked = rank(in_context(symptoms_in([text]), here), here)
    assert ranked[0].cause.code == code
    shown = {one.cause.code: one.here for one in ranked}.get("KVD408")
    assert shown == ("OPENAI_API_KEY" if code == "KVD408" else None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Credit balance is too low", "KVD115"),
        ("Invalid API key \u00b7 Fix external API key", "KVD402"),
    ],
)
def test_the_key_of_a_console_login_is_no_subscription(home: Path, text: str, code: str) -> None:
    _write(home, ".claude.json", {"primaryApiKey": KEY})
    here = _here(home)
    assert rank(in_context(symptoms_in([text]), here), here)[0].cause.code == code


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
def test_a_login_beside_the_key_of_a_gateway(home: Path, status: str) -> None:
    provider = '[model_providers.mine]\nbase_url = "http://localhost:1/v1"\n'
    own = f'model_provider = "mine"\n{provider}requires_openai_auth = true\n'
    _write(home, ".codex/config.toml", own)
    _write(home, ".codex/auth.json", {"OPENAI_API_KEY": KEY, "tokens": {"access_token": TOKEN}})
    text = f"unexpected status {status}: invalid api key, url: http://localhost:1/v1/responses"

    here = _here(home)
    assert rank(in_context(symptoms_in([text]), here), here)[0].cause.code == "KVD403"

    _write(home, ".codex/auth.json", {"OPENAI_API_KEY": KEY})
    assert _here(home) == {}
    here = _here(home)
    assert rank(in_context(symptoms_in([text]), here), here)[0].cause.code == "KVD111"


ASKS = "Code Assist login required."


def test_a_login_of_gemini_that_was_chosen_once(home: Path) -> None:
    chosen = {"security": {"auth": {"selectedType": "oauth-personal"}}}
    _write(home, ".gemini/settings.json", chosen)
    assert _here(home) == {}

    here = _here(home, GEMINI_API_KEY=KEY)
    first = rank(in_context(symptoms_in([ASKS]), here), here)[0]
    assert (first.cause.code, first.here) == ("KVD402", "~/.gemini/settings.json")
    # What Claude Code says of a login is about its own.
    other = symptoms_in(["Invalid API key · Fix external API key"])
    assert rank(in_context(other, here), here)[0].cause.code == "KVD111"

    _write(home, ".gemini/.env", f"export GEMINI_API_KEY={KEY}\n")
    assert _here(home) == here
    _write(
        home, ".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    )
    assert _here(home) == {}


def test_a_login_of_claude_says_nothing_of_geminis(home: Path) -> None:
    _write(home, ".claude.json", {"primaryApiKey": KEY})
    here = _here(home)
    first = rank(in_context(symptoms_in([ASKS]), here), here)[0]
    assert (first.cause.code, first.here) == ("KVD402", None)
