"""Every scenario, diagnosed by the command that a user types."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from doctor import cli
from doctor.commands import demo
from doctor.demo import scenarios as known
from doctor.demo.ask import PATHS
from doctor.demo.fault_texts import HOSTILE
from doctor.demo.faults import Fault, Injection
from doctor.demo.keys import ENGINE, GOOD, MASTER, demo_key
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import Model, NewApiConfig
from doctor.demo.scenarios import Area, Scenario, Setup
from doctor.demo.scenarios.sound import MODEL, base_of, shell
from doctor.demo.servers import Servers
from doctor.demo.stage import Stage, staged
from doctor.secrets import Secret
from doctor.text import _
from doctor.untrusted import visible

Capture = pytest.CaptureFixture[str]
Report = dict[str, Any]

SCHEMAS = Path(__file__).parents[2] / "doctor" / "schemas"
REPORT = jsonschema.Draft202012Validator(json.loads((SCHEMAS / "report-1.json").read_text("utf-8")))
ALL = known.scenarios()
HEALTHY = [scenario for scenario in ALL if scenario.healthy]
# In seconds. Only the server that never answers uses it up.
TIMEOUT = {"hanging-server": "1"}
FORMATS = ("plain", "rich", "json", "jsonl", "junit", "sarif", "github", "markdown", "html")


def names(chosen: Sequence[Scenario]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("scenario", chosen, ids=[scenario.name for scenario in chosen])


# ------------------------------------------------------------------ what is contacted


class Contacts:
    """The hosts that this process connects to or looks up."""

    def __init__(self) -> None:
        self.watching = False
        self.hosts: set[str] = set()
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.watching:
            return
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            self.hosts.add(str(arguments[1][0]))
        elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
            self.hosts.add(str(arguments[0]))


# An audit hook stays for the life of the process.
CONTACTS = Contacts()
LOOPBACK = {"127.0.0.1", "::1", "localhost", "None"}


@pytest.fixture(autouse=True)
def only_loopback() -> Iterator[None]:
    CONTACTS.hosts.clear()
    CONTACTS.watching = True
    yield
    CONTACTS.watching = False
    assert CONTACTS.hosts <= LOOPBACK


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> list[Stage]:
    """The stages that the command sets up, with the servers' own account of the requests."""
    seen: list[Stage] = []

    @contextlib.asynccontextmanager
    async def watched(scenario: Scenario) -> AsyncIterator[Stage]:
        async with staged(scenario) as stage:
            seen.append(stage)
            yield stage

    monkeypatch.setattr(demo, "staged", watched)
    return seen


# ------------------------------------------------------------------ what is written

SECRETS = (GOOD, MASTER, ENGINE, demo_key("old"))
CANARIES = [
    spelling
    for key in SECRETS
    for spelling in (key, key.removeprefix("sk-"), base64.b64encode(key.encode()).decode())
]
_OWN_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# Controls, C1 controls, and what reorders or hides text on a terminal.
_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


def assert_no_secret(text: str) -> None:
    """Not even one that is broken over lines."""
    dense = re.sub(r"\s+", "", text)
    assert not [canary for canary in CANARIES if canary in dense]


def assert_harmless(text: str, *, coloured: bool = False) -> None:
    found = _STEERING.search(_OWN_COLOURS.sub("", text) if coloured else text)
    assert found is None, repr(text[max(found.start() - 60, 0) : found.end() + 60])


def written(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir())}


def diagnosed(name: str, folder: Path, capsys: Capture, *options: str) -> Report:
    """The report of ``kvdoctor demo NAME``, every other format and a bundle written as well."""
    outs = [f"--out={form}={folder / form}" for form in FORMATS if form != "json"]
    bundle = ["--save-bundle", str(folder / "bundle")]
    cli.main(
        [
            "demo",
            name,
            "--format",
            "json",
            "--timeout",
            TIMEOUT.get(name, "10"),
            "--window",
            "0.1",
            *outs,
            *bundle,
            *options,
        ]
    )
    said = capsys.readouterr()
    outputs = {"stdout": said.out, "stderr": said.err, **written(folder)}
    for kind, text in outputs.items():
        assert_no_secret(text)
        # A bundle keeps characters as they are: it is read by a program, and they are the fault.
        if kind != "bundle":
            assert_harmless(text)
    report: Report = json.loads(said.out)
    REPORT.validate(report)
    return report


