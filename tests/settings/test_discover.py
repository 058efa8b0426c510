"""Targets from variables: which there are, which value wins, what it shadows."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.connection import AuthHeader, OriginKind, Protocol
from doctor.facts.settings import Role
from doctor.secrets import Redactor, Secret
from doctor.settings.discover import Discovery
from tests.settings.machine import KEY, OTHER_KEY, Machine, key_of, sighting

BASE = "https://gateway.example/v1"


def ids(found: Discovery) -> list[str]:
    return [target.id for target in found.targets]


def test_nothing_found(machine: Machine) -> None:
    found = machine.discover(variables={"PATH": "/bin", "LANG": "C", "EDITOR": "vi"})
    assert found.targets == ()
    assert found.settings.sightings == ()
    assert found.settings.problems == ()
    assert found.notes == ()


def test_a_folder_that_is_gone_is_no_crash(machine: Machine) -> None:
    machine.cwd.rmdir()
    assert machine.discover().targets == ()


def test_openai_sdk(machine: Machine) -> None:
    target = machine.only(
        variables={
            "OPENAI_BASE_URL": BASE,
            "OPENAI_API_KEY": KEY,
            "OPENAI_MODEL": "m",
            "OPENAI_MAX_TOKENS": "512",
        }
    )
    made = target.connection
    assert (target.id, target.label, target.kind, made.client) == (
        "openai-sdk",
        "environment",
        "gateway",
        "openai-sdk",
    )
    assert made.protocol is Protocol.OPENAI_CHAT
    assert (made.base_url.value, str(made.base_url.origin)) == (
        BASE,
        "OPENAI_BASE_URL, environment",
    )
    assert key_of(made) == KEY
    assert made.model is not None
    assert made.max_tokens is not None
    assert (made.model.value, made.max_tokens.value) == ("m", 512)
    assert made.base_url.shadows == ()


def test_a_key_alone_goes_where_the_sdk_goes(machine: Machine) -> None:
    made = machine.only(variables={"OPENAI_API_KEY": KEY}).connection
    assert made.base_url.value == "https://api.openai.com/v1"
    assert made.base_url.origin.kind is OriginKind.DEFAULT


def test_an_empty_key_is_a_key_and_an_empty_base_is_a_base(machine: Machine) -> None:
    found = machine.discover(variables={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""})
    made = found.targets[0].connection
    assert key_of(made) == ""
    assert made.base_url.value == ""
    assert sighting(found, Role.KEY, "OPENAI_API_KEY").value == Secret("")


def test_an_empty_base_alone_is_nothing(machine: Machine) -> None:
    assert machine.discover(variables={"OPENAI_BASE_URL": ""}).targets == ()


def test_api_base_is_meant_where_it_stands_alone(machine: Machine) -> None:
    made = machine.only(variables={"OPENAI_API_BASE": BASE, "OPENAI_API_KEY": KEY}).connection
    assert (made.base_url.value, made.base_url.origin.name) == (BASE, "OPENAI_API_BASE")


def test_api_base_is_shadowed_where_both_are_set(machine: Machine) -> None:
    found = machine.discover(
        variables={
            "OPENAI_BASE_URL": BASE,
            "OPENAI_API_BASE": "https://old.example/v1",
            "OPENAI_API_KEY": KEY,
        }
    )
    base = found.targets[0].connection.base_url
    assert base.value == BASE
    assert [(s.value, s.origin.name) for s in base.shadows] == [
        ("https://old.example/v1", "OPENAI_API_BASE")
    ]
    assert sighting(found, Role.BASE_URL, "OPENAI_API_BASE").in_effect_for == ()
    assert sighting(found, Role.BASE_URL, "OPENAI_BASE_URL").in_effect_for == ("openai-sdk",)


def test_the_shell_wins_over_the_env_file(machine: Machine) -> None:
    found = machine.discover(
        {".env": f"OPENAI_API_KEY={OTHER_KEY}\nOPENAI_BASE_URL={BASE}\n"},
        {"OPENAI_API_KEY": KEY},
    )
    made = found.targets[0].connection
    assert made.key is not None
    assert made.key.value == Secret(KEY)
    assert [(s.value, str(s.origin)) for s in made.key.shadows] == [
        (Secret(OTHER_KEY), "OPENAI_API_KEY, .env:1")
    ]
    assert str(made.base_url.origin) == "OPENAI_BASE_URL, .env:2"
    assert made.base_url.origin.project
    assert found.targets[0].label == ".env"
    keys = [s for s in found.settings.sightings if s.role is Role.KEY]
    assert {(str(s.origin), s.in_effect_for) for s in keys} == {
        ("OPENAI_API_KEY, environment", ("openai-sdk",)),
        ("OPENAI_API_KEY, .env:1", ()),
    }


def test_a_local_env_file_counts_where_there_is_no_other(machine: Machine) -> None:
    local = f"OPENAI_API_KEY={OTHER_KEY}\n"
    target = machine.only({".env.local": local}, {"OPENAI_API_KEY": KEY})

    key = target.connection.key
    assert key is not None
    assert [str(lost.origin) for lost in key.shadows] == ["OPENAI_API_KEY, .env.local:1"]

    both = machine.only({".env": f"OPENAI_API_KEY={KEY}\n"}).connection.key
    assert both is not None
    assert [str(lost.origin) for lost in both.shadows] == ["OPENAI_API_KEY, .env:1"]


def test_of_two_lines_with_one_name_the_later_wins(machine: Machine) -> None:
    made = machine.only({".env": f"OPENAI_API_KEY={KEY}\nOPENAI_API_KEY={OTHER_KEY}\n"}).connection
    assert made.key is not None
    assert (made.key.value, made.key.origin.line) == (Secret(OTHER_KEY), 2)
    assert [(s.value, s.origin.line) for s in made.key.shadows] == [(Secret(KEY), 1)]


def test_a_value_seen_keeps_its_text_in_the_file(machine: Machine) -> None:
    found = machine.discover({".env": f"OPENAI_BASE_URL='{BASE}' # ours\r\nOPENAI_API_KEY=x\r\n"})
    seen = sighting(found, Role.BASE_URL, "OPENAI_BASE_URL")
    assert (seen.value, seen.raw) == (BASE, f"'{BASE}' # ours")
    assert found.settings.env_files[0].crlf


def test_a_name_that_a_bom_swallows_is_not_found(machine: Machine) -> None:
    found = machine.discover({".env": f"\ufeffOPENAI_API_KEY={KEY}\nOPENAI_BASE_URL={BASE}\n"})
    assert found.targets[0].connection.key is None
    assert found.settings.env_files[0].bom


@pytest.mark.parametrize("folder", [".venv/lib/python3.12", ".venv/Lib", "venv/lib/python3.11"])
def test_a_new_python_dotenv_bears_a_bom(machine: Machine, folder: str) -> None:
    machine.write(f"{folder}/site-packages/python_dotenv-1.2.4.dist-info/METADATA", "")
    made = machine.only({".env": f"\ufeffOPENAI_API_KEY={KEY}\n"}).connection
    assert key_of(made) == KEY


def test_of_two_python_dotenvs_the_older_counts(machine: Machine) -> None:
    for version in ("1.0.1", "1.2.4"):
        name = f"python_dotenv-{version}.dist-info/METADATA"
        machine.write(f".venv/lib/python3.{version[-1]}/site-packages/{name}", "")
    found = machine.discover({".env": f"\ufeffOPENAI_API_KEY={KEY}\nOPENAI_MODEL=m\n"})
    assert [target.connection.key for target in found.targets] == [None]


@pytest.mark.parametrize(
    ("line", "client"),
    [
        (f"\ufeffANTHROPIC_API_KEY={KEY}", "anthropic-sdk"),
        (f"\ufeffOPENAI_API_KEY={KEY}", "openai-sdk"),
        (f"$env:OPENAI_API_KEY='{KEY}'", "openai-sdk"),
    ],
)
def test_a_name_that_its_reader_misreads_is_examined_all_the_same(
    machine: Machine, line: str, client: str
) -> None:
    made = machine.only({".env": line + "\n"}).connection

    assert (made.client, made.key) == (client, None)


def test_an_empty_variable_of_the_shell_hides_the_key_of_the_file(machine: Machine) -> None:
    env = {".env": f"ANTHROPIC_API_KEY={KEY}\n"}
    made = machine.only(env, {"ANTHROPIC_API_KEY": ""}).connection

    assert key_of(made) == ""
    assert made.key is not None
    assert str(made.key.shadows[0].origin) == "ANTHROPIC_API_KEY, .env:1"


def test_an_empty_anthropic_key_does_not_hide_the_token(machine: Machine) -> None:
    made = machine.only(variables={"ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": KEY}).connection

    assert key_of(made) == KEY


def test_a_key_goes_to_no_other_address_than_the_one_beside_it(machine: Machine) -> None:
    """Google's own clients take this address; what they speak is not asked for."""
    found = machine.discover(
        variables={
            "GEMINI_API_KEY": KEY,
            "GEMINI_BASE_URL": "https://relay.example/v1beta",
        }
    )

    assert found.targets == ()


