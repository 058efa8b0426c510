"""KVD210 as a user meets it."""

from __future__ import annotations

import pytest

from doctor.facts.answers import OutcomeKind
from doctor.models import Status

from .world import PAGE, always, look, page, relay

HOST = "https://gateway.example"


def test_a_page_behind_every_base_remains() -> None:
    seen = look(HOST + "/v1", page)
    assert seen.base is None
    assert seen.findings["KVD210"].explained_by is None
    assert "The page is titled “Relay”." in seen.said("KVD210")
    # The base looks right: that another may be meant is no finding of its own.
    assert seen.findings["KVD202"].explained_by == "KVD210"
    assert seen.findings["KVD216"].explained_by == "KVD210"


def test_a_page_that_follows_from_the_base_is_folded_under_it() -> None:
    assert look(HOST, relay()).findings["KVD210"].explained_by == "KVD201"
    assert look(HOST + "/v1/v1", relay()).findings["KVD210"].explained_by == "KVD203"


@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_firewalls_page_is_not_blamed_on_the_base(status: int) -> None:
    server = always(OutcomeKind.WEB_PAGE, status, body=PAGE, content_type="text/html")
    seen = look(HOST + "/v1", server)
    assert seen.codes == ["KVD210"]
    assert "firewall" in seen.said("KVD210")


def test_json_is_no_page() -> None:
    refused = look(HOST + "/v1", always(OutcomeKind.KEY_REFUSED, 401))
    assert refused.results["KVD210"].status is Status.PASS


def test_without_an_answer_there_is_nothing_to_look_at() -> None:
    dead = look(HOST + "/v1", always(OutcomeKind.TRANSPORT))
    assert dead.results["KVD210"].status is Status.SKIPPED
    assert look(HOST + "/v1").results["KVD210"].status is Status.UNKNOWN


def test_markup_of_a_page_is_only_text() -> None:
    body = "<html><title>[bold]x[/]\x1b[31m</title></html>"
    server = always(OutcomeKind.WEB_PAGE, 200, body=body, content_type="text/html")
    assert "\x1b" not in look(HOST + "/v1", server).said("KVD210")
