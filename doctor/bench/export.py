"""The same scenario for other engines of load, Locust and GuideLLM: a file for each.

Both read the key from the environment when they run, so what is written holds none. Written
against Locust 2.47 and GuideLLM 0.8.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from doctor.bench.bodies import TOKENS_PER_WORD, WORDS
from doctor.bench.scenario import Scenario
from doctor.bench.side import Asked
from doctor.clients import profile
from doctor.connection import OriginKind, Protocol
from doctor.records import dataclass
from doctor.text import _

_LOCUST = """\
# locust --headless --only-summary -f THIS_FILE
# Made-up prompts of about {prompt_tokens} tokens; each answer may have {output_tokens}.
# A user is one request at a time. TTFT and TPOT are rows of their own, in milliseconds.
import json
import os
import random
import time

from locust import HttpUser, LoadTestShape, constant, task

MODEL = {model}
PATH = {path}
KEY = os.environ.get({variable}, "")
# Users at once, and for how many seconds.
STAGES = {stages}
REQUESTS = {requests}  # of one stage
WORDS = {words}
COMMON = {common}
OWN = {own}
SHARED = random.Random({seed}).choices(WORDS, k=COMMON)
now = {{"stage": 0, "since": time.monotonic(), "sent": 0, "ended": 0}}


def begins():
    seconds = STAGES[now["stage"]][1]
    return now["sent"] < REQUESTS and time.monotonic() - now["since"] < seconds


class Stages(LoadTestShape):
    def tick(self):
        # What is under way counts: a stage waits for it.
        if not begins() and now["ended"] == now["sent"]:
            if now["stage"] + 1 == len(STAGES):
                return None
            now.update(stage=now["stage"] + 1, since=time.monotonic(), sent=0, ended=0)
        users = STAGES[now["stage"]][0]
        return users, users


class Asking(HttpUser):
    host = {origin}
    wait_time = constant(0)

    @task
    def ask(self):
        if not begins():
            time.sleep(0.1)
            return
        now["sent"] += 1
        try:
            self._send(f"load {{STAGES[now['stage']][0]}}")
        finally:
            now["ended"] += 1

    def _send(self, name):
        mark = random.getrandbits(32)
        words = [*SHARED, f"{{mark:x}}", *random.choices(WORDS, k=OWN)]
        body = {{
            "model": MODEL,
            "messages": [{{"role": "user", "content": " ".join(words)}}],
            "max_tokens": {output_tokens},
            "stream": True,
            "stream_options": {{"include_usage": True}},
        }}
        headers = {{"authorization": f"Bearer {{KEY}}"}} if KEY else {{}}
        began = time.perf_counter()
        first = last = None
        tokens = pieces = 0
        with self.client.post(
            PATH, json=body, headers=headers, stream=True, name=name, catch_response=True,
            allow_redirects=False,
        ) as answer:
            if answer.status_code != 200:
                answer.failure(f"status {{answer.status_code}}")
                return
            for line in answer.iter_lines():
                text = line.decode("utf-8", "replace").removeprefix("data:").strip()
                if not text.startswith("{{"):
                    continue
                event = json.loads(text)
                tokens = (event.get("usage") or {{}}).get("completion_tokens", tokens)
                delta = (event.get("choices") or [{{}}])[0].get("delta") or {{}}
                if delta.get("content") or delta.get("reasoning_content") or delta.get("reasoning"):
                    last = time.perf_counter()
                    first = first or last
                    pieces += 1
            if first is None:
                answer.failure("no token")
                return
            # Else it would be the time to the headers.
            answer.request_meta["response_time"] = (time.perf_counter() - began) * 1000
            answer.success()
        self._tell("TTFT", name, first - began)
        count = tokens or pieces
        if count > 1:
            self._tell("TPOT", name, (last - first) / (count - 1))

    def _tell(self, kind, name, seconds):
        self.environment.events.request.fire(
            request_type=kind,
            name=name,
            response_time=seconds * 1000,
            response_length=0,
            exception=None,
            context={{}},
        )
