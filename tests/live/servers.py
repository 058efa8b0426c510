"""Starts and stops the real vLLM and the real LiteLLM proxy on free loopback ports.

Nothing here needs pytest. Each function is a context manager that yields a server which answers
and ends all its processes on exit:

    with start_vllm() as engine, start_litellm([Route.to(engine, "qwen3-8b")]) as gateway:
        ...

setup_servers.py prepares what they run.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from .setup_servers import Prepared, locate, tail_of

HOST = "127.0.0.1"
VLLM_KEY = "sk-live-vllm-made-up-key"
LITELLM_KEY = "sk-live-litellm-made-up-master-key"

VLLM_DEADLINE_S = 180.0
LITELLM_DEADLINE_S = 120.0
POLL_S = 0.1
TERM_PATIENCE_S = 20.0
KILL_PATIENCE_S = 10.0
PORT_TRIES = 3

KEPT_VARIABLES = frozenset(
    {"PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "TZ", "OMP_NUM_THREADS"}
)
KEPT_PREFIXES = ("OPENBLAS_",)

HIDDEN_MODULE = """raise ModuleNotFoundError(f"No module named {__name__!r}", name=__name__)\n"""


class ServerError(Exception):
    """A server did not come up; the text ends with the last lines of its log."""


@dataclass(frozen=True)
class RunningServer:
    """A server that answers. ``base_url`` is what an OpenAI client takes: it ends in ``/v1``."""

    base_url: str
    port: int
    process: subprocess.Popen[bytes]
    log_path: Path
    api_key: str
    startup_s: float

    @property
    def root_url(self) -> str:
        """The scheme, host and port alone."""
        return self.base_url.removesuffix("/v1")

    def log_text(self) -> str:
        """What the server has written so far, to stdout and stderr."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")


@dataclass(frozen=True)
class Route:
    """A model name of the LiteLLM proxy and where it leads."""

    model_name: str
    model: str
    api_base: str
    api_key: str

    @classmethod
    def to(cls, engine: RunningServer, model_name: str, *, served: str = "tiny") -> Route:
        """The route to a running engine."""
        return cls(model_name, f"openai/{served}", engine.base_url, engine.api_key)


@contextlib.contextmanager
def start_vllm(
    *,
    max_model_len: int = 2048,
    api_key: str = VLLM_KEY,
    served_model_name: str = "tiny",
    extra: Sequence[str] = (),
    deadline_s: float = VLLM_DEADLINE_S,
) -> Iterator[RunningServer]:
    """The real vLLM with the model that answers "ok"; ``extra`` is added to its arguments.

    A later argument beats an earlier one, so that ``extra`` may also change what is set here.
    """
    prepared = locate()

    def command(port: int, folder: Path) -> list[str]:
        line = [str(prepared.vllm), "serve", str(prepared.model)]
        line += ["--served-model-name", served_model_name, "--host", HOST, "--port", str(port)]
        line += ["--max-model-len", str(max_model_len), "--dtype", "bfloat16", "--enforce-eager"]
        # Blocks of 32 instead of the CPU's 128: short prompts hit the prefix cache.
        line += ["--block-size", "32", "--enable-prompt-tokens-details"]
        return [*line, "--api-key", api_key, *extra]

    with _serve(
        "vllm",
        command,
        environment=_vllm_environment(prepared),
        health="/health",
        api_key=api_key,
        deadline_s=deadline_s,
    ) as server:
        _let_answers_through(server)
        yield server


def _let_answers_through(server: RunningServer) -> None:
    """An engine on the CPU takes all of it. What only passes tokens on must come first, or they
    come in one burst, and a loaded engine answers no connection. Without the right to, nothing."""
    serving = psutil.Process(server.process.pid)
    for process in (serving, *serving.children(recursive=True)):
        with contextlib.suppress(psutil.Error, OSError):
            if "VLLM::Worker" not in " ".join(process.cmdline()):
                process.nice(-15)


@contextlib.contextmanager
def start_litellm(
    routes: Sequence[Route],
    *,
    master_key: str = LITELLM_KEY,
    settings: Mapping[str, object] | None = None,
    with_prisma: bool = True,
    variables: Mapping[str, str] | None = None,
    deadline_s: float = LITELLM_DEADLINE_S,
) -> Iterator[RunningServer]:
    """The real LiteLLM proxy with these routes, without a database.

    ``settings`` are further top-level sections of its configuration, such as ``router_settings``;
    ``variables`` are added to its environment.
    ``with_prisma=False`` makes it what ``pip install litellm[proxy]`` alone gives, which answers
    500 to a request without a key.
    """
    prepared = locate()
    configuration = {
        "model_list": [
            {
                "model_name": route.model_name,
                "litellm_params": {
                    "model": route.model,
                    "api_base": route.api_base,
                    "api_key": route.api_key,
                },
            }
            for route in routes
        ],
        "general_settings": {"master_key": master_key},
        **(settings or {}),
    }

    def command(port: int, folder: Path) -> list[str]:
        file = folder / "config.yaml"
        file.write_text(json.dumps(configuration, indent=2), encoding="utf-8")  # JSON is YAML
        if not with_prisma:
            hiding = folder / "hiding"
            hiding.mkdir(exist_ok=True)
            (hiding / "prisma.py").write_text(HIDDEN_MODULE, encoding="ascii")
        line = [str(prepared.litellm), "--config", str(file)]
        return [*line, "--host", HOST, "--port", str(port)]

    with _serve(
        "litellm",
        command,
        environment={**_litellm_environment(with_prisma=with_prisma), **(variables or {})},
        health="/health/liveliness",
        api_key=master_key,
        deadline_s=deadline_s,
    ) as server:
        yield server


