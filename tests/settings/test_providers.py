from __future__ import annotations

import pytest

from doctor.connection import Protocol
from doctor.settings.providers import (
    provider,
    provider_for_host,
    provider_for_variable,
    provider_of_console,
    providers,
    providers_for_key_shape,
)

CHAT = Protocol.OPENAI_CHAT
MESSAGES = Protocol.ANTHROPIC_MESSAGES


def test_taotoken_comes_first_with_its_two_bases() -> None:
    first = providers()[0]
    assert first.id == "taotoken"
    assert first.base(CHAT) == "https://taotoken.net/api/v1"
    assert first.base(MESSAGES) == "https://taotoken.net/api"


def test_every_id_and_host_is_there_once() -> None:
    ids = [known.id for known in providers()]
    hosts = [host for known in providers() for host in known.hosts]
    assert len(set(ids)) == len(ids)
    assert len(set(hosts)) == len(hosts)


def test_no_base_ends_in_a_slash_and_all_are_addresses_of_their_provider() -> None:
    for known in providers():
        for protocol in Protocol:
            for base in known.bases(protocol):
                assert not base.endswith("/")
                host = base.split("//")[1].split("/")[0].split(":")[0]
                assert known.serves(host) or known.local_port is not None


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("taotoken.net", "taotoken"),
        ("TAOTOKEN.NET.", "taotoken"),
        ("api.openai.com", "openai"),
        ("my-resource.openai.azure.com", "azure-openai"),
        ("my-resource.cognitiveservices.azure.com", "azure-openai"),
        ("coding.dashscope.aliyuncs.com", "dashscope"),
        ("ark.ap-southeast.bytepluses.com", "volcengine"),
        ("api.perplexity.ai", "perplexity"),
        ("dashscope-intl.aliyuncs.com", "dashscope"),
        ("openai.azure.com", None),
        ("notopenai.com", None),
        ("api.openai.com.evil.example", None),
    ],
)
def test_provider_for_host(host: str, expected: str | None) -> None:
    known = provider_for_host(host)
    assert (known.id if known else None) == expected


@pytest.mark.parametrize(
    ("host", "port", "expected"),
    [
        ("localhost", 11434, "ollama"),
        ("127.0.0.1", 8000, "vllm"),
        ("::1", 1234, "lm-studio"),
        ("localhost", 4000, "litellm"),
        ("localhost", 9999, None),
        ("gpu.example", 8000, None),
    ],
)
def test_local_servers_are_told_by_their_port(host: str, port: int, expected: str | None) -> None:
    known = provider_for_host(host, port)
    assert (known.id if known else None) == expected


def test_bases_of_another_region_keep_their_host() -> None:
    known = provider("dashscope")
    assert known.bases(CHAT, "dashscope-intl.aliyuncs.com") == (
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    )
    assert known.bases(CHAT, "elsewhere.example") == ()


def test_deepseek_serves_with_and_without_a_version() -> None:
    assert provider("deepseek").bases(CHAT)[:2] == (
        "https://api.deepseek.com",
        "https://api.deepseek.com/v1",
    )


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("sk-ant-api03-made0up0made0up0", ["anthropic"]),
        ("sk-or-v1-0123456789abcdef0123456789abcdef", ["openrouter"]),
        ("sk-proj-made0up0made0up0made0up0", ["openai"]),
        ("gsk_" + "a1" * 26, ["groq"]),
        ("AIza" + "x" * 35, ["gemini"]),
        ("AQ.Made0Up0Made0Up0Made0Up0Made0Up0_-x", ["gemini"]),
        ("0123456789abcdef0123456789abcdef.Made0Up0Made0Up0", ["zhipu", "zai"]),
        (' "sk-proj-made0up0made0up0made0up0"\n', ["openai"]),
    ],
)
def test_key_shapes_of_one_provider(key: str, expected: list[str]) -> None:
    assert [known.id for known in providers_for_key_shape(key)] == expected


@pytest.mark.parametrize(
    "key",
    ["sk-" + "a1B2" * 12, "sk-0123456789abcdef0123456789abcdef", "EMPTY", "", "hello world"],
)
def test_a_shape_that_many_share_names_nobody(key: str) -> None:
    assert providers_for_key_shape(key) == ()


def test_variables() -> None:
    known = provider_for_variable("TAOTOKEN_API_KEY")
    assert known is not None
    assert known.id == "taotoken"
    assert provider_for_variable("ANTHROPIC_AUTH_TOKEN") is provider("anthropic")
    assert provider_for_variable("DATABASE_URL") is None


@pytest.mark.parametrize(
    ("host", "path", "expected"),
    [
        ("taotoken.net", "/console", "taotoken"),
        ("taotoken.net", "/api-keys", "taotoken"),
        ("taotoken.net", "/doc/start", "taotoken"),
        ("platform.openai.com", "/api-keys", "openai"),
        ("openrouter.ai", "/docs/quickstart", "openrouter"),
        ("taotoken.net", "/api", None),
        ("taotoken.net", "/api/v1", None),
        ("taotoken.net", "/documents", None),
        ("openrouter.ai", "/api/v1", None),
        ("gateway.example", "/console", None),
    ],
)
def test_addresses_for_people(host: str, path: str, expected: str | None) -> None:
    known = provider_of_console(host, path)
    assert (known.id if known else None) == expected
