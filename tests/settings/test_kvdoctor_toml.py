from __future__ import annotations

import datetime

import pytest

from doctor.connection import AuthHeader, OriginKind, Protocol
from doctor.facts.settings import Role
from doctor.settings.discover import TargetRequest
from doctor.settings.errors import ConfigError
from doctor.settings.ignore import IgnoreRule
from tests.settings.machine import KEY, OTHER_KEY, Machine, key_of, sighting

FULL = """\
[targets.shop-api]
base_url = "https://gateway.example/v1"
key_env = "SHOP_KEY"
model = "qwen3-8b"
kind = "engine"
client = "anthropic-sdk"
auth = "x-api-key"
max_tokens = 512
proxy = "direct"
ca_bundle = "own.pem"
timeout = 2.5
stream = false

[[ignore]]
code = "KVD117"
subject = "shop-api"
reason = "the lab is trusted"
until = 2030-01-31
"""


def test_everything_that_a_target_can_say(machine: Machine) -> None:
    found = machine.discover({"kvdoctor.toml": FULL}, {"SHOP_KEY": KEY})
    (target,) = found.targets
    assert (target.id, target.label, target.kind, target.named) == (
        "shop-api",
        "shop-api",
        "engine",
        False,
    )
    made = target.connection
    assert made.client == "anthropic-sdk"
    assert made.protocol is Protocol.ANTHROPIC_MESSAGES
    assert str(made.base_url.origin) == "targets.shop-api.base_url, kvdoctor.toml:2"
    assert key_of(made) == KEY
    assert made.key is not None
    assert str(made.key.origin) == "SHOP_KEY, environment"
    assert made.auth.value is AuthHeader.X_API_KEY
    assert made.model is not None
    assert made.model.value == "qwen3-8b"
    assert made.max_tokens is not None
    assert made.max_tokens.value == 512
    assert made.proxy.value == "direct"
    assert made.ca_bundle is not None
    assert made.ca_bundle.value == str(machine.cwd / "own.pem")
    assert (made.timeout, made.stream) == (2.5, False)
    assert found.ignores == (
        IgnoreRule(
            "KVD117",
            "the lab is trusted",
            "shop-api",
            datetime.date(2030, 1, 31),
            "kvdoctor.toml",
            14,
        ),
    )
    assert sighting(found, Role.KEY_VARIABLE, "targets.shop-api.key_env").in_effect_for == (
        "shop-api",
    )


def test_an_unset_variable_leaves_the_key_out_and_names_it(machine: Machine) -> None:
    found = machine.discover({"kvdoctor.toml": FULL})
    assert found.targets[0].connection.key is None
    seen = sighting(found, Role.KEY_VARIABLE, "targets.shop-api.key_env")
    assert (seen.value, seen.in_effect_for) == ("SHOP_KEY", ("shop-api",))


def test_a_key_file_loses_one_line_end_and_nothing_else(machine: Machine) -> None:
    text = '[targets.a]\nbase_url = "https://a.example"\nkey_file = "~/key"\n'
    machine.write("~/key", f" {KEY}\r\n\r\n")
    found = machine.discover({"kvdoctor.toml": text})
    made = found.targets[0].connection
    assert key_of(made) == f" {KEY}\r\n"
    assert made.key is not None
    assert made.key.origin.path == "~/key"
    # The file is the user's, though a file of the project names it.
    assert not made.key.origin.project
    assert made.base_url.origin.project
    assert [file.path for file in found.settings.secret_files] == ["~/key"]


