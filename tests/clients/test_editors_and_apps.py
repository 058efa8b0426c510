"""Continue, Chatbox, Open WebUI and the clients whose settings nobody can read."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.clients import chatbox, cherry_studio, continue_dev
from doctor.clients.base import ClientRefusal
from doctor.clients.open_webui_database import stored
from doctor.clients.whatwg import href
from doctor.connection import OriginKind, Protocol
from doctor.facts.settings import Role
from doctor.settings.errors import ConfigError
from tests.clients.homes import Content, found, ids, only
from tests.settings.machine import KEY, OTHER_KEY, key_of

BASE = "https://gateway.example/v1"
YAML = "~/.continue/config.yaml"
CHATBOX = "~/.config/xyz.chatboxapp.app/config.json"
CONTINUE = f"""\
name: mine
version: 1.0.0
models:
  - name: Big
    provider: openai
    model: big
    apiBase: {BASE}
    apiKey: ${{{{ secrets.GATEWAY_KEY }}}}
    roles: [chat, edit]
    defaultCompletionOptions:
      maxTokens: 900
  - name: Small
    provider: openai
    model: small
    apiBase: {BASE}
    apiKey: ${{{{ secrets.GATEWAY_KEY }}}}
  - name: Claude
    provider: anthropic
    model: claude
    apiBase: https://gateway.example/api/v1
    apiKey: {OTHER_KEY}
  - name: Vectors
    provider: openai
    model: e
    apiBase: https://vectors.example/v1
    roles: [embed]
