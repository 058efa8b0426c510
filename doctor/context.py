"""One run: its options, what it stands on, and what it has spent."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.models import Spending
from doctor.records import dataclass
from doctor.secrets import Redactor
from doctor.turns import Turns

if TYPE_CHECKING:
    from doctor.facts.store import Recorder
    from doctor.probes.http import Requester


@dataclass(frozen=True, slots=True)
class Options:
    """How a run may behave. ``timeout`` bounds one request, ``deadline`` one fact, in seconds.

    ``connect_to`` maps (host, port) to the (host, port) that is dialled instead, as curl's
    ``--connect-to`` does; names in TLS and in the Host header stay. ``trust_project`` lets a file
    of the working folder choose where a key of the user goes (DESIGN §6.4). ``named`` are the
    targets that the user named, which is consent as well. ``window`` is how long a busy engine is
    watched, in seconds.
    """

    no_spend: bool = False
    offline: bool = False
    timeout: float = 10.0
    sdk: bool = False
    ca_bundle: str | None = None
    connect_to: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)
    trust_project: bool = False
    named: frozenset[str] = frozenset()
    max_trials: int = 24
    window: float = 2.0

    @property
    def deadline(self) -> float:
        """A fact may need a second request (the models list, then the completion)."""
        return 2 * self.timeout + 2.0 + self.window


class Meter:
    """Counts the requests of a run."""

    def __init__(self) -> None:
        self.spent = Spending()

    def free(self) -> None:
        self.spent = Spending(self.spent.free + 1, self.spent.billable, self.spent.tokens)

    def billable(self, tokens: int) -> None:
        self.spent = Spending(self.spent.free, self.spent.billable + 1, self.spent.tokens + tokens)


@dataclass(slots=True)
class RunContext:
    """What every fact of a run may use."""

    options: Options
    environment: Environment
    settings: Settings
    recorder: Recorder
    redactor: Redactor
    requester: Requester
    meter: Meter = field(default_factory=Meter)
    turns: Turns = field(default_factory=Turns)
