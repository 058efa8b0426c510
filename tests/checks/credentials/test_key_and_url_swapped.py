from __future__ import annotations

import pytest

from checks.credentials.key_and_url_swapped import key_and_url_swapped
from doctor.connection import SettingName
from doctor.models import Finding
from tests.checks.credentials.world import KEY, told
from tests.kit import connection, run_check

BASE = "https://gateway.example/v1"


def found(base: str, key: str | None) -> tuple[Finding, ...]:
    return run_check(key_and_url_swapped, connection(base, key)).findings


@pytest.mark.parametrize(("base", "key"), [(KEY, BASE), (f" {KEY}\n", f'"{BASE}"')])
def test_both_are_put_in_their_place(base: str, key: str) -> None:
    (finding,) = found(base, key)
    values = {change.setting: change.value for change in finding.changes}
    assert values[SettingName.BASE_URL] == BASE
    assert values[SettingName.KEY].reveal() == KEY
    assert KEY not in told((finding,))


def test_a_key_that_is_a_url() -> None:
    (finding,) = found(BASE, "http://other.example/v1")
    assert finding.title == "The key is a URL"
    assert finding.changes == ()


@pytest.mark.parametrize("key", [None, "EMPTY", KEY])
def test_a_url_that_is_a_key_is_not_shown(key: str | None) -> None:
    (finding,) = found(KEY, key)
    assert finding.title == "The base URL is a key"
    assert finding.changes == ()
    assert KEY not in told((finding,))


@pytest.mark.parametrize(
    "base",
    [
        BASE,
        "gateway.example/v1",
        "sk-prod.gateway.example/v1",
        "localhost:8000/v1",
        "gateway0123456789gateway.example",
        "",
    ],
)
def test_addresses_are_no_keys(base: str) -> None:
    assert found(base, KEY) == ()
