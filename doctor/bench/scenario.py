"""What is asked of a server, and how much at once."""

from __future__ import annotations

from doctor.records import dataclass

ARRIVALS = ("poisson", "constant")


@dataclass(frozen=True, slots=True)
class Load:
    """Closed loop: ``concurrency`` requests are under way at any time. Open loop: ``rate`` requests
    a second begin, whatever became of the earlier ones. One of them is set."""

    concurrency: int | None = None
    rate: float | None = None

    @property
    def name(self) -> str:
        """For people and for looking the same load up in another run."""
        return f"{self.concurrency}" if self.rate is None else f"{self.rate:g}/s"

    @property
    def size(self) -> float:
        return float(self.concurrency or 0) if self.rate is None else self.rate


@dataclass(frozen=True, slots=True)
class Scenario:
    """``sweep`` ends at saturation. ``requests`` None lets the load decide. ``seconds`` bounds the
    starting of requests of one load and repeat; ``tokens`` all of the run, prompts among them.
    ``shared`` is the share of each prompt that all have in common (0 to 1). ``log`` names the log
    that the prompts are from."""

    loads: tuple[Load, ...]
    prompt_tokens: int = 256
    output_tokens: int = 128
    shared: float = 0.0
    log: str = ""
    sweep: bool = False
    requests: int | None = None
    seconds: float = 60.0
    tokens: int | None = None
    repeats: int = 1
    warmup: int = 2
    arrival: str = ARRIVALS[0]
    seed: int = 0

    def requests_of(self, load: Load) -> int:
        """How many requests one repeat of ``load`` sends at most."""
        if self.requests is not None:
            return self.requests
        if load.rate is not None:
            return max(round(load.rate * min(self.seconds, 30.0)), 10)
        return max(20, 4 * (load.concurrency or 1))

    @property
    def most_requests(self) -> int:
        """Of the whole run, warm-up aside."""
        return sum(self.requests_of(load) for load in self.loads) * self.repeats

    def most_tokens(self, sides: int = 1) -> int:
        """About as many tokens are spent at most, on all sides together."""
        spent = sides * self.most_requests * (self.prompt_tokens + self.output_tokens)
        return spent if self.tokens is None else min(spent, self.tokens)
