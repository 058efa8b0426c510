"""From the requests of one load to its figures, with how sure they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from doctor.bench.beside import Beside
from doctor.bench.gpus import GpuUse, together
from doctor.bench.load import Salvo
from doctor.bench.scenario import Load
from doctor.bench.stats import Interval, enough_for, interval, mean, quantile
from doctor.probes.streaming import Shot
from doctor.records import dataclass

SHARES = (0.5, 0.9, 0.99)
TIMES = ("ttft", "tpot", "inter_token", "latency")
_SLICES = 10
# The client is late by that, in seconds, and that share of a whole answer.
_LATE = 0.02
_LATE_SHARE = 0.1
# Of all gaps between pieces, which come by the hundred thousand.
_KEPT_GAPS = 5_000


@dataclass(frozen=True, slots=True)
class Repeat:
    """One time that a load was put on. Times in seconds, one entry per answer (``inter_token``: per
    gap, thinned out); ``rates`` are output tokens per second in tenths of the time. ``pieces`` is
    how many the answers came in, ``lag`` how late the client itself was, in seconds (P99)."""

    seconds: float
    ttft: tuple[float, ...]
    tpot: tuple[float, ...]
    inter_token: tuple[float, ...]
    latency: tuple[float, ...]
    rates: tuple[float, ...]
    prompt_tokens: int
    output_tokens: int
    pieces: int
    cached_tokens: int | None
    errors: dict[str, int]
    said: str = ""
    untold: bool = False  # tokens are counted by pieces
    held: bool = False
    lag: float = 0.0
    engine: Beside | None = None
    gpus: tuple[GpuUse, ...] = ()

    @property
    def answers(self) -> int:
        return len(self.latency)

    @property
    def failures(self) -> int:
        return sum(self.errors.values())


@dataclass(frozen=True, slots=True)
class Share:
    """A quantile, and its interval where there are enough values for one."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Times:
    """Of one kind of times, in seconds. ``shares`` by the names "p50", "p90", "p99"."""

    count: int
    mean: float
    shares: dict[str, Share]


@dataclass(frozen=True, slots=True)
class Level:
    """All repeats of one load. Rates are tokens per second; ``times`` by the names of ``TIMES``,
    without what was not measured. ``tokens`` is None where nothing was answered."""

    load: Load
    repeats: tuple[Repeat, ...]
    times: dict[str, Times] = field(default_factory=dict)
    output_rate: float = 0.0
    total_rate: float = 0.0
    request_rate: float = 0.0
    sure: Interval | None = None

    @property
    def answers(self) -> int:
        return sum(repeat.answers for repeat in self.repeats)

    @property
    def failures(self) -> int:
        return sum(repeat.failures for repeat in self.repeats)

    @property
    def failed(self) -> float:
        """The share of requests that failed (0 to 1)."""
        return self.failures / max(self.answers + self.failures, 1)

    @property
    def errors(self) -> dict[str, int]:
        found: Counter[str] = Counter()
        for repeat in self.repeats:
            found.update(repeat.errors)
        return dict(found.most_common())

    @property
    def lag(self) -> float:
        """How late the client itself was, in seconds (P99)."""
        return max((repeat.lag for repeat in self.repeats), default=0.0)

    @property
    def gpus(self) -> tuple[GpuUse, ...]:
        """The engine's GPUs, where they were looked at."""
        return together(repeat.gpus for repeat in self.repeats)

    @property
    def limited_by_client(self) -> bool:
        """Whether this machine had so much else to do that the server shows in nothing."""
        return self.lag >= max(_LATE, _LATE_SHARE * (self.median("latency") or 0.0))

    def median(self, name: str) -> float | None:
        held = self.times.get(name)
        return None if held is None else held.shares["p50"].value


def repeat_of(salvo: Salvo, engine: Beside | None, gpus: tuple[GpuUse, ...] = ()) -> Repeat:
    """The figures of one repeat."""
    good = [shot for shot in salvo.shots if not shot.error]
    bad = [shot for shot in salvo.shots if shot.error]
    gaps = [b - a for shot in good for a, b in zip(shot.moments, shot.moments[1:], strict=False)]
    every = max(len(gaps) // _KEPT_GAPS, 1)
    cached = [shot.cached for shot in good if shot.cached is not None]
    return Repeat(
        seconds=max(salvo.ended - salvo.began, 1e-9),
        ttft=tuple(shot.ttft for shot in good if shot.ttft is not None),
        tpot=tuple(shot.tpot for shot in good if shot.tpot is not None),
        inter_token=tuple(gaps[::every]),
        latency=tuple(shot.latency for shot in good),
        rates=_rates(good, salvo),
        prompt_tokens=sum(shot.prompt or 0 for shot in good),
        output_tokens=sum(shot.tokens for shot in good),
        pieces=sum(len(shot.moments) for shot in good),
        cached_tokens=sum(cached) if cached else None,
        errors=dict(Counter(shot.error for shot in bad).most_common()),
        said=next((shot.said for shot in bad if shot.said), ""),
        untold=any(shot.output is None for shot in good),
        held=salvo.held,
        lag=quantile(salvo.lags, 0.99) if salvo.lags else 0.0,
        engine=engine,
        gpus=gpus,
    )


def _rates(shots: Sequence[Shot], salvo: Salvo) -> tuple[float, ...]:
    span = salvo.ended - salvo.began
    if span <= 0:
        return ()
    held = [0.0] * _SLICES
    for shot in shots:
        each = shot.tokens / max(len(shot.moments), 1)
        for moment in shot.moments:
            place = int((moment - salvo.began) / span * _SLICES)
            held[min(max(place, 0), _SLICES - 1)] += each
    return tuple(tokens / (span / _SLICES) for tokens in held)


def level_of(load: Load, repeats: Sequence[Repeat]) -> Level:
    """The figures of all repeats together."""
    seconds = sum(repeat.seconds for repeat in repeats) or 1e-9
    output = sum(repeat.output_tokens for repeat in repeats)
    prompt = sum(repeat.prompt_tokens for repeat in repeats)
    times = {}
    for name in TIMES:
        groups = [getattr(repeat, name) for repeat in repeats]
        found = _times(groups, sure=name != "inter_token")
        if found is not None:
            times[name] = found
    return Level(
        load=load,
        repeats=tuple(repeats),
        times=times,
        output_rate=output / seconds,
        total_rate=(output + prompt) / seconds,
        request_rate=sum(repeat.answers for repeat in repeats) / seconds,
        sure=interval([repeat.rates for repeat in repeats], mean) if output else None,
    )


def _times(groups: Sequence[Sequence[float]], *, sure: bool) -> Times | None:
    """``sure`` asks for intervals: gaps within an answer depend on one another, so have none."""
    values = [value for group in groups for value in group]
    if not values:
        return None
    shares = {}
    for share in SHARES:

        def statistic(of: Sequence[float], share: float = share) -> float:
            return quantile(of, share)

        known = sure and enough_for(share, len(values))
        name = f"p{share * 100:.0f}"
        shares[name] = Share(statistic(values), interval(groups, statistic) if known else None)
    return Times(len(values), mean(values), shares)
