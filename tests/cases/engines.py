"""Reports about an engine: its launch line is put to ``launch``, its log to ``explain``."""

from __future__ import annotations

import importlib.util
import shlex
from collections.abc import Sequence

from .case import Case
from .program import Ran, run
from .world import World

# Kinds of reports in which no client asks anything.
ENGINE_KINDS = ("vllm-startup", "gpu-memory")
_PROGRAMS = ("vllm", "vllm.entrypoints.openai.api_server", "sglang.launch_server")
_IMAGE = "vllm/vllm-openai"
# What vLLM prints its arguments with.
_ARGUMENTS = ("non-default args", "Namespace(")
_COMPOSE = ("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml")
_MODEL_CONFIGS = ("config.json", "target/config.json")
_DRAFT_CONFIGS = ("draft/config.json",)


def is_about_an_engine(case: Case) -> bool:
    """Whether there is nothing for ``check`` to do: no client, no answer."""
    return case.kind in ENGINE_KINDS and case.response is None


def launched(case: Case, world: World) -> Ran | None:
    """What ``launch`` says of the report's launch line or compose file, None without either."""
    if importlib.util.find_spec("doctor.commands.launch") is None:
        return None
    asked = ["launch", "--format", "json"]
    for flag, names in (("--model-config", _MODEL_CONFIGS), ("--draft-config", _DRAFT_CONFIGS)):
        asked += [word for name in names if name in case.files for word in (flag, name)]
    compose = next((name for name in _COMPOSE if name in case.files), None)
    if starts_an_engine(case.argv):
        return run(world, [*asked, "--", *case.argv])
    if compose is not None:
        return run(world, [*asked, "--compose", compose])
    return None


def log_of(case: Case) -> str:
    """What is pasted: an engine prints its arguments when it starts, and a report's log is a part
    of what was printed. Where it holds no start, the command that was typed stands in front."""
    known = any(mark in case.log for mark in _ARGUMENTS)
    if case.kind not in ENGINE_KINDS or known or not starts_an_engine(case.argv):
        return case.log
    return f"$ {shlex.join(case.argv)}\n{case.log}"


def starts_an_engine(argv: Sequence[str]) -> bool:
    """Whether the words are a launch line: ``vllm serve``, its module, or its image."""
    words = [word for word in argv if "=" not in word or word.startswith("-")]
    return any(
        word in _PROGRAMS or word.rsplit("/", 1)[-1] == "vllm" or _IMAGE in word for word in words
    )
