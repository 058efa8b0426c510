"""A proxy bypassed for good: an exclusion where the target alone is meant, else the dead variable
goes; each plan is true by the rules of the client's own library."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.connection import SettingName
from doctor.fixes.apply import apply
from doctor.fixes.journal import Journal
from doctor.fixes.prepare import prepare
from doctor.fixes.steps import RunText
from doctor.models import Applicability, Fix
from tests.fixes.strategies import KEY
from tests.fixes.world import World, change

LOCAL = "http://127.0.0.1:8000/v1"
REMOTE = "https://gateway.example/v1"
PROXY = "http://127.0.0.1:7890"
DIRECT = change("KVD301", SettingName.PROXY, "direct")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "home", {"SHELL": "/bin/zsh", "OPENAI_API_KEY": KEY})


def with_proxies(world: World, base: str, zshrc: str | None = None, **proxies: str) -> World:
    world.variables |= {"OPENAI_BASE_URL": base, **proxies}
    if zshrc is None:
        zshrc = "".join(f"export {name}={value}\n" for name, value in proxies.items())
    world.write({"~/.zshrc": f"# mine\n{zshrc}alias a=b\n"})
    return world


def applied(fix: Fix, world: World) -> str:
    apply(prepare(fix.steps), [fix.title], Journal(world.home / "state"))
    return world.read("~/.zshrc")


def lines(fix: Fix) -> list[str]:
    return [step.text for step in fix.steps if isinstance(step, RunText)]


def test_a_local_target_is_excluded_beside_the_proxy_lines(world: World) -> None:
    with_proxies(world, LOCAL, HTTP_PROXY=PROXY, HTTPS_PROXY=PROXY)

    fix = world.fix(DIRECT)

    assert applied(fix, world) == (
        f"# mine\nexport HTTP_PROXY={PROXY}\nexport NO_PROXY=localhost,127.0.0.1,::1\n"
        f"export HTTPS_PROXY={PROXY}\nalias a=b\n"
    )
    assert fix.applicability is Applicability.SAFE
    assert lines(fix) == ["export NO_PROXY=localhost,127.0.0.1,::1"]


def test_a_list_of_exclusions_is_extended_in_its_place(world: World) -> None:
    with_proxies(world, LOCAL, HTTP_PROXY=PROXY, NO_PROXY="'.corp,10.0.0.0/8'")
    world.variables["NO_PROXY"] = ".corp,10.0.0.0/8"

    fix = world.fix(DIRECT)

    assert "NO_PROXY='.corp,10.0.0.0/8,localhost,127.0.0.1,::1'\n" in applied(fix, world)
    assert fix.applicability is Applicability.SAFE


def test_a_dead_proxy_of_a_remote_target_is_commented_out_with_its_twins(world: World) -> None:
    with_proxies(world, REMOTE, HTTPS_PROXY=PROXY, HTTP_PROXY=PROXY, ALL_PROXY="http://other:1")

    fix = world.fix(DIRECT)

    assert fix.applicability is Applicability.MANUAL or (fix.applicability is Applicability.UNSAFE)
    assert applied(fix, world) == (
        f"# mine\n# export HTTPS_PROXY={PROXY}\n# export HTTP_PROXY={PROXY}\n"
        "# export ALL_PROXY=http://other:1\nalias a=b\n"
    )
    assert lines(fix) == ["unset HTTPS_PROXY HTTP_PROXY ALL_PROXY"]


def test_a_proxy_that_refuses_one_host_stays_for_all_others(world: World) -> None:
    with_proxies(world, REMOTE, HTTPS_PROXY=PROXY)

    fix = world.fix(change("KVD307", SettingName.PROXY, "direct"))

    assert applied(fix, world) == (
        f"# mine\nexport HTTPS_PROXY={PROXY}\nexport NO_PROXY=gateway.example\nalias a=b\n"
    )
    assert fix.applicability is Applicability.SAFE


def test_a_malformed_value_is_corrected_where_it_stands(world: World) -> None:
    with_proxies(world, REMOTE, f'export HTTPS_PROXY="\\"{PROXY}\\""\n', HTTPS_PROXY=f'"{PROXY}"')

    fix = world.fix(change("KVD304", SettingName.PROXY, PROXY))

    assert applied(fix, world) == f'# mine\nexport HTTPS_PROXY="{PROXY}"\nalias a=b\n'
    assert fix.applicability is Applicability.SAFE


def test_the_case_that_hides_an_exclusion_gets_the_value_of_the_other(world: World) -> None:
    with_proxies(world, REMOTE, HTTPS_PROXY=PROXY, no_proxy="localhost", NO_PROXY="gateway.example")

    fix = world.fix(change("KVD305", SettingName.PROXY, "direct"))

    assert "export no_proxy=gateway.example\n" in applied(fix, world)


def test_a_proxy_that_no_file_sets_is_text_only(world: World) -> None:
    with_proxies(world, REMOTE, "", HTTPS_PROXY=PROXY, HTTP_PROXY=PROXY)

    fix = world.fix(DIRECT)

    assert fix.applicability is Applicability.MANUAL
    assert lines(fix) == ["unset HTTPS_PROXY HTTP_PROXY"]
    assert "No start-up file sets HTTPS_PROXY" in fix.preview


def test_if_only_one_of_two_variables_has_a_file_nothing_is_half_done(world: World) -> None:
    with_proxies(world, REMOTE, f"export HTTP_PROXY={PROXY}\n", HTTPS_PROXY=PROXY, HTTP_PROXY=PROXY)

    fix = world.fix(DIRECT)

    assert fix.applicability is Applicability.MANUAL
    assert lines(fix) == ["unset HTTPS_PROXY HTTP_PROXY"]


def test_a_proxy_in_a_function_that_is_called_is_not_safe_to_touch(world: World) -> None:
    with_proxies(
        world, LOCAL, f"proxy_on() {{\n  export HTTP_PROXY={PROXY}\n}}\n", HTTP_PROXY=PROXY
    )

    fix = world.fix(DIRECT)

    assert fix.applicability is Applicability.UNSAFE


def test_a_proxy_of_kvdoctor_toml_is_changed_there(world: World) -> None:
    text = f'[targets.shop]\nbase_url = "{REMOTE}"\nkey = "{KEY}"\nproxy = "{PROXY}" # home\n'
    world.variables = {"SHELL": "/bin/zsh"}
    world.write({"kvdoctor.toml": text})

    fix = world.fix(DIRECT)
    apply(prepare(fix.steps), ["x"], Journal(world.home / "state"))

    assert world.read("kvdoctor.toml") == text.replace(PROXY, "direct")


def test_the_systems_proxy_is_left_to_the_user(world: World) -> None:
    world.platform = "darwin"
    with_proxies(world, REMOTE, "")

    fix = world.fix(change("KVD306", SettingName.PROXY, "direct"))

    assert fix.applicability is Applicability.MANUAL
    assert fix.steps == ()