def free_port() -> int:
    """A loopback port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def refusing_port() -> Iterator[int]:
    """A loopback port that refuses connections for as long as the context lasts.

    It is bound but not listened on: nobody else can take it meanwhile.
    """
    with socket.socket() as holder:
        holder.bind((HOST, 0))
        yield holder.getsockname()[1]


def _vllm_environment(prepared: Prepared) -> dict[str, str]:
    return {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_HOST_IP": HOST,
        "VLLM_CACHE_ROOT": str(prepared.cache / "vllm-cache"),
    }


def _litellm_environment(*, with_prisma: bool) -> dict[str, str]:
    local = ("MODEL_COST_MAP", "ANTHROPIC_BETA_HEADERS", "AUTOROUTER_PRESETS", "BLOG_POSTS")
    return {
        "HF_HUB_OFFLINE": "1",
        "DO_NOT_TRACK": "1",
        "LITELLM_MODE": "PRODUCTION",  # do not read .env
        "LITELLM_TELEMETRY_DISABLED": "True",
        "LITELLM_LOCAL_POLICY_TEMPLATES": "True",
        **{f"LITELLM_LOCAL_{name}": "True" for name in local},
        **({} if with_prisma else {"PYTHONPATH": "hiding"}),  # a folder of the working folder
    }


@contextlib.contextmanager
def _serve(
    name: str,
    command: Callable[[int, Path], list[str]],
    *,
    environment: Mapping[str, str],
    health: str,
    api_key: str,
    deadline_s: float,
) -> Iterator[RunningServer]:
    """Runs a server in a folder of its own, which is kept only when something goes wrong."""
    folder = Path(tempfile.mkdtemp(prefix=f"kvdoctor-live-{name}-"))
    log = folder / f"{name}.log"
    kept = {
        key: value
        for key, value in os.environ.items()
        if key in KEPT_VARIABLES or key.startswith(KEPT_PREFIXES)
    }
    variables = {**kept, "HOME": str(folder), "NO_PROXY": "*", "no_proxy": "*", **environment}
    for attempt in range(1, PORT_TRIES + 1):
        port = free_port()
        line = command(port, folder)
        began = time.monotonic()
        with log.open("wb") as output:
            process = subprocess.Popen(
                line,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=variables,
                start_new_session=True,
            )
        try:
            try:
                _wait_until_healthy(process, f"http://{HOST}:{port}{health}", deadline_s)
            except ServerError as error:
                tail = tail_of(log)
                if attempt < PORT_TRIES and any(
                    "address already in use" in t.lower() for t in tail
                ):
                    continue
                shown = "\n".join(f"    {text}" for text in tail)
                raise ServerError(f"{name} {error}. Its log, {log}, ends:\n{shown}") from None
            yield RunningServer(
                base_url=f"http://{HOST}:{port}/v1",
                port=port,
                process=process,
                log_path=log,
                api_key=api_key,
                startup_s=time.monotonic() - began,
            )
            break
        finally:
            _stop(process)
    shutil.rmtree(folder, ignore_errors=True)


def _wait_until_healthy(process: subprocess.Popen[bytes], url: str, deadline_s: float) -> None:
    deadline = time.monotonic() + deadline_s
    while True:
        healthy = _is_healthy(url)
        if (code := process.poll()) is not None:
            raise ServerError(f"ended with code {code} before it was ready")
        if healthy:
            return
        if time.monotonic() > deadline:
            raise ServerError(f"did not answer {url} within {deadline_s:.0f} s")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(POLL_S)


def _is_healthy(url: str) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=5.0) as answer:
            return bool(answer.status == 200)
    except urllib.error.HTTPError as error:
        error.close()
        return False
    except OSError:
        return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the server and every process that it started."""
    for number, patience in ((signal.SIGTERM, TERM_PATIENCE_S), (signal.SIGKILL, KILL_PATIENCE_S)):
        _signal_group(process, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            break
    _signal_group(process, signal.SIGKILL)


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
