"""Writes observed-litellm.txt: what the real LiteLLM proxy answers, word for word.

Usage, from the root of the repository: ``python -m tests.live.record_litellm``. What differs from
run to run (dates, ids, ports, durations) is replaced, so that a new record shows only real changes.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from .servers import Route, RunningServer, refusing_port, start_litellm, start_vllm
from .setup_servers import LITELLM_REQUIREMENTS, VLLM_VERSION, pin

TARGET = Path(__file__).with_name("observed-litellm.txt")
MODEL = "qwen3-8b"
WRONG_KEY = "sk-live-wrong-made-up-key"
NOPE = {"model": "nope"}

VOLATILE = (
    (re.compile(r"127\.0\.0\.1(:|', )\d+"), r"127.0.0.1\1PORT"),
    (re.compile(r"\b0x[0-9a-f]{8,}"), "0xADDRESS"),
    (re.compile(r'"model_id":"[0-9a-f]+"'), '"model_id":"ID"'),
    (re.compile(r"(?m)^((?:llm_provider-)?date): .*$"), r"\1: DATE"),
    (re.compile(r"(?m)^(x-litellm-(?:response|overhead|callback)-duration-ms): .*$"), r"\1: MS"),
    (re.compile(r"(?m)^(x-litellm-(?:call|model)-id): .*$"), r"\1: ID"),
    (re.compile(r'"(chatcmpl|resp|msg)[-_][^"]+"'), r'"\1-ID"'),
    (re.compile(r'"(created|created_at)":(?!1677610602)\d+'), r'"\1":TIME'),  # that one is fixed
    (re.compile(r"vllm-([0-9.]+)-[0-9a-f]{8}"), r"vllm-\1-ID"),
)


class Recorder:
    """Sends requests and keeps them with their answers."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.lines: list[str] = []
        self.seen: dict[str, str] = {}

    def note(self, *text: str) -> None:
        self.lines += [*text, ""]

    def ask(
        self,
        title: str,
        server: RunningServer,
        path: str,
        *,
        headers: dict[str, str] | None = None,
        body: dict[str, object] | None = None,
        timed: bool = False,
    ) -> None:
        method = "GET" if body is None else "POST"
        began = time.monotonic()
        with self.client.stream(
            method, server.root_url + path, headers=headers, json=body
        ) as answer:
            answer.read()
        took = f"   after {time.monotonic() - began:.1f} s" if timed else ""
        lines = [f"## {title}", f"> {method} {path}"]
        lines += [f"> {name}: {value}" for name, value in (headers or {}).items()]
        lines += [f"> {json.dumps(body)}"] if body is not None else []
        lines += [f"{answer.status_code} {answer.reason_phrase}{took}"]
        headings = steady("\n".join(f"{name}: {value}" for name, value in answer.headers.items()))
        first = self.seen.setdefault(headings, title)
        lines.append(headings if first == title else f"(headers as for “{first}”)")
        lines += ["", steady(answer.text.rstrip("\n")), ""]
        self.lines += lines


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, replacement in VOLATILE:
        text = pattern.sub(replacement, text)
    return text


@contextlib.contextmanager
def servers() -> Iterator[tuple[RunningServer, RunningServer, RunningServer, RunningServer]]:
    """The vLLM, a proxy for it, a proxy without prisma, and one whose engine is down."""
    with contextlib.ExitStack() as stack:
        engine = stack.enter_context(start_vllm())
        route = Route.to(engine, MODEL)
        gateway = stack.enter_context(start_litellm([route]))
        bare = stack.enter_context(start_litellm([route], with_prisma=False))
        port = stack.enter_context(refusing_port())
        dead = Route(MODEL, "openai/tiny", f"http://127.0.0.1:{port}/v1", "sk-live-made-up-key")
        down = stack.enter_context(start_litellm([dead]))
        yield engine, gateway, bare, down