def test_the_compatible_address_of_google_is_examined(machine: Machine) -> None:
    base = "https://generativelanguage.googleapis.com/v1beta/openai"
    made = machine.only(variables={"GEMINI_API_KEY": KEY, "GEMINI_BASE_URL": base}).connection

    assert made.base_url.value == base


def test_windows_paths_survive(machine: Machine) -> None:
    env = 'CERT=C:\\Users\\me\\new.pem\nOPENAI_BASE_URL="https://h\\v1"\nOPENAI_API_KEY=x\n'
    made = machine.only({".env": env}).connection
    assert made.base_url.value == "https://h\v1"  # what python-dotenv makes of \v in quotes


def test_anthropic_token_travels_as_bearer(machine: Machine) -> None:
    found = machine.discover(
        variables={
            "ANTHROPIC_BASE_URL": "https://taotoken.net/api",
            "ANTHROPIC_AUTH_TOKEN": KEY,
            "ANTHROPIC_MODEL": "m",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "32000",
        }
    )
    (target,) = found.targets
    made = target.connection
    assert (target.id, made.client, made.protocol) == (
        "anthropic-sdk",
        "anthropic-sdk",
        Protocol.ANTHROPIC_MESSAGES,
    )
    assert made.auth.value is AuthHeader.BEARER
    assert made.auth.origin.name == "ANTHROPIC_AUTH_TOKEN"
    assert made.max_tokens is not None
    assert made.max_tokens.value == 32000


