"""The same address typed into different clients: who is right with it, and what the others need."""

from __future__ import annotations

import pytest

from doctor.connection import Protocol

from .world import look, serving

HOST = "https://gateway.example"
CHAT, MESSAGES = Protocol.OPENAI_CHAT, Protocol.ANTHROPIC_MESSAGES
RESPONSES = Protocol.OPENAI_RESPONSES
ENDPOINTS = {
    CHAT: "/chat/completions",
    MESSAGES: "/messages",
    RESPONSES: "/responses",
}


@pytest.mark.parametrize(
    ("client", "protocol", "right"),
    [
        ("claude-code", MESSAGES, ""),
        ("opencode", MESSAGES, "/v1"),
        ("cline", MESSAGES, "/v1"),
        ("continue", MESSAGES, "/v1"),
        ("codex", RESPONSES, "/v1"),
        ("qwen-code", CHAT, "/v1"),
        ("aider", CHAT, "/v1"),
        ("cherry-studio", CHAT, ""),
        ("next-chat", CHAT, ""),
        ("chatbox", CHAT, ""),
        ("chatbox", CHAT, "/v1"),
        ("claude-code-router", CHAT, "/v1/chat/completions"),
    ],
)
def test_each_client_is_right_with_its_own_form(
    client: str, protocol: Protocol, right: str
) -> None:
    server = serving("/v1", endpoints=(ENDPOINTS[protocol],))

    assert look(HOST + right, server, client=client, protocol=protocol).codes == []


@pytest.mark.parametrize(
    ("client", "protocol", "wrong", "code", "right"),
    [
        ("claude-code", MESSAGES, "/v1", "KVD209", ""),
        ("claude-code", MESSAGES, "/v1/messages", "KVD204", ""),
        ("opencode", MESSAGES, "", "KVD201", "/v1"),
        ("cline", MESSAGES, "", "KVD201", "/v1"),
        ("codex", RESPONSES, "", "KVD201", "/v1"),
        ("codex", RESPONSES, "/v1/v1", "KVD203", "/v1"),
        ("codex", RESPONSES, "/v1/responses", "KVD204", "/v1"),
        ("qwen-code", CHAT, "", "KVD201", "/v1"),
        ("cherry-studio", CHAT, "/v1", "KVD203", ""),
        ("next-chat", CHAT, "/v1", "KVD203", ""),
    ],
)
def test_the_wrong_form_is_told_and_the_right_one_proved(
    client: str, protocol: Protocol, wrong: str, code: str, right: str
) -> None:
    server = serving("/v1", endpoints=(ENDPOINTS[protocol],))

    seen = look(HOST + wrong, server, client=client, protocol=protocol)

    assert seen.roots == [code]
    assert seen.base == HOST + right


@pytest.mark.parametrize("given", ["https://taotoken.net/api", "https://taotoken.net/api/v1"])
def test_a_router_that_appends_nothing_gets_the_whole_address(given: str) -> None:
    seen = look(given, client="claude-code-router", protocol=CHAT)

    assert seen.codes == ["KVD209"]
    (change,) = seen.findings["KVD209"].changes
    assert change.value == "https://taotoken.net/api/v1/chat/completions"
