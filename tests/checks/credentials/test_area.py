"""What holds for all checks of the area together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doctor import facts
from doctor.connection import AuthHeader, Protocol
from doctor.facts.answers import OutcomeKind, TokenState
from doctor.models import Severity
from doctor.text import Text
from tests.checks.credentials.world import (
    CHECKS,
    HEALTHY,
    KEY,
    NOT_SENT,
    REFUSED,
    answers,
    changes,
    examine,
    keys,
    product,
    repaired,
    roots,
    told,
)
from tests.kit import connection, environment

CODES = [f"KVD{number}" for number in range(101, 118)]

HEALTHY_KEYS = [
    KEY,
    "EMPTY",
    "ollama",
    "lm-studio",
    "not-needed",
    "x",
    "sk-no-key-required",
    "sk-xxxx",
    "your-api-key",
    "made-up key with blanks",
    "sk-or-v1-" + "0123456789abcdef" * 4,
    "sk-ant-api03-made-up-made-up-made-up",
    "eyMADEUPmadeup.eyMADEUPmadeup.MADEUPmadeup",
    "0123456789abcdef0123456789abcdef.madeupmadeupmade",
    "AKIDmade/up+made=up==",
]

SINGLE_FAULTS = [
    (f"{KEY}\n", "KVD102"),
    (f"{KEY}\r\n", "KVD102"),
    (f"{KEY} ", "KVD102"),
    (f" {KEY}", "KVD102"),
    (f"{KEY}\t", "KVD102"),
    (f"{KEY}\0", "KVD102"),
    (f"{KEY} {KEY[::-1]}", "KVD102"),
    (f"{KEY[:20]}\n{KEY[20:]}", "KVD102"),
    (f"{KEY}  a note", "KVD102"),
    (f'"{KEY}"', "KVD103"),
    (f"'{KEY}'", "KVD103"),
    (f"`{KEY}`", "KVD103"),
    (f"“{KEY}”", "KVD103"),
    (f"{KEY}”", "KVD103"),
    (f"’{KEY}’", "KVD103"),
    (f'\\"{KEY}\\"', "KVD103"),
    (f'"{KEY}",', "KVD103"),
    (f"\ufeff{KEY}", "KVD104"),
    (f"{KEY}\u200b", "KVD104"),
    (f"{KEY}\u00a0", "KVD104"),
    (f"{KEY}  用这个", "KVD104"),
    (f"{KEY}（测试）", "KVD104"),
    (f"密钥：{KEY}", "KVD104"),
    (KEY.replace("-", "–"), "KVD104"),
    (KEY.replace("a", "а"), "KVD104"),
    ("здравейздравей", "KVD104"),
    (f"Bearer {KEY}", "KVD105"),
    (f"bearer {KEY}", "KVD105"),
    (f"Bearer Bearer {KEY}", "KVD105"),
    (f"Bearer{KEY}", "KVD105"),
    (f"Authorization: Bearer {KEY}", "KVD105"),
    (f"Token {KEY}", "KVD105"),
    ("sk-你的Key", "KVD106"),
    ("your-api-key", "KVD106"),
    ("sk-your-taotoken-key", "KVD106"),
    ("YOUR_API_KEY", "KVD106"),
    ("<your key here>", "KVD106"),
    ("sk-xxxxxxxx", "KVD106"),
    ("changeme", "KVD106"),
    ("TODO", "KVD106"),
    ("${OPENAI_API_KEY}", "KVD106"),
    ("$OPENAI_API_KEY", "KVD106"),
    ("%OPENAI_API_KEY%", "KVD106"),
    ("sk-...", "KVD106"),
    ("sk-made…up00", "KVD106"),
    ("sk-made***up00", "KVD106"),
    ("PROXY_MANAGED", "KVD106"),
    ("EMPTY", "KVD106"),
    ("ollama", "KVD106"),
    (f"{KEY} # production", "KVD107"),
    (f"{KEY}  # 我的钥匙", "KVD107"),
    ("# optional; blank = no auth on the endpoint", "KVD107"),
    ("", "KVD101"),
    ("   ", "KVD101"),
    ("Bearer ", "KVD101"),
    ('""', "KVD101"),
    (KEY, "KVD111"),
    ("https://gateway.example/v1", "KVD112"),
]


def test_every_code_has_its_check() -> None:
    assert [check.code for check in CHECKS] == CODES


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_the_documentation_has_all_its_parts(check) -> None:  # type: ignore[no-untyped-def]
    for part in ("What it checks:", "Why it matters:", "How to fix:", "Fix safety:", "References:"):
        assert part in check.doc


@pytest.mark.parametrize("key", HEALTHY_KEYS)
@pytest.mark.parametrize("base", ["https://gateway.example/v1", "http://127.0.0.1:8000/v1"])
@pytest.mark.parametrize("auth", list(AuthHeader))
def test_a_key_that_is_let_through_gives_no_finding(key: str, base: str, auth: AuthHeader) -> None:
    assert examine(connection(base, key, auth=auth), HEALTHY) == ()


@pytest.mark.parametrize("kind", [OutcomeKind.MODEL_UNKNOWN, OutcomeKind.MAX_TOKENS_REFUSED])
@pytest.mark.parametrize("key", ["EMPTY", KEY])
def test_a_fault_elsewhere_is_not_put_on_the_key(kind: OutcomeKind, key: str) -> None:
    assert examine(connection(key=key), answers(kind)) == ()


@pytest.mark.parametrize("key", ["EMPTY", "ollama", "x", KEY])
def test_nothing_is_said_of_a_local_server_that_did_not_answer(key: str) -> None:
    assert (
        examine(connection("http://localhost:8000/v1", key), answers(OutcomeKind.TRANSPORT)) == ()
    )


def test_no_key_for_a_local_server_that_asks_for_none() -> None:
    assert examine(connection("http://localhost:8000/v1", None), HEALTHY) == ()


@pytest.mark.parametrize(("key", "code"), SINGLE_FAULTS)
def test_one_fault_has_one_root(key: str, code: str) -> None:
    assert roots(examine(connection(key=key), REFUSED)) == [code]


@pytest.mark.parametrize(("key", "code"), SINGLE_FAULTS)
def test_no_finding_shows_the_key(key: str, code: str) -> None:
    findings = examine(connection(key=key), REFUSED)
    middle = KEY[8:-4]
    assert middle not in told(findings)


@pytest.mark.parametrize(("key", "code"), SINGLE_FAULTS)
def test_texts_can_be_translated(key: str, code: str) -> None:
    for finding in examine(connection(key=key), REFUSED):
        for text in (finding.title, finding.explanation, *(c.title for c in finding.changes)):
            assert isinstance(text, Text)
            assert text.msgid
        assert not finding.title.endswith(".")


LAYERS: dict[str, list[Callable[[str], str]]] = {
    "KVD102": [lambda key: key + "\n", lambda key: " " + key, lambda key: f"\t{key}\r\n"],
    "KVD103": [lambda key: f'"{key}"', lambda key: f"“{key}”", lambda key: f"'{key}'"],
    "KVD104": [lambda key: "\ufeff" + key, lambda key: key + "\u200b", lambda key: key + "\u00a0"],
    "KVD105": [lambda key: "Bearer " + key, lambda key: "Authorization: bearer " + key],
}
_ALPHABET = "abcdefghijkmnpqrstuvwyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789_"
_BODIES = st.text(_ALPHABET, min_size=24, max_size=60)


@given(
    body=_BODIES,
    codes=st.permutations(list(LAYERS)).flatmap(
        lambda order: st.integers(1, len(order)).map(lambda n: order[:n])
    ),
    pick=st.integers(0, 5),
)
@settings(max_examples=60, deadline=None)
def test_faults_on_top_of_each_other_come_off_one_by_one(
    body: str, codes: list[str], pick: int
) -> None:
    key = mangled = f"sk-{body}"
    for code in codes:
        mangle = LAYERS[code][pick % len(LAYERS[code])]
        mangled = mangle(mangled)
    text, applied = repaired(connection(key=mangled), NOT_SENT)
    assert text == key
    # A blank behind "Bearer" goes with it, so that a fault of its own need not show.
    assert set(applied) <= set(codes)


@given(body=_BODIES)
@settings(max_examples=60, deadline=None)
def test_a_key_without_fault_is_never_changed(body: str) -> None:
    findings = examine(connection(key=f"sk-{body}"), NOT_SENT)
    assert changes(findings, guess=False) == []


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_examined_without_a_crash(text: str) -> None:
    for given_facts in (REFUSED, HEALTHY, {}):
        for change in changes(examine(connection(key=text), given_facts), guess=False):
            assert change.shown
    examine(connection(base_url=text), REFUSED)


@given(st.text(max_size=80), st.sampled_from([REFUSED, NOT_SENT]))
@settings(max_examples=150, deadline=None)
def test_sure_changes_come_to_an_end(text: str, answer: dict) -> None:  # type: ignore[type-arg]
    target = connection(key=text)
    once, _codes = repaired(target, answer)
    again, further = repaired(connection(key=once), answer)
    assert (again, further) == (once, [])


def test_a_fault_of_shape_that_does_no_harm_is_a_warning() -> None:
    findings = examine(connection(key=KEY + "\n"), HEALTHY)
    assert [(f.code, f.severity) for f in findings] == [("KVD102", Severity.WARNING)]
    assert "all the same" in findings[0].explanation


def test_the_header_fault_is_the_root_of_the_refusal() -> None:
    target = connection(
        "http://127.0.0.1:8000",
        client="anthropic-sdk",
        protocol=Protocol.ANTHROPIC_MESSAGES,
        auth=AuthHeader.X_API_KEY,
    )
    findings = examine(target, {**REFUSED, **product("vllm")})
    assert roots(findings) == ["KVD114"]
    assert [f.code for f in findings if f.explained_by == "KVD114"] == ["KVD111"]


def test_what_the_gateway_knows_of_the_key_is_told_with_the_refusal() -> None:
    state = TokenState("GET /api/usage/token/", name="shop", expired=True, expires_at=1_760_000_000)
    findings = examine(connection(), {**REFUSED, facts.TOKEN_STATE: state})
    assert roots(findings) == ["KVD111"]
    assert "2025-10-09" in findings[0].explanation


def test_a_stripped_key_is_offered_once_a_note_is_cut_off() -> None:
    findings = examine(connection(key=f"{KEY}  用这个"), NOT_SENT)
    assert keys(changes(findings, guess=False)) == [KEY]


def test_an_origin_is_named_although_a_repair_stands_in_its_place() -> None:
    target = connection(key=f" {KEY}\n")
    strip = changes(examine(target, REFUSED), guess=False)[0]
    findings = examine(target.with_(strip), REFUSED)
    assert "OPENAI_API_KEY" in findings[0].explanation


def test_the_environment_is_not_asked_for_keys_of_others() -> None:
    env = environment({"OTHER_API_KEY": "sk-made-up-for-another-host-0123456789"})
    target = dataclasses.replace(connection(), key=None)
    assert keys(changes(examine(target, REFUSED, env), guess=True)) == []
