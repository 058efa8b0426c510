"""The engine behind the address: its program, its state, its metrics."""

from __future__ import annotations

from dataclasses import field

from doctor.facts.answers import Reply, ServedModel
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Engine:
    """What the engine's own routes tell, beside those that its clients use.

    ``root`` is the URL below which ``/metrics`` hangs, None where no engine is known: ``detail``
    says why. ``behind`` says that it is the engine behind the examined gateway, ``local`` that it
    is on this machine. ``health`` is the status of ``/health``, None where it was not asked for or
    gave none; ``load`` is the number of requests in it, by ``/load``. ``models`` are those that an
    engine behind a gateway lists itself.
    """

    root: str | None
    detail: str = ""
    behind: bool = False
    local: bool = False
    version: str | None = None
    health: int | None = None
    load: int | None = None
    models: tuple[ServedModel, ...] | None = None


@dataclass(frozen=True, slots=True)
class Distribution:
    """A histogram as Prometheus has it: ``counts[i]`` observations were at most ``bounds[i]``;
    the last bound is infinite and not among them."""

    count: float
    sum: float
    bounds: tuple[float, ...] = ()
    counts: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class EngineSeries:
    """The numbers of one engine process for one model, whatever the version calls them.

    ``values`` and ``histograms`` are by the names of ``doctor.enginemetrics.names``; what a
    version does not expose is not there. ``cache`` are the labels of ``cache_config_info``, which
    are vLLM's CacheConfig as text ("None" for what is not set).
    """

    engine: str
    model: str
    values: dict[str, float] = field(default_factory=dict)
    histograms: dict[str, Distribution] = field(default_factory=dict)
    cache: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Metrics:
    """One answer of ``/metrics``. ``at`` is when it came, ``started`` when the server began, in
    seconds since 1970. ``malformed`` counts lines that make no sense; ``complete`` is False where
    the answer was longer than what is read."""

    url: str
    at: float
    series: tuple[EngineSeries, ...] = ()
    started: float | None = None
    malformed: int = 0
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Starting:
    """An engine process of this machine that does not listen yet on the examined port.

    ``seconds`` is its age. ``command`` is its name and sub-command, without arguments.
    """

    pid: int
    command: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Stated:
    """One setting of a launch line. ``name`` is vLLM's own; ``values`` are what it means: a number
    in plain digits, "True" or "False", the names. ``written`` is how it stands at ``where``."""

    name: str
    values: tuple[str, ...]
    written: str
    where: str


@dataclass(frozen=True, slots=True)
class StartLine:
    """How the engine is started, as far as it tells of it itself. ``running``: this is the command
    of the process that listens; ``given``: the user said that this file starts it."""

    place: str
    running: bool = False
    given: bool = False
    stated: tuple[Stated, ...] = ()


@dataclass(frozen=True, slots=True)
class Direct:
    """A small request sent to the engine behind the gateway, without the gateway."""

    base_url: str
    reply: Reply
