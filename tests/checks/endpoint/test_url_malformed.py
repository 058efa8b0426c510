"""KVD206 as a user meets it."""

from __future__ import annotations

import pytest

from doctor.facts import ENDPOINT
from doctor.facts.answers import OutcomeKind
from doctor.facts.network import Endpoint
from doctor.models import Severity

from .world import always, look, relay, serving

URL = "https://gateway.example/v1"


@pytest.mark.parametrize(
    ("base", "words"),
    [
        (f" {URL}", "blank"),
        (f"{URL} \n", "line break"),
        (f'"{URL}"', "Quotation marks"),
        (f"“{URL}”", "Quotation marks"),
        ("https：//gateway.example/v1", "full-width"),
        (f"\u200b{URL}", "invisible"),
        ("gateway.example/v1", "lacks https://"),
        ("htps://gateway.example/v1", "misspelt"),
        ("https//gateway.example/v1", "misspelt"),
        (f"https://{URL}", "twice"),
        (f"{URL};", "behind the base URL"),
        ("https://gateway.example//v1", "double slash"),
        (r"https:\\gateway.example\v1", "backslashes"),
    ],
)
def test_each_kind_is_named_and_repaired(base: str, words: str) -> None:
    seen = look(base, serving("/v1"))
    assert (seen.roots, seen.base) == (["KVD206"], URL)
    assert words in seen.findings["KVD206"].title


def test_the_stray_character_is_named_with_its_place() -> None:
    assert "Character 27 of 27 is U+000A" in look(URL + "\n", relay()).said("KVD206")
    assert "Character 6 of 26 is U+FF1A FULLWIDTH COLON" in look(
        "https：//gateway.example/v1", relay()
    ).said("KVD206")


def test_the_clients_own_refusal_is_quoted() -> None:
    assert "Request URL is missing an 'http://'" in look("gateway.example/v1", relay()).said(
        "KVD206"
    )


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("", "empty"),
        ("https://gateway.example:99999/v1", "port"),
        ("https://gate way.example/v1", "split by a blank"),
        ("http://your-vllm-host:8000/v1", "placeholder"),
        ("https://${GATEWAY}/v1", "placeholder"),
        ("ftp://gateway.example/v1", "scheme"),
    ],
)
def test_what_only_the_user_can_know_is_not_guessed(base: str, words: str) -> None:
    finding = look(base).findings["KVD206"]
    assert words in finding.title
    assert finding.changes == ()


def test_a_private_host_without_scheme_is_asked_in_both() -> None:
    finding = look("10.0.0.5:8000/v1").findings["KVD206"]
    assert [(c.value, c.guess) for c in finding.changes] == [
        ("http://10.0.0.5:8000/v1", True),
        ("https://10.0.0.5:8000/v1", True),
    ]


def test_a_public_host_without_scheme_is_never_asked_in_clear_text() -> None:
    changes = look("gateway.example/v1").findings["KVD206"].changes
    assert [change.value for change in changes] == [URL]


def test_a_known_host_gets_its_right_base_at_once() -> None:
    seen = look("api.openai.com", serving("/v1"))
    assert (seen.roots, seen.base) == (["KVD206"], "https://api.openai.com/v1")


def test_what_the_client_trims_itself_is_a_warning() -> None:
    trimmed = Endpoint(
        url=URL + "/chat/completions",
        scheme="https",
        host="gateway.example",
        port=443,
        path="/v1/chat/completions",
        models_url=URL + "/models",
    )
    seen = look(URL + "\n", always(OutcomeKind.KEY_REFUSED, 401), given={ENDPOINT: trimmed})
    assert seen.findings["KVD206"].severity is Severity.WARNING


@pytest.mark.parametrize("base", [f"{URL} # my gateway", "# my gateway", "sk-made0up0made0up0"])
def test_comments_and_keys_are_the_business_of_other_checks(base: str) -> None:
    assert not {"KVD205", "KVD206"} & set(look(base, relay()).codes)


@pytest.mark.parametrize("base", [URL, URL + "/", "HTTPS://Gateway.Example/v1", URL + ":"])
def test_clean_bases_are_left_alone(base: str) -> None:
    assert look(base.replace("/v1:", ":/v1"), serving("/v1")).codes == []


def test_a_password_in_the_url_is_not_shown() -> None:
    assert "secret-word" not in look("https://me:secret-word@gateway.example/v1\n").said("KVD206")
