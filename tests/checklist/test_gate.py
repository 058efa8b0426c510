"""The checklist as a gate: what passes, what stops, what a person answers, what is waived."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .conftest import Gates, Ran

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "doctor/schemas/checklist-1.json").read_text("utf-8")
)


def document(ran: Ran) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    return found


def verdicts(ran: Ran) -> dict[str, str]:
    return {item["id"]: item["verdict"] for item in document(ran)["items"]}


async def test_a_healthy_setup_may_launch(gates: Gates) -> None:
    ran = await gates("healthy-gateway", "prelaunch", "--format", "json")
    found = verdicts(ran)

    assert ran.code == 0
    assert "fail" not in found.values()
    assert found["answered"] == found["credentials"] == found["authenticated"] == "pass"
    assert found["way-back"] == found["engine"] == "not tested"


async def test_a_sick_one_may_not_and_says_why(gates: Gates) -> None:
    ran = await gates("triple-fault", "prelaunch", "--format", "plain")

    assert ran.code == 1
    assert "FAIL        Keys are sent as they should be" in ran.out
    assert "KVD102 The key ends in a line break" in ran.out
    assert "Does not pass: 4 failed" in ran.out
    assert "To answer: --answer ITEM=yes" in ran.out


async def test_what_is_required_must_be_tested(gates: Gates) -> None:
    """Behind a dead proxy nothing is known of the model: unknown is no pass."""
    ran = await gates("dead-proxy", "prelaunch", "--format", "json")
    items = {item["id"]: item for item in document(ran)["items"]}

    assert items["response"]["verdict"] == "not tested"
    assert items["response"]["blocks"]
    assert not items["way-back"]["blocks"]


@pytest.mark.parametrize("name", ["triage", "onboarding"])
@pytest.mark.parametrize("scenario", ["healthy-vllm", "healthy-anthropic"])
async def test_no_list_fails_a_healthy_setup(name: str, scenario: str, gates: Gates) -> None:
    ran = await gates(scenario, name, "--format", "json")

    assert ran.code == 0
    assert "fail" not in verdicts(ran).values()


async def test_a_person_answers_on_the_command_line(gates: Gates) -> None:
    answers = ("--answer", "load=yes", "--answer", "way-back=no")
    ran = await gates("healthy-gateway", "prelaunch", *answers, "--format", "json")
    found = verdicts(ran)

    assert ran.code == 1
    assert found["load"] == "pass"
    assert found["way-back"] == "fail"


ANSWERED = """
[[answer]]
checklist = "prelaunch"
item = "load"
answer = true
by = "Kim"
until = {until}
"""


async def test_a_person_answers_in_the_file_for_a_time(gates: Gates) -> None:
    for until, verdict in (("2199-01-31", "pass"), ("2020-01-31", "not tested")):
        toml = ANSWERED.format(until=until)
        ran = await gates("healthy-gateway", "prelaunch", "--format", "json", toml=toml)
        assert verdicts(ran)["load"] == verdict


WAIVED = """
[[waive]]
checklist = "prelaunch"
item = "{item}"
reason = "the lab's key is renewed on Monday"
until = {until}
"""


async def test_a_waiver_lets_an_item_fail_for_a_time(gates: Gates) -> None:
    items = ("answered", "credentials", "authenticated", "endpoint", "response")

    def toml(until: str) -> str:
        return "".join(WAIVED.format(item=item, until=until) for item in items)

    ran = await gates("key-expired", "prelaunch", "--format", "json", toml=toml("2199-01-31"))
    assert ran.code == 0
    waived = {item["id"]: item for item in document(ran)["items"]}["credentials"]
    assert waived["verdict"] == "waived"
    assert "until 2199-01-31: the lab's key is renewed on Monday" in waived["detail"]

    ran = await gates("key-expired", "prelaunch", "--format", "json", toml=toml("2020-01-31"))
    assert ran.code == 1
    assert verdicts(ran)["credentials"] == "fail"
    assert any("ended on 2020-01-31" in note for note in document(ran)["notes"])


async def test_a_waiver_that_is_not_needed_is_told(gates: Gates) -> None:
    toml = WAIVED.format(item="network", until="2199-01-31")
    ran = await gates("healthy-gateway", "prelaunch", "--format", "json", toml=toml)

    assert any("'network' passes without its waiver" in n for n in document(ran)["notes"])


OWN = """
[checklists.release]
title = "Before a release"

[[checklists.release.item]]
id = "keys"
title = "Keys"
checks = ["KVD1"]

[[checklists.release.item]]
id = "quick"
title = "Quick"
measure = "ttft_ms"
at_most = 0
"""


async def test_a_list_of_ones_own(gates: Gates) -> None:
    ran = await gates("healthy-gateway", "release", "--format", "json", toml=OWN)

    assert ran.code == 1
    assert verdicts(ran) == {"keys": "pass", "quick": "fail"}
    assert "at most 0 is asked" in document(ran)["items"][1]["detail"]


async def test_a_list_in_a_file(gates: Gates, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[[item]]\nid = "a"\ntitle = "A"\nmeasure = "answered"\n', "utf-8")
    ran = await gates("healthy-gateway", str(path), "--format", "json")

    assert ran.code == 0
    assert document(ran)["checklist"]["name"] == "mine"


async def test_a_known_failure_stops_nothing(gates: Gates, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    path = tmp_path / "mine.toml"
    path.write_text('[[item]]\nid = "a"\ntitle = "A"\nchecks = ["network"]\n', "utf-8")
    baseline = ("--baseline", str(known))
    before = await gates("dead-proxy", str(path))
    wrote = await gates("dead-proxy", str(path), *baseline, "--write-baseline")
    after = await gates("dead-proxy", str(path), *baseline)

    assert (before.code, wrote.code, after.code) == (1, 0, 0)
    assert "127.0.0.1" not in known.read_text("utf-8").replace("http://127.0.0.1", "")


async def test_every_format_tells_the_failed_items(gates: Gates, tmp_path: Path) -> None:
    names = ("markdown", "html", "junit", "github", "sarif")
    outs = [word for name in names for word in ("--out", f"{name}={tmp_path / name}")]
    ran = await gates("key-with-newline", "prelaunch", *outs)

    assert ran.code == 1
    for name in names:
        text = (tmp_path / name).read_text("utf-8")
        assert "The key ends in a line break" in text, name
    assert text.count('"ruleId": "KVD102"') == 1
    assert '<failure message="KVD102 The key ends' in (tmp_path / "junit").read_text("utf-8")
    assert "::error title=Keys are sent as they should be" in (tmp_path / "github").read_text()
