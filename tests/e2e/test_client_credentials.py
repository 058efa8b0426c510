"""Two credentials of one client: the one that answers is proved by a request, the other is taken
out of the file that holds it, and no login is ever sent."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from doctor.demo import sse
from doctor.demo.messages import Answer, Request

from .api import answer_of, stream_of
from .backstage import Backstage
from .machine import KEY, Machine

STALE = "sk-made1up1made1up1made1up1made1up1made1up1made1up1"
OAUTH = "sk-ant-oat01-made-up-made-up-made-up-made-up"
MODEL = "qwen3-8b"


@dataclass
class Gateway:
    """Speaks Anthropic's Messages API; as new-api does, it lets ``x-api-key`` win."""

    seen: list[Request] = field(default_factory=list)

    async def __call__(self, request: Request) -> Answer:
        self.seen.append(request)
        bearer = (request.header("authorization") or "").removeprefix("Bearer ")
        if (request.header("x-api-key") or bearer) != KEY:
            error = {"message": "invalid token", "type": "new_api_error"}
            return answer_of(401, {"type": "error", "error": error})
        if request.method == "GET":
            entry = {"id": MODEL, "object": "model", "created": 1, "owned_by": "me"}
            return answer_of(200, {"object": "list", "data": [entry]})
        if not request.path.endswith("/v1/messages") or "/v1/v1" in request.path:
            return answer_of(404, {"error": {"message": f"Invalid URL (POST {request.path})"}})
        return stream_of(_answer())


