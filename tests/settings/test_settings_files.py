from __future__ import annotations

import pytest

from doctor.connection import Protocol
from doctor.facts.settings import Role
from doctor.secrets import Secret
from tests.settings.machine import KEY, Machine, key_of, sighting

SETTINGS_JSON = """\
{
  "llm": {
    "provider": "openai-compatible",
    "base_url": "https://taotoken.net/api",
    "api_key_env": "TAOTOKEN_API_KEY",
    "model": "your-target-model",
    "timeout_seconds": 120,
    "max_retries": 3
  },
  "inference": { "max_model_len": 8192, "gpu_memory_utilization": 0.92 }
}
"""
CONFIG_TOML = """\
[server]
host = "0.0.0.0"
api_base = "https://taotoken.net/api"
api_key_env = "TAOTOKEN_API_KEY"

[model]
name = "your-target-model"
max_model_len = 4096
"""
ROUTE = """\
{ "model_name": "qwen3-8b",
  "provider": "openai-compatible",
  "base_url": "http://gpu-7.example:8000/v1",
  "api_key": "EMPTY",
  "max_tokens": 32768,
  "timeout": 120 }
"""
SNIPPET = """\
{ "base_url": "https://taotoken.net/api",
  "api_key": "sk-你的Key",
  "model": "你的ModelID",
  "max_tokens": 1024,
  "temperature": 0.7 }
"""


def test_settings_json_of_the_guide(machine: Machine) -> None:
    found = machine.discover({"settings.json": SETTINGS_JSON}, {"TAOTOKEN_API_KEY": KEY})
    (target,) = found.targets
    made = target.connection
    assert target.id == "settings.json-llm"
    assert target.label == "settings.json (llm)"
    assert made.base_url.value == "https://taotoken.net/api"
    assert str(made.base_url.origin) == "llm.base_url, settings.json:4"
    assert key_of(made) == KEY
    assert made.key is not None
    assert str(made.key.origin) == "TAOTOKEN_API_KEY, environment"
    assert made.model is not None
    assert made.model.value == "your-target-model"
    for role, name in (
        (Role.KEY_VARIABLE, "llm.api_key_env"),
        (Role.TIMEOUT, "llm.timeout_seconds"),
        (Role.WINDOW, "inference.max_model_len"),
    ):
        assert sighting(found, role, name).in_effect_for == ("settings.json-llm",)


def test_config_toml_of_the_guide(machine: Machine) -> None:
    found = machine.discover({"config.toml": CONFIG_TOML})
    (target,) = found.targets
    made = target.connection
    assert str(made.base_url.origin) == "server.api_base, config.toml:3"
    assert made.key is None
    assert made.model is not None
    assert str(made.model.origin) == "model.name, config.toml:7"
    assert sighting(found, Role.WINDOW, "model.max_model_len").value == "4096"


def test_both_files_are_one_target(machine: Machine) -> None:
    found = machine.discover(
        {"settings.json": SETTINGS_JSON, "config.toml": CONFIG_TOML}, {"TAOTOKEN_API_KEY": KEY}
    )
    (target,) = found.targets
    for name in ("llm.base_url", "server.api_base"):
        assert sighting(found, Role.BASE_URL, name).in_effect_for == (target.id,)


def test_a_route_is_about_an_engine(machine: Machine) -> None:
    target = machine.only({"route.json": ROUTE})
    assert target.kind == "engine"
    made = target.connection
    assert key_of(made) == "EMPTY"
    assert made.max_tokens is not None
    assert made.max_tokens.value == 32768
    assert made.model is not None
    assert made.model.value == "qwen3-8b"


def test_a_client_snippet(machine: Machine) -> None:
    found = machine.discover({"client.json": SNIPPET})
    (target,) = found.targets
    assert target.kind == "gateway"
    assert key_of(target.connection) == "sk-你的Key"
    # A placeholder in a file exposes nothing.
    assert found.settings.secret_files == ()


@pytest.mark.parametrize(
    ("name", "text", "base", "model"),
    [
        (
            "cline-settings.json",
            '{"apiProvider": "openai", "openAiBaseUrl": "http://h:1", "openAiModelId": "m"}',
            "http://h:1",
            "m",
        ),
        (
            "config.toml",
            'openai_base_url = "https://h/v1/chat/completions"\nopenai_model_name = "m"\n',
            "https://h/v1/chat/completions",
            "m",
        ),
        (
            "config.yaml",
            "clients:\n- type: openai-compatible\n  name: local\n  api_base: http://h:8000/v1/\n",
            "http://h:8000/v1/",
            None,
        ),
        (
            "app.yml",
            "llm:\n  baseURL: https://h/v1\n  apiKey: sk-made0up\n  model: m\n",
            "https://h/v1",
            "m",
        ),
        (
            "litellm.yaml",
            "model_list:\n- model_name: a\n  litellm_params:\n    model: openai/m\n"
            "    api_base: http://h/v1\n    api_key: os.environ/K\n",
            "http://h/v1",
            "m",
        ),
    ],
)
def test_client_settings_of_many_kinds(
    machine: Machine, name: str, text: str, base: str, model: str | None
) -> None:
    made = machine.only({name: text}).connection
    assert made.base_url.value == base
    assert (made.model.value if made.model else None) == model


