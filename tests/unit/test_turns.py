"""Bursts of checks are taken apart: the loop gets to keys and sockets between them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

from doctor.checkapi import DeclaredFacts, Finding, Severity, check, facts
from doctor.engine import run_checks
from doctor.facts.network import DnsAnswer
from doctor.facts.store import Fact, Facts
from doctor.models import Status
from doctor.turns import AT_ONCE, Turns
from tests.kit import connection, store_of


class Rounds:
    """Counts the rounds of the event loop."""

    def __init__(self) -> None:
        self.number = 0
        self._on = True

    def start(self) -> None:
        asyncio.get_running_loop().call_soon(self._count)

    def stop(self) -> None:
        self._on = False

    def _count(self) -> None:
        self.number += 1
        if self._on:
            asyncio.get_running_loop().call_soon(self._count)


async def test_so_many_go_on_in_one_round_and_in_their_order() -> None:
    turns, rounds, gone = Turns(), Rounds(), list[tuple[int, int]]()

    async def go(number: int) -> None:
        await turns.take()
        gone.append((number, rounds.number))

    rounds.start()
    async with asyncio.TaskGroup() as group:
        for number in range(10 * AT_ONCE):
            group.create_task(go(number))
    rounds.stop()

    assert [number for number, _round in gone] == list(range(10 * AT_ONCE))
    assert max(Counter(at for _number, at in gone).values()) <= AT_ONCE
    assert len({at for _number, at in gone}) >= 10


async def test_whoever_gives_up_holds_nobody_up() -> None:
    turns = Turns()
    waiting = [asyncio.create_task(turns.take()) for _ in range(5 * AT_ONCE)]
    await asyncio.sleep(0)
    for task in waiting[AT_ONCE : 4 * AT_ONCE]:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert not waiting[-1].cancelled()

    # And the next burst begins anew.
    await asyncio.gather(*(turns.take() for _ in range(3 * AT_ONCE)))


def _check_of(fact: Fact[DnsAnswer], woken: list[int], rounds: Rounds) -> object:
    @check(code="KVD999", slug="made-for-a-test", severity=Severity.ERROR, needs=(fact,))
    async def counts(f: DeclaredFacts) -> AsyncIterator[Finding]:
        """Notes the round in which it goes on."""
        await f.get(fact)
        woken.append(rounds.number)
        return
        yield

    return counts


async def test_one_answer_that_many_checks_wait_for_is_no_burst() -> None:
    answered, rounds, woken = asyncio.Event(), Rounds(), list[int]()

    async def gather(store: Facts) -> DnsAnswer:
        await answered.wait()
        return DnsAnswer("gateway.example", (), 1)

    late = Fact(facts.DNS.key, DnsAnswer, gather)
    store = store_of(connection(), gathered=(late,))
    checks = [_check_of(late, woken, rounds) for _ in range(8 * AT_ONCE)]
    rounds.start()
    running = asyncio.create_task(run_checks(checks, store, lambda event: None))  # type: ignore[arg-type]
    for _ in range(12):
        await asyncio.sleep(0)
    answered.set()
    results = await running
    rounds.stop()

    assert {result.status for result in results} == {Status.PASS}
    assert len(woken) == 8 * AT_ONCE
    assert max(Counter(woken).values()) <= AT_ONCE
