"""A .env copied from a sample, of which only what is used was filled in."""

from __future__ import annotations

import pytest

from tests.settings.machine import KEY, Machine

FILLED = f"OPENAI_BASE_URL=https://gateway.example/v1\nOPENAI_API_KEY={KEY}\n"


def ids(machine: Machine) -> list[str]:
    return [target.id for target in machine.discover().targets]


@pytest.mark.parametrize(
    "left", ["ANTHROPIC_API_KEY=your_anthropic_api_key", "ANTHROPIC_API_KEY=", "GROQ_API_KEY=xxx"]
)
def test_what_was_not_filled_in_is_not_examined(left: str, machine: Machine) -> None:
    machine.write(".env", f"{FILLED}{left}\n")
    assert ids(machine) == ["openai-sdk"]


def test_it_is_told(machine: Machine) -> None:
    machine.write(".env", f"{FILLED}ANTHROPIC_API_KEY=your_anthropic_api_key\n")
    (note,) = machine.discover().notes
    assert note == "ANTHROPIC_API_KEY, .env:3: no key stands there, so its service is not examined"


def test_alone_it_is(machine: Machine) -> None:
    machine.write(".env", "ANTHROPIC_API_KEY=your_anthropic_api_key\n")
    assert ids(machine) == ["anthropic-sdk"]


def test_with_an_address_of_its_own_it_is(machine: Machine) -> None:
    more = "ANTHROPIC_API_KEY=your_key_here\nANTHROPIC_BASE_URL=https://gateway.example\n"
    machine.write(".env", FILLED + more)
    assert sorted(ids(machine)) == ["anthropic-sdk", "openai-sdk"]


def test_a_real_key_of_a_second_vendor_is_examined(machine: Machine) -> None:
    machine.write(".env", f"{FILLED}ANTHROPIC_API_KEY={KEY}2\n")
    assert sorted(ids(machine)) == ["anthropic-sdk", "openai-sdk"]


def test_an_openai_key_that_is_left_empty_beside_a_provider_in_use(machine: Machine) -> None:
    machine.write(".env", f"OPENAI_API_KEY=\nANTHROPIC_API_KEY=\nGROQ_API_KEY={KEY}\n")
    assert ids(machine) == ["groq"]


def test_an_openai_key_that_is_left_empty_beside_an_engine(machine: Machine) -> None:
    machine.write(".env", "OLLAMA_BASE_URL=http://localhost:11434\nOPENAI_API_KEY=''\n")
    assert ids(machine) == ["ollama"]


def test_an_empty_openai_key_alone_is_examined(machine: Machine) -> None:
    machine.write(".env", "OPENAI_API_KEY=\nGROQ_API_KEY=\n")
    assert ids(machine) == ["openai-sdk"]