def test_an_anthropic_base_is_asked_as_anthropic(machine: Machine) -> None:
    made = machine.only({"a.json": '{"anthropicBaseUrl": "https://h"}'}).connection
    assert made.protocol is Protocol.ANTHROPIC_MESSAGES


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("settings.json", '{ // mine\n "editor.fontSize": 12, "workbench.colorTheme": "x", }'),
        ("settings.json", "this is not JSON"),
        ("settings.json", '[1, 2, {"a": null}]'),
        ("tsconfig.json", '{"compilerOptions": {"baseUrl": ".", "model": "x"}}'),
        ("config.toml", 'baseURL = "https://me.example/"\ntitle = "my blog"\n'),
        ("config.toml", 'base_url = "https://me.example"\ntheme = "x"\n'),
        ("cypress.json", '{"baseUrl": "http://localhost:3000"}'),
        ("values.yaml", "{{ if .x }}\nbase_url: {{ .y }}\n{{ end }}\n"),
        ("openapi.yaml", "openapi: 3.0.0\nservers:\n- url: https://api.example/v1\n"),
        ("config.json", '{"architectures": ["LlamaForCausalLM"], "num_attention_heads": 52}'),
        ("client.example.json", SNIPPET),
        ("package.json", '{"base_url": "https://h/v1", "model": "m"}'),
        (
            "channel.json",
            '{"type": 30, "base_url": "http://localhost:11434", "models": "m", "group": "default"}',
        ),
        (
            "channels.json",
            '{"data": [{"type": 1, "base_url": "https://h", "models": "m", "key": "made-up"}]}',
        ),
    ],
)
def test_files_of_others_say_nothing(machine: Machine, name: str, text: str) -> None:
    found = machine.discover({name: text})
    assert found.targets == ()
    assert found.settings.sightings == ()


@pytest.mark.parametrize(
    "text",
    [
        # A key or a model of something else.
        'weather: {api_url: "https://api.example/data/2.5", api_key: 0123456789abcdef}',
        'car: {type: made, model: "3", api_url: "https://owner.example/"}',
        'serving: {endpoint: "http://triton:8001", model_name: resnet50}',
        'api: {base_url: "http://localhost:8000", timeout: 30}',
        'camera: {model: m, api_key: k, endpoint: "rtsp://10.0.0.5/stream"}',
        'payments: {base_url: "https://api.payments.example/v1", api_key: sk_live_0123456789}',
        # Models that do not chat.
        'tts: {endpoint: "http://h:8880/v1", model: m, api_key: k}',
        'a: {endpoint: "http://h:8880/v1/audio/speech", model: m, api_key: k}',
        'rerank: {base_url: "http://h:8081/v1", model: m, api_key: k}',
        'vectors: {openai_base_url: "https://h/v1", model: text-embedding-3-small, api_key: k}',
        # The program takes its own address.
        '{base_url: "", api_key: "", model: ""}',
        '{openai_base_url: "", api_key: sk-made0up}',
        # Its own API of a vendor.
        'spring: {ai: {openai: {base-url: "https://api.openai.com", api-key: sk-made0up}}}',
        'g: {api_url: "https://generativelanguage.googleapis.com", api_key: k, model: m}',
        'mistral: {endpoint: "https://api.mistral.ai", api_key: k, model: m}',
        'cohere: {base_url: "https://api.cohere.com/v2", api_key: k, model: m}',
        'a: {endpoint: "https://bedrock-runtime.us-east-1.amazonaws.com", api_key: k, model: m}',
        'a: {base_url: "bedrock-runtime.us-west-2.amazonaws.com", api_key: bear, model: m}',
        'azure: {endpoint: "https://r.openai.azure.com/", api_key: k, model: m}',
        'a: {base_url: "https://r.openai.azure.com/openai/deployments/d", api_version: "1"}',
        # The key is kept elsewhere.
        'deepseek: {api_url: "https://api.deepseek.com"}',
        'anthropic: {api_url: "https://api.anthropic.com", model: m}',
    ],
)
def test_settings_of_other_programs_make_no_target(machine: Machine, text: str) -> None:
    assert machine.discover({"config.yaml": text}).targets == ()


