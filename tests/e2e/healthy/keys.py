"""Keys of every sound shape, from every sound place."""

from __future__ import annotations

from doctor.demo.keys import GOOD, MASTER
from doctor.demo.litellm import LiteLlm
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import Key, NewApiConfig, Variant

from .scene import GATEWAY_MODEL, KEY, MODEL, Scene, healthy

_SHAPES = {
    "with_hyphens": "sk-proj-made0up-made0up-made0up-made0up-made0up",
    "with_underscores": "sk-proj-made_0up_made_0up_made_0up_made_0up_T3Blbk",
    "with_dots": "made0up0made0up0.made0up0made0up0",
    "of_base64": "bWFkZSB1cCBtYWRlIHVwIG1hZGUgdXA+/bWFkZSB1cA==",
    "of_a_uuid": "00000000-1111-2222-3333-444444444444",
    "a_jwt": "eyJhbGciOiJub25lIn0." + "bWFkZSB1cC" * 60 + ".bWFkZSB1cCBtYWRlIHVw",
    "without_prefix": "0123456789abcdef0123456789abcdef",
    "all_capitals": "MADEUP0MADEUP0MADEUP0MADEUP0",
    "short": "s3cret-made-up",
    "with_a_hash": "made0up#made0up0made0up0",
    "with_a_dollar": "made0up$made0up0made0up0",
    "with_a_percent": "made%20up0made0up0made0up",
    "with_a_colon": "id-made0up:secret0made0up0made0up",
}


def _of_shape(key: str) -> None:
    def build(s: Scene) -> None:
        s.shell(f"{s.api(key=key).origin}/v1", key)

    build.__name__ = f"key_{next(n for n, k in _SHAPES.items() if k == key)}"
    healthy()(build)


for _key in _SHAPES.values():
    _of_shape(_key)

_KEYLESS = (
    "EMPTY",
    "ollama",
    "none",
    "not-needed",
    "dummy",
    "lm-studio",
    "sk-no-key-required",
    "x",
)


def _keyless(word: str) -> None:
    def build(s: Scene) -> None:
        s.shell(f"{s.engine().origin}/v1", word)

    build.__name__ = f"keyless_{word.replace('-', '_')}"
    healthy()(build)


for _word in _KEYLESS:
    _keyless(_word)


@healthy()
def keyless_target_of_ones_own(s: Scene) -> None:
    s.machine.write(
        "kvdoctor.toml",
        f'[targets.lab]\nbase_url = "{s.engine().origin}/v1"\nkind = "engine"\nmodel = "{MODEL}"\n',
    )


@healthy()
def keyless_server_and_a_real_key(s: Scene) -> None:
    s.shell(f"{s.engine().origin}/v1")


@healthy()
def master_key_of_litellm(s: Scene) -> None:
    s.shell(f"{s.stage.open(LiteLlm()).origin}/v1", MASTER)


@healthy()
def admin_key_with_a_channel(s: Scene) -> None:
    keys = (Key(GOOD, admin=True),)
    server = s.gateway(keys=keys)
    s.at_gateway(server)
    s.machine.variables["OPENAI_API_KEY"] = f"{GOOD}-7"


@healthy()
def from_stdin(s: Scene) -> tuple[str, ...]:
    base = f"{s.api(key=KEY).origin}/v1"
    s.machine.stdin = f"{KEY}\n".encode()
    return ("--base-url", base, "--key-stdin", "--model", MODEL)


@healthy()
def from_a_file(s: Scene) -> tuple[str, ...]:
    s.machine.write("~/.secrets/llm", KEY + "\n", 0o600)
    base = f"{s.api(key=KEY).origin}/v1"
    return ("--base-url", base, "--key-file", "~/.secrets/llm", "--model", MODEL)


@healthy()
def from_a_file_of_windows(s: Scene) -> tuple[str, ...]:
    s.machine.write("key.txt", KEY + "\r\n", 0o600)
    base = f"{s.api(key=KEY).origin}/v1"
    return ("--base-url", base, "--key-file", "key.txt", "--model", MODEL)


@healthy()
def from_a_variable_of_any_name(s: Scene) -> tuple[str, ...]:
    s.machine.variables["SHOP_SECRET"] = KEY
    base = f"{s.api(key=KEY).origin}/v1"
    return ("--base-url", base, "--key-env", "SHOP_SECRET", "--model", MODEL)


