"""Where no wording is known, an error's subject is told, with little likelihood."""

from __future__ import annotations

import pytest

from doctor.explain.rank import rank
from doctor.explain.read import symptoms_in

UNKNOWN = [
    ("GatewayProblem: the certificate chain was rejected by policy 7", "KVD320"),
    ("error 0x41: proxy handshake step two failed", "KVD301"),
    ("config rejected: proxy scheme is not one of ours", "KVD304"),
    ("ChunkError: delta without a role", "KVD512"),
    ("upstream schema mismatch: choices must hold one element", "KVD510"),
    ("request invalid: max_tokens outside of plan", "KVD602"),
    ("error: header rejected by filter", "KVD102"),
    ("access denied by policy: credential tier too low", "KVD111"),
    ("失败: 模型当前套餐下拿不到", "KVD501"),
    ("exception: base_url did not pass our filter", "KVD201"),
    ("unable to unmarshal what the relay said", "KVD510"),
    ("socket layer failed in step 3", "KVD311"),
]


@pytest.mark.parametrize(("text", "code"), UNKNOWN)
def test_the_subject_of_an_unknown_error(text: str, code: str) -> None:
    first = rank(symptoms_in([text]), {})[0].cause

    assert first.code == code
    assert first.likelihood < 0.3


@pytest.mark.parametrize(
    "text",
    [
        "INFO loaded model made-up with max_tokens 512",
        "connected to the proxy, 3 chunks parsed",
        "SyntaxError: invalid syntax",
        "torch.cuda.OutOfMemoryError: model does not fit",
    ],
)
def test_no_error_and_no_subject_of_ours_mean_nothing(text: str) -> None:
    assert symptoms_in([text]) == ()


def test_a_known_text_leaves_no_room_for_guesses() -> None:
    log = ["error: header rejected by filter", "Incorrect API key provided: sk-te*****abcd. You"]

    assert [seen.line for seen in symptoms_in(log)] == [2]
