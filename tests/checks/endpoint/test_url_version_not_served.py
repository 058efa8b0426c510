"""KVD216 as a user meets it."""

from __future__ import annotations

from doctor.facts import PRODUCT
from doctor.facts.answers import Product

from .world import Given, look, serving

HOST = "https://gateway.example"


def test_an_api_without_any_version() -> None:
    seen = look(HOST + "/v1", serving(""))
    assert (seen.roots, seen.base) == (["KVD216"], HOST)
    assert seen.findings["KVD216"].title == "This server may have its API without /v1"


def test_below_a_prefix() -> None:
    seen = look(HOST + "/llm/v1", serving("/llm"))
    assert (seen.roots, seen.base) == (["KVD216"], HOST + "/llm")


def test_it_is_tried_after_the_likelier_bases() -> None:
    seen = look(HOST + "/v1", serving("", "/api/v1"))
    assert (seen.roots, seen.base) == (["KVD202"], HOST + "/api/v1")


def test_a_product_that_has_its_api_below_v1_is_not_asked_without() -> None:
    given: Given = {PRODUCT: Product("new-api", None, ())}
    assert "KVD216" not in look(HOST + "/v1", serving("/elsewhere"), given=given).codes


def test_a_version_that_is_served_is_right() -> None:
    assert look(HOST + "/v1", serving("/v1")).codes == []


def test_once_proved_it_is_said_plainly() -> None:
    finding = look(HOST + "/v1", serving("")).findings["KVD216"]
    assert finding.proved_title == "This server has its API without /v1"
