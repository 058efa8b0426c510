"""What kvdoctor makes of the files of Claude Code, on made-up machines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doctor.clients.claude_code import find
from doctor.clients.machine import Machine
from doctor.clients.prediction import Prediction, predict
from doctor.connection import Connection, Origin, OriginKind, Unsent
from doctor.facts.machine import Environment
from doctor.facts.settings import LoginKind
from doctor.settings.found import Found
from doctor.settings.places import Places

BASE = "http://127.0.0.1:8000"
TOKEN, KEY = "sk-made-up-token-0000", "sk-made-up-key-000000"
USER = ".claude/settings.json"


class Home:
    """A home with a project below it."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.cwd = self.home / "work"
        self.cwd.mkdir(parents=True)
        self.root = root / "system"
        self.variables: dict[str, str] = {}
        self.platform = "linux"
        self.project: Path | None = None

    def write(self, path: str, content: dict[str, Any] | str) -> None:
        """Below home, or below the system's root for an absolute path."""
        real = self.root / path[1:] if path.startswith("/") else self.home / path
        real.parent.mkdir(parents=True, exist_ok=True)
        real.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))

    @property
    def environment(self) -> Environment:
        return Environment(
            self.variables, self.platform, str(self.home), str(self.cwd), root=str(self.root)
        )

    def find(self, *, always: bool = True) -> Found:
        project = None if self.project is None else str(self.project)
        machine = Machine.of(self.environment, Places.of(self.environment, project))
        return find(machine, always=always)

    def connection(self) -> Connection:
        [candidate] = self.find().candidates
        return candidate.connection

    def sent(self) -> Prediction:
        return predict(self.connection(), self.environment)

    def headers(self) -> dict[str, str | None]:
        return {k: v if v is None else v.reveal() for k, v in self.sent().auth.items()}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def env(**variables: Any) -> dict[str, Any]:
    return {"env": variables}


class TestPrecedence:
    def test_a_file_beats_the_shell_and_says_what_it_shadows(self, home: Home) -> None:
        home.variables["ANTHROPIC_BASE_URL"] = "http://shell.example"
        home.write(USER, env(ANTHROPIC_BASE_URL=BASE))

        base = home.connection().base_url

        assert base.value == BASE
        assert str(base.origin) == "env.ANTHROPIC_BASE_URL, ~/.claude/settings.json:3"
        assert [(s.value, s.origin.kind) for s in base.shadows] == [
            ("http://shell.example", OriginKind.ENVIRONMENT)
        ]

    def test_the_order_of_all_files(self, home: Home) -> None:
        home.variables["ANTHROPIC_BASE_URL"] = "http://shell"
        names = {
            "/etc/claude-code/managed-settings.d/20.json": "http://fragment",
            "/etc/claude-code/managed-settings.json": "http://managed",
            "work/.claude/settings.local.json": "http://local",
            "work/.claude/settings.json": "http://project",
            USER: "http://user",
            ".claude.json": "http://state",
        }
        for path, url in names.items():
            home.write(path, env(ANTHROPIC_BASE_URL=url))

        base = home.connection().base_url

        assert [base.value, *(shadow.value for shadow in base.shadows)] == [
            *names.values(),
            "http://shell",
        ]

    @pytest.mark.parametrize(
        ("platform", "folder"),
        [
            ("darwin", "/Library/Application Support/ClaudeCode"),
            ("linux", "/etc/claude-code"),
        ],
    )
    def test_the_managed_folder_of_each_system(
        self, platform: str, folder: str, home: Home
    ) -> None:
        home.platform = platform
        home.write(f"{folder}/managed-settings.json", env(ANTHROPIC_BASE_URL=BASE))

        assert home.connection().base_url.value == BASE

    def test_the_local_file_of_the_git_root_wins_over_the_one_below(self, home: Home) -> None:
        home.project, home.cwd = home.home / "repo", home.home / "repo" / "below"
        home.cwd.mkdir(parents=True)
        home.write("repo/.claude/settings.local.json", env(ANTHROPIC_BASE_URL="http://root"))
        home.write("repo/.claude/settings.json", env(ANTHROPIC_BASE_URL="http://not-read"))
        home.write("repo/below/.claude/settings.local.json", env(ANTHROPIC_BASE_URL="http://no"))

        base = home.connection().base_url

        assert (base.value, base.shadows) == ("http://root", ())

    def test_the_folder_moves_with_its_variable_and_a_tilde_is_no_home(self, home: Home) -> None:
        home.variables["CLAUDE_CONFIG_DIR"] = "~/moved"
        home.write("moved/settings.json", env(ANTHROPIC_BASE_URL="http://home"))
        home.write("work/~/moved/settings.json", env(ANTHROPIC_BASE_URL="http://tilde"))
        home.write("work/~/moved/.claude.json", env(ANTHROPIC_AUTH_TOKEN=TOKEN))

        assert home.connection().base_url.value == "http://tilde"
        assert home.headers() == {"authorization": f"Bearer {TOKEN}"}

    def test_a_project_that_redirects_the_users_key_is_marked(self, home: Home) -> None:
        home.write(USER, env(ANTHROPIC_AUTH_TOKEN=TOKEN))
        home.write("work/.claude/settings.json", env(ANTHROPIC_BASE_URL="http://evil.example"))

        connection = home.connection()

        assert connection.base_url.origin.project
        assert connection.key is not None
        assert not connection.key.origin.project


