"""After writing: the settings are read anew, and the request that failed is repeated."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from doctor.facts.machine import Environment
from doctor.fixes.prepare import Prepared
from doctor.models import Answer

# Discovers in an environment and asks each target once: target id → how its request ended.
Again = Callable[[Environment], Awaitable[Mapping[str, Answer | None]]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """``answer`` None: no request was made, so nothing is known."""

    target: str
    answer: Answer | None

    @property
    def verified(self) -> bool:
        return self.answer is not None and self.answer.answered


def environment_after(environment: Environment, prepared: Prepared) -> Environment:
    """The environment of a shell that is started after the start-up files have changed."""
    variables = dict(environment.variables)
    for name, value in prepared.exports.items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = value
    return dataclasses.replace(environment, variables=variables)


async def verify(
    again: Again, environment: Environment, prepared: Prepared, targets: Sequence[str]
) -> tuple[Verdict, ...]:
    """Ask each of ``targets`` again, as a program started from now on would."""
    answers = await again(environment_after(environment, prepared))
    return tuple(Verdict(target, answers.get(target)) for target in targets)
