from __future__ import annotations

import dataclasses

import pytest

from checks.credentials.key_sources_disagree import key_sources_disagree
from doctor.connection import Change, Connection, Origin, OriginKind, Setting, SettingName, Shadowed
from doctor.facts.settings import Role, Settings, Sighting
from doctor.models import Finding, Severity
from doctor.secrets import Secret
from doctor.text import _
from tests.checks.credentials.world import HEALTHY, KEY, REFUSED, Given, keys
from tests.kit import connection, run_check

OTHER = "sk-other0up0other0up0other0up0other0up0other0up0oth"
SHELL = Origin(OriginKind.ENVIRONMENT, "OPENAI_API_KEY")
FILE = Origin(OriginKind.FILE, "OPENAI_API_KEY", "~/app/.env", 3)


def both(
    winner: str = KEY, loser: str = OTHER, won: Origin = SHELL, lost: Origin = FILE
) -> Connection:
    setting = Setting(Secret(winner), won, (Shadowed(Secret(loser), lost),))
    return dataclasses.replace(connection(), key=setting)


def found(
    target: Connection, given: Given = HEALTHY, settings: Settings | None = None
) -> tuple[Finding, ...]:
    return run_check(key_sources_disagree, target, given, settings=settings).findings


def test_the_winner_and_the_rule_are_named() -> None:
    seen = Sighting(Role.KEY, "OPENAI_API_KEY", Secret(OTHER), FILE, in_effect_for=("aider",))
    (finding,) = found(both(), settings=Settings((seen,)))
    assert finding.severity is Severity.WARNING
    assert "OPENAI_API_KEY wins over OPENAI_API_KEY (~/app/.env:3)" in finding.explanation
    assert "not replaced by a file" in finding.explanation
    assert finding.evidence[1].value.endswith("used by aider")
    assert finding.changes == ()


@pytest.mark.parametrize(
    "same", [KEY, f" {KEY}\n", f'"{KEY}"', f"Bearer {KEY}", "", "EMPTY", "<key>"]
)
def test_equal_keys_and_placeholders_do_not_disagree(same: str) -> None:
    assert found(both(loser=same)) == ()


def test_a_key_of_the_command_line_was_chosen_on_purpose() -> None:
    flag = Origin(OriginKind.FLAG, "--key-env")
    assert found(both(won=flag)) == ()


def test_keys_under_different_names_may_differ() -> None:
    other = Origin(OriginKind.ENVIRONMENT, "OPENROUTER_API_KEY")
    assert found(both(lost=other)) == ()


def test_settings_of_claude_code_are_compared_with_the_shell() -> None:
    settings = Origin(OriginKind.FILE, "env.ANTHROPIC_AUTH_TOKEN", "~/.claude/settings.json")
    shell = Origin(OriginKind.ENVIRONMENT, "ANTHROPIC_AUTH_TOKEN")
    target = dataclasses.replace(both(won=settings, lost=shell), client="claude-code")
    (finding,) = found(target)
    assert "beats the shell" in finding.explanation


def beside_base(target: Connection) -> Connection:
    base = Origin(OriginKind.FILE, "OPENAI_BASE_URL", "~/app/.env", 2)
    return dataclasses.replace(target, base_url=Setting(target.base_url.value, base))


def test_where_the_winner_is_refused_the_key_beside_the_url_is_tried() -> None:
    (finding,) = found(beside_base(both()), REFUSED)
    assert keys(list(finding.changes)) == [OTHER]
    assert finding.changes[0].guess
    assert finding.severity is Severity.ERROR
    assert "likely" in finding.explanation


def test_a_key_of_elsewhere_is_not_tried() -> None:
    assert found(both(), REFUSED)[0].changes == ()


def at_its_vendor(target: Connection) -> Connection:
    base = Origin(OriginKind.DEFAULT, "openai SDK default")
    return dataclasses.replace(target, base_url=Setting("https://api.openai.com/v1", base))


def test_a_newer_key_of_the_same_variable_is_tried_at_its_vendor() -> None:
    (finding,) = found(at_its_vendor(both()), REFUSED)
    assert keys(list(finding.changes)) == [OTHER]
    assert "is the other one newer?" in finding.explanation
    assert found(at_its_vendor(both()))[0].changes == ()


@pytest.mark.parametrize(
    ("loser", "name"),
    [
        (OTHER, "OPENAI_KEY"),
        ("sk-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef", "OPENAI_API_KEY"),
    ],
)
def test_a_key_that_is_not_surely_the_vendors_is_not_tried(loser: str, name: str) -> None:
    lost = dataclasses.replace(FILE, name=name)
    target = at_its_vendor(both(loser=loser, lost=lost))
    assert [change for one in found(target, REFUSED) for change in one.changes] == []


def test_a_repair_is_not_a_source() -> None:
    strip = Change("KVD102", SettingName.KEY, Secret(KEY), _("strip the key"))
    alone = dataclasses.replace(connection(key=KEY + "\n"))
    assert found(alone.with_(strip)) == ()
    assert found(both(winner=KEY + "\n", loser=KEY).with_(strip)) == ()
