"""What kvdoctor makes of the files of claude-code-router."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from doctor.bases import Convention, Fault, certain
from doctor.bases import known as on_known_host
from doctor.clients.claude_code_router import PROFILE
from doctor.facts.settings import Role
from doctor.settings.providers import provider_for_host
from doctor.urls import read
from tests.clients.lone import KEY, OTHER_KEY, LoneHome, all_texts

FILE = "~/.claude-code-router/config.json"
ENDPOINT = "http://gateway.example/v1/chat/completions"
NATIVE = "http://gateway.example/v1beta/models"
GOOGLE = "https://generativelanguage.googleapis.com/v1beta"
GEMINI = {"use": ["gemini"]}


@pytest.fixture
def home(tmp_path: Path) -> LoneHome:
    return LoneHome(tmp_path, "claude-code-router")


def config(*providers: dict[str, Any], **more: Any) -> dict[str, Any]:
    listed = [{"api_base_url": ENDPOINT, "api_key": KEY, **provider} for provider in providers]
    return {"Providers": listed, "Router": {"default": "a,m"}, **more}


def test_the_address_is_used_as_it_stands(home: LoneHome) -> None:
    home.write(FILE, config({"name": "a"}))

    sent = home.sent()

    assert sent.url == ENDPOINT
    assert sent.model == "m"
    assert home.auth() == {"authorization": f"Bearer {KEY}"}


@pytest.mark.parametrize("written", ["$OWN", "${OWN}"])
def test_a_key_of_a_variable(written: str, home: LoneHome) -> None:
    home.write(FILE, config({"name": "a", "api_key": written}))
    home.variables["OWN"] = KEY

    key = home.connection().key

    assert key is not None
    assert key.origin.name == "OWN"


def test_an_unset_variable_is_noted(home: LoneHome) -> None:
    home.write(FILE, config({"name": "a", "api_key": "$OWN"}))

    found = home.found()

    assert found.candidates[0].connection.key is None
    named = [s for s in found.sightings if s.role is Role.KEY_VARIABLE]
    assert [s.value for s in named] == ["OWN"]


def test_only_routes_in_use_are_targets(home: LoneHome) -> None:
    routes = {"default": "a,m", "think": "b,n", "background": "a,m"}
    home.write(FILE, config({"name": "a"}, {"name": "b"}, {"name": "unused"}, Router=routes))

    ids = [candidate.id for candidate in home.found().candidates]

    assert ids == ["claude-code-router-a", "claude-code-router-b"]


@pytest.mark.parametrize("used", ["vertex-gemini", "anthropic"])
def test_a_provider_of_another_api_is_not_asked(used: str, home: LoneHome) -> None:
    home.write(FILE, config({"name": "a", "transformer": {"use": [[used, {}]]}}))

    assert home.discovered().candidates == []


@pytest.mark.parametrize(
    ("base", "asked"),
    [
        (f"{NATIVE}/", f"{NATIVE}/m:streamGenerateContent?alt=sse"),
        # Resolved as a link: what stands behind the last slash is lost.
        (NATIVE, f"{NATIVE.removesuffix('/models')}/m:streamGenerateContent?alt=sse"),
    ],
)
def test_the_transformer_gemini_asks_googles_own_api(base: str, asked: str, home: LoneHome) -> None:
    home.write(FILE, config({"name": "a", "api_base_url": base, "transformer": GEMINI}))

    assert home.sent().url == asked
    assert home.auth() == {"x-goog-api-key": KEY}


def faults(home: LoneHome) -> list[tuple[str, str | None]]:
    """The faults of the base that can be told without a request, each with the right base."""
    connection = home.connection()
    convention = Convention.of(PROFILE, connection.protocol)
    base = read(connection.base_url.value).base
    assert base is not None
    known = certain(base, convention)
    provider = provider_for_host(base.host)
    if known is None and provider is not None:
        known = on_known_host(base, convention, provider)
    return [] if known is None else [(known.fault, known.base)]


@pytest.mark.parametrize(
    ("base", "transformer", "fault"),
    [
        (f"{GOOGLE}/models/", GEMINI, None),
        (f"{GOOGLE}/openai/chat/completions", {}, None),
        ("http://gateway.example/v1beta/models/", GEMINI, None),
        (f"{GOOGLE}/openai/", GEMINI, (Fault.OTHER_PROVIDER, f"{GOOGLE}/models/")),
        (f"{GOOGLE}/models", GEMINI, (Fault.SLASH, f"{GOOGLE}/models/")),
        (
            "http://gateway.example/v1beta/models/m:generateContent",
            GEMINI,
            (Fault.ENDPOINT, "http://gateway.example/v1beta/models/"),
        ),
        (
            f"{GOOGLE}/models/",
            {},
            (Fault.OTHER_PROVIDER, f"{GOOGLE}/openai/chat/completions"),
        ),
    ],
)
def test_the_path_belongs_to_the_transformer(
    base: str, transformer: dict[str, Any], fault: tuple[Fault, str] | None, home: LoneHome
) -> None:
    home.write(FILE, config({"name": "a", "api_base_url": base, "transformer": transformer}))

    assert faults(home) == ([] if fault is None else [fault])


def test_its_own_proxy(home: LoneHome) -> None:
    home.write(FILE, config({"name": "a"}, PROXY_URL="http://127.0.0.1:7890"))

    assert home.sent().proxy == "http://127.0.0.1:7890"


def test_it_goes_past_proxy_variables(home: LoneHome) -> None:
    home.write(FILE, config({"name": "a"}))
    home.variables["HTTP_PROXY"] = "http://127.0.0.1:1"

    assert home.sent().proxy is None


@pytest.mark.parametrize("content", ["{", "[]", '{"Providers": 1, "Router": []}', "null", "\x00"])
def test_whatever_it_holds_nothing_is_made_up(content: str, home: LoneHome) -> None:
    home.write(FILE, content)

    assert home.discovered().candidates == []


def database(home: LoneHome, *providers: dict[str, Any]) -> Path:
    path = home.write("~/.claude-code-router/config.sqlite", "")
    listed = [{"name": "a", "api_key": KEY, "models": ["m", "n"], **one} for one in providers]
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE app_config (key TEXT, value_json TEXT)")
        row = ("default", json.dumps({"Providers": listed}))
        connection.execute("INSERT INTO app_config VALUES (?, ?)", row)
    connection.close()
    return path


def test_version_3_keeps_its_keys_in_a_database(home: LoneHome) -> None:
    path = database(home, {"api_base_url": ENDPOINT})
    before = path.read_bytes()

    found = home.discovered()

    assert [place.shown for place in found.key_places] == ["~/.claude-code-router/config.sqlite"]
    assert KEY not in all_texts(found)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["config.sqlite"]


# What the gateway of 3.1.1 asked a stub for, and what 3.0.21 makes of an address.
@pytest.mark.parametrize(
    ("provider", "url"),
    [
        ({"baseurl": "http://gw.example/v1"}, "http://gw.example/v1/chat/completions"),
        ({"api_base_url": ENDPOINT}, ENDPOINT),
        ({"baseUrl": "gw.example/api/v1/?utm=x"}, "https://gw.example/api/v1/chat/completions"),
        ({"baseurl": "localhost:8000/v4/v1"}, "http://localhost:8000/v4/chat/completions"),
        (
            {"baseurl": "http://gw.example/v1", "type": "openai_responses"},
            "http://gw.example/v1/responses",
        ),
        (
            {"baseurl": "http://gw.example/api/v1/messages", "type": "anthropic_messages"},
            "http://gw.example/api/v1/messages",
        ),
        ({"baseurl": "http://gw.example/anthropic"}, "http://gw.example/anthropic/v1/messages"),
        (
            {
                "baseurl": "http://gw.example",
                "capabilities": [
                    {"type": "openai_chat_completions", "baseUrl": "http://gw.example/v1"},
                    {"type": "anthropic_messages", "baseUrl": "http://gw.example/claude"},
                ],
            },
            "http://gw.example/claude/v1/messages",
        ),
    ],
)
def test_version_3_asks(provider: dict[str, Any], url: str, home: LoneHome) -> None:
    database(home, provider)

    sent = home.sent()

    assert sent.url == url
    assert sent.model == "m"
    assert KEY in "".join(value or "" for value in home.auth().values())


def test_version_3_makes_a_target_per_provider(home: LoneHome) -> None:
    base = {"baseurl": "http://gw.example/v1"}
    gemini = {"name": "g", "baseurl": "https://generativelanguage.googleapis.com/v1beta"}
    off = {**base, "name": "off", "enabled": False}
    database(home, base, {**base, "name": "b"}, gemini, off)

    ids = [candidate.id for candidate in home.found().candidates]

    assert ids == ["claude-code-router-a", "claude-code-router-b"]


def test_version_3_takes_the_place_of_the_old_file(home: LoneHome) -> None:
    home.write(FILE, config({"name": "a"}))
    database(home, {"baseurl": "http://gw.example/v1"})

    assert home.sent().url == "http://gw.example/v1/chat/completions"


def test_version_3_uses_the_first_key_of_a_pool(home: LoneHome) -> None:
    pool = [{"apikey": "sk-made-up-off-00000000000000", "enabled": False}, {"api_key": OTHER_KEY}]
    database(home, {"baseurl": "http://gw.example/v1", "credentials": pool})

    assert home.auth() == {"authorization": f"Bearer {OTHER_KEY}"}


@pytest.mark.parametrize("content", ["{", "[]", '{"Providers": [1, {}]}', "null"])
def test_whatever_the_database_holds_nothing_is_made_up(content: str, home: LoneHome) -> None:
    path = home.write("~/.claude-code-router/config.sqlite", "")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE app_config (key TEXT, value_json TEXT)")
        connection.execute("INSERT INTO app_config VALUES (?, ?)", ("default", content))
    connection.close()

    assert home.discovered().candidates == []


def test_a_route_to_a_provider_that_is_not_there_is_told(home: LoneHome) -> None:
    home.write(FILE, config({"name": "a"}, Router={"default": "a,m", "think": "b,n"}))

    [told] = home.found().unsupported

    assert told.name == "Router.think"
    assert (told.origin.path, told.fatal) == (FILE, False)


def test_the_default_route_to_no_provider_is_an_error(home: LoneHome) -> None:
    home.write(FILE, config({"name": "a"}, Router={"default": "b,m"}))

    [told] = home.found().unsupported

    assert told.fatal
    assert told.title == "Router.default names a provider that there is not"
