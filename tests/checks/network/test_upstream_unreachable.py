"""KVD330: the gateway answers, its backend does not."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.answers import OutcomeKind, Product
from doctor.models import Confidence, Hop
from tests.checks.network.world import Given, examine, one, reply, roots, variables

K = OutcomeKind
HTML = {"content-type": "text/html"}


def failed(message: str = "", kind: K = K.UPSTREAM_UNREACHABLE, **more: object) -> Given:
    return {facts.COMPLETION: reply(kind, message, **{"status": 502, **more})}


def test_the_gateways_own_words_and_address_are_passed_on() -> None:
    text = "do request failed: dial tcp 10.0.0.7:8000: connect: connection refused"
    given = {**failed(text, status=500), facts.PRODUCT: Product("new-api", None, ())}
    found = one(examine(variables(), given), "KVD330")
    assert found.hop is Hop.ENGINE
    assert text in found.explanation
    assert "got through to new-api" in found.explanation
    assert "10.0.0.7:8000" in found.explanation.split("tried:")[1]


def test_litellms_connection_error_is_the_backends() -> None:
    text = "litellm.InternalServerError: OpenAIException - Connection error."
    given = {**failed(text, status=500), facts.PRODUCT: Product("litellm", None, ())}
    assert roots(examine(variables(), given)) == ["KVD330"]


def test_a_page_of_nginx_is_told_from_the_gateway() -> None:
    page = "<html><head><title>502 Bad Gateway</title></head><center>nginx</center></html>"
    given = failed("502 Bad Gateway", K.SERVER_ERROR, body=page, headers=HTML)
    found = one(examine(variables(), given), "KVD330")
    assert found.title == "nginx in front of gateway.example does not reach the gateway (502)"
    assert found.hop is Hop.GATEWAY
    assert found.confidence is Confidence.HIGH


def test_the_gateways_own_key_is_not_the_users() -> None:
    text = "litellm.AuthenticationError: OpenAIException - Incorrect API key provided"
    found = one(examine(variables(), failed(text, status=401)), "KVD330")
    assert "yours got through" in found.explanation


def test_a_bare_503_is_less_sure() -> None:
    found = one(examine(variables(), failed(kind=K.SERVER_ERROR, status=503)), "KVD330")
    assert found.confidence is Confidence.MEDIUM


@pytest.mark.parametrize("status", [500, 501, 400])
def test_other_errors_of_the_server_are_not_its_backends(status: int) -> None:
    given = failed("Something broke", K.SERVER_ERROR, status=status)
    assert examine(variables(), given) == ()


def test_a_route_without_channel_is_another_fault() -> None:
    assert examine(variables(), failed("无可用渠道", K.NO_CHANNEL, status=503)) == ()
