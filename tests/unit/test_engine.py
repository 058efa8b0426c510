"""One check that fails, hangs or lacks evidence disturbs no other, and is not called healthy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from doctor.checkapi import (
    Check,
    DeclaredFacts,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    problem,
)
from doctor.engine import fold, run_checks
from doctor.facts.network import Endpoint
from doctor.facts.store import Fact, Facts, Scope, Unavailable
from doctor.models import Status
from tests.kit import run_check, store_of


def made(function: object, **more: object) -> Check:
    return check(code="KVD999", slug="made-for-a-test", severity=Severity.ERROR, **more)(  # type: ignore[arg-type]
        function  # type: ignore[arg-type]
    )


async def passes(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Nothing to find."""
    return
    yield


async def raises(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Breaks."""
    raise RuntimeError("broken check")
    yield


async def hangs(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Never ends."""
    await asyncio.Event().wait()
    yield problem("never", "never")


async def does_not_apply(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Has nothing to look at."""
    raise NotApplicable("no proxy is set")
    yield


async def reads_undeclared(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Reads what it did not declare."""
    await f.get(facts.ENVIRONMENT)
    yield problem("never", "never")


async def finds(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Finds one thing."""
    yield problem(_("The key ends in a line break"), _("Python refuses it."))


@pytest.mark.parametrize(
    ("function", "more", "status", "reason"),
    [
        (passes, {}, Status.PASS, None),
        (raises, {}, Status.CRASHED, "RuntimeError: broken check"),
        (hangs, {"timeout": 0.01}, Status.TIMEOUT, "no result within 0.01 s"),
        (does_not_apply, {}, Status.SKIPPED, "no proxy is set"),
        (passes, {"needs": (facts.DNS,)}, Status.UNKNOWN, "the test gave no dns"),
        (
            reads_undeclared,
            {},
            Status.CRASHED,
            "LookupError: the check reads environment without declaring it",
        ),
    ],
)
def test_how_a_check_can_end(
    function: object, more: dict[str, object], status: Status, reason: str | None
) -> None:
    result = run_check(made(function, **more))

    assert (result.status, result.reason) == (status, reason)


def test_a_finding_is_signed_with_what_its_check_declares() -> None:
    result = run_check(made(finds, hop=Hop.TLS, explains=("KVD111",)))

    [finding] = result.findings
    assert (finding.code, finding.slug, finding.target) == ("KVD999", "made-for-a-test", "target")
    assert (finding.severity, finding.hop, finding.explains) == (
        Severity.ERROR,
        Hop.TLS,
        ("KVD111",),
    )


async def test_a_fact_is_gathered_once_for_all_who_ask() -> None:
    gathered = 0

    async def gather(store: Facts) -> Endpoint:
        nonlocal gathered
        gathered += 1
        await asyncio.sleep(0)
        return Endpoint(url="http://127.0.0.1/")

    fact: Fact[Endpoint] = Fact("counted", Endpoint, gather)

    async def asks(f: DeclaredFacts) -> AsyncIterator[Finding]:
        """Asks for the fact."""
        await f.get(fact)
        return
        yield

    store = store_of(gathered=(fact,))
    checks = [made(asks, needs=(fact,)) for _number in range(30)]

    results = await run_checks(checks, store, lambda event: None)

    assert {result.status for result in results} == {Status.PASS}
    assert gathered == 1


async def test_a_fact_that_hangs_is_unavailable_after_its_time() -> None:
    async def hang(store: Facts) -> Endpoint:
        await asyncio.Event().wait()
        raise AssertionError

    fact: Fact[Endpoint] = Fact("hanging", Endpoint, hang, Scope.CONNECTION, timeout=0.01)

    with pytest.raises(Unavailable, match=r"no answer within 0\.01 s"):
        await store_of(gathered=(fact,)).get(fact)


def finding(code: str, hop: Hop, explains: tuple[str, ...] = ()) -> Finding:
    return Finding(title=code, explanation="", code=code, target="t", hop=hop, explains=explains)


def test_consequences_fold_under_the_earliest_cause() -> None:
    proxy = finding("KVD301", Hop.PROXY, explains=("KVD302", "KVD311"))
    local = finding("KVD302", Hop.PROXY, explains=("KVD311",))
    refused = finding("KVD311", Hop.TCP)

    folded = {f.code: f.explained_by for f in fold([refused, local, proxy])}

    assert folded == {"KVD301": None, "KVD302": "KVD301", "KVD311": "KVD301"}


def test_two_findings_that_name_each_other_both_stay_roots() -> None:
    first = finding("KVD201", Hop.CONFIGURATION, explains=("KVD202",))
    second = finding("KVD202", Hop.CONFIGURATION, explains=("KVD201",))

    assert [f.explained_by for f in fold([first, second])] == [None, None]