def test_anthropic_key_wins_over_the_token(machine: Machine) -> None:
    made = machine.only(
        variables={"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_AUTH_TOKEN": OTHER_KEY}
    ).connection
    assert made.key is not None
    assert made.key.value == Secret(KEY)
    assert [s.value for s in made.key.shadows] == [Secret(OTHER_KEY)]
    assert made.auth.origin.kind is OriginKind.DEFAULT
    assert made.base_url.value == "https://api.anthropic.com"


def test_a_providers_key_alone(machine: Machine) -> None:
    target = machine.only(variables={"TAOTOKEN_API_KEY": KEY, "TAOTOKEN_MODEL": "m"})
    made = target.connection
    assert (target.id, target.label) == ("taotoken", "TaoToken")
    assert made.base_url.value == "https://taotoken.net/api/v1"
    assert made.base_url.origin.kind is OriginKind.PROVIDER
    assert made.model is not None
    assert (made.model.value, made.model.shadows) == ("m", ())


def test_a_provider_beside_the_sdks_own_variables_is_only_seen(machine: Machine) -> None:
    found = machine.discover(variables={"DEEPSEEK_API_KEY": OTHER_KEY, "OPENAI_API_KEY": KEY})
    assert ids(found) == ["openai-sdk"]
    seen = sighting(found, Role.KEY, "DEEPSEEK_API_KEY")
    assert (seen.provider, seen.in_effect_for) == ("deepseek", ())


def test_a_base_at_a_provider_takes_that_providers_key(machine: Machine) -> None:
    made = machine.only(
        variables={"OPENAI_BASE_URL": "https://taotoken.net/api/v1", "TAOTOKEN_API_KEY": KEY}
    ).connection
    assert key_of(made) == KEY
    assert made.key is not None
    assert made.key.origin.name == "TAOTOKEN_API_KEY"


def test_a_key_never_goes_to_another_providers_base(machine: Machine) -> None:
    made = machine.only(variables={"OPENAI_BASE_URL": BASE, "TAOTOKEN_API_KEY": KEY}).connection
    assert made.key is None


def test_a_provider_with_its_own_base(machine: Machine) -> None:
    target = machine.only(
        variables={"TAOTOKEN_API_KEY": KEY, "TAOTOKEN_BASE_URL": "http://127.0.0.1:9/api/v1"}
    )
    assert target.id == "taotoken"
    assert target.connection.base_url.origin.name == "TAOTOKEN_BASE_URL"


def test_an_empty_providers_key_counts_where_there_is_nothing_else(machine: Machine) -> None:
    variables = {"TAOTOKEN_API_KEY": ""}
    assert key_of(machine.only(variables=variables).connection) == ""
    found = machine.discover(variables=variables | {"DEEPSEEK_API_KEY": KEY})
    assert ids(found) == ["deepseek"]


