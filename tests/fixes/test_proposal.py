"""From a change to a fix: the file that wins, the true applicability, and no key on the move."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from doctor.connection import SettingName
from doctor.fixes.apply import apply
from doctor.fixes.journal import Journal
from doctor.fixes.prepare import prepare
from doctor.fixes.proposal import propose
from doctor.fixes.steps import EditFile, RunText
from doctor.models import Applicability, Fix
from doctor.settings.discover import TargetRequest
from tests.fixes.strategies import KEY
from tests.fixes.world import World, change, finding_of
from tests.kit import connection as kit_connection

BASE = "http://127.0.0.1:8000"
OTHER_KEY = "sk-other0other0other0other0other0other0other0other00"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "home", {"SHELL": "/bin/bash"})


def applied(fix: Fix, world: World) -> None:
    apply(prepare(fix.steps), [fix.title], Journal(world.home / "state"))


def texts(fix: Fix) -> list[str]:
    return [step.text for step in fix.steps if isinstance(step, RunText)]


def edits(fix: Fix) -> list[EditFile]:
    return [step for step in fix.steps if isinstance(step, EditFile)]


# ------------------------------------------------------------------ files


def test_the_base_url_of_an_env_file(world: World) -> None:
    world.write({".env": f"# mine\nOPENAI_BASE_URL={BASE}  # gateway\nOPENAI_API_KEY={KEY}\n"})

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))
    applied(fix, world)

    assert fix.applicability is Applicability.SAFE
    assert fix.preview.split("\n") == [
        ".env:2",
        f"- OPENAI_BASE_URL={BASE}  # gateway",
        f"+ OPENAI_BASE_URL={BASE}/v1  # gateway",
    ]
    assert world.read(".env") == (
        f"# mine\nOPENAI_BASE_URL={BASE}/v1  # gateway\nOPENAI_API_KEY={KEY}\n"
    )


def test_a_key_that_docker_reads_with_its_quotes(world: World) -> None:
    world.request = TargetRequest(env_file=".env", env_reader="docker")
    world.write({".env": f'OPENAI_BASE_URL={BASE}/v1\r\nOPENAI_API_KEY="{KEY}"\r\n'})

    fix = world.fix(change("KVD103", SettingName.KEY, KEY))
    applied(fix, world)

    assert world.read(".env") == f"OPENAI_BASE_URL={BASE}/v1\r\nOPENAI_API_KEY={KEY}\r\n"
    assert fix.applicability is Applicability.SAFE
    assert KEY not in fix.preview
    assert '- OPENAI_API_KEY="sk-…0up0"␍' in fix.preview


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "settings.json",
            f'{{\n  // mine\n  "openai_base_url": "{BASE}",\n  "openai_api_key": "{KEY}",\n'
            '  "model": "m"\n}\n',
        ),
        ("config.toml", f'[llm]\nbase_url = "{BASE}"  # mine\napi_key = "{KEY}"\nmodel = "m"\n'),
        ("config.yaml", f"llm:\n  base_url: {BASE}  # mine\n  api_key: {KEY}\n  model: m\n"),
        (
            "kvdoctor.toml",
            f'[targets.shop]\nbase_url = "{BASE}" # mine\nkey = "{KEY}"\nmodel = "m"\n',
        ),
    ],
)
def test_the_base_url_of_a_settings_file(world: World, name: str, text: str) -> None:
    world.write({name: text})

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))
    applied(fix, world)

    assert fix.applicability is Applicability.SAFE, fix.preview
    assert world.read(name) == text.replace(BASE, f"{BASE}/v1")


def test_the_environment_of_a_compose_service(world: World) -> None:
    text = (
        "services:\n  app:\n    image: x\n    environment:\n"
        f"      - OPENAI_BASE_URL={BASE}\n      - OPENAI_API_KEY={KEY}\n"
    )
    world.write({"compose.yaml": text})

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))
    applied(fix, world)

    assert world.read("compose.yaml") == text.replace(BASE, f"{BASE}/v1")


def test_a_budget_stays_a_number(world: World) -> None:
    text = f'[targets.shop]\nbase_url = "{BASE}/v1"\nkey = "{KEY}"\nmax_tokens = 65_536 # all\n'
    world.write({"kvdoctor.toml": text})

    fix = world.fix(change("KVD601", SettingName.MAX_TOKENS, 8192))
    applied(fix, world)

    assert world.read("kvdoctor.toml") == text.replace("65_536", "8192")


def test_a_key_in_a_file_of_its_own(world: World) -> None:
    world.request = TargetRequest(base_url=f"{BASE}/v1", key_file="key.txt")
    world.write({"key.txt": f"{KEY} \n"})

    fix = world.fix(change("KVD102", SettingName.KEY, KEY))
    applied(fix, world)

    assert world.read("key.txt") == f"{KEY}\n"
    assert KEY not in fix.preview


def test_a_key_file_that_kvdoctor_toml_names(world: World) -> None:
    world.write(
        {
            "kvdoctor.toml": f'[targets.shop]\nbase_url = "{BASE}/v1"\nkey_file = "~/.shop-key"\n',
            "~/.shop-key": f"Bearer {KEY}\n",
        }
    )

    fix = world.fix(change("KVD105", SettingName.KEY, KEY))
    applied(fix, world)

    assert world.read("~/.shop-key") == f"{KEY}\n"


def test_changes_of_one_value_become_one_edit_of_each_fix(world: World) -> None:
    world.write({".env": f"OPENAI_BASE_URL={BASE}/v1\nOPENAI_API_KEY='Bearer {KEY} '\n"})

    first, second = world.fixes(
        change("KVD102", SettingName.KEY, f"Bearer {KEY}"),
        change("KVD105", SettingName.KEY, KEY),
    )

    assert first.steps == second.steps
    applied(first, world)
    assert world.read(".env").endswith(f"OPENAI_API_KEY='{KEY}'\n")


# ------------------------------------------------------------------ how far it may go


def test_what_is_not_proved_is_not_safe(world: World) -> None:
    world.write({".env": f"OPENAI_BASE_URL={BASE}\nOPENAI_API_KEY={KEY}\n"})

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"), proved=False)

    assert fix.applicability is Applicability.UNSAFE
    assert not fix.proved


def test_a_file_that_git_tracks_is_not_safe(world: World) -> None:
    world.write({".env": f"OPENAI_BASE_URL={BASE}\nOPENAI_API_KEY={KEY}\n"})
    for command in (["init", "-q"], ["add", ".env"]):
        subprocess.run(["git", *command], cwd=world.path("."), check=True)

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))

    assert fix.applicability is Applicability.UNSAFE


def test_a_link_to_a_shared_file_is_not_safe(world: World, tmp_path: Path) -> None:
    shared = tmp_path / "shared.env"
    shared.write_text(f"OPENAI_BASE_URL={BASE}\nOPENAI_API_KEY={KEY}\n")
    world.write({})
    world.path(".").mkdir(parents=True)
    world.path(".env").symlink_to(shared)

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))

    assert fix.applicability is Applicability.UNSAFE


def test_a_file_that_cannot_be_edited_is_told_with_the_place(world: World) -> None:
    world.write({".env": f"OPENAI_BASE_URL={BASE}\nOPENAI_API_KEY={KEY}\n"})
    world.path(".env").chmod(0o400)

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))

    assert fix.applicability is Applicability.MANUAL
    assert edits(fix) == []
    assert "by hand: .env: the file is read-only" in fix.preview
    assert f"+ OPENAI_BASE_URL={BASE}/v1" in fix.preview


def test_a_value_made_of_another_variable_is_left_to_the_user(world: World) -> None:
    world.write({".env": f"HOST={BASE}\nOPENAI_BASE_URL=${{HOST}}/\nOPENAI_API_KEY={KEY}\n"})

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))

    assert fix.applicability is Applicability.MANUAL


# ------------------------------------------------------------------ the environment


def test_a_variable_of_the_shell_is_changed_in_its_start_up_file(world: World) -> None:
    world.variables |= {"OPENAI_BASE_URL": BASE, "OPENAI_API_KEY": KEY}
    world.write({"~/.bashrc": f"export OPENAI_BASE_URL='{BASE}' # mine\n"})

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))
    applied(fix, world)

    assert world.read("~/.bashrc") == f"export OPENAI_BASE_URL='{BASE}/v1' # mine\n"
    assert fix.applicability is Applicability.SAFE
    assert texts(fix) == [f"export OPENAI_BASE_URL={BASE}/v1"]
    assert f"In this shell: export OPENAI_BASE_URL={BASE}/v1" in fix.preview


@pytest.mark.parametrize(
    ("shell", "file", "line", "expected"),
    [
        ("/bin/zsh", "~/.zshrc", "export {n}={v}", "export {n}={v}"),
        ("/usr/bin/fish", "~/.config/fish/config.fish", "set -gx {n} {v}", "set -gx {n} {v}"),
        (
            "/usr/bin/pwsh",
            "~/.config/powershell/profile.ps1",
            "$env:{n} = '{v}'",
            "$env:{n} = '{v}'",
        ),
    ],
)
def test_each_shell_gets_its_own_line(
    world: World, shell: str, file: str, line: str, expected: str
) -> None:
    name = "OPENAI_BASE_URL"
    world.variables |= {name: BASE, "OPENAI_API_KEY": KEY, "SHELL": shell}
    world.write({file: line.format(n=name, v=BASE) + "\n"})

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))
    applied(fix, world)

    assert world.read(file) == line.format(n=name, v=f"{BASE}/v1") + "\n"
    assert texts(fix) == [expected.format(n=name, v=f"{BASE}/v1")]


def test_a_variable_that_no_file_sets_is_text_only(world: World) -> None:
    world.variables |= {"OPENAI_BASE_URL": BASE, "OPENAI_API_KEY": KEY}

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))

    assert fix.applicability is Applicability.MANUAL
    assert texts(fix) == [f"export OPENAI_BASE_URL={BASE}/v1"]
    assert fix.preview.startswith(f"export OPENAI_BASE_URL={BASE}/v1\n")


def test_windows_gets_the_lines_of_both_its_shells_and_the_lasting_one(world: World) -> None:
    world.platform = "win32"
    world.variables |= {"OPENAI_BASE_URL": BASE, "OPENAI_API_KEY": KEY}

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))

    assert texts(fix) == [
        f"$env:OPENAI_BASE_URL = '{BASE}/v1'",
        f'set "OPENAI_BASE_URL={BASE}/v1"',
        f"[Environment]::SetEnvironmentVariable('OPENAI_BASE_URL', '{BASE}/v1', 'User')",
    ]


def test_a_key_of_the_shell_is_cleaned_without_being_named(world: World) -> None:
    world.variables |= {"OPENAI_BASE_URL": f"{BASE}/v1", "OPENAI_API_KEY": f"{KEY}\n"}
    world.write({"~/.bashrc": f'export OPENAI_API_KEY="{KEY}\n"\n'})

    fix = world.fix(change("KVD102", SettingName.KEY, KEY))
    applied(fix, world)

    assert world.read("~/.bashrc") == f'export OPENAI_API_KEY="{KEY}"\n'
    assert fix.applicability is Applicability.SAFE
    assert KEY not in fix.preview + "".join(texts(fix)) + repr(fix)
    assert '- export OPENAI_API_KEY="sk-…0up0⏎' in fix.preview


def test_a_value_that_only_a_function_sets_is_not_safe(world: World) -> None:
    world.variables |= {"OPENAI_BASE_URL": BASE, "OPENAI_API_KEY": KEY}
    world.write({"~/.bashrc": f"shop() {{\n  export OPENAI_BASE_URL={BASE}\n}}\n"})

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))

    assert fix.applicability is Applicability.UNSAFE


# ------------------------------------------------------------------ keys stay where they are


def test_another_sources_key_wins_by_taking_out_what_hides_it(world: World) -> None:
    world.variables |= {"OPENAI_API_KEY": OTHER_KEY}
    world.write(
        {
            "~/.bashrc": f"export OPENAI_API_KEY={OTHER_KEY}\n",
            ".env": f"OPENAI_BASE_URL={BASE}/v1\nOPENAI_API_KEY={KEY}\n",
        }
    )

    fix = world.fix(change("KVD110", SettingName.KEY, KEY))
    applied(fix, world)

    assert fix.applicability is Applicability.UNSAFE
    assert world.read("~/.bashrc") == f"# export OPENAI_API_KEY={OTHER_KEY}\n"
    assert world.read(".env").endswith(f"OPENAI_API_KEY={KEY}\n")
    assert texts(fix) == ["unset OPENAI_API_KEY"]
    assert KEY not in fix.preview
    assert OTHER_KEY not in fix.preview


def test_a_key_that_stands_nowhere_near_is_not_copied(world: World) -> None:
    world.write({".env": f"OPENAI_BASE_URL={BASE}/v1\nOPENAI_API_KEY={KEY}\n"})

    fix = world.fix(change("KVD106", SettingName.KEY, OTHER_KEY))

    assert fix.applicability is Applicability.MANUAL
    assert edits(fix) == []
    assert OTHER_KEY not in fix.preview + repr(fix)
    assert "kvdoctor copies no key" in fix.preview


def test_key_and_url_that_were_exchanged_in_one_file_change_places(world: World) -> None:
    world.write({".env": f"OPENAI_BASE_URL={KEY}\nOPENAI_API_KEY={BASE}/v1\n"})

    url, key = world.fixes(
        change("KVD112", SettingName.BASE_URL, f"{BASE}/v1"),
        change("KVD112", SettingName.KEY, KEY),
    )
    applied(url, world)

    assert world.read(".env") == f"OPENAI_BASE_URL={BASE}/v1\nOPENAI_API_KEY={KEY}\n"
    assert url.steps == key.steps
    assert url.applicability is Applicability.UNSAFE
    assert key.applicability is Applicability.UNSAFE
    assert KEY not in url.preview + key.preview + repr(url) + repr(key)


@pytest.mark.parametrize(
    ("reader", "line"),
    [
        ("dotenv", f"\ufeffOPENAI_API_KEY={KEY}"),
        ("docker", f"export OPENAI_API_KEY={KEY}"),
        ("docker", f"OPENAI_API_KEY = {KEY}"),
        ("dotenv", f'$env:OPENAI_API_KEY="{KEY}"'),
    ],
)
def test_a_line_that_its_reader_does_not_understand_is_spelled_for_it(
    world: World, reader: str, line: str
) -> None:
    world.request = TargetRequest(
        base_url=f"{BASE}/v1", env_file=".env", env_reader=reader, model="m"
    )
    world.write({".env": f"{line}\r\nOTHER=1\r\n"})
    assert world.connection().key is None

    fix = world.fix(change("KVD116", SettingName.KEY, KEY))
    applied(fix, world)

    assert fix.applicability is Applicability.UNSAFE
    assert world.read(".env") in (
        f"OPENAI_API_KEY={KEY}\r\nOTHER=1\r\n",
        f'OPENAI_API_KEY="{KEY}"\r\nOTHER=1\r\n',
    )
    key = world.connection().key
    assert key is not None
    assert key.value.reveal() == KEY


# ------------------------------------------------------------------ without files


def test_a_flag_is_named_with_the_right_value(world: World) -> None:
    world.request = TargetRequest(base_url=BASE, model="m")
    world.variables |= {"OPENAI_API_KEY": KEY}

    fix = world.fix(change("KVD201", SettingName.BASE_URL, f"{BASE}/v1"))

    assert (fix.applicability, fix.preview) == (
        Applicability.MANUAL,
        f"--base-url {BASE}/v1",
    )


def test_a_setting_that_nobody_made_is_named_by_its_variable(world: World) -> None:
    world.variables |= {"OPENAI_API_KEY": KEY}

    fix = world.fix(change("KVD108", SettingName.BASE_URL, f"{BASE}/v1"))

    assert fix.preview == f"export OPENAI_BASE_URL={BASE}/v1"
    assert fix.applicability is Applicability.MANUAL


def test_a_replay_proposes_text_and_looks_at_no_file() -> None:
    made = change("KVD201", SettingName.BASE_URL, "https://gateway.example/api/v1")

    fix = propose(finding_of("KVD201", (made,)), (made,), True, kit_connection())[0]

    assert fix.applicability is Applicability.MANUAL
    assert fix.steps == ()
    assert fix.preview == "export OPENAI_BASE_URL=https://gateway.example/api/v1"