@pytest.mark.parametrize(
    "text",
    [
        'a: {base_url: "https://h", api_key: sk-made0up0123}',
        '{base_url: "https://h/v1", api_key: made-up}',
        'a: {base_url: "https://h/v1", model: m}',
        'a: {base_url: "https://h", model: gpt-4o}',
        'a: {base_url: "https://h", api_key: k, model: m}',
        'llm: {base_url: "https://h", api_key: k}',
        'mistral: {base_url: "https://api.mistral.ai/v1", api_key: k, model: m}',
        'g: {base_url: "https://generativelanguage.googleapis.com/v1beta/openai/", api_key: k}',
    ],
)
def test_a_sign_that_it_is_about_models_is_enough(machine: Machine, text: str) -> None:
    assert len(machine.discover({"config.yaml": text}).targets) == 1


def test_a_block_that_names_no_key_takes_its_providers_variable(machine: Machine) -> None:
    text = '{"a": {"base_url": "https://api.deepseek.com", "model": "m"}}'
    made = machine.only({"a.json": text, ".env": f"DEEPSEEK_API_KEY={KEY}\n"}).connection
    assert key_of(made) == KEY


@pytest.mark.parametrize(
    "text",
    [
        'ollama: {base_url: "http://localhost:11434", model: qwen3}',
        'llm: {provider: ollama, config: {base_url: "http://localhost:11434", model: qwen3}}',
    ],
)
def test_ollama_by_what_stands_around(machine: Machine, text: str) -> None:
    made = machine.only({"a.yaml": text}).connection
    assert made.base_url.value == "http://localhost:11434/v1"


@pytest.mark.parametrize("name", ["anthropic", "claude", "a"])
def test_anthropics_bare_host_is_asked_in_its_own_way(machine: Machine, name: str) -> None:
    text = f'{name}: {{base_url: "https://api.anthropic.com", api_key: sk-ant-made0up}}'
    made = machine.only({"a.yaml": text}).connection
    assert made.protocol is Protocol.ANTHROPIC_MESSAGES


def test_a_client_file_that_does_not_parse_is_told(machine: Machine) -> None:
    found = machine.discover({"settings.json": SETTINGS_JSON.replace('api",', 'api"')})
    assert found.targets == ()
    (problem,) = found.settings.problems
    assert (problem.path, problem.line) == ("settings.json", 5)


def test_files_of_others_that_do_not_parse_are_not(machine: Machine) -> None:
    assert machine.discover({"settings.json": "{,"}).settings.problems == ()


@pytest.mark.parametrize("form", ["${MY_KEY}", "$MY_KEY", "{env:MY_KEY}", "os.environ/MY_KEY"])
def test_references_to_variables(machine: Machine, form: str) -> None:
    text = f'{{"base_url": "https://h/v1", "model": "m", "api_key": "{form}"}}'
    found = machine.discover({"a.json": text}, {"MY_KEY": KEY})
    made = found.targets[0].connection
    assert key_of(made) == KEY
    assert made.key is not None
    assert not made.key.origin.project
    assert sighting(found, Role.KEY_VARIABLE, "api_key").value == "MY_KEY"


def test_a_reference_that_nobody_here_can_fill_in_is_no_value(machine: Machine) -> None:
    text = '{"base_url": "https://h/v1", "model": "m", "api_key": "${{ secrets.KEY }}"}'
    found = machine.discover({"a.json": text})
    assert found.targets[0].connection.key is None
    assert not [s for s in found.settings.sightings if s.role in (Role.KEY, Role.KEY_VARIABLE)]


def test_a_key_where_a_variables_name_belongs_is_not_shown(machine: Machine) -> None:
    text = SETTINGS_JSON.replace("TAOTOKEN_API_KEY", KEY)
    found = machine.discover({"settings.json": text})
    assert isinstance(sighting(found, Role.KEY_VARIABLE, "llm.api_key_env").value, Secret)
    assert Secret(KEY) in found.secrets
    assert KEY not in repr(found)
    assert found.targets[0].connection.key is None


@pytest.mark.parametrize("name", ["api_key", "apiKey", "APIKEY", "ApiKey", "api-key"])
def test_names_in_any_spelling(machine: Machine, name: str) -> None:
    text = f'{{"API_URL": "https://h.example/v1", "{name}": "{KEY}", "Model": "m"}}'
    assert key_of(machine.only({"a.json": text}).connection) == KEY


def test_settings_under_a_prefix_of_the_programs_own(machine: Machine) -> None:
    text = (
        '{"aiProvider": "openai-compatible", "openaiCompatBaseUrl": "https://h.example/v1",'
        f' "openaiCompatModel": "m", "openaiCompatApiKey": "{KEY}"}}'
    )
    made = machine.only({"addon.json": text}).connection
    assert made.base_url.value == "https://h.example/v1"
    assert str(made.base_url.origin) == "openaiCompatBaseUrl, addon.json:1"
    assert key_of(made) == KEY
    assert made.model is not None
    assert made.model.value == "m"


