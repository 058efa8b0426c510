"""What the app asks of the world outside: targets, runs, explanations, fixes.

The app knows this protocol only, so a scripted session stands in for the machine in tests and in
``scripts/screenshots.py``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # Importing these takes longer than the first paint can wait.
    from doctor.checkapi import Check
    from doctor.enginemetrics.sample import Gap, Sample
    from doctor.events import Event
    from doctor.models import TargetReport
    from doctor.secrets import Redactor
    from doctor.settings.ignore import IgnoreRule
    from doctor.target import Target
    from doctor.tui.benching import Benching
    from doctor.tui.explained import Explained
    from doctor.tui.first_steps import FirstSteps
    from doctor.tui.fixing import Applied, Proposal, Undone
    from doctor.tui.screens.first_run import Aim


class Trouble(Exception):
    """The arguments or a configuration file make no sense; the text is for the user."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What to run: all targets and all checks unless named.

    ``selectors`` are codes or areas as ``--select`` takes them.
    """

    targets: tuple[str, ...] = ()
    selectors: tuple[str, ...] = ()

    @property
    def partial(self) -> bool:
        """Whether only some of the checks run."""
        return bool(self.selectors)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What there is to run. ``nothing`` says what to do where no target was found. ``ignores``
    are the rules of kvdoctor.toml that are in force."""

    targets: tuple[Target, ...]
    checks: tuple[Check, ...]
    nothing: str = ""
    ignores: tuple[IgnoreRule, ...] = ()


class Session(Protocol):
    """One sitting at the app."""

    redactor: Redactor

    async def prepare(self) -> Prepared:
        """Discover the targets and load the checks. Raises ``Trouble``."""
        ...

    def run(self, scope: Scope) -> AsyncIterator[Event]:
        """Discover anew and examine. Raises ``Trouble``."""
        ...

    def first_steps(self) -> FirstSteps:
        """What there is for somebody who has nothing set up."""
        ...

    def aim(self, at: Aim) -> None:
        """Examine that client from now on."""
        ...

    async def warm(self) -> None:
        """Import what a later run may need, now that the first screen is up."""
        ...

    def watch(self, target: str, interval: float) -> AsyncIterator[Sample | Gap]:
        """Looks at the engine of the target with that id every ``interval`` seconds, for ever; ""
        is the likeliest one. Raises ``Trouble`` where there is none, or it does not tell."""
        ...

    def benching(self, target: str) -> Benching:
        """A benchmark of the target with that id."""
        ...

    async def explain(self, text: str, here: Mapping[str, str]) -> Explained:
        """The causes of an error text; ``here`` maps codes found in this run to their places."""
        ...

    async def ignore(self, code: str, target: str, reason: str) -> Applied:
        """Write an ``[[ignore]]`` rule to kvdoctor.toml. Raises ``Trouble``."""
        ...

    async def propose(self, report: TargetReport, codes: tuple[str, ...]) -> Proposal:
        """The lasting fixes of these findings, as they would be written. Raises ``Trouble``."""
        ...

    async def preview(self, proposal: Proposal, parts: tuple[str, ...]) -> str:
        """What ``apply`` of these parts would write: one unified diff, keys masked. Raises
        ``Trouble``."""
        ...

    async def apply(self, proposal: Proposal, parts: tuple[str, ...]) -> Applied:
        """Write the chosen parts of a proposal. Raises ``Trouble``."""
        ...

    async def undoable(self) -> str | None:
        """What ``undo`` would take back: titles and a diff; None where there is nothing. Raises
        ``Trouble``."""
        ...

    async def undo(self) -> Undone:
        """Take the last applied fixes back, byte for byte. Raises ``Trouble``."""
        ...