class TestFilesThatAreLeftOut:
    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ('{ // mine\n "env": {"ANTHROPIC_BASE_URL": "http://file"}}', None),
            ('{"env": {"ANTHROPIC_BASE_URL": "http://file",}}', None),
            ('{"env": {\n"ANTHROPIC_BASE_URL" "http://file"}}', 2),
            ('{"model": 5,\n "env": {"ANTHROPIC_BASE_URL": "http://file"}}', 1),
            ('{"env": ["ANTHROPIC_BASE_URL=http://file"]}', 1),
            ('{"permissions": {\n"allow": "x"}, "env": {"ANTHROPIC_BASE_URL": "http://f"}}', 2),
            ('{"apiKeyHelper": null, "env": {"ANTHROPIC_BASE_URL": "http://file"}}', 1),
            ("[]", 1),
        ],
    )
    def test_the_shell_applies_and_the_file_is_told(
        self, text: str, line: int | None, home: Home
    ) -> None:
        home.variables["ANTHROPIC_BASE_URL"] = BASE
        home.write(USER, text)

        found = home.find()

        assert found.candidates[0].connection.base_url.value == BASE
        [problem] = found.problems
        assert (problem.path, problem.client) == ("~/.claude/settings.json", "claude-code")
        assert problem.line == line
        assert "whole file" in problem.consequence

    @pytest.mark.parametrize("text", ["", " \n", '\ufeff{"env": {}}', "{}"])
    def test_nothing_is_wrong_with_an_empty_file(self, text: str, home: Home) -> None:
        home.write(USER, text)

        assert home.find().problems == []

    @given(content=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(
            st.sampled_from(
                ["env", "model", "apiKeyHelper", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN",
                 "claudeAiOauth", "expiresAt", "scopes", "accessToken", "primaryApiKey"]
            ) | st.text(max_size=8),
            inner,
        ),
        max_leaves=8,
    ))  # fmt: skip
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
    def test_no_content_makes_it_fail(self, content: Any, home: Home) -> None:
        for path in (USER, ".claude.json", ".claude/.credentials.json"):
            home.write(path, json.dumps(content))

        [candidate] = home.find().candidates
        predict(candidate.connection, home.environment)


class TestAStateFileOfMegabytes:
    """As it is after months of use: the history of every project is in it."""

    def state(self, **more: Any) -> str:
        history = [{"display": "x" * 200, "pastedContents": {}}] * 50
        projects = {f"/projects/{n}": {"history": history} for n in range(100)}
        return json.dumps({"projects": projects, **more})

    def test_it_is_read_as_a_small_one(self, home: Home) -> None:
        home.variables["ANTHROPIC_BASE_URL"] = BASE
        home.write(".claude.json", self.state(primaryApiKey="sk-made-up-primary"))

        assert home.headers() == {"x-api-key": "sk-made-up-primary"}
        assert home.find().problems == []

    def test_where_it_is_broken_the_place_is_told(self, home: Home) -> None:
        home.write(".claude.json", self.state()[:-1] + ",\n}")

        [problem] = home.find().problems

        assert (problem.path, problem.line) == ("~/.claude.json", 2)
        assert problem.consequence == "Claude Code does not start"


