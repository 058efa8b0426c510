from __future__ import annotations

import pytest

from checks.credentials.key_exposed import key_exposed
from doctor.connection import Origin, OriginKind
from doctor.facts.machine import Environment
from doctor.facts.settings import Role, SecretFile, Settings, Sighting
from doctor.models import Finding, Severity, Status
from doctor.secrets import Secret
from tests.checks.credentials.world import KEY, told
from tests.kit import environment, run_check


def file(mode: int | None, tracked: bool | None = False, line: int = 3) -> SecretFile:
    return SecretFile("~/app/.env", line, "OPENAI_API_KEY", mode, tracked)


def found(settings: Settings, env: Environment | None = None) -> tuple[Finding, ...]:
    return run_check(key_exposed, env=env, settings=settings).findings


@pytest.mark.parametrize(("mode", "whom"), [(0o644, "others"), (0o640, "its group")])
def test_a_file_that_others_can_read(mode: int, whom: str) -> None:
    (finding,) = found(Settings(secret_files=(file(mode), file(mode, line=5))))
    assert finding.title == f"~/app/.env holds a key and can be read by {whom}"
    assert "chmod 600 ~/app/.env" in finding.explanation
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700, None])
def test_a_file_of_the_user_alone_passes(mode: int | None) -> None:
    assert found(Settings(secret_files=(file(mode),))) == ()


@pytest.mark.parametrize(
    "env", [environment(platform="win32"), environment(in_container=True)], ids=["win", "container"]
)
def test_permissions_that_say_nothing_are_not_judged(env: Environment) -> None:
    assert found(Settings(secret_files=(file(0o644),)), env) == ()


def test_a_tracked_file_is_one_error() -> None:
    (finding,) = found(Settings(secret_files=(file(0o644, tracked=True),)))
    assert finding.severity is Severity.ERROR
    assert "git rm --cached ~/app/.env" in finding.explanation
    assert "make a new one" in finding.explanation


def own_configuration(key: str) -> Settings:
    origin = Origin(OriginKind.FILE, "target.shop.key", "app/kvdoctor.toml", 4, project=True)
    return Settings((Sighting(Role.KEY, "key", Secret(key), origin),))


def test_a_key_in_kvdoctors_own_file() -> None:
    (finding,) = found(own_configuration(KEY))
    assert "key_env" in finding.explanation
    assert KEY not in told((finding,))
    assert found(own_configuration("EMPTY")) == ()


def test_without_files_there_is_nothing_to_examine() -> None:
    assert run_check(key_exposed).status is Status.SKIPPED