"""


def test_continue_makes_one_target_per_address(tmp_path: Path) -> None:
    files: dict[str, Content] = {YAML: CONTINUE, "~/.continue/.env": f"GATEWAY_KEY={KEY}\n"}
    seen = found(tmp_path, files)
    assert ids(seen) == ["continue", "continue-claude"]
    big, claude = (target.connection for target in seen.targets)
    assert (big.base_url.value, key_of(big)) == (BASE, KEY)
    assert big.key is not None
    assert big.key.origin.path == "~/.continue/.env"
    assert big.max_tokens is not None
    assert (big.max_tokens.value, big.base_url.origin.line) == (900, 7)
    assert (claude.protocol, key_of(claude)) == (Protocol.ANTHROPIC_MESSAGES, OTHER_KEY)


def test_a_secret_of_continue_that_is_nowhere_is_told_by_its_name(tmp_path: Path) -> None:
    seen = found(tmp_path, {YAML: CONTINUE})
    named = {s.value for s in seen.settings.sightings if s.role is Role.KEY_VARIABLE}
    assert named == {"GATEWAY_KEY"}
    assert seen.targets[0].connection.key is None


def test_continues_old_file_counts_without_the_new_one(tmp_path: Path) -> None:
    model = {"title": "A", "provider": "openai", "model": "m", "apiBase": BASE, "apiKey": KEY}
    made = only(found(tmp_path, {"~/.continue/config.json": {"models": [model]}}))
    assert (made.base_url.value, key_of(made)) == (BASE, KEY)


@pytest.mark.parametrize(
    ("base", "url"),
    [
        (BASE, f"{BASE}/chat/completions"),
        (f"{BASE}/", f"{BASE}/chat/completions"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/chat/completions"),
        (f"{BASE}?a=b", "https://gateway.example/chat/completions"),
    ],
)
def test_how_continue_joins(base: str, url: str) -> None:
    assert continue_dev.join(base, "/chat/completions") == url


@pytest.mark.parametrize(
    ("settings", "base", "key"),
    [
        (
            {
                "aiProvider": "openai",
                "openaiKey": KEY,
                "apiHost": "https://a.example",
                "model": "m",
            },
            "https://a.example",
            KEY,
        ),
        (
            {
                "providers": {"mine": {"apiKey": KEY, "apiHost": BASE}},
                "customProviders": [{"id": "mine", "type": "openai"}],
                "defaultChatModel": {"provider": "mine", "model": "m"},
            },
            BASE,
            KEY,
        ),
    ],
    ids=["before 2025", "since"],
)
def test_chatbox(tmp_path: Path, settings: dict[str, Any], base: str, key: str) -> None:
    made = only(found(tmp_path, {CHATBOX: {"settings": settings}}))
    assert (made.base_url.value, key_of(made)) == (base, key)
    assert made.model is not None
    assert made.model.value == "m"


@pytest.mark.parametrize(
    "settings",
    [
        {"providers": {"openai": {"apiKey": KEY, "apiHost": ""}}},
        {"providers": {"openai": {"apiKey": KEY, "apiHost": "https://a", "apiPath": "/chat"}}},
        {"aiProvider": "claude", "apiHost": "https://a.example", "openaiKey": KEY},
        {"providers": [], "customProviders": {"a": 1}},
        [],
    ],
)
def test_what_chatbox_says_otherwise_is_no_target(tmp_path: Path, settings: Any) -> None:
    assert ids(found(tmp_path, {CHATBOX: json.dumps({"settings": settings})})) == []


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("https://a.example", "https://a.example/v1/chat/completions"),
        ("https://a.example/", "https://a.example/v1/chat/completions"),
        ("https://a.example/api/v1", "https://a.example/api/v1/chat/completions"),
        ("a.example", "https://a.example/v1/chat/completions"),
        ("https://a.example/v1/chat/completions", "https://a.example/v1/chat/completions"),
    ],
)
def test_how_chatbox_joins(host: str, url: str) -> None:
    assert chatbox.join(host, "/chat/completions") == url


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("https://a.example", "https://a.example/v1/chat/completions"),
        ("https://a.example/api/v1/", "https://a.example/api/v1/chat/completions"),
    ],
)
def test_how_cherry_studio_joins(host: str, url: str) -> None:
    assert cherry_studio.join(host, "/chat/completions") == url


def database(path: Path, *, rows: bool) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    bases, keys = [BASE, "http://localhost:8000/v1"], [KEY, ""]
    with sqlite3.connect(path) as made:
        if rows:
            made.execute("CREATE TABLE config (key TEXT PRIMARY KEY, value JSON)")
            for name, value in (("openai.api_base_urls", bases), ("openai.api_keys", keys)):
                made.execute("INSERT INTO config VALUES (?, ?)", (name, json.dumps(value)))
        else:
            made.execute("CREATE TABLE config (id INTEGER PRIMARY KEY, data JSON)")
            data = {"openai": {"api_base_urls": bases, "api_keys": keys}}
            made.execute("INSERT INTO config VALUES (1, ?)", (json.dumps(data),))
    made.close()
    return path


@pytest.mark.parametrize("rows", [True, False], ids=["row per name", "one row"])
def test_open_webuis_database_wins_over_the_variables(tmp_path: Path, rows: bool) -> None:
    before = database(tmp_path / "made" / "webui.db", rows=rows).read_bytes()
    shell = {"OPENAI_API_BASE_URLS": "https://shell.example/v1"}
    seen = found(tmp_path, {"data/webui.db": before}, shell)
    assert ids(seen) == ["open-webui", "open-webui-2"]
    first, second = (target.connection for target in seen.targets)
    assert (first.base_url.value, key_of(first)) == (BASE, KEY)
    assert (second.base_url.value, second.key) == ("http://localhost:8000/v1", None)
    data = tmp_path / "home" / "app" / "data"
    assert {path.name: path.read_bytes() for path in data.iterdir()} == {"webui.db": before}


def test_a_key_that_open_webui_keeps_empty_hides_the_variable(tmp_path: Path) -> None:
    """Old versions keep their settings in ``config.json``, as the newest take them over from it."""
    kept = {"openai": {"api_base_urls": ["https://api.openai.com/v1"], "api_keys": [""]}}
    files: dict[str, Content] = {"data/config.json": json.dumps(kept)}
    made = only(found(tmp_path, files, {"OPENAI_API_KEY": KEY}, "open-webui"))
    assert made.key is not None
    assert key_of(made) == ""
    assert [lost.value.reveal() for lost in made.key.shadows] == [KEY]


@pytest.mark.parametrize("base", [{}, {"OPENAI_API_BASE_URL": "https://b.example/v1"}])
def test_a_variable_of_another_server_is_no_key_for_what_open_webui_keeps(
    tmp_path: Path, base: dict[str, str]
) -> None:
    kept = {"openai": {"api_base_urls": [BASE], "api_keys": [""]}}
    files: dict[str, Content] = {"data/config.json": json.dumps(kept)}
    shell = {"OPENAI_API_KEY": KEY, **base}
    assert only(found(tmp_path, files, shell, "open-webui")).key is None


def test_a_config_json_of_another_program_is_none_of_open_webuis(tmp_path: Path) -> None:
    files: dict[str, Content] = {"data/config.json": '{"openai": {"api_key": "x"}}'}
    assert ids(found(tmp_path, files, {})) == []


def test_open_webuis_variables_alone_count_for_who_names_it(tmp_path: Path) -> None:
    shell = {"OPENAI_API_BASE_URLS": f"{BASE};https://b.example/v1", "OPENAI_API_KEYS": f"{KEY};b"}
    made = only(found(tmp_path, {}, shell, "open-webui"))
    assert (made.base_url.value, key_of(made)) == (BASE, KEY)


@given(st.binary(max_size=300))
def test_what_is_no_database_holds_nothing(tmp_path_factory: Any, data: bytes) -> None:
    path = tmp_path_factory.mktemp("db") / "webui.db"
    path.write_bytes(data)
    assert stored(path).bases == ()


@pytest.mark.parametrize("client", ["roo-code", "cherry-studio", "dify", "next-chat"])
def test_who_names_one_that_cannot_be_read_is_told_what_to_say(tmp_path: Path, client: str) -> None:
    with pytest.raises(ConfigError, match=f"--client {client}"):
        found(tmp_path, {}, {}, client)


@pytest.mark.parametrize("client", ["continue", "chatbox", "open-webui"])
def test_who_names_another_gets_a_target_of_nothing(tmp_path: Path, client: str) -> None:
    made = only(found(tmp_path, {}, {}, client))
    assert (made.base_url.origin.kind, made.key) == (OriginKind.DEFAULT, None)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("HTTPS://A.Example:443/v1", "https://a.example/v1"),
        ("https:a.example", "https://a.example/"),
        ("https://a.example/a/../b/./c", "https://a.example/b/c"),
        ("https://a.example/é ü", "https://a.example/%C3%A9%20%C3%BC"),
        ("https://a.example\\v1", "https://a.example/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        (" https://a.exa\nmple/v1\t", "https://a.example/v1"),
        ("https://a.example/v1#x", "https://a.example/v1"),
    ],
)
def test_urls_as_browsers_read_them(text: str, url: str) -> None:
    assert href(text) == url


@pytest.mark.parametrize(
    "text", ["", "a.example", "//a", "ftp://a", "https://", "https://a b", "http://a:99999"]
)
def test_what_is_no_url(text: str) -> None:
    with pytest.raises(ClientRefusal, match="Invalid URL"):
        href(text)


@given(st.text(max_size=40))
def test_any_text_is_a_url_or_refused(text: str) -> None:
    try:
        url = href(f"https://a.example{text}")
    except ClientRefusal:
        return
    assert url.startswith("https://")
    assert url.isascii()
    assert href(url) == url
