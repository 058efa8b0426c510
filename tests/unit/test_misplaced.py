"""A key where the base URL is due is known for one, and an address is not taken for a key."""

from __future__ import annotations

import pytest

from doctor.misplaced import is_key, without_keys
from tests.kit import KEY

HEX = "7c1e94d2a8f0b36559ee01c4d7fa2b83"
WIDE = "".join(chr(ord(char) + 0xFEE0) for char in KEY)


@pytest.mark.parametrize(
    "base",
    [
        KEY,
        HEX,
        f"{HEX}\n",
        f'"{HEX}"',
        f"Bearer {HEX}",
        f"\ufeff{HEX}",
        WIDE,
        "hf_made0up0made0up",
        f"eyJhbGciOiJub25lIn0.{HEX}.{HEX}",
    ],
)
def test_a_key(base: str) -> None:
    assert is_key(base)


@pytest.mark.parametrize(
    "base",
    [
        "https://gateway.example/v1",
        "gateway.example",
        "localhost",
        "localhost:8000",
        "gpu-box",
        "gpu-node-a100-01:8000/v1",
        "cr-prod-gateway",
        "prod-gateway-eu-west-1-zone-12",
        "ip-10-0-0-12-vllm-a100-80gb",
        "taotoken.net/api",
        "10.0.0.1",
        "",
        "your-gateway-address",
    ],
)
def test_an_address(base: str) -> None:
    assert not is_key(base)
    assert not is_key(base, KEY)


def test_beside_a_url_in_the_keys_place_a_long_word_is_the_key() -> None:
    assert is_key("correct horse battery", "https://gateway.example/v1")
    assert not is_key("correct horse battery", KEY)
    assert not is_key("gateway.example", "https://gateway.example/v1")


FORMS = (
    "{}",
    "'{}': no such target",
    "--key={}",
    "unrecognized: {},",
    "密钥“{}”不在",
    "没有{}：找不到",
)


@pytest.mark.parametrize("form", FORMS)
def test_a_complaint_does_not_repeat_it(form: str) -> None:
    told = without_keys(form.format(HEX))
    assert HEX[:-4] not in told
    assert told.startswith(form.partition("{")[0])


def test_a_complaint_keeps_its_words() -> None:
    text = (
        "--env-file config/prod-2024.env: no such file; write HOST:PORT=HOST:PORT; no target is "
        "called 'prod-gateway-eu-west-1-zone-12'; SHOP_GATEWAY_API_KEY_2024_PRODUCTION is not set"
    )
    assert without_keys(text) == text
