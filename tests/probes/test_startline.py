"""The line that starts an engine: of a file, of a process, of a compose file. Nothing is made up
from variables."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.facts import ENGINE, START_LINE, Unavailable
from doctor.facts.engine import Engine, StartLine
from doctor.facts.store import Facts
from tests.kit import connection, environment
from tests.live.servers import refusing_port
from tests.probes.world import world

PORT = 8000
COMPOSE = """services:
  vllm:
    image: vllm/vllm-openai:v0.27.1
    ports: ["9000:8000"]
    command: ["--model", "Qwen/Qwen3-8B", "--max-model-len", "32K", "--api-key", "{key}"]
"""
KEY = "made-up-canary-0123456789"


async def told(
    folder: Path, port: int = PORT, *, file: str | None = None, local: bool = True
) -> StartLine:
    """As the fact has it, for an engine at ``port`` and a user in ``folder``."""
    engine = Engine(f"http://127.0.0.1:{port}", local=local)
    env = environment(cwd=str(folder))
    async with world(connection(), given={ENGINE: engine}, env=env) as first:
        path = None if file is None else str(folder / file)
        store = Facts(first.run, "lab", connection(), first, launch_file=path)
        return await store.get(START_LINE)


def values(line: StartLine) -> dict[str, tuple[str, ...]]:
    return {one.name: one.values for one in line.stated}


async def test_a_file_that_the_user_names(tmp_path: Path) -> None:
    (tmp_path / "serve.sh").write_text(
        "#!/bin/sh\nvllm serve Qwen/Qwen3-8B --max-model-len 32k --block-size=32 \\\n"
        "  --no-enable-prefix-caching --served-model-name chat coder \\\n"
        f"  --gpu-memory-utilization 0.90 --api-key {KEY}\n"
    )
    line = await told(tmp_path, 1234, file="serve.sh")

    assert (line.place, line.given, line.running) == ("serve.sh", True, False)
    assert values(line) == {
        "max_model_len": ("32000",),
        "block_size": ("32",),
        "gpu_memory_utilization": ("0.9",),
        "enable_prefix_caching": ("False",),
        "served_model_name": ("chat", "coder"),
    }
    assert {one.name: one.where for one in line.stated}["gpu_memory_utilization"] == "serve.sh:4"
    assert KEY not in repr(line)


async def test_of_several_lines_the_one_for_the_port(tmp_path: Path) -> None:
    (tmp_path / "serve.sh").write_text("vllm serve a/b\nvllm serve c/d --port 8001\n")

    assert values(await told(tmp_path, 8001, file="serve.sh")) == {"model": ("c/d",)}
    with pytest.raises(Unavailable, match="does not tell which"):
        await told(tmp_path, 8002, file="serve.sh")


@pytest.mark.parametrize("text", ["", "echo hello\n", "vllm serve a/b $EXTRA_ARGS\n"])
async def test_a_file_that_tells_nothing_for_sure(text: str, tmp_path: Path) -> None:
    (tmp_path / "serve.sh").write_text(text)
    with pytest.raises(Unavailable):
        await told(tmp_path, file="serve.sh")
    with pytest.raises(Unavailable):
        await told(tmp_path, file="no-such-file")


async def test_what_a_variable_gives_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(
        "services:\n  vllm:\n    image: vllm/vllm-openai:${TAG:-v0.27.1}\n"
        '    ports: ["8000:8000"]\n'
        "    command: --model ${MODEL:-a/b} --max-model-len ${LENGTH:-4096} --block-size 32\n"
    )
    assert values(await told(tmp_path)) == {"block_size": ("32",)}


async def test_the_service_that_is_published_on_the_port(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(COMPOSE.format(key=KEY))
    line = await told(tmp_path, 9000)

    assert (line.given, line.running) == (False, False)
    assert values(line) == {
        "max_model_len": ("32768",),
        "model": ("Qwen/Qwen3-8B",),
        "version": ("0.27.1",),
    }
    assert KEY not in repr(line)
    with pytest.raises(Unavailable, match="nothing tells"):
        await told(tmp_path, PORT)
    with pytest.raises(Unavailable, match="another machine"):
        await told(tmp_path, 9000, local=False)


async def test_a_compose_file_with_an_override_is_not_the_whole(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(COMPOSE)
    (tmp_path / "compose.override.yaml").write_text("services: {}\n")
    with pytest.raises(Unavailable, match="nothing tells"):
        await told(tmp_path, 9000)


LISTENS = """
import socket, sys
at = sys.argv.index("--port") + 1
server = socket.create_server(("127.0.0.1", int(sys.argv[at])))
print("up", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def serving(folder: Path, port: int, *arguments: str) -> Iterator[int]:
    """A process whose command is vLLM's; it listens, and that is all. The value is its id."""
    program = folder / "vllm"
    program.write_text(LISTENS)
    command = [sys.executable, str(program), "serve", *arguments, "--port", str(port)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        try:
            yield process.pid
        finally:
            process.kill()


async def test_the_process_that_listens(tmp_path: Path) -> None:
    (tmp_path / "engine.yaml").write_text("block-size: 64\n")
    with refusing_port() as port:
        pass
    config = ("--config", "engine.yaml")
    with serving(tmp_path, port, "a/b", "--max-model-len", "4096", *config) as pid:
        line = await told(tmp_path, port)

    assert line.running
    assert line.place == f"pid {pid}"
    assert values(line) == {"max_model_len": ("4096",), "block_size": ("64",), "model": ("a/b",)}


async def test_another_program_that_listens_is_none(tmp_path: Path) -> None:
    async with LoopbackServer(Vllm(VllmConfig())) as server:
        with pytest.raises(Unavailable, match="nothing tells"):
            await told(tmp_path, server.port)


async def test_where_no_engine_is_known_nothing_is_looked_for(tmp_path: Path) -> None:
    given = {ENGINE: Engine(None, "no vLLM address is known")}
    async with world(connection(), given=given) as store:
        with pytest.raises(Unavailable, match="no vLLM address"):
            await store.get(START_LINE)