@pytest.mark.parametrize(
    ("variables", "identity"),
    [
        ({"LLM_BASE_URL": BASE, "LLM_API_KEY": "x", "LLM_MODEL": "m"}, "llm"),
        ({"MY_API_BASE": BASE, "MY_API_TOKEN": "x", "MY_MODEL_NAME": "m"}, "my"),
        ({"TEST_BASE_URL": "http://127.0.0.1:12345", "TEST_API_KEY": "sk-right"}, "test"),
        ({"SHOP_API_URL": BASE, "SHOP_API_KEY": KEY}, "shop"),
        ({"CHAT_BASE_URL": BASE, "CHAT_API_KEY": "x"}, "chat"),
        ({"X_BASE_URL": "https://api.deepseek.com", "X_API_KEY": "x"}, "x"),
        ({"BASE_URL": BASE, "API_KEY": "x", "MODEL": "m"}, "app"),
    ],
)
def test_an_applications_own_names(
    machine: Machine, variables: dict[str, str], identity: str
) -> None:
    target = machine.only(variables=variables)
    assert target.id == identity
    assert target.connection.client == "openai-sdk"


@pytest.mark.parametrize(
    "variables",
    [
        {"JIRA_BASE_URL": "https://x.atlassian.net", "JIRA_API_TOKEN": "abcdef0123456789"},
        {"STRIPE_API_BASE": "https://api.stripe.com/v1", "STRIPE_API_KEY": "sk_test_0123456789"},
        {"GITHUB_API_URL": "https://api.github.com", "GITHUB_TOKEN": "ghp_0123456789"},
        {"DATABASE_URL": "postgres://u:p@h/d", "SECRET_KEY": "x"},
        {"VITE_API_URL": "http://localhost:3000"},
        {"API_URL": "https://shop.example/v1", "MODEL": "production"},
        {"APP_BASE_URL": "https://app.example", "APP_KEY": "base64:x"},
        {"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com", "AZURE_OPENAI_API_KEY": "x"},
        {"HF_TOKEN": "hf_0123456789"},
        # What a developer runs beside it.
        {"SEARCH_API_URL": "http://localhost:7700", "SEARCH_API_KEY": "abcdef0123456789"},
        {"CMS_ENDPOINT": "http://127.0.0.1:8000", "CMS_API_TOKEN": "abcdef0123456789"},
        {"BASE_URL": "http://localhost:3000", "MODEL": "prod"},
        {"API_URL": "https://api.example", "API_KEY": "abcdef", "MODEL": "prod"},
        # Models that do not chat.
        {"EMBEDDING_BASE_URL": "http://localhost:8080", "EMBEDDING_MODEL": "m"},
        {"LLM_BASE_URL": "https://h/v1", "LLM_API_KEY": "x", "LLM_MODEL": "text-embedding-3-small"},
        # A vendor's own API.
        {"LLM_PROVIDER": "azure", "LLM_BASE_URL": "https://r.openai.azure.com", "LLM_API_KEY": "x"},
        {"LLM_PROVIDER": "gemini", "LLM_API_URL": "https://h.example", "LLM_API_KEY": "x"},
        # Goose.
        {"OPENAI_HOST": "https://h.example/api", "OPENAI_API_KEY": KEY},
    ],
)
def test_services_that_are_no_models_are_never_asked(
    machine: Machine, variables: dict[str, str]
) -> None:
    assert machine.discover(variables=variables).targets == ()


@pytest.mark.parametrize("kind", ["azure", "azure_ad"])
def test_variables_of_azures_own_api_make_no_target(machine: Machine, kind: str) -> None:
    azure = {
        "OPENAI_API_TYPE": kind,
        "OPENAI_API_BASE": "https://r.openai.azure.com/",
        "OPENAI_API_VERSION": "2023-05-15",
        "OPENAI_API_KEY": KEY,
    }
    assert machine.discover(variables=azure).targets == ()
    assert ids(machine.discover(variables=azure | {"OPENAI_BASE_URL": "https://h/v1"})) == [
        "openai-sdk"
    ]


def test_two_families_are_two_targets_and_one_address_is_one(machine: Machine) -> None:
    found = machine.discover(
        variables={
            "OPENAI_API_KEY": KEY,
            "TEST_BASE_URL": "http://127.0.0.1:12345",
            "TEST_API_KEY": OTHER_KEY,
        }
    )
    assert ids(found) == ["openai-sdk", "test"]


def test_the_same_connection_under_two_names_is_one_target(machine: Machine) -> None:
    found = machine.discover(
        variables={
            "OPENAI_BASE_URL": BASE,
            "OPENAI_API_KEY": KEY,
            "LLM_BASE_URL": BASE,
            "LLM_API_KEY": KEY,
            "LLM_MODEL": "m",
        }
    )
    assert ids(found) == ["openai-sdk"]
    model = found.targets[0].connection.model
    assert model is not None
    assert model.value == "m"
    assert sighting(found, Role.KEY, "LLM_API_KEY").in_effect_for == ("openai-sdk",)


