"""What changes is found, named once, and nothing else is."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from .requests import RULES, analysed, chat, codes

Write = Callable[[int], str]

HEADS: dict[str, tuple[str, Write]] = {
    "iso time": ("KVD701", lambda n: f"Current time: 2026-03-01T09:{n:02}:00Z\n{RULES}"),
    "minutes of a clock": (
        "KVD701",
        lambda n: f"It is Sunday, March 1, 2026 {n % 12 + 1}:{n:02} PM.\n{RULES}",
    ),
    "epoch": ("KVD701", lambda n: f"ts={1772355600 + n}\n{RULES}"),
    "chinese clock": ("KVD701", lambda n: f"当前时间：2026年3月1日 09:{n:02}\n{RULES}"),
    "behind the rules": (
        "KVD701",
        lambda n: f"{RULES}\nNow: 2026-03-01 09:00:{n:02}\nAnswer in English.",
    ),
    "uuid": ("KVD702", lambda n: f"Session {uuid.UUID(int=n * 7919)}\n{RULES}"),
    "hex id": ("KVD702", lambda n: f"request_id={n * 2654435761 % 2**64:016x}\n{RULES}"),
    "counter": ("KVD703", lambda n: f"{RULES}\nTokens used so far: {n * 137}\nAnswer in English."),
    "percent inserted": ("KVD703", lambda n: RULES + (f"\n[context {n}% full]" if n % 2 else "")),
    "working directory": (
        "KVD703",
        lambda n: f"Working directory: /srv/{'abcdefghij'[n % 10] * 5}\n{RULES}",
    ),
    "client's header": (
        "KVD709",
        lambda n: (
            f"x-anthropic-billing-header: cc_version=2.1; cch={n * 48271 % 65536:05x};\n{RULES}"
        ),
    ),
    "blanks": ("KVD704", lambda n: RULES.replace(". ", ".  ") if n % 2 else RULES),
    "line ends": ("KVD704", lambda n: ("a\r\n" if n % 2 else "a\n") + RULES),
}


@pytest.mark.parametrize("name", HEADS)
def test_what_changes_in_the_system_prompt(name: str) -> None:
    code, write = HEADS[name]
    analysis = analysed(chat(write(n), f"question {n}, a long one indeed") for n in range(20))

    assert codes(analysis) == [code]
    assert analysis.lineages == 1
    assert analysis.hit_rate_after > 0.7
    assert analysis.causes[0].requests == 20 or name in ("blanks", "line ends")


def test_two_causes_are_two_and_each_has_its_price() -> None:
    def head(n: int) -> str:
        return (
            f"Time: 2026-03-01 09:00:{n:02}\n{RULES}\nRequest: {uuid.UUID(int=n * 104729)}\n{RULES}"
        )

    analysis = analysed(chat(head(n), f"question {n}") for n in range(20))

    assert codes(analysis) == ["KVD701", "KVD702"]
    clock, identity = analysis.causes
    assert clock.lost > 1.8 * identity.lost > 0


def test_the_tools_in_another_order() -> None:
    tools = [{"type": "function", "function": {"name": name}} for name in ("a", "b", "c")]
    orders = list(itertools.permutations(tools))
    analysis = analysed(
        chat(RULES, f"question {n} of a customer", tools=list(orders[n % 6])) for n in range(12)
    )
    assert codes(analysis) == ["KVD705"]


def conversation(write: Callable[[int, list[str]], list[str]]) -> list[dict[str, Any]]:
    """Ten turns, each sent with what ``write`` makes of the turns so far."""
    turns: list[str] = []
    sent = []
    for n in range(10):
        turns.append(f"question {n}: where is the parcel of order {n * 31}?")
        sent.append(chat(RULES, *write(n, list(turns))))
        turns.append(f"answer {n}: it was handed over to the carrier on day {n}.")
    return sent


def test_a_conversation_that_only_grows_is_in_order() -> None:
    assert codes(analysed(conversation(lambda _n, turns: turns))) == []


def test_an_earlier_turn_that_is_changed_each_time() -> None:
    def stripped(_n: int, turns: list[str]) -> list[str]:
        # Thinking is shown for the last answer only.
        if len(turns) > 2:
            turns[-2] = "<think>let me look it up in the list</think>" + turns[-2]
        return turns

    assert codes(analysed(conversation(stripped))) == ["KVD712"]


def test_turns_that_fall_out_of_a_window() -> None:
    assert codes(analysed(conversation(lambda _n, turns: turns[-5:]))) == ["KVD712"]


def test_a_clock_in_the_first_turn_that_is_written_anew() -> None:
    def anew(n: int, turns: list[str]) -> list[str]:
        turns[0] = f"<env>time 2026-03-01 09:{n:02}</env> {turns[0]}"
        return turns

    assert codes(analysed(conversation(anew))) == ["KVD701"]


def test_conversations_written_out_for_a_title() -> None:
    chats: list[dict[str, Any]] = []
    for n in range(10):
        question = f"how do I return order {n}?"
        chats.append(chat(RULES, question))
        text = f"Generate a title for this conversation:\nUser: {question}\nAI: Like this."
        chats.append({"model": "shop-8b", "messages": [{"role": "user", "content": text}]})
    assert codes(analysed(chats)) == ["KVD712"]


CLEAN: dict[str, list[dict[str, Any]]] = {
    "one prompt, many questions": [chat(RULES, f"question {n} at 09:{n:02}") for n in range(60)],
    "the same question again": [chat(RULES, "ping") for _n in range(60)],
    "two applications": [
        chat(("Translate into English. " if n % 2 else "Write SQL for this. ") * 60, f"text {n}")
        for n in range(60)
    ],
    "two versions of one prompt": [
        chat(RULES + ("Version 1." if n < 30 else "Version 2."), f"text {n}") for n in range(400)
    ],
    "answers that part": [
        chat(RULES, "tell me a joke about parcels, please", f"joke number {n}", "another")
        for n in range(60)
    ],
    "documents in the question": [
        chat(RULES, f"Document {n}: " + f"paragraph {n * 37} " * 80) for n in range(60)
    ],
    "no system prompt": [
        {"model": "m", "messages": [{"role": "user", "content": f"question {n} please"}]}
        for n in range(60)
    ],
    "plain completions": [{"model": "m", "prompt": f"once upon a time {n}"} for n in range(60)],
}


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_log_has_no_cause_that_costs_anything(name: str) -> None:
    analysis = analysed(CLEAN[name])
    dear = [cause for cause in analysis.causes if cause.lost * 16 > 0.005 * analysis.prompt_tokens]
    assert dear == []
