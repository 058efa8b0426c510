from __future__ import annotations

import dataclasses

from checks.credentials.key_variable_unset import key_variable_unset
from doctor.connection import Connection, Origin, OriginKind, Setting
from doctor.facts.settings import Role, Settings, Sighting
from doctor.models import Finding, Severity, Status
from doctor.secrets import Secret
from tests.checks.credentials.world import KEY, keys, told
from tests.kit import connection, environment, run_check

CONFIG = Origin(OriginKind.FILE, "env_key", "~/.codex/config.toml", 9)


def named(value: str | Secret, origin: Origin = CONFIG, target: str = "target") -> Settings:
    return Settings(
        (Sighting(Role.KEY_VARIABLE, "env_key", value, origin, in_effect_for=(target,)),)
    )


def found(
    settings: Settings, variables: dict[str, str] | None = None, target: Connection | None = None
) -> tuple[Finding, ...]:
    target = target or connection(key=None)
    env = environment(variables)
    return run_check(key_variable_unset, target, {}, env, settings).findings


def test_a_variable_that_is_not_set() -> None:
    (finding,) = found(named("TAOTOKEN_API_KEY"))
    assert finding.title == "The variable TAOTOKEN_API_KEY is not set"
    assert "env_key (~/.codex/config.toml:9)" in finding.explanation
    assert "KVD101" in finding.explains


def test_a_variable_that_is_set_and_empty() -> None:
    (finding,) = found(named("TAOTOKEN_API_KEY"), {"TAOTOKEN_API_KEY": ""})
    assert finding.title == "The variable TAOTOKEN_API_KEY is set, but empty"


def test_a_variable_that_is_set_passes() -> None:
    assert found(named("TAOTOKEN_API_KEY"), {"TAOTOKEN_API_KEY": KEY}) == ()


def test_a_variable_that_an_env_file_sets_passes() -> None:
    origin = Origin(OriginKind.FILE, "TAOTOKEN_API_KEY", "~/app/.env", 1)
    seen = Sighting(Role.KEY, "TAOTOKEN_API_KEY", Secret(KEY), origin)
    settings = named("TAOTOKEN_API_KEY")
    assert found(dataclasses.replace(settings, sightings=(*settings.sightings, seen))) == ()


def test_a_key_in_place_of_the_name_is_used_and_not_shown() -> None:
    (finding,) = found(named(Secret(KEY)))
    assert finding.title == "env_key holds a key in place of a variable's name"
    assert keys(list(finding.changes)) == [KEY]
    assert KEY not in told((finding,))


def test_a_key_in_place_of_the_name_beside_a_good_key_breaks_nothing() -> None:
    (finding,) = found(named(Secret(KEY)), target=connection())
    assert (finding.severity, finding.changes, finding.explains) == (Severity.WARNING, (), ())


def test_a_name_written_as_a_reference() -> None:
    (finding,) = found(named("$TAOTOKEN_API_KEY"), {"TAOTOKEN_API_KEY": KEY})
    assert "write TAOTOKEN_API_KEY in place of $TAOTOKEN_API_KEY" in finding.explanation
    assert keys(list(finding.changes)) == [KEY]


def test_a_name_that_differs_in_case_only() -> None:
    (finding,) = found(named("taotoken_api_key"), {"TAOTOKEN_API_KEY": KEY})
    assert keys(list(finding.changes)) == [KEY]
    assert finding.changes[0].guess


def test_a_key_of_another_name_is_never_tried() -> None:
    (finding,) = found(named("TAOTOKEN_API_KEY"), {"OPENAI_API_KEY": KEY})
    assert finding.changes == ()


def test_a_working_folder_that_chose_the_host_gets_no_key_of_the_user() -> None:
    base = Origin(OriginKind.FILE, "base_url", "kvdoctor.toml", 2, project=True)
    target = connection(key=None)
    target = dataclasses.replace(target, base_url=Setting(target.base_url.value, base))
    (finding,) = found(named("taotoken_api_key"), {"TAOTOKEN_API_KEY": KEY}, target)
    assert finding.changes == ()


def test_settings_of_other_targets_do_not_count() -> None:
    result = run_check(
        key_variable_unset, connection(key=None), settings=named("X_KEY", target="other")
    )
    assert result.status is Status.SKIPPED


def test_a_variable_that_two_entries_name_is_told_once() -> None:
    one = named("X_KEY")
    again = dataclasses.replace(
        one.sightings[0], origin=Origin(OriginKind.FILE, "model_list.1.api_key", "config.yaml", 9)
    )
    both = dataclasses.replace(one, sightings=(*one.sightings, again))
    assert len(found(both, {})) == 1


def test_a_field_of_that_name_sets_no_variable() -> None:
    login = Origin(OriginKind.FILE, "OPENAI_API_KEY", "~/.codex/auth.json", 1)
    kept = Sighting(Role.KEY, "OPENAI_API_KEY", Secret(KEY), login)
    settings = Settings((*named("OPENAI_API_KEY").sightings, kept))

    (finding,) = found(settings)

    assert finding.title == "The variable OPENAI_API_KEY is not set"


def test_an_env_file_sets_it() -> None:
    file = Origin(OriginKind.FILE, "RELAY_KEY", ".env", 1)
    settings = Settings(
        (*named("RELAY_KEY").sightings, Sighting(Role.KEY, "RELAY_KEY", Secret(KEY), file))
    )

    assert not found(settings)
