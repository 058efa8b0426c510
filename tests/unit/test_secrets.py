"""A secret is shown nowhere, whoever wrote the text that holds it."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from doctor.secrets import Redactor, Secret, mask
from tests.kit import KEY

KEYS = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\\'\""),
    min_size=20,
    max_size=80,
    # Without any it may be a sample of a manual, which is shown.
).filter(lambda key: any(char.isdigit() for char in key))


def test_no_form_of_a_secret_shows_its_value() -> None:
    secret = Secret(KEY)

    forms = [str(secret), repr(secret), f"{secret}", f"{secret:>60}", str([secret]), secret.masked]

    assert not any(KEY in form or KEY[3:-4] in form for form in forms)


def test_a_secret_refuses_to_be_pickled_and_to_become_json() -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(Secret(KEY))
    with pytest.raises(TypeError):
        json.dumps(Secret(KEY))


def test_a_masked_key_shows_its_prefix_its_last_four_and_its_length() -> None:
    assert Secret("sk-" + "a1b2" * 12).described == "sk-…a1b2 (51 characters)"


@pytest.mark.parametrize("short", ["sk-abcdefghijklmnop", "test", "EMPTY", "cr_0123456789"])
def test_a_short_key_shows_no_tail(short: str) -> None:
    assert mask(short).endswith("…")


@pytest.mark.parametrize(
    "key",
    [
        "AQ.Made0Up0Made0Up0Made0Up0Made0Up0Made0Up0_-x",
        "SK-OR-V1-0123456789ABCDEF0123456789ABCDEF",
        "AIzaMade0up0made0up0made0up0made0up0mad",
    ],
)
def test_a_key_of_a_known_shape_is_masked_wherever_it_stands(key: str) -> None:
    assert key not in Redactor()(f"Set the environment variable {key} and run again")


@pytest.mark.parametrize("name", ["SK_LEARN_DATA_2024_HOME", "FAQ.section-1", "SK-LEARN-IN-WORDS"])
def test_a_name_in_capitals_is_no_key(name: str) -> None:
    assert name in Redactor()(f"set {name} first")


def test_an_empty_and_a_blank_key_are_told_apart() -> None:
    assert (mask(""), mask("  \n")) == ("(empty)", "(blank)")


@given(KEYS)
def test_a_known_secret_is_gone_from_every_spelling(key: str) -> None:
    redact = Redactor()
    redact.learn(key + "\n")
    text = f"x {key}\n y {key!r} z {(key + chr(10)).encode()!r} {json.dumps(key + chr(10))}"

    assert key not in redact(text)


@given(KEYS, st.text(max_size=40))
def test_redaction_is_stable(key: str, around: str) -> None:
    redact = Redactor()
    redact.learn(key)

    once = redact(around + key + around)

    assert redact(once) == once


def test_what_looks_like_a_key_goes_even_if_nobody_knew_it() -> None:
    redact = Redactor()
    text = "Authorization: Bearer sk-zzzz1111zzzz1111zzzz and http://me:pass0000@proxy:3128"

    cleaned = redact(text)

    assert "zzzz1111zzzz" not in cleaned
    assert "pass0000" not in cleaned
    assert redact.count == 2


def test_placeholders_are_not_shredded_out_of_ordinary_text() -> None:
    redact = Redactor()
    for placeholder in ("EMPTY", "test", "x", "ollama"):
        redact.learn(placeholder)

    assert redact("the test box is EMPTY") == "the test box is EMPTY"


@pytest.mark.parametrize(
    "sample",
    [
        "sk-你的Key",
        "your-api-key",
        "<your-key>",
        "PROXY_MANAGED",
        "sk-your-key-here",
        "sk-xxxxxxxxxxxxxxxxxxxx",
    ],
)
def test_the_sample_of_a_manual_is_shown(sample: str) -> None:
    redact = Redactor()
    redact.learn(sample)

    assert redact(f'the key is the placeholder "{sample}"').count(sample) == 1


@pytest.mark.parametrize("weak", ["my-secret-key", "correct-horse-battery", "your-key-4711"])
def test_a_secret_that_people_made_up_is_one(weak: str) -> None:
    redact = Redactor()
    redact.learn(weak)

    assert weak not in redact(f"the key is {weak}")


EDGES = st.sampled_from(["", '"', "'", "“", "\n", " ", "\\", '\\"'])


@example("/0000000000000000000", "\\", "", "")
@given(KEYS, EDGES, EDGES, st.text(max_size=20))
def test_a_redacted_json_document_is_still_json(
    key: str, before: str, after: str, around: str
) -> None:
    redact = Redactor()
    redact.learn(before + key + after)
    document = {
        "whole": before + key + after,
        "alone": key,
        "told": f'{around} "Bearer {key}" {around}',
        "list": [key, f"http://me:{key}@proxy"],
    }

    for text in (json.dumps(document), json.dumps(document, ensure_ascii=False)):
        assert key not in json.dumps(json.loads(redact(text)))


def test_a_secret_of_bytes_that_are_no_text_is_learnt_as_well() -> None:
    key = "sk-" + "a1b2" * 8 + "\udcff"
    redact = Redactor()
    redact.learn(key)

    assert key not in redact(f"x {key} y")


@pytest.mark.parametrize(
    "login",
    ["me:pass0000", "me:p@ss0000", "pass0000", ":pass0000", "me:it's pass0000".replace(" ", "")],
)
def test_a_login_in_a_url_is_hidden_up_to_its_last_at_sign(login: str) -> None:
    cleaned = Redactor()(f"proxy http://{login}@proxy.example:3128/x, mail me@mail.example")

    assert "0000" not in cleaned
    assert "proxy.example:3128/x, mail me@mail.example" in cleaned


@pytest.mark.parametrize("stray", [" ", "\n", "\u200b", "é", "а", '"', "\\", "🐤"])
def test_the_parts_beside_a_stray_character_are_hidden_as_well(stray: str) -> None:
    first, second = "Zq7Xw9Kp3Rt5Vn2M", "b8Lc4Jh6Gf1DsA0y"
    redact = Redactor()
    redact.learn(f"{first}{stray}{second}")

    assert first not in redact(f"got {first}")
    assert second not in redact(f"got {second}")


def test_a_key_in_full_width_is_hidden_as_the_key_that_it_is() -> None:
    redact = Redactor()
    redact.learn("".join(chr(ord(char) + 0xFEE0) for char in KEY))

    assert KEY not in redact(KEY)


def test_a_name_ahead_of_a_key_stays_readable() -> None:
    redact = Redactor()
    redact.learn("SHOP_API_KEY2=Zq7Xw9Kp3Rt5Vn2M")

    assert redact("SHOP_API_KEY2 is set") == "SHOP_API_KEY2 is set"


@given(KEYS)
def test_how_long_a_spelling_may_be_is_known(key: str) -> None:
    redact = Redactor()
    redact.learn(key)

    assert redact.longest >= len(key)


@pytest.mark.timeout(10)
def test_a_text_made_to_keep_it_busy_does_not() -> None:
    redact = Redactor()
    redact.learn(KEY)

    for part in ("-ey", "sk-", "://a:", "Bearer ", "eyeyeyeyeyey.", "a@"):
        redact(part * (300_000 // len(part)))


@pytest.mark.parametrize("name", ["$OPENAI_API_KEY", "$env:OPENAI_API_KEY", "%OPENAI_API_KEY%"])
def test_a_reference_that_nobody_filled_in_is_shown(name: str) -> None:
    assert Redactor()(f"Bearer {name}") == f"Bearer {name}"


def test_a_key_that_begins_like_a_reference_is_hidden() -> None:
    assert "S3cret" not in Redactor()("Bearer $OPENAI_API_KEY_S3cret-made-up")
