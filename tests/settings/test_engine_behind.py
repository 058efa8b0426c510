"""``engine`` in kvdoctor.toml: which engine is behind a gateway."""

from __future__ import annotations

import pytest

from doctor.settings.errors import ConfigError
from doctor.target import Target
from tests.settings.machine import KEY, OTHER_KEY, Machine, key_of

GATEWAY = """\
[targets.shop]
base_url = "https://gateway.example/v1"
key_env = "SHOP_KEY"
model = "qwen3-8b"
engine = {engine}
"""
LAB = """\

[targets.lab]
base_url = "http://10.0.0.5:8000/v1"
key_env = "LAB_KEY"
model = "tiny"
"""
VARIABLES = {"SHOP_KEY": KEY, "LAB_KEY": OTHER_KEY}


def shop(machine: Machine, text: str) -> Target:
    found = machine.discover({"kvdoctor.toml": text}, VARIABLES)
    return next(target for target in found.targets if target.id == "shop")


def test_an_address_leads_there_without_a_key(machine: Machine) -> None:
    engine = shop(machine, GATEWAY.format(engine='"http://10.0.0.5:8000/v1"')).engine

    assert engine is not None
    assert engine.base_url.value == "http://10.0.0.5:8000/v1"
    assert str(engine.base_url.origin) == "targets.shop.engine, kvdoctor.toml:5"
    assert engine.key is None


def test_a_name_leads_to_that_target_with_its_own_key(machine: Machine) -> None:
    engine = shop(machine, GATEWAY.format(engine='"lab"') + LAB).engine

    assert engine is not None
    assert engine.base_url.value == "http://10.0.0.5:8000/v1"
    assert key_of(engine) == OTHER_KEY
    assert engine.model is not None
    assert engine.model.value == "tiny"


def test_a_target_without_one_has_none(machine: Machine) -> None:
    text = GATEWAY.replace("engine = {engine}\n", "")
    assert shop(machine, text).engine is None


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ('"lap"', "no target is called 'lap'; the nearest is 'lab'"),
        ('"10.0.0.5:8000"', "'engine' must be a URL or the name of another target"),
        ('"shop"', "no target is called 'shop'|'engine' must be a URL"),
        ("8000", "'engine' must be a string"),
    ],
)
def test_what_leads_nowhere_is_told_with_its_line(machine: Machine, engine: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as error:
        machine.discover({"kvdoctor.toml": GATEWAY.format(engine=engine) + LAB}, VARIABLES)
    assert error.value.line == 5
