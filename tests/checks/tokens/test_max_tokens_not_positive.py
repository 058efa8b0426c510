from __future__ import annotations

import pytest

from checks.tokens.max_tokens_not_positive import max_tokens_not_positive
from checks.tokens.max_tokens_over_window import max_tokens_over_window
from doctor import facts
from doctor.facts.answers import OutcomeKind, Product
from doctor.models import Confidence, Severity, Status
from tests.checks.response.replies import Given, models, only, reply, values
from tests.kit import connection, run_check

REFUSED = OutcomeKind.MAX_TOKENS_NOT_POSITIVE


@pytest.mark.parametrize("own", [0, -1])
def test_a_refused_number_below_one(own: int) -> None:
    message = f"max_tokens must be at least 1, got {own}. (parameter=max_tokens, value={own})"
    answer = reply(REFUSED, message, status=400, request_max_tokens=own)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("qwen3-8b", window=2_048)}

    finding = only(run_check(max_tokens_not_positive, connection(max_tokens=own), given))

    assert finding.title == f"max_tokens is {own}"
    assert values(finding) == [1_024]
    assert finding.confidence is Confidence.HIGH
    assert run_check(max_tokens_over_window, connection(max_tokens=own), given).findings == ()


def test_without_a_request_the_setting_alone_shows_it() -> None:
    finding = only(run_check(max_tokens_not_positive, connection(max_tokens=-1)))

    assert "max_tokens, environment holds it" in finding.explanation
    assert finding.severity is Severity.ERROR
    assert finding.confidence is Confidence.MEDIUM


def test_a_refusal_of_a_number_that_no_source_holds() -> None:
    answer = reply(REFUSED, "max_tokens must be at least 1, got -1.", status=400, requested=-1)

    finding = only(run_check(max_tokens_not_positive, given={facts.COMPLETION: answer}))

    assert finding.title == "max_tokens is -1"
    assert finding.changes == ()


def test_a_server_that_takes_it_makes_it_healthy() -> None:
    answer = reply(request_max_tokens=-1)

    result = run_check(
        max_tokens_not_positive, connection(max_tokens=-1), {facts.COMPLETION: answer}
    )

    assert result.status is Status.PASS


def test_an_answer_to_another_number_makes_it_a_warning() -> None:
    given: Given = {facts.COMPLETION: reply(request_max_tokens=16)}

    finding = only(run_check(max_tokens_not_positive, connection(max_tokens=-1), given))

    assert finding.severity is Severity.WARNING


def test_a_positive_number_passes() -> None:
    given: Given = {facts.COMPLETION: reply(request_max_tokens=64)}

    assert (
        run_check(max_tokens_not_positive, connection(max_tokens=64), given).status is Status.PASS
    )


REFUSED_MODEL = reply(
    OutcomeKind.MODEL_UNKNOWN, "Model not found", status=404, request_max_tokens=-1
)


def test_minus_one_is_none_where_the_answer_is_about_something_else() -> None:
    given: Given = {facts.COMPLETION: REFUSED_MODEL}

    assert run_check(max_tokens_not_positive, connection(max_tokens=-1), given).findings == ()


@pytest.mark.parametrize("product", ["vllm", "openai"])
def test_minus_one_is_a_fault_at_a_server_that_is_known_to_refuse_it(product: str) -> None:
    given: Given = {facts.COMPLETION: REFUSED_MODEL, facts.PRODUCT: Product(product, None, ())}

    only(run_check(max_tokens_not_positive, connection(max_tokens=-1), given))


def test_minus_one_is_a_fault_at_a_known_provider() -> None:
    target = connection("https://api.deepseek.com/v1", max_tokens=-1)

    only(run_check(max_tokens_not_positive, target, {facts.COMPLETION: REFUSED_MODEL}))


def test_zero_means_no_limit_nowhere() -> None:
    given: Given = {facts.COMPLETION: REFUSED_MODEL}

    only(run_check(max_tokens_not_positive, connection(max_tokens=0), given))


@pytest.mark.parametrize("port", [1234, 11434])
def test_lm_studio_and_ollama_take_minus_one(port: int) -> None:
    target = connection(f"http://localhost:{port}/v1", max_tokens=-1)

    assert run_check(max_tokens_not_positive, target).findings == ()
