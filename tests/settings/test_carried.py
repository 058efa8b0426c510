"""Secrets that stand within other settings are found."""

from __future__ import annotations

import base64
import json

import pytest

from doctor.secrets import Redactor
from doctor.settings.carried import carried, of_address

WORD = "Zq7Xw9Kp3Rt5Vn2Mb8Lc4Jh6Gf1DsA0y"


def hidden(name: str, value: str, text: str) -> bool:
    redact = Redactor()
    for secret in carried(name, value):
        redact.learn(secret)
    return WORD not in redact(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTP_PROXY", f"http://me:{WORD}@proxy.example:3128"),
        ("HTTP_PROXY", f"me:{WORD}@proxy.example:3128"),
        ("HTTP_PROXY", f"http://{WORD}@proxy.example:3128"),
        ("SENTRY_DSN", f"https://{WORD}@sentry.example/1"),
        ("CALLBACK", f"https://hooks.example/x?token={WORD}"),
        ("CALLBACK", f"https://hooks.example/x?a=b&x={WORD}"),
        ("OPENAI_CUSTOM_HEADERS", f"X-Team: a\nX-Token: {WORD}"),
        ("OPENAI_CUSTOM_HEADERS", f"Cookie: session={WORD}; theme=dark"),
        ("OTEL_EXPORTER_OTLP_HEADERS", f"a=b,api-key={WORD}"),
        ("DEFAULT_HEADERS", json.dumps({"X-Token": f"Basic {WORD}"})),
        ("DEPLOY_TOKEN", WORD),
    ],
)
def test_it_is_hidden_in_what_others_say(name: str, value: str) -> None:
    assert hidden(name, value, f"got {WORD} from you")
    assert hidden(name, value, value)


def test_a_login_is_hidden_as_it_is_sent() -> None:
    sent = base64.b64encode(f"me:{WORD}".encode()).decode()
    redact = Redactor()
    for secret in carried("HTTP_PROXY", f"http://me:{WORD}@proxy.example:3128"):
        redact.learn(secret)
    assert sent not in redact(f"Proxy-Authorization: Basic {sent}")


def test_an_encoded_password_is_hidden_as_it_is_meant() -> None:
    redact = Redactor()
    for secret in of_address("http://me:made%2Fup%40word9@proxy.example"):
        redact.learn(secret)
    assert redact("made/up@word9") == redact("made%2Fup%40word9")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENAI_BASE_URL", "https://gateway.example/v1"),
        ("PATH", "/usr/bin:/bin"),
        ("EMAIL", "first.last-name7@mail.example"),
        ("SORT_KEY", "production"),
        ("X_HEADERS", "Accept: application/json"),
        ("Q", "what? a=b"),
    ],
)
def test_ordinary_values_stay_readable(name: str, value: str) -> None:
    redact = Redactor()
    for secret in carried(name, value):
        redact.learn(secret)
    for text in ("https://gateway.example/v1", "production", "/home/first.last-name7/x"):
        assert redact(text) == text


@pytest.mark.timeout(10)
@pytest.mark.parametrize("part", ["a", "a@", "?a=", "a:", "//a", "x-y=", "a1"])
def test_a_value_made_to_keep_it_busy_does_not(part: str) -> None:
    value = part * (250_000 // len(part))
    for name in ("X", "X_HEADERS", "X_TOKEN"):
        list(carried(name, f"{value}?@"))
    list(of_address(value))
