"""The SDKs of OpenAI and Anthropic for Python, against the recorder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .case import Case, Program
from .lab import Lab
from .sdks import KEY, Sdk

_SCRIPT = """
from %s import %s as Client
asked = {"model": "tiny", "max_tokens": 7, "messages": [{"role": "user", "content": "hi"}]}
Client(max_retries=0).%s.create(**asked)
"""
_PYTHON = ("env/bin/python", "-c")
_METHODS = ("POST", "CONNECT")
OPENAI = Sdk(
    Program(
        "openai-sdk",
        (*_PYTHON, _SCRIPT % ("openai", "OpenAI", "chat.completions")),
        installed="python-sdks",
    ),
    "OPENAI",
    _METHODS,
)
ANTHROPIC = Sdk(
    Program(
        "anthropic-sdk",
        (*_PYTHON, _SCRIPT % ("anthropic", "Anthropic", "messages")),
        installed="python-sdks",
    ),
    "ANTHROPIC",
    _METHODS,
)

BASES = {
    "plain": "{base}",
    "slash": "{base}/v1/",
    "v1": "{base}/v1",
    "two-slashes": "{base}/api//",
    "query": "{base}/v1?utm_source=x",
    "fragment": "{base}/v1#x",
    "trailing-blank": "{base}/v1 ",
    "upper-case": "HTTP://LOCALHOST:{port}/Api",
    "chinese-path": "{base}/接口",
}
REFUSED_BASES = {
    "no-scheme": "127.0.0.1:{port}/v1",
    "leading-blank": " {base}/v1",
    "newline": "{base}/v1\n",
    "full-width": "http：//127.0.0.1/v1",
    "quoted": '"{base}/v1"',
    "empty": "",
}
KEYS = {"leading-blank": f" {KEY}", "bearer": f"Bearer {KEY}", "tab": "sk\tmade-up"}
REFUSED_KEYS = {
    "newline": f"{KEY}\n",
    "trailing-blank": f"{KEY} ",
    "inner-newline": "sk-made\nup",
}
NOT_ASCII = {
    "zero-width": f"{KEY}\u200b",
    "no-break-space": f"{KEY}\u00a0",
    "chinese": "sk-你的Key",
}
PROXIES = {
    "http-proxy": {"HTTP_PROXY": "{proxy}"},
    "all-proxy": {"ALL_PROXY": "{proxy}"},
    "https-proxy-is-for-https": {"HTTPS_PROXY": "{dead}"},
    "empty-lower-case": {"HTTP_PROXY": "{dead}", "http_proxy": ""},
    "exception": {"HTTP_PROXY": "{dead}", "NO_PROXY": "127.0.0.1"},
    "exception-network": {"HTTP_PROXY": "{dead}", "NO_PROXY": "127.0.0.0/8"},
    "exception-by-blanks": {"HTTP_PROXY": "{proxy}", "NO_PROXY": "localhost 127.0.0.1"},
}
REFUSED_PROXIES = {
    "dead": {"HTTP_PROXY": "{dead}"},
    "socks": {"ALL_PROXY": "socks4://127.0.0.1:9"},
}


def cases(sdk: Sdk) -> Iterator[Case]:
    yield from sdk.bases(BASES, REFUSED_BASES)
    yield from sdk.keys(KEYS, REFUSED_KEYS)
    for name, values in PROXIES.items():
        yield sdk.case(f"proxy-{name}", **values)
    for name, values in REFUSED_PROXIES.items():
        yield sdk.refused(f"proxy-{name}", **values)
    if sdk is ANTHROPIC:
        token = "sk-made-up-token-00"
        yield sdk.case("both", ANTHROPIC_AUTH_TOKEN=token)
        yield sdk.case("token", ANTHROPIC_API_KEY="", ANTHROPIC_AUTH_TOKEN=token)
    else:
        yield from sdk.keys({}, NOT_ASCII)
        yield sdk.case("other-base-is-unknown", OPENAI_API_BASE="{dead}")


@pytest.mark.parametrize("case", list(cases(OPENAI)), ids=str)
def test_the_openai_sdk_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    lab.agree(OPENAI.program, case)


@pytest.mark.parametrize("case", list(cases(ANTHROPIC)), ids=str)
def test_the_anthropic_sdk_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    lab.agree(ANTHROPIC.program, case)


@pytest.mark.parametrize("key", NOT_ASCII.values(), ids=list(NOT_ASCII))
def test_the_anthropic_sdk_sends_keys_that_are_not_ascii(key: str, lab: Lab) -> None:
    case = ANTHROPIC.case("key", ANTHROPIC_API_KEY=key)
    scene = lab.scene(case)
    _connection, prediction = lab.predicted(ANTHROPIC.program, case, scene)
    request = lab.run(ANTHROPIC.program, case, scene).request

    assert request is not None
    assert request.header("authorization") == f"Bearer {key}".encode().decode("latin-1")
    held = prediction.auth["authorization"]
    assert held is not None
    assert held.reveal() == f"Bearer {key}"
    assert prediction.refusal is None
