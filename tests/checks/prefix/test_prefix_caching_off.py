from __future__ import annotations

from checks.prefix.prefix_caching_off import prefix_caching_off
from doctor import facts
from doctor.models import Finding, Severity, Status
from tests.checks.engines import Given, at_work, state
from tests.checks.response.replies import only, reply
from tests.kit import run_check


def with_cache(version: str | None = "0.32.0", **labels: str) -> Given:
    cache = {"enable_prefix_caching": "False", **labels}
    return at_work(state(generation_tokens=900), cache=cache, version=version)


def found(given: Given) -> Finding:
    return only(run_check(prefix_caching_off, given=given))


def status(given: Given) -> Status:
    return run_check(prefix_caching_off, given=given).status


def test_an_engine_without_prefix_caching() -> None:
    finding = found(with_cache())
    assert finding.title == "Prefix caching is off in the running engine"
    assert finding.severity is Severity.WARNING
    assert "vLLM 0.32.0 caches by default" in finding.explanation
    assert "--no-enable-prefix-caching" in finding.explanation


def test_an_engine_of_before_the_default_has_to_be_told() -> None:
    assert "0.6.6 caches with --enable-prefix-caching only: add it" in (
        found(with_cache("0.6.6")).explanation
    )


def test_of_a_build_of_ones_own_the_default_is_not_known() -> None:
    for version in ("0.1.dev1+g1a2b3c", None):
        assert "before 0.8 add" in found(with_cache(version)).explanation


def test_where_it_is_on_nobody_is_told_to_turn_it_on() -> None:
    assert status(with_cache(enable_prefix_caching="True")) is Status.PASS


def test_a_model_without_attention_has_no_prefixes() -> None:
    assert status(with_cache(is_attention_free="True")) is Status.SKIPPED


def test_a_model_that_generates_nothing_has_no_use_for_it() -> None:
    given = at_work(state(), cache={"enable_prefix_caching": "False"})
    assert status(given) is Status.SKIPPED
    assert status({**given, facts.COMPLETION: reply()}) is Status.FINDINGS


def test_an_engine_that_does_not_say_is_left_alone() -> None:
    assert status(with_cache(enable_prefix_caching="None")) is Status.SKIPPED