@dataclasses.dataclass(frozen=True)
class Seen:
    """One diagnosis: the report, the text for people, the saved run, and the stage with its
    servers' account."""

    report: Report
    plain: str
    bundle: str
    stage: Stage


SEEN: dict[str, Seen] = {}


@pytest.fixture
def seen(scenario: Scenario, tmp_path: Path, stages: list[Stage], capsys: Capture) -> Seen:
    """The diagnosis of ``scenario``, made once for all tests that only look at it."""
    if scenario.name not in SEEN:
        report = diagnosed(scenario.name, tmp_path, capsys)
        files = written(tmp_path)
        SEEN[scenario.name] = Seen(report, files["plain"], files["bundle"], stages[0])
    return SEEN[scenario.name]


def codes(report: Report, *, least: tuple[str, ...]) -> set[str]:
    """The codes of the findings that follow from no other."""
    return {
        finding["code"]
        for finding in report["findings"]
        if finding["explained_by"] is None and finding["severity"] in least
    }


ANY = ("info", "warning", "error", "critical")
FAULTS = ("error", "critical")


# ------------------------------------------------------------------ the scenarios


@names(ALL)
def test_the_diagnosis_is_what_was_broken(scenario: Scenario, seen: Seen) -> None:
    report, right = seen.report, seen.stage.setup.right
    diagnosis = report["diagnosis"]

    assert len(report["targets"]) == 1
    if scenario.healthy or scenario.answers:
        assert diagnosis["before"]["answered"]
        assert diagnosis["root_causes"] == []
        assert codes(report, least=ANY) == set(scenario.codes)
    else:
        assert diagnosis["root_causes"] == list(scenario.codes)
        # What is shown beside the root causes are warnings, never further faults.
        assert codes(report, least=FAULTS) == set(scenario.codes)
    assert diagnosis["proved"] is scenario.proved
    changed = {change["setting"]: change["value"] for change in diagnosis["changes"]}
    assert changed == {
        name: value.described if isinstance(value, Secret) else visible(str(value))
        for name, value in right.items()
    }
    if scenario.proved:
        assert diagnosis["after"]["answered"]
        assert {change["code"] for change in diagnosis["changes"]} == set(scenario.codes)


@names(ALL)
def test_no_check_fails_to_end(seen: Seen) -> None:
    bad = [c for c in seen.report["checks"] if c["status"] in ("crashed", "timeout")]
    assert bad == []


@names([scenario for scenario in ALL if scenario.proved])
def test_the_value_to_use_is_named_in_the_text_for_people(seen: Seen) -> None:
    text = "".join(seen.plain.split()).casefold()

    for name, value in seen.stage.setup.right.items():
        if name == "proxy" and value == "direct":
            assert "unset" in text or "exportno_proxy=" in text
        elif isinstance(value, Secret):
            assert value.masked.casefold() in text
        else:
            assert str(value) in text


@names([scenario for scenario in ALL if scenario.name != "key-and-url-swapped"])
def test_a_saved_run_replays_to_the_same_findings(
    scenario: Scenario, seen: Seen, tmp_path: Path, capsys: Capture
) -> None:
    """With the key in the URL's place no more than its mask is kept, so there is no replaying."""
    path = tmp_path / "saved"
    path.write_text(seen.bundle, "utf-8")
    cli.main(["replay", str(path), "--format", "json"])
    replayed = json.loads(capsys.readouterr().out)

    assert replayed["diagnosis"]["root_causes"] == seen.report["diagnosis"]["root_causes"]
    assert replayed["diagnosis"]["proved"] is scenario.proved
    assert told(replayed) == told(seen.report)


def told(report: Report) -> list[tuple[str, str | None]]:
    return [(finding["code"], finding["explained_by"]) for finding in report["findings"]]


# ------------------------------------------------------------------ what it costs


def counted(stage: Stage) -> tuple[int, int]:
    """Free and billable requests, as the servers saw them."""
    seen = [request for server in stage.servers for request in server.requests]
    billable = sum(
        request.method == "POST" and request.path.endswith(tuple(PATHS)) for request in seen
    )
    return len(seen) - billable, billable


