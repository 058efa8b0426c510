"""Runs many cases, two at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import trustme

from .case import Case
from .examine import Seen, examine
from .verdict import Expectations, Verdict

AT_ONCE = 2


def _seen(case: Case, authority: trustme.CA) -> Seen:
    try:
        return examine(case, authority)
    except Exception as error:  # one case that cannot be reconstructed must not end the others
        return Seen(troubles=(f"not reconstructed: {type(error).__name__}: {error}",))


def run_cases(
    cases: Iterable[Case], tell: Callable[[Verdict], None] = lambda verdict: None
) -> tuple[Verdict, ...]:
    """The verdict of each case, in order; ``tell`` gets each as soon as it is there."""
    authority = trustme.CA()
    expectations = Expectations()

    def one(case: Case) -> Verdict:
        verdict = Verdict(case, expectations.of(case), _seen(case, authority))
        tell(verdict)
        return verdict

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return tuple(pool.map(one, cases))
