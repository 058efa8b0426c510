"""How a demo LiteLLM proxy is configured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from . import keys
from .faults import Fault, Faults, Injection


@dataclass(frozen=True, slots=True)
class Group:
    """A ``model_name`` of the configuration with the one deployment behind it.

    ``upstream`` is the base URL of a loopback server; without it the answer is simulated.
    """

    name: str
    model: str = "tiny"
    upstream: str | None = None
    upstream_key: str = field(default="", repr=False)


@dataclass(frozen=True)
class LiteLlmConfig:
    """``database`` tells whether virtual keys exist: it changes what a wrong key gets."""

    master_key: str = field(default=keys.MASTER, repr=False)
    groups: tuple[Group, ...] = (Group("qwen3-8b"),)
    database: bool = False
    version: str = "1.108.7"
    answer: str = "ok"
    faults: Mapping[str, Fault | Injection] | Faults | None = None