def test_a_literal_key_is_taken_and_told_as_exposed(machine: Machine) -> None:
    text = f'[targets.a]\nbase_url = "https://a.example"\nkey = "{KEY}"\n'
    found = machine.discover({"kvdoctor.toml": text})
    assert key_of(found.targets[0].connection) == KEY
    (file,) = found.settings.secret_files
    assert (file.path, file.line) == ("kvdoctor.toml", 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[targets.a]\n\nbase_ur = "x"\n', "3: unknown key 'base_ur'; the nearest is 'base_url'"),
        ('[target.a]\nbase_url = "x"\n', "1: unknown key 'target'; the nearest is 'targets'"),
        ("[targets.a]\nbase_url = 1\n", "2: 'base_url' must be a string in quotes"),
        ('[targets.a]\nbase_url = "x"\nmax_tokens = "9"\n', "3: 'max_tokens' must be an integer"),
        ('[targets.a]\nbase_url = "x"\nmax_tokens = true\n', "3: 'max_tokens' must be an integer"),
        ('[targets.a]\nbase_url = "x"\nstream = 1\n', "3: 'stream' must be true or false"),
        ('[targets.a]\nmodel = "x"\n', "1: targets.a has no 'base_url'"),
        (
            '[targets.a]\nbase_url = "x"\nkind = "gatway"\n',
            "3: 'kind' cannot be 'gatway'; the nearest is 'gateway'",
        ),
        (
            '[targets.a]\nbase_url = "x"\nclient = "openai"\n',
            "3: 'client' cannot be 'openai'; the nearest is 'openai-sdk'",
        ),
        (
            '[targets.a]\nbase_url = "x"\nclient = "openai-sdk"\nprotocol = "anthropic-messages"\n',
            "4: client 'openai-sdk' does not speak 'anthropic-messages'",
        ),
        (
            '[targets.a]\nbase_url = "x"\nkey_env = "A"\nkey_file = "b"\n',
            "4: targets.a gives the key twice: 'key_env', 'key_file'",
        ),
        ('[targets.a]\nbase_url = "x"\nkey_file = "no"\n', "3: key_file no: No such file"),
        ('[targets.a]\nbase_url = "x"\ntimeout = 0\n', "3: 'timeout' must be more than 0 seconds"),
        ('[targets."a b"]\nbase_url = "x"\n', "1: a target's name is made of letters"),
        ('[[ignore]]\ncode = "KVD101"\n', "1: [[ignore]] needs a 'reason'"),
        ('[[ignore]]\ncode = "K"\nreason = "x"\nuntil = "soon"\n', "4: 'until' must be a date"),
        ("[targets.a\n", "1: "),
        ("targets = 1\n", "1: 'targets' must hold tables"),
    ],
)
def test_what_makes_no_sense_is_told_with_its_line(
    machine: Machine, text: str, message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        machine.discover({"kvdoctor.toml": text})
    assert str(raised.value).startswith(f"kvdoctor.toml:{message}")


def target(name: str, url: str) -> str:
    return f'[targets.{name}]\nbase_url = "{url}"\n'


def test_the_nearest_file_up_to_the_git_root_and_the_users_own(machine: Machine) -> None:
    (machine.cwd / ".git").mkdir()
    machine.write("kvdoctor.toml", target("above", "https://above.example"))
    machine.write("~/.config/kvdoctor/kvdoctor.toml", target("own", "https://own.example"))
    machine.cwd = machine.cwd / "src"
    machine.cwd.mkdir()
    assert [t.id for t in machine.discover().targets] == ["above", "own"]
    machine.write("kvdoctor.toml", target("near", "https://near.example"))
    assert [t.id for t in machine.discover().targets] == ["near", "own"]


def test_a_home_that_is_kept_under_git_is_no_project(machine: Machine) -> None:
    """Nor does it make one of a folder in it that a stranger's files were unpacked into."""
    (machine.home / ".git").mkdir()
    machine.write("~/kvdoctor.toml", target("above", "https://above.example"))
    assert machine.discover().targets == ()
    machine.write("kvdoctor.toml", target("near", "https://near.example"))
    (found,) = machine.discover().targets
    assert found.connection.base_url.origin.project


def test_above_a_folder_without_git_nothing_is_read(machine: Machine) -> None:
    machine.write("~/kvdoctor.toml", target("above", "https://above.example"))
    assert machine.discover().targets == ()


def test_a_project_does_not_take_over_a_name_of_the_user(machine: Machine) -> None:
    machine.write("~/.config/kvdoctor/kvdoctor.toml", target("shop", "https://own.example"))
    machine.write("kvdoctor.toml", target("shop", "https://stranger.example"))
    found = machine.discover(request=TargetRequest(names=("shop",)))
    assert [t.connection.base_url.value for t in found.targets] == ["https://own.example"]
    assert found.notes == (
        "targets.shop in kvdoctor.toml is not used: your own kvdoctor.toml has one",
    )


def test_the_users_own_file_lies_where_the_system_keeps_settings(machine: Machine) -> None:
    machine.variables["XDG_CONFIG_HOME"] = str(machine.home / "xdg")
    machine.write("~/xdg/kvdoctor/kvdoctor.toml", target("own", "https://own.example"))
    (found,) = machine.discover().targets
    origin = found.connection.base_url.origin
    assert (origin.kind, origin.project) == (OriginKind.FILE, False)


def test_a_connection_of_the_environment_goes_by_the_name_it_has_here(machine: Machine) -> None:
    text = target("shop", "https://a.example/v1") + 'key_env = "OPENAI_API_KEY"\n'
    found = machine.discover(
        {"kvdoctor.toml": text},
        {
            "OPENAI_BASE_URL": "https://a.example/v1",
            "OPENAI_API_KEY": KEY,
            "OPENAI_MODEL": "m",
        },
    )
    (only,) = found.targets
    assert only.id == "shop"
    assert only.connection.model is not None
    assert only.connection.model.value == "m"
    assert sighting(found, Role.BASE_URL, "OPENAI_BASE_URL").in_effect_for == ("shop",)


def test_another_key_makes_another_target(machine: Machine) -> None:
    text = target("shop", "https://a.example/v1") + f'key = "{OTHER_KEY}"\n'
    variables = {"OPENAI_BASE_URL": "https://a.example/v1", "OPENAI_API_KEY": KEY}
    found = machine.discover({"kvdoctor.toml": text}, variables)
    assert [t.id for t in found.targets] == ["shop", "openai-sdk"]
