"""What kvdoctor makes of the database of CC Switch."""

from __future__ import annotations

import json
import sqlite3
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doctor.clients.sqlite_files import rows
from doctor.connection import AuthHeader, Protocol
from tests.clients.lone import KEY, LoneHome, all_texts

DATABASE = "~/.cc-switch/cc-switch.db"


@pytest.fixture
def home(tmp_path: Path) -> LoneHome:
    return LoneHome(tmp_path, "cc-switch")


def database(
    home: LoneHome, *providers: tuple[str, str, dict[str, Any], bool], taken: tuple[str, ...] = ()
) -> Path:
    path = home.write(DATABASE, "")
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE providers (id TEXT, app_type TEXT, name TEXT, settings_config TEXT,"
            " is_current BOOLEAN)"
        )
        connection.execute(
            "CREATE TABLE proxy_config (app_type TEXT, proxy_enabled INT, enabled INT)"
        )
        for app, name, config, current in providers:
            row = (name, app, name, json.dumps(config), current)
            connection.execute("INSERT INTO providers VALUES (?, ?, ?, ?, ?)", row)
        for app in taken:
            connection.execute("INSERT INTO proxy_config VALUES (?, 1, 1)", (app,))
    connection.close()
    return path


def claude(base: str = "https://gateway.example", key: str = KEY, name: str = "AUTH_TOKEN") -> Any:
    return {"env": {"ANTHROPIC_BASE_URL": base, f"ANTHROPIC_{name}": key, "ANTHROPIC_MODEL": "m"}}


CODEX = {
    "auth": {"OPENAI_API_KEY": KEY},
    "config": 'model_provider = "own"\nmodel = "m"\n[model_providers.own]\n'
    'base_url = "https://gateway.example/v1"\n',
}


def test_what_its_proxy_carries_is_a_target(home: LoneHome) -> None:
    database(home, ("claude", "Mine", claude(), True), taken=("claude",))

    [candidate] = home.discovered().candidates
    connection = candidate.connection

    assert candidate.id == "cc-switch-claude"
    assert connection.protocol is Protocol.ANTHROPIC_MESSAGES
    assert connection.base_url.value == "https://gateway.example"
    assert connection.auth.value is AuthHeader.BEARER
    assert connection.base_url.origin.path == DATABASE


def test_codex_is_asked_in_its_own_protocol(home: LoneHome) -> None:
    database(home, ("codex", "Mine", CODEX, True), taken=("codex",))

    [candidate] = home.discovered().candidates

    assert candidate.connection.protocol is Protocol.OPENAI_RESPONSES
    assert candidate.connection.base_url.value == "https://gateway.example/v1"


def test_an_api_key_goes_as_one(home: LoneHome) -> None:
    database(home, ("claude", "Mine", claude(name="API_KEY"), True), taken=("claude",))

    [candidate] = home.discovered().candidates

    assert candidate.connection.auth.value is AuthHeader.X_API_KEY


def test_without_its_proxy_the_files_of_the_clients_count(home: LoneHome) -> None:
    database(home, ("claude", "Mine", claude(), True), ("claude", "Other", claude(), False))

    found = home.discovered()

    assert found.candidates == []
    assert len(found.key_places) == 2
    assert KEY not in all_texts(found)


def test_newer_rows_in_its_log_make_it_unsure(home: LoneHome) -> None:
    path = database(home, ("claude", "Mine", claude(), True), taken=("claude",))
    path.with_name(path.name + "-wal").write_bytes(b"newer")

    found = home.discovered()

    assert found.candidates == []
    assert found.notes == []


def test_another_address_in_the_live_file_is_noted(home: LoneHome) -> None:
    database(home, ("claude", "Mine", claude(), True))
    home.write("~/.claude/settings.json", {"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:15721"}})

    [note] = home.found().notes

    assert "15721" in note
    assert "Mine" in note


@pytest.mark.parametrize(
    "content", ['{"env": {"ANTHROPIC_BASE_URL": "https://gateway.example/"}}', "{}", "{ // x", ""]
)
def test_no_note_where_nothing_differs_or_nothing_is_known(content: str, home: LoneHome) -> None:
    database(home, ("claude", "Mine", claude(), True))
    home.write("~/.claude/settings.json", content)

    assert home.found().notes == []


def test_the_database_is_not_touched(home: LoneHome) -> None:
    path = database(home, ("claude", "Mine", claude(), True), taken=("claude",))
    before = path.read_bytes(), path.stat().st_mtime_ns
    with sqlite3.connect(path) as writer:
        writer.execute("BEGIN EXCLUSIVE")  # as the program does while it writes
        found = home.found()

    assert len(found.candidates) == 1
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=400), header=st.booleans())
def test_a_file_that_is_no_database_is_none(data: bytes, header: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes((b"SQLite format 3\x00" if header else b"") + data)

    assert rows(path, "providers", ("id",)) is None


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(config=st.text(max_size=80), app=st.sampled_from(["claude", "codex", "gemini", "x"]))
def test_whatever_a_row_holds(config: str, app: str, tmp_path: Path) -> None:
    root = tmp_path / uuid.uuid4().hex
    home = LoneHome(root, "cc-switch")
    path = home.write(DATABASE, "")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE providers (app_type, name, settings_config, is_current)")
        row = (app, "n", config, 1)
        connection.execute("INSERT INTO providers VALUES (?, ?, ?, ?)", row)
    connection.close()

    assert home.discovered().candidates == []
