"""What a run was made with, as flat texts: the names by which two runs are told apart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from doctor import __version__
from doctor.bench.capacity import BEHIND
from doctor.bench.scenario import Scenario
from doctor.facts import GPUS
from doctor.facts.engine import Engine, Metrics
from doctor.facts.store import Facts
from doctor.patterns import Pattern
from doctor.probes.gpuload import is_here
from doctor.probes.starting import port_of, processes, serves
from doctor.untrusted import visible

# Values of these flags are keys, or name files that hold some.
_SECRET = Pattern(r"(?i)key|token(?!iz|s(?:-|$)|-threshold)|secret|password")
_PLACES = ("--host", "--port")
_MOST = 100


async def setup_of(
    facts: Facts, engine: Engine | None, metrics: Metrics | None, model: str
) -> dict[str, str]:
    """``flag --max-num-seqs`` and its like are there for a vLLM of this machine, ``kv …`` and
    ``vllm`` where the engine tells."""
    connection = facts.connection
    found = {
        "kvdoctor": __version__,
        "model": model,
        "server": connection.base_url.value,
        "protocol": connection.protocol.value,
    }
    if engine is not None:
        found |= await _engine(facts, engine)
    if metrics is not None and metrics.series:
        cache = metrics.series[0].cache
        found |= {f"kv {name}": value for name, value in cache.items() if value != "None"}
    shown = list(found.items())[:_MOST]
    return {visible(name, 80): visible(facts.run.redactor(value), 300) for name, value in shown}


async def _engine(facts: Facts, engine: Engine) -> dict[str, str]:
    found = {}
    if engine.version:
        found["vllm"] = engine.version
    if engine.behind and engine.root:
        found[BEHIND] = engine.root
    if engine.root is not None and await is_here(engine):
        port = urlsplit(engine.root).port or 80
        running = [p for p in await asyncio.to_thread(processes) if serves(p.arguments)]
        own = next((p for p in running if port_of(p.arguments) == port), None)
        if own is not None:
            found |= {f"flag {name}": value for name, value in flags_of(own.arguments).items()}
        gpus = await facts.find(GPUS)
        if gpus is not None and gpus.devices:
            found["gpus"] = ", ".join(device.name for device in gpus.devices)
    return found


def flags_of(arguments: Sequence[str]) -> Mapping[str, str]:
    """``--max-num-seqs`` → ``4``; "" for a flag without a value. Keys, and where it listens, are
    left out."""
    found: dict[str, str] = {}
    words = list(arguments)
    for place, word in enumerate(words):
        if not word.startswith("--"):
            continue
        name, equals, value = word.partition("=")
        follows = words[place + 1] if place + 1 < len(words) else "--"
        if not equals and not follows.startswith("--"):
            value = follows
        if name not in _PLACES and _SECRET.search(name) is None:
            found[name] = value
    return found


def asked_of(scenario: Scenario) -> dict[str, str]:
    """What was asked, as ``setup_of`` tells the rest."""
    found = {
        "prompt tokens": str(scenario.prompt_tokens),
        "output tokens": str(scenario.output_tokens),
        "shared": f"{scenario.shared:.0%}",
        "arrival": scenario.arrival,
    }
    if scenario.log:
        found |= {"log": scenario.log, "prompt tokens": "of the log", "shared": "of the log"}
        found["output tokens"] = f"of the log, up to {scenario.output_tokens}"
    return found