class TestCredentials:
    """The table of what goes into which header."""

    @pytest.mark.parametrize(
        ("variables", "helper", "login", "sent"),
        [
            ("k", False, False, {"x-api-key": KEY}),
            ("t", False, False, {"authorization": f"Bearer {TOKEN}"}),
            ("tk", False, False, {"authorization": f"Bearer {TOKEN}", "x-api-key": KEY}),
            ("", True, False, {"authorization": None, "x-api-key": None}),
            ("t", True, False, {"authorization": f"Bearer {TOKEN}", "x-api-key": None}),
            ("k", True, False, {"authorization": None, "x-api-key": KEY}),
            ("tk", True, True, {"authorization": f"Bearer {TOKEN}", "x-api-key": KEY}),
            ("", False, True, {"authorization": None}),
            ("t", False, True, {"authorization": f"Bearer {TOKEN}"}),
            ("k", False, True, {"x-api-key": KEY}),
            ("", True, True, {"authorization": None, "x-api-key": None}),
            ("", False, False, {}),
        ],
    )
    def test_what_is_sent(
        self,
        variables: str,
        helper: bool,
        login: bool,
        sent: dict[str, str | None],
        home: Home,
    ) -> None:
        if "t" in variables:
            home.variables["ANTHROPIC_AUTH_TOKEN"] = TOKEN
        if "k" in variables:
            home.variables["ANTHROPIC_API_KEY"] = KEY
        if helper:
            home.write(USER, {"apiKeyHelper": "cat key"})
        if login:
            home.write(".claude/.credentials.json", stored_login())

        assert home.headers() == sent

    def test_a_login_is_told_without_its_token(self, home: Home) -> None:
        home.write(USER, env(ANTHROPIC_BASE_URL=BASE))
        home.write(".claude/.credentials.json", stored_login(expiresAt=1_700_000_000_000))

        found = home.find(always=False)

        [login] = found.logins
        assert login.kind is LoginKind.OAUTH
        assert login.label == "claude.ai login"
        assert login.vendor == "api.anthropic.com"
        assert (login.expires_at, login.renewable) == (1_700_000_000, True)
        assert "sk-ant-oat01" not in repr(found)
        unsent = found.candidates[0].connection.unsent
        assert unsent is not None
        assert (unsent.value, unsent.origin) == (Unsent.CLAUDE_LOGIN, login.origin)

    def test_a_login_without_a_base_url_makes_no_target(self, home: Home) -> None:
        home.write(".claude/.credentials.json", stored_login())

        found = home.find(always=False)

        assert found.candidates == []
        assert len(found.logins) == 1

    def test_a_login_that_may_not_ask_models_is_none(self, home: Home) -> None:
        home.write(".claude/.credentials.json", stored_login(scopes=["org:create_api_key"]))

        assert home.find().logins == []
        assert home.sent().refusal == "Not logged in · Please run /login"

    def test_the_variable_of_a_login_counts_as_one(self, home: Home) -> None:
        home.variables["CLAUDE_CODE_OAUTH_TOKEN"] = "sk-ant-oat01-made-up"

        assert home.headers() == {"authorization": None}
        assert [login.origin.name for login in home.find().logins] == ["CLAUDE_CODE_OAUTH_TOKEN"]

    def test_the_trick_with_primary_api_key_sends_two_headers(self, home: Home) -> None:
        home.variables["ANTHROPIC_AUTH_TOKEN"] = TOKEN
        home.write(".claude.json", {"primaryApiKey": "any"})

        assert home.headers() == {"authorization": f"Bearer {TOKEN}", "x-api-key": "any"}

    def test_a_key_of_the_vendors_console_is_not_used(self, home: Home) -> None:
        home.write(".claude.json", {"primaryApiKey": "sk-ant-api03-made-up-000000"})

        connection = home.connection()

        assert connection.key is None
        assert home.headers() == {"x-api-key": None}

    def test_an_emptied_key_hides_the_one_of_the_shell(self, home: Home) -> None:
        home.variables |= {"ANTHROPIC_AUTH_TOKEN": TOKEN, "ANTHROPIC_API_KEY": KEY}
        home.write(USER, env(ANTHROPIC_API_KEY=""))

        assert home.headers() == {"authorization": f"Bearer {TOKEN}"}

    def test_an_emptied_token_is_an_empty_key(self, home: Home) -> None:
        home.variables["ANTHROPIC_AUTH_TOKEN"] = TOKEN
        home.write(USER, env(ANTHROPIC_AUTH_TOKEN=""))

        key = home.connection().key

        assert key is not None
        assert key.value.reveal() == ""
        assert [shadow.value.reveal() for shadow in key.shadows] == [TOKEN]

    def test_the_helper_of_an_administrator_is_marked(self, home: Home) -> None:
        home.write("/etc/claude-code/managed-settings.json", {"apiKeyHelper": "cat key"})
        home.write(USER, {"apiKeyHelper": "echo mine"})

        [login] = home.find().logins

        assert (login.kind, login.managed) == (LoginKind.HELPER, True)

    def test_a_header_of_ones_own_loses_against_a_token(self, home: Home) -> None:
        home.variables |= {
            "ANTHROPIC_AUTH_TOKEN": TOKEN,
            "ANTHROPIC_CUSTOM_HEADERS": "Authorization: Bearer other\nX-Api-Key: third\nX-Team: a",
        }

        assert home.headers() == {"authorization": f"Bearer {TOKEN}", "x-api-key": "third"}
        assert {k: v.reveal() for k, v in home.sent().headers.items()} == {"x-team": "a"}


