"""One start of an engine as its log tells it, kept small however long it ran."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from doctor.explain.log.arguments import config, namespace, non_default
from doctor.explain.log.numbers import Load, Memory, read_load, read_memory
from doctor.explain.log.waiting import Waits
from doctor.patterns import Pattern
from doctor.records import dataclass

# Marks by which a start begins: the server's, and the engine's own where there is no server.
_SERVER = Pattern(
    r"vLLM API server version (?P<version>[\w.+]+)|non-default args: |\bargs: Namespace\("
    r"|█ {1,3}version (?P<banner>[\w.+]+)"
)
_ENGINE = Pattern(
    r"Initializing an? (?:V[01] )?LLM engine \(v?(?P<version>[\w.+]+?)\)"
    # Old versions name none here.
    r"|Initializing a V1 LLM engine|Initializing an LLM engine with config: "
)
_READY = Pattern(
    r"Application startup complete|Uvicorn running on|Starting vLLM (?:API )?server"
    r"|Started server process"
)
_ENDED = Pattern(r"Shutting down|Finished server process|Waiting for application shutdown")
_KV_SIZE = Pattern(r"(?P<device>[A-Z]{3}) KV cache size: (?P<tokens>[\d,]+) tokens")
_CONCURRENCY = Pattern(
    r"Maximum concurrency for (?P<window>[\d,]+) tokens per request: (?P<times>[\d.]+)x"
)
_BLOCKS = Pattern(r"# (?P<device>\w+) blocks: (?P<blocks>\d+)")
_WINDOW = Pattern(r"Using max model len (\d+)")
_AUTO_FIT = Pattern(r"Auto-fit max_model_len: reduced from (?P<from>\d+) to (?P<to>\d+)")
_BLOCK_SIZE = Pattern(r"Setting attention block size to (\d+) tokens")
_PADDING = Pattern(r"Add \d+ padding layers, may waste at most ([\d.]+)%")
_HYBRID_OFF = "Hybrid KV cache manager is disabled"
# People who paste such a line leave the throughput out.
_PERIODIC = ("Avg prompt throughput", "Running: ")
# A machine has no more GPUs than this; a log may name any number of processes.
_PROCESSES = 64


@dataclass(slots=True)
class Kv:
    """The KV cache, per engine: what one request may be, and how many fit."""

    device: str | None = None
    tokens: int | None = None
    blocks: int | None = None
    window: int | None = None
    concurrency: float | None = None
    block_size: int | None = None
    auto_fit_from: int | None = None
    padding_percent: float | None = None
    hybrid_off: bool = False


@dataclass(slots=True)
class Start:
    """``line`` is where it begins. ``memory`` is by process: each has a GPU of its own.
    ``starved`` is the first line by which nothing is left for the KV cache."""

    line: int
    version: str | None = None
    args: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    memory: dict[str, Memory] = field(default_factory=dict)
    kv: Kv = field(default_factory=Kv)
    load: Load = field(default_factory=Load)
    waits: Waits = field(default_factory=Waits)
    ready: int | None = None
    ended: bool = False
    failed: bool = False
    server: bool = False
    marks: int = 0
    starved: tuple[int, str] | None = None
    last_line: int = 0

    def begins(self, text: str) -> str | None:
        """Which mark of a start ``text`` holds: ``server``, ``engine`` or None."""
        if _SERVER.search(text):
            return "server"
        return "engine" if _ENGINE.search(text) else None

    @property
    def loaded(self) -> bool:
        """Whether the weights are on the GPU."""
        known = any(memory.weights is not None for memory in self.memory.values())
        return known or self.kv.tokens is not None

    @property
    def used(self) -> bool:
        """Whether another mark begins another start: this one came somewhere, or ended."""
        return self.failed or self.ended or self.ready is not None or bool(self.memory)

    def take(self, number: int, process: str, text: str) -> None:
        """One line that is no error."""
        self.last_line = number
        if any(words in text for words in _PERIODIC):
            read_load(self.load, number, text)
            return
        if self._identity(text) or self._cache(text) or self.waits.take(number, text):
            return
        if _READY.search(text):
            self.ready = self.ready or number
        elif _ENDED.search(text):
            self.ended = True
        elif len(self.memory) < _PROCESSES or process in self.memory:
            memory = self.memory.get(process, Memory())
            before = repr(memory)
            read_memory(memory, text)
            if repr(memory) != before:
                self.memory[process] = memory
                if memory.kv is not None and memory.kv <= 0 and self.starved is None:
                    self.starved = number, text

    def _identity(self, text: str) -> bool:
        server = _SERVER.search(text)
        if server is not None:
            self.server = True
            self.marks += 1
            self.version = server["version"] or server["banner"] or self.version
            if "non-default args" in text:
                self.args = non_default(text) or self.args
            elif "Namespace(" in text:
                self.args = self.args or namespace(text)
            return True
        engine = _ENGINE.search(text)
        if engine is not None:
            self.marks += 1
            self.version = engine["version"] or self.version
            self.config = self.config or config(text)
            return True
        return False

    def _cache(self, text: str) -> bool:
        kv, before = self.kv, repr(self.kv)
        if match := _KV_SIZE.search(text):
            kv.device, kv.tokens = match["device"], _count(match["tokens"])
        if match := _CONCURRENCY.search(text):
            kv.window, kv.concurrency = _count(match["window"]), float(match["times"])
        if match := _BLOCKS.search(text):
            kv.blocks = int(match["blocks"])
        if match := _WINDOW.search(text):
            kv.window = int(match[1])
        if match := _AUTO_FIT.search(text):
            kv.auto_fit_from, kv.window = int(match["from"]), int(match["to"])
        if match := _BLOCK_SIZE.search(text):
            kv.block_size = int(match[1])
        if match := _PADDING.search(text):
            kv.padding_percent = float(match[1])
        kv.hybrid_off = kv.hybrid_off or _HYBRID_OFF in text
        return repr(kv) != before


def _count(text: str) -> int:
    return int(text.replace(",", ""))