@healthy(targets=3)
def several_targets_of_ones_own(s: Scene) -> None:
    gateway, engine, proxy = s.gateway(), s.engine(), s.stage.open(LiteLlm())
    s.machine.variables |= {"SHOP_KEY": GOOD, "LAB_KEY": MASTER}
    s.machine.write("~/.keys/engine", "EMPTY\n", 0o600)
    s.machine.write(
        "kvdoctor.toml",
        f"""
        [targets.shop]
        base_url = "{gateway.origin}/api/v1"
        key_env = "SHOP_KEY"
        model = "{GATEWAY_MODEL}"
        max_tokens = 1024

        [targets.engine]
        base_url = "{engine.origin}/v1"
        kind = "engine"
        key_file = "~/.keys/engine"
        model = "{MODEL}"

        [targets.lab]
        base_url = "{proxy.origin}/v1/"
        key_env = "LAB_KEY"
        model = "{MODEL}"
        stream = false
        timeout = 5
        """,
    )


@healthy()
def a_target_of_the_users_folder(s: Scene) -> tuple[str, ...]:
    s.machine.write(
        "~/.config/kvdoctor/kvdoctor.toml",
        f'[targets.shop]\nbase_url = "{s.gateway().origin}/api/v1"\nkey_env = "SHOP_KEY"\n'
        f'model = "{GATEWAY_MODEL}"\n',
    )
    s.machine.variables["SHOP_KEY"] = GOOD
    return ("shop",)


@healthy(targets=2)
def two_protocols_at_one_gateway(s: Scene) -> None:
    server = s.gateway()
    s.at_gateway(server)
    s.machine.variables |= {
        "ANTHROPIC_BASE_URL": f"{server.origin}/api",
        "ANTHROPIC_AUTH_TOKEN": GOOD,
        "ANTHROPIC_MODEL": GATEWAY_MODEL,
    }


@healthy()
def keys_of_several_providers(s: Scene) -> tuple[str, ...]:
    """Only the one that is asked for is sent."""
    s.at_gateway(s.gateway())
    s.machine.variables |= {
        "ANTHROPIC_API_KEY": "sk-ant-api03-made0up0made0up0made0up0made0up0made0up",
        "DEEPSEEK_API_KEY": "sk-00000000000000000000000000000001",
        "GEMINI_API_KEY": "AIzaMade0up0made0up0made0up0made0up0mad",
        "OPENROUTER_API_KEY": "sk-or-v1-" + "0123456789abcdef" * 4,
        "HF_TOKEN": "hf_made0up0made0up0made0up0made0up",
        "GITHUB_TOKEN": "ghp_made0up0made0up0made0up0made0up0",
        "GROQ_API_KEY": "gsk_made0up0made0up0made0up0made0up0",
    }
    return ("openai-sdk",)


@healthy()
def anthropic_by_token(s: Scene) -> None:
    s.machine.variables |= {
        "ANTHROPIC_BASE_URL": f"{s.gateway().origin}/api",
        "ANTHROPIC_AUTH_TOKEN": GOOD,
        "ANTHROPIC_MODEL": GATEWAY_MODEL,
    }


@healthy()
def anthropic_by_key(s: Scene) -> None:
    s.machine.variables |= {
        "ANTHROPIC_BASE_URL": f"{s.gateway().origin}/api/",
        "ANTHROPIC_API_KEY": GOOD,
        "ANTHROPIC_MODEL": GATEWAY_MODEL,
    }


@healthy()
def anthropic_by_header_of_its_own(s: Scene) -> None:
    s.machine.variables["SHOP_KEY"] = GOOD
    s.machine.write(
        "kvdoctor.toml",
        f'[targets.claude]\nbase_url = "{s.gateway().origin}/api"\nclient = "anthropic-sdk"\n'
        f'auth = "x-api-key"\nkey_env = "SHOP_KEY"\nmodel = "{GATEWAY_MODEL}"\n',
    )


@healthy()
def codex_protocol(s: Scene) -> tuple[str, ...]:
    s.at_gateway(s.gateway())
    return ("openai-sdk", "--protocol", "openai-responses")


@healthy()
def old_gateway(s: Scene) -> None:
    s.at_gateway(s.gateway(variant=Variant.OLD))


@healthy()
def gateway_in_chinese(s: Scene) -> None:
    s.at_gateway(s.gateway(language="zh-CN", system_name="我的中转站"), LANG="zh_CN.UTF-8")


@healthy()
def gateway_without_marks(s: Scene) -> None:
    s.at_gateway(s.gateway(headers=False))


@healthy()
def gateway_without_prefix(s: Scene) -> None:
    server = s.stage.open(NewApi(NewApiConfig(prefix="")))
    s.shell(f"{server.origin}/v1", GOOD, GATEWAY_MODEL)


@healthy()
def a_key_that_may_use_few_models(s: Scene) -> None:
    s.at_gateway(s.gateway(keys=(Key(GOOD, models=frozenset({GATEWAY_MODEL})),)))
