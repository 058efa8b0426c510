"""The file and the shell say different things, and one of them wins."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from checks.clients.settings_shadow_environment import settings_shadow_environment
from doctor import facts
from doctor.checkapi import SettingName
from doctor.connection import Origin, OriginKind, Setting, Shadowed
from doctor.facts.answers import Exchange, Outcome, OutcomeKind, Reply
from doctor.facts.settings import Role, Settings, Sighting
from doctor.facts.store import Fact
from doctor.models import Finding, Severity, Status
from doctor.secrets import Secret
from tests.kit import KEY, connection, run_check

from .world import FILE, SHELL, claude

OTHER_KEY = KEY[:-4] + "xxxx"


def reply(kind: OutcomeKind, status: int) -> Reply:
    exchange = Exchange("completion", "POST", "https://gateway.example/v1/messages", status)
    return Reply(exchange, Outcome(kind))


def shadowed(winner: str, loser: str) -> Setting[str]:
    return Setting(winner, FILE, (Shadowed(loser, SHELL),))


def test_the_file_wins_and_both_values_are_shown() -> None:
    target = claude(base_url=shadowed("https://gateway.example", "http://localhost:1234"))

    (finding,) = run_check(settings_shadow_environment, target).findings

    assert "from ~/.claude/settings.json, not from the shell" in finding.title
    assert [one.value for one in finding.evidence] == [
        "https://gateway.example",
        "http://localhost:1234",
    ]


@pytest.mark.parametrize("loser", ["https://gateway.example/", " https://gateway.example", ""])
def test_what_says_the_same_is_no_conflict(loser: str) -> None:
    target = claude(base_url=shadowed("https://gateway.example", loser))

    assert run_check(settings_shadow_environment, target).status is Status.PASS


def test_it_is_a_note_only_where_the_request_answers() -> None:
    target = claude(base_url=shadowed("https://gateway.example", "http://localhost:1234"))
    answered: dict[Fact[Any], object] = {facts.COMPLETION: reply(OutcomeKind.ANSWERED, 200)}

    (finding,) = run_check(settings_shadow_environment, target, answered).findings

    assert finding.severity is Severity.INFO


def test_the_other_key_is_tried_only_where_it_belongs_to_the_same_host() -> None:
    key = Setting(
        Secret(KEY),
        dataclasses.replace(FILE, name="env.ANTHROPIC_AUTH_TOKEN"),
        (Shadowed(Secret(OTHER_KEY), dataclasses.replace(SHELL, name="ANTHROPIC_AUTH_TOKEN")),),
    )
    refused: dict[Fact[Any], object] = {facts.COMPLETION: reply(OutcomeKind.KEY_REFUSED, 401)}
    here = dataclasses.replace(claude(base_url=Setting("https://gateway.example", FILE)), key=key)
    two_bases = claude(base_url=shadowed("https://gateway.example", "https://b.example"))
    elsewhere = dataclasses.replace(two_bases, key=key)

    (first,) = run_check(settings_shadow_environment, here, refused).findings
    (second,) = run_check(settings_shadow_environment, elsewhere, refused).findings

    assert [change.setting for change in first.changes] == [SettingName.KEY]
    assert second.changes == ()
    assert OTHER_KEY not in str(first)


def test_an_sdk_has_no_file_of_its_own() -> None:
    target = connection("https://gateway.example/v1")

    assert run_check(settings_shadow_environment, target).status is Status.SKIPPED


def test_a_variable_that_many_programs_read_counts_only_where_the_request_fails() -> None:
    own = Origin(OriginKind.FILE, "providers.x.settings.apiKey", "~/.cline/providers.json", 5)
    shell = Origin(OriginKind.ENVIRONMENT, "OPENAI_API_KEY")
    key = Setting(Secret(KEY), own, (Shadowed(Secret(OTHER_KEY), shell),))
    target = dataclasses.replace(connection(client="codex"), key=key)
    refused: dict[Fact[Any], object] = {facts.COMPLETION: reply(OutcomeKind.KEY_REFUSED, 401)}

    assert run_check(settings_shadow_environment, target).status is Status.PASS
    assert run_check(settings_shadow_environment, target, refused).findings


def test_a_blank_in_the_file_takes_away_what_the_shell_has() -> None:
    name = "ANTHROPIC_AUTH_TOKEN"
    place = dataclasses.replace(FILE, name=f"env.{name}")
    key = Setting(
        Secret(""), place, (Shadowed(Secret(KEY), dataclasses.replace(SHELL, name=name)),)
    )

    (finding,) = run_check(
        settings_shadow_environment, dataclasses.replace(claude(), key=key)
    ).findings

    assert f"takes {name} from ~/.claude/settings.json, not from the shell" in finding.title
    assert finding.severity is Severity.ERROR
    assert "KVD101" in finding.explains


def test_what_open_webui_keeps_empty_takes_away_what_a_variable_has() -> None:
    """Its names differ, and still the blank key is the one that the variable was meant for."""
    place = Origin(OriginKind.FILE, "openai.api_keys.0", "data/config.json")
    lost = Shadowed(Secret(KEY), dataclasses.replace(SHELL, name="OPENAI_API_KEY"))
    target = dataclasses.replace(claude(), client="open-webui")
    blank = dataclasses.replace(target, key=Setting(Secret(""), place, (lost,)))

    (finding,) = run_check(settings_shadow_environment, blank).findings

    assert "takes OPENAI_API_KEY from data/config.json, not from the shell" in finding.title
    assert "ENABLE_PERSISTENT_CONFIG=False" in finding.explanation
    # Another key in its place is what somebody typed in: no fault as long as nothing fails.
    other = dataclasses.replace(target, key=Setting(Secret("sk-other"), place, (lost,)))
    assert not run_check(settings_shadow_environment, other).findings


COMPOSE = Origin(OriginKind.FILE, "services.app.environment.OPENAI_API_KEY", "compose.yaml", 5)
ENV_FILE = Origin(OriginKind.FILE, "OPENAI_API_KEY", "keys.env", 1)


def of_a_service(value: str, written: str) -> list[Finding]:
    key = Setting(Secret(value), COMPOSE, (Shadowed(Secret(KEY), ENV_FILE),))
    seen = Sighting(
        Role.KEY, "OPENAI_API_KEY", Secret(value), COMPOSE, raw=Secret(written), in_container=True
    )
    target = dataclasses.replace(connection(), key=key)
    settings = Settings(sightings=(seen,))
    return list(run_check(settings_shadow_environment, target, settings=settings).findings)


def test_a_compose_file_empties_the_key_of_its_env_file() -> None:
    (finding,) = of_a_service("", "${OPENAI_API_KEY:-}")

    assert "gets an empty OPENAI_API_KEY, not the one of keys.env" in finding.title
    assert "${OPENAI_API_KEY:-}" in finding.explanation
    assert "docker compose --env-file keys.env up" in finding.explanation
    assert "KVD101" in finding.explains


@pytest.mark.parametrize(
    ("value", "written"), [("", ""), ("sk-of-the-shell", "${OPENAI_API_KEY:-}")]
)
def test_a_compose_file_that_means_what_it_says(value: str, written: str) -> None:
    assert not of_a_service(value, written)