def record() -> str:
    """Asks everything; returns the text of the record."""
    with (
        servers() as (engine, gateway, bare, down),
        httpx.Client(trust_env=False, timeout=120.0) as client,
    ):
        recorder = Recorder(client)
        ask = recorder.ask
        key = {"Authorization": f"Bearer {gateway.api_key}"}
        wrong = {"Authorization": f"Bearer {WRONG_KEY}"}
        chat_path = "/v1/chat/completions"
        chat: dict[str, object] = {
            "model": MODEL,
            "messages": [{"role": "user", "content": "hi"}],
        }
        recorder.note(
            f"{pin(LITELLM_REQUIREMENTS, 'litellm')} (no database) in front of vLLM "
            f"{VLLM_VERSION} with a context of 2,048 tokens.",
            f"Start-up here: vLLM {engine.startup_s:.0f} s, LiteLLM {gateway.startup_s:.0f} s.",
            "Lines with > are the request. PORT, DATE, ID, TIME and MS stand for what changes.",
            "Written by record_litellm.py.",
        )
        recorder.note("# The list of models")
        ask("models", gateway, "/v1/models", headers=key)
        ask("models, no key", gateway, "/v1/models")
        ask("models, wrong key", gateway, "/v1/models", headers=wrong)
        bare_key = {"Authorization": gateway.api_key}
        ask("models, the key without Bearer", gateway, "/v1/models", headers=bare_key)
        ask(
            "models, Bearer without a key",
            gateway,
            "/v1/models",
            headers={"Authorization": "Bearer"},
        )
        ask("models, x-api-key", gateway, "/v1/models", headers={"x-api-key": gateway.api_key})
        ask("models without /v1", gateway, "/models", headers=key)
        ask("models with /v1 twice", gateway, "/v1/v1/models", headers=key)
        recorder.note("# The same where prisma is not installed: pip install litellm[proxy] alone")
        ask("no prisma, no key", bare, "/v1/models")
        ask("no prisma, wrong key", bare, "/v1/models", headers=wrong)
        recorder.note("# Chat")
        ask(
            "chat, the first one, which is slower",
            gateway,
            chat_path,
            headers=key,
            body=chat,
            timed=True,
        )
        ask("chat", gateway, chat_path, headers=key, body=chat, timed=True)
        ask("chat, streamed", gateway, chat_path, headers=key, body=chat | {"stream": True})
        usage = {"stream": True, "stream_options": {"include_usage": True}}
        ask("chat, streamed with usage", gateway, chat_path, headers=key, body=chat | usage)
        ask("chat without /v1", gateway, "/chat/completions", headers=key, body=chat)
        ask("chat, no key", gateway, chat_path, body=chat)
        ask("chat, wrong key", gateway, chat_path, headers=wrong, body=chat)
        ask("chat, unknown model", gateway, chat_path, headers=key, body=chat | {"model": "nope"})
        no_model = {name: value for name, value in chat.items() if name != "model"}
        ask("chat, no model", gateway, chat_path, headers=key, body=no_model)
        over = {"max_tokens": 4096}
        ask("chat, max_tokens over the window", gateway, chat_path, headers=key, body=chat | over)
        over = {"max_tokens": 4096, "stream": True}
        ask(
            "chat, max_tokens over the window, streamed",
            gateway,
            chat_path,
            headers=key,
            body=chat | over,
        )
        recorder.note("# Other protocols")
        message: dict[str, object] = chat | {"max_tokens": 16}
        ask("messages", gateway, "/v1/messages", headers=key, body=message)
        ask(
            "messages with x-api-key",
            gateway,
            "/v1/messages",
            headers={"x-api-key": gateway.api_key, "anthropic-version": "2023-06-01"},
            body=message,
        )
        ask("messages, unknown model", gateway, "/v1/messages", headers=key, body=message | NOPE)
        ask("messages, wrong key", gateway, "/v1/messages", headers=wrong, body=message)
        recorder.note("# What it says about itself")
        ask("readiness", gateway, "/health/readiness")
        ask("liveliness", gateway, "/health/liveliness")
        ask("health, which sends a paid request to every model", gateway, "/health", headers=key)
        ask("version", gateway, "/version", headers=key)
        ask("metrics", gateway, "/metrics", headers=key)
        recorder.note("# The engine is down: its port refuses connections. Two retries by default")
        ask("engine down, chat", down, chat_path, headers=key, body=chat, timed=True)
        ask("engine down, chat again", down, chat_path, headers=key, body=chat, timed=True)
        streamed = chat | {"stream": True}
        ask("engine down, chat, streamed", down, chat_path, headers=key, body=streamed, timed=True)
        ask("engine down, messages", down, "/v1/messages", headers=key, body=message, timed=True)
        ask("engine down, models", down, "/v1/models", headers=key)
        ask("engine down, readiness", down, "/health/readiness")
        return "\n".join(recorder.lines)


if __name__ == "__main__":
    TARGET.write_text(record(), encoding="utf-8")
    print(f"written: {TARGET.name}")
