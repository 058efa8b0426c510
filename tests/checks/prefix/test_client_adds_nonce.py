"""A line of the client's own that changes, told only in front of an engine that minds it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from checks.prefix.client_adds_nonce import client_adds_nonce
from doctor import facts
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting
from doctor.facts.engine import Engine
from doctor.facts.store import Fact
from doctor.models import CheckResult, Severity, Status
from tests.kit import connection, environment, run_check

from .logs import cause, log

FILE = Origin(OriginKind.FILE, "env.ANTHROPIC_BASE_URL", "~/.claude/settings.json", 3)
STOPPED = {"CLAUDE_CODE_ATTRIBUTION_HEADER": "0"}


def checked(
    version: str | None, client: str = "claude-code", variables: dict[str, str] | None = None
) -> CheckResult:
    made = connection("http://127.0.0.1:8000", client=client, protocol=Protocol.ANTHROPIC_MESSAGES)
    target: Connection = dataclasses.replace(made, base_url=Setting("http://127.0.0.1:8000", FILE))
    given: dict[Fact[Any], object] = {
        facts.ENGINE: Engine(root="http://127.0.0.1:8000", version=version)
    }
    return run_check(client_adds_nonce, target, given, env=environment(variables))


def test_an_engine_that_does_not_take_the_line_out_makes_it_a_note_with_its_setting() -> None:
    (finding,) = checked("0.11.2").findings

    assert finding.severity is Severity.INFO
    assert "CLAUDE_CODE_ATTRIBUTION_HEADER=0" in finding.explanation
    assert finding.lasting[0].entries[0].keys == ("env", "CLAUDE_CODE_ATTRIBUTION_HEADER")


def test_an_engine_that_does_or_a_setting_that_stops_it_is_sound() -> None:
    assert checked("0.32.0").status is Status.PASS
    assert checked("0.11.2", variables=STOPPED).status is Status.PASS


@pytest.mark.parametrize("version", [None, "0.1.dev9+g1a2b"])
def test_without_a_version_nothing_is_said(version: str | None) -> None:
    assert checked(version).status is Status.UNKNOWN


def test_other_clients_and_hosted_vendors_are_let_be() -> None:
    assert checked("0.11.2", client="anthropic-sdk").status is Status.SKIPPED
    hosted = connection(client="claude-code", protocol=Protocol.ANTHROPIC_MESSAGES)
    given: dict[Fact[Any], object] = {facts.ENGINE: Engine(root=None, detail="a gateway")}
    assert run_check(client_adds_nonce, hosted, given).status is Status.SKIPPED


def test_a_log_shows_the_line_itself() -> None:
    line = cause("KVD709", "client nonce", label="cch=", examples=("1a2b3", "4c5d6"))
    (finding,) = run_check(client_adds_nonce, given=log(line)).findings
    assert "CLAUDE_CODE_ATTRIBUTION_HEADER=0" in finding.explanation