@names(HEALTHY)
def test_health_is_seen_with_few_requests(seen: Seen) -> None:
    report = seen.report

    assert report["findings"] == []
    free, billable = counted(seen.stage)
    # Of an engine the metrics are asked for as well.
    assert free <= (3 if report["targets"][0]["product"] == "vllm" else 2)
    assert billable <= 1
    assert (report["requests"]["free"], report["requests"]["billable"]) == (free, billable)
    statuses = {hop["status"] for hop in report["path"]}
    assert "broken" not in statuses


@names([scenario for scenario in ALL if scenario.area in (Area.COMBINED, Area.TOKENS)] + HEALTHY)
def test_no_spend_asks_for_no_token(
    scenario: Scenario, tmp_path: Path, stages: list[Stage], capsys: Capture
) -> None:
    diagnosed(scenario.name, tmp_path, capsys, "--no-spend")

    assert counted(stages[0])[1] == 0


def test_offline_asks_nobody(tmp_path: Path, stages: list[Stage], capsys: Capture) -> None:
    for scenario in {scenario.area: scenario for scenario in ALL}.values():
        diagnosed(scenario.name, tmp_path, capsys, "--offline")

    assert [request for s in stages for server in s.servers for request in server.requests] == []


def test_a_hanging_server_is_waited_for_once(
    tmp_path: Path, stages: list[Stage], capsys: Capture
) -> None:
    report = diagnosed("hanging-server", tmp_path, capsys, "--timeout", "0.5")

    assert counted(stages[0])[1] == 1
    assert report["diagnosis"]["tried"] == []
    assert report["diagnosis"]["before"]["status"] is None


# ------------------------------------------------------------------ hostile servers


def spoiled(routes: dict[str, Fault | Injection], model: str = MODEL) -> Scenario:
    async def build(servers: Servers) -> Setup:
        models = (Model(MODEL), Model(model))
        gateway = await servers.open(NewApi(NewApiConfig(faults=routes, models=models)))
        return Setup(shell(base_of(gateway), model=model))

    return Scenario("hostile", Area.RESPONSE, _("Made up for a test."), build)


CHAT = "/v1/chat/completions"
Only = Callable[[Scenario], str]
HOSTILE_SERVERS = {
    "an error that steers terminals": spoiled({CHAT: Fault.HOSTILE_ERROR}),
    "the same from every route": spoiled({"*": Fault.HOSTILE_ERROR}),
    "an answer that steers terminals": spoiled({CHAT: Fault.HOSTILE_CONTENT}),
    "a served model of that name": spoiled({}, model=HOSTILE),
    "an unknown model of that name": dataclasses.replace(
        spoiled({}), build=spoiled({CHAT: Fault.HOSTILE_ERROR}, model=HOSTILE).build
    ),
}


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Only:
    """Make a scenario of the test known to the command."""

    def know(scenario: Scenario) -> str:
        monkeypatch.setattr(known, "find", lambda name: scenario)
        return scenario.name

    return know


@pytest.mark.parametrize("kind", HOSTILE_SERVERS)
def test_text_of_a_server_steers_no_output(
    kind: str, only: Only, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = only(HOSTILE_SERVERS[kind])
    diagnosed(name, tmp_path, capsys)

    # Nor where the renderer's own colours are on.
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    cli.main(["demo", name, "--format", "rich"])
    coloured = capsys.readouterr().out
    assert "\x1b[" in coloured
    assert_harmless(coloured, coloured=True)
    assert "\x1b]" not in coloured


def test_markup_of_a_server_is_shown_as_it_is(only: Only, tmp_path: Path, capsys: Capture) -> None:
    name = only(HOSTILE_SERVERS["an error that steers terminals"])
    diagnosed(name, tmp_path, capsys)

    for form in ("plain", "rich"):
        assert "[boldred]markup[/]" in "".join(written(tmp_path)[form].split())


@pytest.mark.parametrize("route", [CHAT, "/v1/models", "*"])
def test_a_body_of_ten_megabytes_is_no_trouble(
    route: str, only: Only, tmp_path: Path, capsys: Capture
) -> None:
    size = 10 * 1024 * 1024
    name = only(spoiled({route: Injection(Fault.HUGE_BODY, limit=size)}))
    report = diagnosed(name, tmp_path, capsys)

    assert report["diagnosis"]["before"]["answered"]
    assert all(len(text) < 1_000_000 for text in written(tmp_path).values())
