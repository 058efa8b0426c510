"""What kvdoctor makes of the files of Gemini CLI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from doctor.connection import OriginKind, Protocol, Unsent
from doctor.facts.settings import LoginKind
from tests.clients.lone import BASE, KEY, OTHER_KEY, LoneHome, all_texts

SETTINGS, ENV = "~/.gemini/settings.json", "~/.gemini/.env"


@pytest.fixture
def home(tmp_path: Path) -> LoneHome:
    return LoneHome(tmp_path, "gemini-cli")


def settings(home: LoneHome, method: str = "gemini-api-key", **more: Any) -> None:
    home.write(SETTINGS, {"security": {"auth": {"selectedType": method}}, **more})


def shell(home: LoneHome, **more: str) -> None:
    own = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": BASE, "GEMINI_MODEL": "m"}
    home.variables |= own | more


def test_it_speaks_googles_own_api(home: LoneHome) -> None:
    settings(home)
    shell(home)

    sent = home.sent()

    assert home.connection().protocol is Protocol.GEMINI_GENERATE
    assert sent.url == f"{BASE}/v1beta/models/m:streamGenerateContent?alt=sse"
    assert home.auth() == {"x-goog-api-key": KEY}
    assert sent.max_tokens is None


def test_the_shell_wins_over_its_env_file(home: LoneHome) -> None:
    settings(home)
    home.write(ENV, f"GEMINI_API_KEY={OTHER_KEY}\nGOOGLE_GEMINI_BASE_URL=http://file\n")
    shell(home)

    base = home.connection().base_url

    assert base.value == BASE
    assert [shadow.value for shadow in base.shadows] == ["http://file"]


def test_an_empty_variable_hides_the_env_file(home: LoneHome) -> None:
    settings(home)
    home.write(ENV, f"GEMINI_API_KEY={OTHER_KEY}\nGOOGLE_GEMINI_BASE_URL={BASE}\n")
    home.variables["GEMINI_API_KEY"] = ""

    assert home.connection().key is None


def test_only_the_nearest_env_file_is_read(home: LoneHome) -> None:
    settings(home)
    home.write(ENV, f"GEMINI_API_KEY={KEY}\nGOOGLE_GEMINI_BASE_URL={BASE}\n")
    home.write(".env", "UNRELATED=1\n")

    connection = home.connection()

    assert connection.base_url.origin.kind is OriginKind.DEFAULT
    assert connection.key is None


def test_its_own_folder_comes_before_the_plain_env_file(home: LoneHome) -> None:
    settings(home)
    home.write(".env", "GOOGLE_GEMINI_BASE_URL=http://plain\n")
    home.write(".gemini/.env", "GOOGLE_GEMINI_BASE_URL=http://own\n")

    base = home.connection().base_url

    assert base.value == "http://own"
    assert base.origin.project


def test_an_untrusted_folder_says_little(home: LoneHome) -> None:
    settings(home)
    home.write("~/.gemini/trustedFolders.json", {str(home.cwd): "DO_NOT_TRUST"})
    home.write(".gemini/.env", "GOOGLE_GEMINI_BASE_URL=http://own\n")
    home.write(".env", f"GOOGLE_GEMINI_BASE_URL=http://plain\nGEMINI_API_KEY={KEY}\n")
    home.write(".gemini/settings.json", {"model": {"name": "of-the-project"}})

    connection = home.connection()

    assert connection.base_url.origin.kind is OriginKind.DEFAULT
    assert connection.key is not None
    assert connection.model is None


@pytest.mark.parametrize("method", ["oauth-personal", "vertex-ai"])
def test_a_login_goes_to_google(method: str, home: LoneHome) -> None:
    settings(home, method)
    home.write("~/.gemini/oauth_creds.json", {"access_token": "ya29.made-up", "refresh_token": "r"})
    shell(home)

    found = home.found()
    [candidate] = found.candidates

    assert "googleapis.com" in candidate.connection.base_url.value
    assert candidate.connection.key is None
    assert candidate.connection.unsent is not None
    assert candidate.connection.unsent.value is Unsent.GOOGLE_LOGIN
    [login] = found.logins
    assert login.kind is LoginKind.OAUTH
    assert candidate.connection.unsent.origin == login.origin
    assert "ya29" not in all_texts(found)
    [ignored] = found.unsupported
    assert ignored.name == "GOOGLE_GEMINI_BASE_URL"


def test_a_login_alone_makes_no_target(home: LoneHome) -> None:
    settings(home, "oauth-personal")
    home.write("~/.gemini/oauth_creds.json", {"access_token": "ya29.made-up"})

    found = home.discovered()

    assert found.candidates == []
    assert len(found.logins) == 1


def test_a_base_without_a_method_is_told(home: LoneHome) -> None:
    shell(home)

    found = home.found()

    [told] = found.unsupported
    assert '"selectedType": "gemini-api-key"' in told.instead
    assert not told.fatal


def test_a_login_that_is_chosen_under_the_old_name_loses_against_a_key(home: LoneHome) -> None:
    home.write(SETTINGS, {"selectedAuthType": "oauth-personal"})
    home.write(ENV, f"GEMINI_API_KEY={KEY}\n")

    found = home.found()

    assert found.candidates[0].connection.unsent is None
    [told] = found.unsupported
    assert told.name == "selectedAuthType"
    assert "GEMINI_API_KEY" in told.reason
    assert "oauth-personal" in told.reason
    assert '"selectedType": "oauth-personal"' in told.instead


@pytest.mark.parametrize(
    "content",
    [
        {"selectedAuthType": "gemini-api-key"},
        {
            "selectedAuthType": "oauth-personal",
            "security": {"auth": {"selectedType": "gemini-api-key"}},
        },
    ],
)
def test_the_old_name_of_the_method_that_counts_anyhow(home: LoneHome, content: Any) -> None:
    home.write(SETTINGS, content)
    home.write(ENV, f"GEMINI_API_KEY={KEY}\n")

    assert home.found().unsupported == []


def test_a_key_that_was_typed_in_is_out_of_sight(home: LoneHome) -> None:
    settings(home)
    home.variables["GOOGLE_GEMINI_BASE_URL"] = BASE

    unsent = home.connection().unsent

    assert unsent is not None
    assert unsent.value is Unsent.KEYCHAIN


@pytest.mark.parametrize("name", ["auto", "flash"])
def test_a_name_of_its_own_is_no_model(name: str, home: LoneHome) -> None:
    settings(home, model={"name": name})
    shell(home, GEMINI_MODEL="")

    assert home.connection().model is None


def test_system_settings_win(home: LoneHome) -> None:
    settings(home, model={"name": "of-the-user"})
    path = home.root / "etc" / "gemini-cli" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"model": {"name": "of-the-system"}}')

    model = home.connection().model

    assert model is not None
    assert model.value == "of-the-system"
    assert [shadow.value for shadow in model.shadows] == ["of-the-user"]


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://h/", "http://h/v1beta/models/m:streamGenerateContent?alt=sse"),
        ("http://h/a//", "http://h/a//v1beta/models/m:streamGenerateContent?alt=sse"),
        (" http://h/a\n", "http://h/a/v1beta/models/m:streamGenerateContent?alt=sse"),
        (
            "http://h/a?x=y",
            "http://h/a?x=y%2Fv1beta%2Fmodels%2Fm%3AstreamGenerateContent%3Falt%3Dsse&alt=sse",
        ),
        ("h:8000", None),
    ],
)
def test_how_base_and_path_are_joined(base: str, url: str | None, home: LoneHome) -> None:
    settings(home)
    shell(home, GOOGLE_GEMINI_BASE_URL=base)

    sent = home.sent()

    assert sent.url == url
    assert (sent.refusal is None) == (url is not None)


@pytest.mark.parametrize(
    ("variables", "proxy"),
    [
        ({"HTTP_PROXY": "http://p:1"}, "http://p:1"),
        ({"HTTPS_PROXY": "http://s:1", "HTTP_PROXY": "http://p:1"}, "http://s:1"),
        ({"ALL_PROXY": "http://p:1"}, None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "127.0.0.1"}, None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "", "no_proxy": "127.0.0.1"}, "http://p:1"),
    ],
)
def test_which_proxy_it_takes(variables: dict[str, str], proxy: str | None, home: LoneHome) -> None:
    settings(home)
    shell(home, **variables)

    assert home.sent().proxy == proxy


def test_a_proxy_without_a_scheme_ends_it(home: LoneHome) -> None:
    settings(home)
    shell(home, HTTP_PROXY="127.0.0.1:7890")

    assert home.sent().proxy_error == "Invalid URL"
