"""Of several keys under one name it is told which one a refusal shows."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from doctor.explain.context import seen_here
from doctor.explain.rank import Ranked, in_context, rank
from doctor.explain.read import symptoms_in
from doctor.facts.machine import Environment

OLD = "sk-proj-made0old0made0old0made0old0made0oldX"
NEW = "sk-proj-made0new0made0new0made0new0made0newY"
REFUSED = "401 Incorrect API key provided: {shown}. You can find your API key at https://x"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / ".codex").mkdir()
    return tmp_path


def _stored(home: Path, key: str) -> None:
    (home / ".codex" / "auth.json").write_text(json.dumps({"OPENAI_API_KEY": key}), "utf-8")


def _ranked(home: Path, text: str, **variables: str) -> tuple[Ranked, ...]:
    environment = Environment(variables, "linux", str(home), str(home / "app"), root=str(home))
    here = asyncio.run(seen_here(environment))
    return rank(in_context(symptoms_in([text]), here), here)


@pytest.mark.parametrize("shown", ["sk-proj-***************oldX", "sk-proj-…oldX", "****oldX"])
def test_the_stored_key_is_refused_and_the_shell_has_another(home: Path, shown: str) -> None:
    _stored(home, OLD)
    first = _ranked(home, REFUSED.format(shown=shown), OPENAI_API_KEY=NEW)[0]

    assert first.cause.code == "KVD110"
    told = str(first.cause.tell_apart)
    assert "refuses the key of OPENAI_API_KEY, ~/.codex/auth.json" in told
    assert "OPENAI_API_KEY, environment holds another one" in told
    assert OLD not in told
    assert NEW not in told


def test_the_key_of_the_shell_is_refused_and_a_file_has_another(home: Path) -> None:
    (home / "app" / ".env").write_text(f"OPENAI_API_KEY={OLD}\n", "utf-8")
    first = _ranked(home, REFUSED.format(shown="sk-proj-*****newY"), OPENAI_API_KEY=NEW)[0]

    assert first.cause.code == "KVD110"


@pytest.mark.parametrize(
    ("stored", "shell", "shown"),
    [
        (OLD, OLD, "sk-proj-*****oldX"),  # one key, in two places
        (OLD, NEW, "sk-proj-*****abcd"),  # a key of somewhere else
        (OLD, NEW, "sk-proj-*****"),  # nothing that tells the two apart
        (OLD, "sk-your-api-key-here", "sk-proj-*****oldX"),  # no real key beside it
    ],
)
def test_what_tells_no_two_keys_apart_says_nothing(
    home: Path, stored: str, shell: str, shown: str
) -> None:
    _stored(home, stored)
    assert not _tells(_ranked(home, REFUSED.format(shown=shown), OPENAI_API_KEY=shell))


def test_other_names_and_other_texts_have_nothing_to_do_with_it(home: Path) -> None:
    _stored(home, OLD)
    text = REFUSED.format(shown="sk-proj-*****oldX")
    assert not _tells(_ranked(home, text, GROQ_API_KEY=NEW))
    other = "429 Too Many Requests for sk-proj-*****oldX"
    assert not _tells(_ranked(home, other, OPENAI_API_KEY=NEW))


def _tells(ranked: tuple[Ranked, ...]) -> bool:
    """Whether it says more of the keys than that there may be several."""
    return any("it refuses the key of" in str(one.cause.tell_apart) for one in ranked)
