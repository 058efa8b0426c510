"""Which provider of opencode's settings is examined, and addresses made of variables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients.homes import fatal, found, ids, only
from tests.e2e.machine import Machine

SETTINGS = "~/.config/opencode/opencode.json"
STATE = "~/.local/state/opencode/model.json"
KEY = "sk-made-up-0000000000000000"
Json = dict[str, Any]


def provider(base: str, key: str = KEY, *models: str) -> Json:
    listed: Json = {model: {} for model in models or ("m",)}
    options = {"baseURL": base, "apiKey": key}
    return {"npm": "@ai-sdk/openai-compatible", "options": options, "models": listed}


A, B = provider("http://a.example/v1"), provider("http://b.example/v1")


@pytest.mark.parametrize("lists", [{"enabled_providers": ["b"]}, {"disabled_providers": ["a"]}])
@pytest.mark.parametrize("recent", [None, "a"])
def test_a_provider_that_is_switched_off_is_not_examined(
    lists: Json, recent: str | None, tmp_path: Path
) -> None:
    files: Json = {SETTINGS: {"provider": {"a": A, "b": B}, **lists}}
    if recent is not None:
        files[STATE] = {"recent": [{"providerID": recent, "modelID": "m"}]}
    seen = found(tmp_path, files)
    assert only(seen).base_url.value == "http://b.example/v1"
    assert fatal(seen) == []


def test_none_is_examined_where_only_the_vendors_are_switched_on(tmp_path: Path) -> None:
    settings = {"provider": {"a": A}, "enabled_providers": ["openai", "github-copilot"]}
    seen = found(tmp_path, {SETTINGS: settings})
    assert (ids(seen), fatal(seen)) == ([], [])


def test_a_chosen_model_of_one_is_still_a_fault(tmp_path: Path) -> None:
    settings = {"provider": {"a": A}, "enabled_providers": ["b"], "model": "a/m"}
    assert fatal(found(tmp_path, {SETTINGS: settings})) == ["enabled_providers"]


@pytest.mark.parametrize(
    ("base", "names"),
    [
        ("{env:GW_BASE}", ["GW_BASE"]),
        ("https://{env:GW_HOST}/v1", ["GW_HOST"]),
        ("https://h.example/v1/{env:GW_ACCOUNT}/{env:GW_ID}/x/v1", ["GW_ACCOUNT", "GW_ID"]),
    ],
)
@pytest.mark.parametrize("where", [SETTINGS, "opencode.json"])
def test_an_address_of_variables_that_are_not_set(
    base: str,
    names: list[str],
    where: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine = Machine(tmp_path, capsys)
    found_in = {"provider": {"a": provider(base)}, "model": "a/m"}
    machine.write(where, json.dumps(found_in, indent=1), 0o600)
    (told,) = (f for f in machine.check("--offline").report["findings"] if f["code"] == "KVD206")
    assert all(name in told["title"] for name in names)
    assert told["fixes"] == []
    machine.variables |= dict.fromkeys(names, "filled.example")
    again = machine.check("--offline").report["findings"]
    assert not [f for f in again if "not set" in f["title"]]


def test_two_open_addresses_are_two_targets(tmp_path: Path) -> None:
    settings = {
        "provider": {name: provider(f"{{env:BASE_{name}}}", "{env:ONE_KEY}") for name in ("a", "b")}
    }
    seen = found(tmp_path, {SETTINGS: settings})
    assert len(seen.targets) == 2
    for target in seen.targets:
        using = [s for s in seen.settings.sightings if target.id in s.in_effect_for]
        assert sorted({str(s.role) for s in using}) == ["base_variable", "key_variable"]
        assert len(using) == 2
