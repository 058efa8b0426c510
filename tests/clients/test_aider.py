"""What kvdoctor makes of the files of Aider."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.clients.configured import named
from doctor.clients.litellm_models import ANTHROPIC, OPENAI, routed
from doctor.clients.machine import Machine
from doctor.connection import AuthHeader, OriginKind, Protocol
from doctor.facts.machine import Environment
from doctor.settings.places import Places
from tests.clients.lone import BASE, KEY, OTHER_KEY, LoneHome

CONF = "~/.aider.conf.yml"


@pytest.fixture
def home(tmp_path: Path) -> LoneHome:
    return LoneHome(tmp_path, "aider")


def conf(home: LoneHome, *lines: str) -> None:
    home.write(CONF, "\n".join((*lines, "")))


def shell(home: LoneHome, **more: str) -> None:
    home.variables |= {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": f"{BASE}/v1"} | more


def test_an_env_file_wins_over_the_shell(home: LoneHome) -> None:
    conf(home, "model: openai/m")
    shell(home)
    home.write(".env", f"OPENAI_API_KEY={OTHER_KEY}\n")

    key = home.connection().key

    assert key is not None
    assert key.value.reveal() == OTHER_KEY
    assert (key.origin.path, key.origin.line) == (".env", 1)
    assert [shadow.origin.kind for shadow in key.shadows] == [OriginKind.ENVIRONMENT]


def test_the_env_file_of_the_git_root_wins_over_the_near_one(home: LoneHome) -> None:
    (home.cwd / ".git").mkdir()
    sub = home.cwd / "sub"
    sub.mkdir()
    home.write(".env", "OPENAI_API_BASE=http://root/v1\n")
    home.write("sub/.env", "OPENAI_API_BASE=http://near/v1\n")
    conf(home, "model: openai/m")
    environment = Environment({}, "linux", str(home.home), str(sub))
    machine = Machine.of(environment, Places.of(environment, str(home.cwd)))

    [candidate] = named("aider", machine).candidates

    assert candidate.connection.base_url.value == "http://root/v1"


def test_the_near_configuration_wins(home: LoneHome) -> None:
    conf(home, "model: openai/far", f"openai-api-base: {BASE}/v1", f"openai-api-key: {KEY}")
    home.write(".aider.conf.yml", "model: openai/near\n")

    connection = home.connection()

    assert connection.model is not None
    assert connection.model.value == "near"
    assert connection.model.origin.project
    assert [shadow.value for shadow in connection.model.shadows] == ["far"]
    assert connection.base_url.origin.path == CONF


def test_the_sdks_variable_wins_over_the_configuration(home: LoneHome) -> None:
    conf(home, "model: openai/m", "openai-api-base: http://conf/v1")
    home.variables["OPENAI_BASE_URL"] = "http://shell/v1"

    base = home.connection().base_url

    assert base.value == "http://shell/v1"
    assert [shadow.value for shadow in base.shadows] == ["http://conf/v1"]


def test_lists_of_keys_and_variables(home: LoneHome) -> None:
    conf(
        home,
        "model: openai/m",
        f"api-key: ['anthropic=sk-ant-made-up', 'openai={KEY}']",
        f"set-env: 'OPENAI_API_BASE={BASE}/v1'",
    )

    assert home.sent().url == f"{BASE}/v1/chat/completions"
    assert home.auth() == {"authorization": f"Bearer {KEY}"}


def test_anthropics_protocol(home: LoneHome) -> None:
    conf(home, "model: anthropic/claude-x", f"anthropic-api-key: {KEY}")
    home.variables["ANTHROPIC_BASE_URL"] = BASE

    connection = home.connection()

    assert connection.protocol is Protocol.ANTHROPIC_MESSAGES
    assert connection.auth.value is AuthHeader.X_API_KEY
    assert home.sent().url == f"{BASE}/v1/messages"


def test_parameters_of_the_model(home: LoneHome) -> None:
    conf(home, "model: openai/m")
    shell(home)
    entry = {"name": "openai/m", "extra_params": {"max_tokens": 7, "extra_headers": {"X-A": "1"}}}
    common = {"name": "aider/extra_params", "extra_params": {"extra_headers": {"X-B": "2"}}}
    home.write(".aider.model.settings.yml", [entry, common])

    sent = home.sent()

    assert sent.max_tokens == 7
    assert {name: value.reveal() for name, value in sent.headers.items()} == {
        "x-a": "1",
        "x-b": "2",
    }


def test_a_bare_name_is_refused(home: LoneHome) -> None:
    conf(home, "model: my-model")
    shell(home)

    [refused] = home.found().unsupported

    assert refused.fatal
    assert (refused.value, refused.replacement) == ("my-model", "openai/my-model")
    assert (refused.origin.path, refused.origin.line) == (CONF, 1)


@pytest.mark.parametrize(
    "model",
    ["gemini/gemini-2.5-pro", "deepseek", "deepseek-chat", "openrouter/x/y", "mistral-large"],
)
def test_another_vendors_model_is_not_its_business(model: str, home: LoneHome) -> None:
    conf(home, f"model: {model}")
    shell(home)

    found = home.discovered()

    assert found.candidates == []
    assert found.unsupported == []


def test_a_vendor_that_speaks_openais_protocol(home: LoneHome) -> None:
    conf(home, "model: groq/llama-3.1-8b")
    home.variables["GROQ_API_KEY"] = KEY

    sent = home.sent()

    assert (sent.url, sent.model) == (
        "https://api.groq.com/openai/v1/chat/completions",
        "llama-3.1-8b",
    )
    assert home.discovered().candidates == []


def test_a_vendors_key_alone_chooses_no_model(home: LoneHome) -> None:
    home.variables["OPENROUTER_API_KEY"] = KEY

    connection = home.connection()

    assert connection.base_url.value == "https://openrouter.ai/api/v1"
    assert connection.model is None


def test_without_a_model_the_key_decides(home: LoneHome) -> None:
    conf(home, "auto-commits: false")
    shell(home)

    assert home.sent().model == "gpt-4o"


def test_nothing_at_all_is_the_default(home: LoneHome) -> None:
    connection = home.connection()

    assert connection.base_url.origin.kind is OriginKind.DEFAULT
    assert (connection.key, connection.model) == (None, None)


def test_a_configuration_that_does_not_parse_is_a_problem(home: LoneHome) -> None:
    conf(home, "model: [openai")

    [problem] = home.found().problems

    assert problem.path == CONF
    assert problem.client == "aider"


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("http://h/v1", "/v1/chat/completions"),
        ("http://h/v1/", "/v1/chat/completions"),
        ("http://h/v1?utm=x", "/v1?utm=x/chat/completions"),
        (" http://h/v1", None),
    ],
)
def test_how_base_and_path_are_joined(base: str, path: str | None, home: LoneHome) -> None:
    conf(home, "model: openai/m")
    shell(home, OPENAI_API_BASE=base)

    assert home.sent().url == (None if path is None else f"http://h{path}")


def test_a_key_that_no_header_holds(home: LoneHome) -> None:
    conf(home, "model: openai/m")
    shell(home, OPENAI_API_KEY=f"{KEY}\n")

    sent = home.sent()

    assert sent.url is None
    assert sent.refusal == "Illegal header value"


def test_names_of_models() -> None:
    assert routed("openai/org/m").model == "org/m"
    assert routed("gpt-4o").family is OPENAI
    assert routed("claude-x").family is ANTHROPIC
    assert routed("bedrock/x").known
    assert not routed("qwen3-8b").known