def _answer() -> list[bytes]:
    usage = {"input_tokens": 3, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    text = {"type": "text_delta", "text": "pong"}
    said: list[dict[str, object]] = [
        {"type": "message_start", "message": {**message, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": text},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"},
    ]
    return [sse.event(item) for item in said]


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


def _settings(machine: Machine, **env: str) -> str:
    text = json.dumps({"env": {**env, "ANTHROPIC_MODEL": MODEL}}, indent=2) + "\n"
    machine.write("~/.claude/settings.json", text, 0o600)
    return text


def _codes(report: dict[str, object]) -> list[str]:
    findings = report["findings"]
    assert isinstance(findings, list)
    return [finding["code"] for finding in findings]


def test_the_one_of_two_that_answers_is_proved_and_the_other_taken_out(
    machine: Machine, stage: Backstage, gateway: Gateway
) -> None:
    base = stage.open(gateway).origin
    text = _settings(
        machine,
        ANTHROPIC_BASE_URL=base,
        ANTHROPIC_AUTH_TOKEN=KEY,
        ANTHROPIC_API_KEY=STALE,
    )

    report = machine.check("claude-code").report
    assert report["diagnosis"]["root_causes"] == ["KVD401"]
    assert report["diagnosis"]["proved"]

    ran = machine.run("fix", "KVD401", "claude-code", "--yes", "--unsafe")
    assert ran.code == 0, ran.err
    settings = json.loads((machine.home / ".claude/settings.json").read_text())
    assert settings["env"]["ANTHROPIC_AUTH_TOKEN"] == KEY
    assert "ANTHROPIC_API_KEY" not in settings["env"]
    assert machine.run("undo").code == 0
    assert (machine.home / ".claude/settings.json").read_text() == text


def test_where_the_second_is_right_the_first_is_taken_out(
    machine: Machine, stage: Backstage
) -> None:
    class BearerFirst(Gateway):
        async def __call__(self, request: Request) -> Answer:
            # A token that it does not know is refused, whatever stands in the other header.
            if request.header("authorization") not in (None, f"Bearer {KEY}"):
                return answer_of(401, {"error": {"message": "invalid token"}})
            return await super().__call__(request)

    server = stage.open(BearerFirst())
    _settings(
        machine,
        ANTHROPIC_BASE_URL=server.origin,
        ANTHROPIC_AUTH_TOKEN=STALE,
        ANTHROPIC_API_KEY=KEY,
    )

    report = machine.check("claude-code").report

    assert report["diagnosis"]["root_causes"] == ["KVD401"]
    assert report["diagnosis"]["proved"]
    (finding,) = [one for one in report["findings"] if one["code"] == "KVD401"]
    assert "ANTHROPIC_API_KEY alone" in finding["fixes"][0]["title"]
    assert '-     "ANTHROPIC_AUTH_TOKEN"' in finding["fixes"][0]["preview"]
    answered = [r for r in server.requests if r.header("authorization") is None]
    assert answered
    assert all(r.header("x-api-key") in (KEY, None) for r in answered)


def test_a_login_is_never_sent_and_told_as_a_leak(
    machine: Machine, stage: Backstage, gateway: Gateway
) -> None:
    base = stage.open(gateway).origin
    _settings(machine, ANTHROPIC_BASE_URL=base)
    login = {
        "accessToken": OAUTH,
        "refreshToken": OAUTH + "-r",
        "expiresAt": 4_000_000_000_000,
        "scopes": ["user:inference"],
    }
    machine.write("~/.claude/.credentials.json", json.dumps({"claudeAiOauth": login}), 0o600)

    ran = machine.check("claude-code")

    assert "KVD407" in _codes(ran.report)
    assert "KVD101" not in _codes(ran.report)
    assert OAUTH not in ran.out + ran.err
    assert not [r for r in gateway.seen if OAUTH in (r.header("authorization") or "")]


def test_the_same_login_beside_a_token_is_a_sound_setup(
    machine: Machine, stage: Backstage, gateway: Gateway
) -> None:
    base = stage.open(gateway).origin
    _settings(machine, ANTHROPIC_BASE_URL=base, ANTHROPIC_AUTH_TOKEN=KEY)
    login = {"accessToken": OAUTH, "expiresAt": 1, "scopes": ["user:inference"]}
    machine.write("~/.claude/.credentials.json", json.dumps({"claudeAiOauth": login}), 0o600)

    ran = machine.check()

    assert _codes(ran.report) == []
    assert ran.code == 0


def test_a_helper_is_run_only_where_that_was_asked_for(
    machine: Machine, stage: Backstage, gateway: Gateway
) -> None:
    base = stage.open(gateway).origin
    marker = machine.home / "ran"
    helper = machine.write("~/bin/helper", f"#!/bin/sh\ntouch {marker}\necho {KEY}\n", 0o700)
    settings = {"apiKeyHelper": str(helper), "env": {"ANTHROPIC_BASE_URL": base}}
    settings["env"]["ANTHROPIC_MODEL"] = MODEL  # type: ignore[index]
    machine.write("~/.claude/settings.json", json.dumps(settings), 0o600)

    untouched = machine.check("claude-code")
    assert not marker.exists()
    assert untouched.report["diagnosis"]["before"] is None
    assert "KVD101" not in _codes(untouched.report)

    ran = machine.check("claude-code", "--run-key-helper")
    assert marker.exists()
    assert ran.report["diagnosis"]["before"]["status"] == 200
    assert KEY not in ran.out + ran.err


def test_a_project_brings_no_helper_that_is_run_without_trust(machine: Machine) -> None:
    marker = machine.home / "ran"
    settings = {"apiKeyHelper": f"touch {marker}", "env": {"ANTHROPIC_BASE_URL": "http://[::1]:9"}}
    machine.write(".claude/settings.json", json.dumps(settings))

    machine.check("claude-code", "--run-key-helper", "--offline")
    assert not marker.exists()

    machine.check("claude-code", "--run-key-helper", "--offline", "--trust-project")
    assert marker.exists()


def test_a_helper_that_fails_is_named_without_its_output(machine: Machine) -> None:
    settings = {
        "apiKeyHelper": f"echo {KEY}; exit 3",
        "env": {"ANTHROPIC_BASE_URL": "http://[::1]:9"},
    }
    machine.write("~/.claude/settings.json", json.dumps(settings), 0o600)

    ran = machine.check("claude-code", "--run-key-helper", "--offline")

    (finding,) = [one for one in ran.report["findings"] if one["code"] == "KVD409"]
    assert "exit code 3" in finding["explanation"]
    assert KEY not in ran.out
