"""What a healthy setup is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig
from doctor.demo.vllm import Vllm, VllmConfig
from tests.e2e.api import Api, Json, events, stream_of
from tests.e2e.backstage import Backstage
from tests.e2e.conftest import Certified
from tests.e2e.machine import KEY, Machine

__all__ = ["GATEWAY_MODEL", "GOOD", "KEY", "MODEL", "SETUPS", "Healthy", "Scene", "healthy"]

MODEL = "qwen3-8b"
GATEWAY_MODEL = "deepseek-v4-flash"


@dataclass(frozen=True)
class Scene:
    """The user's machine and the servers. ``tls`` makes the context of a server, ``bundle`` is
    the file of its authority."""

    machine: Machine
    stage: Backstage
    tls: Certified
    bundle: Path

    def engine(self, **config: Any) -> LoopbackServer:
        """vLLM, which asks for no key."""
        return self.stage.open(Vllm(VllmConfig(**({"models": (MODEL,)} | config))))

    def api(self, **config: Any) -> LoopbackServer:
        """Anything that speaks OpenAI's API."""
        return self.stage.open(Api(**config))

    def gateway(self, **config: Any) -> LoopbackServer:
        """new-api below /api."""
        return self.stage.open(NewApi(NewApiConfig(**config)))

    def public(self, host: str, handler: Any) -> tuple[str, ...]:
        """A server that stands for https://HOST: the arguments that lead there."""
        server = self.stage.open(handler, ssl_context=self.tls(host))
        mapped = f"{host}:443=127.0.0.1:{server.port}"
        return ("--connect-to", mapped, "--ca-bundle", str(self.bundle))

    def shell(self, base: str, key: str = KEY, model: str | None = MODEL, **more: str) -> None:
        """The variables of an OpenAI client."""
        self.machine.variables |= {"OPENAI_BASE_URL": base, "OPENAI_API_KEY": key} | more
        if model is not None:
            self.machine.variables["OPENAI_MODEL"] = model

    def at_gateway(self, server: LoopbackServer, model: str = GATEWAY_MODEL, **more: str) -> None:
        """The same for a client of ``gateway``."""
        self.shell(f"{server.origin}/api/v1", GOOD, model, **more)

    def streams(self, *chunks: Json | str, model: str = MODEL) -> None:
        """An OpenAI client whose every completion is this stream."""
        parts = events(chunks)
        server = self.api(ids=(model,), chat=lambda body: stream_of(parts))
        self.shell(f"{server.origin}/v1", model=model)

    def dotenv(self, *lines: str, name: str = ".env", end: str = "\n", mode: int = 0o600) -> None:
        """A file of these lines in the working folder."""
        self.machine.write(name, "".join(line + end for line in lines), mode)


Build = Callable[[Scene], tuple[str, ...] | None]


@dataclass(frozen=True)
class Healthy:
    """``build`` sets it up and gives what is typed behind ``kvdoctor check``.

    ``targets`` are examined; each answers a completion if ``completes``, for which a model must
    be known. ``notes`` is how many things are told that are no findings.
    """

    build: Build
    targets: int = 1
    completes: bool = True
    notes: int = 0


SETUPS: dict[str, Healthy] = {}


def healthy(
    targets: int = 1, *, completes: bool = True, notes: int = 0
) -> Callable[[Build], Build]:
    """Register a setup under its function's name."""

    def register(build: Build) -> Build:
        name = build.__name__
        assert name not in SETUPS, name
        SETUPS[name] = Healthy(build, targets, completes, notes)
        return build

    return register