class TestModelAndBudget:
    @pytest.mark.parametrize(
        ("variables", "content", "model", "tokens"),
        [
            ({}, {}, "claude-opus-5-5", 128_000),
            ({"ANTHROPIC_MODEL": "tiny"}, {"model": "other"}, "tiny", 32_000),
            ({}, {"model": "sonnet"}, "claude-sonnet-5-5", 128_000),
            ({"ANTHROPIC_DEFAULT_SONNET_MODEL": "mine"}, {"model": "sonnet"}, "mine", 32_000),
            ({"ANTHROPIC_MODEL": "claude-3-5-haiku-20241022"}, {}, None, 8_192),
            ({"ANTHROPIC_MODEL": "qwen3[1m]"}, {}, "qwen3", 32_000),
            ({"ANTHROPIC_MODEL": "qwen3"}, env(CLAUDE_CODE_MAX_OUTPUT_TOKENS=4096), "qwen3", 4_096),
            ({"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "-5"}, {"model": "qwen3"}, "qwen3", 32_000),
            ({"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "999999"}, {"model": "qwen3"}, "qwen3", 128_000),
        ],
    )
    def test_what_is_asked_for(
        self,
        variables: dict[str, str],
        content: dict[str, Any],
        model: str | None,
        tokens: int,
        home: Home,
    ) -> None:
        home.variables |= variables
        home.write(USER, content)

        sent = home.sent()

        assert sent.model == (model or variables["ANTHROPIC_MODEL"])
        assert sent.max_tokens == tokens

    def test_a_budget_of_its_own_is_a_default(self, home: Home) -> None:
        budget = home.connection().max_tokens

        assert budget is not None
        assert budget.origin == Origin(OriginKind.DEFAULT, "Claude Code default")


class TestWhenThereIsATarget:
    def test_files_with_an_address_make_one(self, home: Home) -> None:
        home.write(USER, env(ANTHROPIC_BASE_URL=BASE, ANTHROPIC_AUTH_TOKEN=TOKEN))

        [candidate] = home.find(always=False).candidates

        assert (candidate.id, candidate.label) == ("claude-code", "~/.claude/settings.json")

    def test_variables_of_the_shell_alone_make_none(self, home: Home) -> None:
        home.variables |= {"ANTHROPIC_BASE_URL": BASE, "ANTHROPIC_AUTH_TOKEN": TOKEN}
        home.write(USER, {"model": "opus"})

        assert home.find(always=False).candidates == []

    def test_a_key_of_a_file_for_the_address_of_the_shell_makes_one(self, home: Home) -> None:
        home.variables["ANTHROPIC_BASE_URL"] = BASE
        home.write(USER, env(ANTHROPIC_AUTH_TOKEN=TOKEN))

        assert len(home.find(always=False).candidates) == 1

    def test_the_vendor_itself_makes_none(self, home: Home) -> None:
        base = "https://api.anthropic.com/"
        home.write(USER, env(ANTHROPIC_BASE_URL=base, ANTHROPIC_API_KEY=KEY))

        assert home.find(always=False).candidates == []

    def test_a_cloud_instead_makes_none_and_is_told(self, home: Home) -> None:
        home.write(USER, env(ANTHROPIC_BASE_URL=BASE, CLAUDE_CODE_USE_BEDROCK="1"))

        found = home.find(always=False)

        assert found.candidates == []
        [told] = found.unsupported
        assert told.name == "ANTHROPIC_BASE_URL"
        assert "Amazon Bedrock" in told.reason

    def test_a_user_who_names_it_is_told_of_the_cloud_and_no_key_is_used(self, home: Home) -> None:
        home.write(USER, env(CLAUDE_CODE_USE_VERTEX="true", ANTHROPIC_AUTH_TOKEN=TOKEN))

        found = home.find()

        connection = found.candidates[0].connection
        assert (connection.key, connection.second_key) == (None, None)
        assert connection.unsent is not None
        assert "Google Vertex AI" in found.notes[0]
        assert found.unsupported == []

    def test_an_empty_home_has_the_vendors_address_and_no_key(self, home: Home) -> None:
        connection = home.connection()

        assert connection.base_url.value == "https://api.anthropic.com"
        assert connection.base_url.origin.kind is OriginKind.DEFAULT
        assert (connection.key, connection.unsent) == (None, None)


def test_names_at_the_top_of_a_file_are_told_to_do_nothing(home: Home) -> None:
    home.write(USER, {"ANTHROPIC_BASE_URL": BASE, "llm": {"base_url": BASE}, "theme": "dark"})

    told = home.find().unsupported

    assert [(t.name, t.instead) for t in told] == [
        ("ANTHROPIC_BASE_URL", "the same name below env"),
        ("llm", "ANTHROPIC_BASE_URL and ANTHROPIC_AUTH_TOKEN below env"),
    ]


class TestARefusedKey:
    def refuse(self, home: Home) -> None:
        home.variables |= {"ANTHROPIC_BASE_URL": BASE, "ANTHROPIC_API_KEY": f" {KEY}\n"}
        home.write(".claude.json", {"customApiKeyResponses": {"rejected": [KEY[-20:]]}})

    def test_it_is_told_where_the_answer_is_kept(self, home: Home) -> None:
        self.refuse(home)

        [told] = home.find().unsupported

        assert told.name == "ANTHROPIC_API_KEY"
        assert "~/.claude.json:3" in told.reason
        assert KEY not in repr(told)

    def test_beside_a_token_it_does_not_matter(self, home: Home) -> None:
        self.refuse(home)
        home.variables["ANTHROPIC_AUTH_TOKEN"] = TOKEN

        assert home.find().unsupported == []

    def test_an_approved_one_is_fine(self, home: Home) -> None:
        self.refuse(home)
        home.write(".claude.json", {"customApiKeyResponses": {"approved": [KEY[-20:]]}})

        assert home.find().unsupported == []


def test_the_proxy_of_a_file_reaches_only_this_client(home: Home) -> None:
    home.write(USER, env(HTTPS_PROXY="http://127.0.0.1:7890", ANTHROPIC_AUTH_TOKEN=TOKEN))

    connection = home.connection()

    assert connection.variables["HTTPS_PROXY"].value == "http://127.0.0.1:7890"
    assert "ANTHROPIC_AUTH_TOKEN" not in connection.variables
    assert home.sent().proxy == "http://127.0.0.1:7890"


def test_keys_in_files_are_noted_with_their_line(home: Home) -> None:
    home.write(USER, env(ANTHROPIC_BASE_URL=BASE, ANTHROPIC_AUTH_TOKEN=TOKEN))

    found = home.find()

    assert [(p.shown, p.line, p.name) for p in found.key_places] == [
        ("~/.claude/settings.json", 4, "env.ANTHROPIC_AUTH_TOKEN")
    ]
    assert {s.role.value for s in found.sightings} == {"base_url", "key"}


def stored_login(**more: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "accessToken": "sk-ant-oat01-made-up",
        "refreshToken": "sk-ant-ort01-made-up",
        "expiresAt": 9_999_999_999_000,
        "scopes": ["user:inference"],
    }
    return {"claudeAiOauth": {**entry, **more}}