def test_a_family_names_its_provider(machine: Machine) -> None:
    target = machine.only(
        {".env": "LLM_PROVIDER=anthropic\nLLM_MODEL=# optional\n"}, {"LLM_API_KEY": "x"}
    )
    assert target.connection.base_url.value == "https://api.anthropic.com"
    assert target.connection.protocol is Protocol.ANTHROPIC_MESSAGES
    assert target.connection.model is not None
    assert target.connection.model.value == "# optional"


@pytest.mark.parametrize(
    ("provider", "base", "asked", "protocol"),
    [
        ("ollama", "http://localhost:11434", "http://localhost:11434/v1", Protocol.OPENAI_CHAT),
        ("anthropic", "https://h.example", "https://h.example", Protocol.ANTHROPIC_MESSAGES),
        ("openai", "https://h.example", "https://h.example", Protocol.OPENAI_CHAT),
    ],
)
def test_a_family_with_an_address_is_asked_as_its_provider_is(
    machine: Machine, provider: str, base: str, asked: str, protocol: Protocol
) -> None:
    variables = {"LLM_PROVIDER": provider, "LLM_BASE_URL": base, "LLM_MODEL": "m"}
    made = machine.only(variables=variables).connection
    assert (made.base_url.value, made.protocol) == (asked, protocol)


def test_a_general_model_is_taken_only_where_it_is_surely_meant(machine: Machine) -> None:
    made = machine.only(
        variables={"OPENAI_BASE_URL": BASE, "OPENAI_API_KEY": KEY, "MODEL": "ThinkPad"}
    ).connection
    assert made.model is None
    machine.variables.pop("MODEL")
    assert machine.only({".env": "MODEL=m\n"}).connection.model is not None


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("https://ollama.example", "https://ollama.example:443/v1"),
    ],
)
def test_ollama(machine: Machine, host: str, base: str) -> None:
    target = machine.only(variables={"OLLAMA_HOST": host})
    assert (target.id, target.kind, target.connection.base_url.value) == ("ollama", "engine", base)


def test_a_budget_that_is_no_number_is_seen_and_not_used(machine: Machine) -> None:
    found = machine.discover(variables={"OPENAI_API_KEY": KEY, "OPENAI_MAX_TOKENS": "many"})
    assert found.targets[0].connection.max_tokens is None
    assert sighting(found, Role.MAX_TOKENS, "OPENAI_MAX_TOKENS").value == "many"


def test_ids_do_not_depend_on_what_else_is_there(machine: Machine) -> None:
    variables = {"LLM_BASE_URL": BASE, "LLM_API_KEY": KEY}
    before = ids(machine.discover(variables=variables))
    after = ids(
        machine.discover({"kvdoctor.toml": '[targets.a]\nbase_url = "https://a.example"\n'})
    )
    assert before == ["llm"]
    assert after == ["a", "llm"]


def test_every_secret_is_handed_out_for_the_redactor(machine: Machine, tmp_path: Path) -> None:
    found = machine.discover(
        {
            ".env": f'OPENAI_API_KEY="{KEY}"\nOPENAI_BASE_URL=sk-in-the-wrong-place-0123456789\n',
            "a.json": '{"base_url": "https://h/v1", "api_key": "made-up-key-of-a-json-file"}',
        },
        {
            "OPENAI_CUSTOM_HEADERS": "X-A: b\nAuthorization: Bearer header-0123456789",
            "DB_PASSWORD": "correct-horse-1234",
            "SORT_KEY": "production-mode",
        },
    )
    redactor = Redactor()
    for secret in found.secrets:
        redactor.learn(secret)
    for text in (
        KEY,
        "sk-in-the-wrong-place-0123456789",
        "made-up-key-of-a-json-file",
        "header-0123456789",
        "correct-horse-1234",
    ):
        assert text not in redactor(f"<{text}>")
    assert redactor("production-mode") == "production-mode"
    assert KEY not in repr(found)


def test_the_users_own_choice_stays_his_though_a_project_says_the_same(machine: Machine) -> None:
    text = (
        f'[targets.x]\nbase_url = "{BASE}"\nkey_env = "OPENAI_API_KEY"\nca_bundle = "ca.pem"\n'
        'model = "m"\n'
    )
    variables = {"OPENAI_BASE_URL": BASE, "OPENAI_API_KEY": KEY}
    made = machine.only({"kvdoctor.toml": text}, variables).connection
    assert made.base_url.origin.name == "OPENAI_BASE_URL"
    assert made.ca_bundle is None
    assert made.model is not None