"""


# How what was written is run; the environment holds the key.
COMMANDS = {
    "locust": "locust --headless --only-summary -f FILE.py",
    "guidellm": "GUIDELLM__SPEC__BACKEND__API_KEY=$KEY guidellm run -c FILE.json"
    " --tokenizer kind=hf_auto,model=FOLDER",
}


class NotExported(Exception):
    """The scenario has no like there; the text says why."""


@dataclass(frozen=True, slots=True)
class Server:
    """``path`` is that of the completions below ``origin``; ``variable`` is to hold the key."""

    origin: str
    path: str
    model: str
    variable: str = "OPENAI_API_KEY"


def server_of(asked: Asked) -> Server:
    """Raises ``NotExported`` where the connection is not of the form that both speak."""
    connection = asked.target.connection
    if connection.protocol is not Protocol.OPENAI_CHAT:
        raise NotExported(_("what is written speaks the chat completions API only"))
    endpoint = profile(connection.client).endpoint(connection)
    if endpoint.url is None:
        raise NotExported(endpoint.refusal or _("the base URL leads nowhere"))
    configured = None if connection.model is None else connection.model.value
    model = asked.model or configured
    if not model:
        raise NotExported(_("no model is configured: --model says which"))
    parts = urlsplit(endpoint.url)
    origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    key = connection.key
    if key is not None and key.origin.kind is OriginKind.ENVIRONMENT and key.origin.name:
        return Server(origin, path, model, key.origin.name)
    return Server(origin, path, model)


def exported(engine: str, scenario: Scenario, server: Server) -> str:
    """The text of a file or a command. Raises ``NotExported``."""
    if scenario.log:
        raise NotExported(_("--export writes made-up prompts: not with --log"))
    if engine == "locust":
        return _locust(scenario, server)
    return _guidellm(scenario, server)


def _locust(scenario: Scenario, server: Server) -> str:
    if any(load.rate is not None for load in scenario.loads):
        raise NotExported(_("Locust's users wait for their answers: --rate has no like there"))
    words = max(round(scenario.prompt_tokens / TOKENS_PER_WORD), 1)
    common = round(words * scenario.shared)
    stages = [(load.concurrency or 1, scenario.seconds) for load in scenario.loads]
    most = max(scenario.requests_of(load) for load in scenario.loads)
    return _LOCUST.format(
        prompt_tokens=scenario.prompt_tokens,
        output_tokens=scenario.output_tokens,
        model=repr(server.model),
        path=repr(server.path),
        origin=repr(server.origin),
        variable=repr(server.variable),
        stages=stages,
        requests=most * scenario.repeats,
        words=list(WORDS),
        common=common,
        own=max(words - common - 1, 0),
        seed=scenario.seed,
    )


def _guidellm(scenario: Scenario, server: Server) -> str:
    """A scenario file; the key is one of its own environment variables."""
    first = scenario.loads[0]
    closed = first.rate is None
    name = "streams" if closed else "rate"
    each = [load.concurrency if closed else load.rate for load in scenario.loads]
    profile = {"kind": "concurrent" if closed else scenario.arrival, name: [each[0]]}
    common = round(scenario.prompt_tokens * scenario.shared)
    data: dict[str, Any] = {
        "kind": "synthetic_text",
        "prompt_tokens": max(scenario.prompt_tokens - common, 1),
        "output_tokens": scenario.output_tokens,
    }
    if common:
        data["prefix_buckets"] = [{"prefix_tokens": common}]
    most = max(scenario.requests_of(load) for load in scenario.loads) * scenario.repeats
    spec = {
        "backend": {
            "kind": "openai_http",
            "target": server.origin,
            "model": server.model,
            "request_format": "/v1/chat/completions",
            # It would look for /health, which a gateway has not.
            "validate_backend": False,
            "api_routes": {"/v1/chat/completions": server.path.lstrip("/")},
            # Its own defaults would give the key to whoever answers.
            "verify": True,
            "follow_redirects": False,
        },
        "profile": profile,
        "constraints": [
            {"kind": "max_requests", "count": most},
            {"kind": "max_duration", "seconds": scenario.seconds},
        ],
        "data": [data],
    }
    runs = [{f"profile.{name}": [one]} for one in each]
    return json.dumps({"spec": spec, "benchmarks": runs}, indent=2) + "\n"
