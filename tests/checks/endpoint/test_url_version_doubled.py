"""KVD203 as a user meets it."""

from __future__ import annotations

from typing import Any

import pytest

from doctor.connection import Protocol

from .world import ANTHROPIC, look, relay, serving

HOST = "https://gateway.example"


def test_the_version_twice() -> None:
    seen = look(HOST + "/v1/v1", relay())
    assert (seen.roots, seen.base) == (["KVD203"], HOST + "/v1")
    assert seen.findings["KVD203"].title == "The base URL holds /v1 twice"
    assert [change.guess for change in seen.findings["KVD203"].changes] == [False]


def test_the_version_twice_for_a_client_that_brings_it_itself() -> None:
    seen = look(HOST + "/v1/v1", serving("", endpoints=("/v1/messages",)), **ANTHROPIC)
    assert (seen.roots, seen.base) == (["KVD203"], HOST)


def test_a_repeated_prefix() -> None:
    seen = look(HOST + "/api/v1/api/v1", relay("/api/v1"))
    assert (seen.roots, seen.base) == (["KVD203"], HOST + "/api/v1")
    assert "/api/v1/api/v1" in seen.findings["KVD203"].title


def test_v1_appended_to_zais_own_version_is_known_offline() -> None:
    finding = look("https://api.z.ai/api/paas/v4/v1").findings["KVD203"]
    assert "/v4/v1" in finding.title
    assert [change.value for change in finding.changes] == ["https://api.z.ai/api/paas/v4"]


def test_of_two_versions_on_an_unknown_server_the_first_is_tried_first() -> None:
    kept_first = look(HOST + "/v4/v1", serving("/v4"))
    assert (kept_first.roots, kept_first.base) == (["KVD203"], HOST + "/v4")
    kept_last = look(HOST + "/v4/v1", serving("/v1"))
    assert (kept_last.roots, kept_last.base) == (["KVD203"], HOST + "/v1")
    assert len(kept_last.repair.trials) == 2


def test_a_server_that_has_it_so_is_right() -> None:
    assert look(HOST + "/v1/v1", serving("/v1/v1")).codes == []


GOOGLES: dict[str, Any] = {"client": "gemini-cli", "protocol": Protocol.GEMINI_GENERATE}


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/v1beta", "Gemini CLI adds /v1beta itself, and the base URL has it too"),
        ("/v1", "Gemini CLI adds /v1beta behind the /v1 of the base URL"),
    ],
)
def test_googles_sdk_adds_its_version_to_every_base(path: str, title: str) -> None:
    finding = look(HOST + path, **GOOGLES).findings["KVD203"]
    assert finding.title == title
    assert [change.value for change in finding.changes] == [HOST]


@pytest.mark.parametrize("path", ["", "/v1beta", "/v1beta/", "/v1"])
def test_cline_adds_it_only_where_there_is_none(path: str) -> None:
    given: dict[str, Any] = {"client": "cline", "protocol": Protocol.GEMINI_GENERATE}
    assert look(HOST + path, **given).codes == []
    assert look("https://generativelanguage.googleapis.com" + path, **given).codes == []
