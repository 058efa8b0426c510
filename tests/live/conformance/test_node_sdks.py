"""The SDKs for JavaScript on the Node that is here, against the recorder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.setup_clients import node_version

from .case import Case, Program
from .lab import Lab
from .sdks import KEY, Sdk

_SCRIPT = """
import Client from "file://{installed}/node_modules/%s/index.mjs";
try {
  const client = new Client({maxRetries: 0});
  const asked = {model: "tiny", max_tokens: 7, messages: [{role: "user", content: "hi"}]};
  await client.%s.create(asked);
} catch (error) { console.log(error.message, String(error.cause), String(error.cause?.cause)); }
"""
_NODE = ("node", "--input-type=module", "-e")
OPENAI = Sdk(
    Program("openai-sdk-node", (*_NODE, _SCRIPT % ("openai", "chat.completions"))), "OPENAI"
)
ANTHROPIC = Sdk(
    Program("anthropic-sdk-node", (*_NODE, _SCRIPT % ("@anthropic-ai/sdk", "messages"))),
    "ANTHROPIC",
)
NODE_24 = int((node_version() or "0").partition(".")[0]) >= 24

BASES = {
    "plain": "{base}",
    "slash": "{base}/",
    "v1": "{base}/v1",
    "two-slashes": "{base}//api",
    "query": "{base}/api?utm_source=x y&c=~'!*",
    "query-repeated": "{base}/api?utm_source=x y&b=2&c=~'!*&b=3",
    "empty-query": "{base}/api?",
    "query-and-fragment": "{base}/api?x=1#f",
    "fragment": "{base}/api#x",
    "blanks": " {base}/api \n",
    "byte-order-mark": "\ufeff{base}/api",
    "inner-newline": "{base}/a\npi",
    "odd": "{base}/{x}|^~'/接口/../b c",
    "backslash": "{base}\\api",
    "upper-case": "HTTP://LOCALHOST:{port}/Api",
}
REFUSED_BASES = {
    "no-scheme": "127.0.0.1:{port}",
    "no-scheme-name": "localhost:{port}",
    "quoted": '"{base}"',
    "full-width": "{base}：/v1",
    "user-name": "http://u:p@127.0.0.1:{port}",
}
KEYS = {
    "newline": f"{KEY}\n",
    "blanks": f" {KEY}\t",
    "no-break-space": f"{KEY}\u00a0",
    "byte-order-mark": f"\ufeff{KEY}",
    "bearer": f"Bearer {KEY}",
    "tab": "sk\tmade-up",
    "latin": "sk-made-up-é",
}
REFUSED_KEYS = {
    "inner-newline": "sk-made\nup",
    "zero-width": f"{KEY}\u200b",
    "chinese": "sk-你的Key",
    "control": "sk-\x01made-up",
    "blank": " ",
    "empty": "",
}


def cases(sdk: Sdk) -> Iterator[Case]:
    headers = f"{sdk.prefix}_CUSTOM_HEADERS"
    yield from sdk.bases(BASES, REFUSED_BASES)
    yield from sdk.keys(KEYS, REFUSED_KEYS)
    yield sdk.case("headers", **{headers: "X-A: 1\nbad\nX-B:\nAuthorization: Bearer sk-other"})
    yield sdk.case("proxy-unheeded", HTTP_PROXY="{dead}")
    if NODE_24:
        yield sdk.refused("proxy-switch", HTTP_PROXY="{dead}", NODE_USE_ENV_PROXY="1")
    if sdk is OPENAI:
        yield sdk.case("organization", OPENAI_ORG_ID="org-1", OPENAI_PROJECT_ID="project-1")
    else:
        token = "sk-made-up-token-00"
        yield sdk.case("both", ANTHROPIC_AUTH_TOKEN=token)
        yield sdk.case("token", ANTHROPIC_API_KEY=" ", ANTHROPIC_AUTH_TOKEN=f"{token}\n")


@pytest.mark.parametrize("case", list(cases(OPENAI)), ids=str)
def test_the_openai_sdk_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    lab.agree(OPENAI.program, case)


@pytest.mark.parametrize("case", list(cases(ANTHROPIC)), ids=str)
def test_the_anthropic_sdk_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    lab.agree(ANTHROPIC.program, case)