@pytest.mark.parametrize(
    "text",
    [
        # Switched off: no key.
        '{"openaiCompatBaseUrl": "https://h.example/v1", "openaiCompatApiKey": ""}',
        # Not a model that chats, or no model at all.
        '{"llmEmbeddingBaseUrl": "https://h.example/v1", "llmEmbeddingApiKey": "made-up-0"}',
        '{"openaiTtsBaseUrl": "https://h.example", "openaiTtsApiKey": "made-up-0"}',
        '{"trackerBaseUrl": "https://h.example", "trackerApiKey": "made-up-0"}',
    ],
)
def test_prefixes_that_are_no_model_in_use(machine: Machine, text: str) -> None:
    assert machine.discover({"a.json": text}).targets == ()


CHOSEN = '[llm]\nprovider = "openrouter"\nmodel = "maker/m"\napi_key_env = "OPENROUTER_API_KEY"\n'


@pytest.mark.parametrize("name", ["provider", "backend", "apiProvider", "model_provider"])
def test_a_provider_chosen_by_its_name_is_asked_at_its_own_address(
    machine: Machine, name: str
) -> None:
    text = CHOSEN.replace("provider", name, 1)
    made = machine.only({"config.toml": text}, {"OPENROUTER_API_KEY": KEY}).connection
    assert made.base_url.value == "https://openrouter.ai/api/v1"
    assert key_of(made) == KEY
    assert made.model is not None
    assert made.model.value == "maker/m"


def test_the_variable_of_the_only_provider_that_is_chosen_may_be_missing(machine: Machine) -> None:
    assert machine.only({"config.toml": CHOSEN}).connection.key is None


@pytest.mark.parametrize(
    "text",
    [
        # One of several, and its key is not here.
        CHOSEN + CHOSEN.replace("llm", "other").replace("OPENROUTER", "MY"),
        # No model, no key, a provider that nobody knows, one on this machine.
        CHOSEN.replace("model =", "mode ="),
        CHOSEN.replace("api_key_env", "key_hint"),
        CHOSEN.replace('"openrouter"', '"aws"'),
        CHOSEN.replace('"openrouter"', '"ollama"'),
        # Google's own API is not asked in OpenAI's way.
        CHOSEN.replace('"openrouter"', '"gemini"'),
    ],
)
def test_a_name_that_chooses_nothing_to_ask(machine: Machine, text: str) -> None:
    assert machine.discover({"config.toml": text}).targets == ()


def test_a_variable_that_moves_the_chosen_provider_counts(machine: Machine) -> None:
    variables = {"OPENAI_BASE_URL": "https://h.example/v1", "OPENAI_API_KEY": KEY}
    text = CHOSEN.replace("openrouter", "openai").replace("OPENROUTER", "OPENAI")
    made = machine.only({"config.toml": text}, variables).connection
    assert made.base_url.value == "https://h.example/v1"


@pytest.mark.parametrize("name", ["azure_deployment", "api_version", "deploymentName"])
def test_a_client_of_azures_own_api_takes_the_bare_host(machine: Machine, name: str) -> None:
    text = f"azure:\n  base_url: https://r.openai.azure.com/\n  api_key: {KEY}\n  {name}: made-up\n"
    assert machine.discover({"agent.yaml": text}).targets == ()
    text = text.replace(name, "model")
    assert len(machine.discover({"agent.yaml": text}).targets) == 1


def test_ollama_is_asked_below_v1(machine: Machine) -> None:
    target = machine.only({"a.yaml": "provider: ollama\napiBase: http://localhost:11434\n"})
    assert target.connection.base_url.value == "http://localhost:11434/v1"


def test_a_terminal_escape_in_a_name_is_harmless(machine: Machine) -> None:
    text = '{"\\u001b[31m": {"base_url": "https://h/v1", "model": "m"}}'
    found = machine.discover({"a.json": text})
    assert "\x1b" not in found.targets[0].label
    assert "\x1b" not in str(found.targets[0].connection.base_url.origin)


@pytest.mark.parametrize("name", ["llm_provider", "ai_provider", "provider"])
def test_a_provider_beside_an_address_says_the_protocol(machine: Machine, name: str) -> None:
    key = "sk-made0up0made0up0made0up0made0up"
    text = (
        f"{name}: anthropic\nllm_base_url: http://relay.example.com/api\napi_key: {key}\nmodel: m\n"
    )
    target = machine.only({"app.yaml": text})
    assert target.connection.protocol is Protocol.ANTHROPIC_MESSAGES
