"""Two or three requests are enough where what changes says by itself what it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from .requests import RULES, analysed, chat, codes

QUESTIONS = ("Where is my parcel?", "How do I return the shoes?", "Do you ship to Norway?")

GIT = (
    "You write code.\n\ngitStatus: This is the git status at the start of the conversation.\n"
    "Current branch: main\n\nStatus:\n{status}\n\nRecent commits:\n{commits}\n\n"
)
COMMITS = "3f1c2aa fix: close socket\n91bb0d4 feat: add health route"

# What stands in the system prompt of one request after the other.
STATES: dict[str, tuple[str, ...]] = {
    "git of Claude Code": (
        GIT.format(status=" M src/a.ts\n?? notes.md", commits=COMMITS),
        GIT.format(status=" M src/a.ts\n M test/b.ts", commits=COMMITS),
        GIT.format(status="(clean)", commits="77ab012 chore: tidy\n3f1c2aa fix: close socket"),
    ),
    "git in Markdown": (
        "## Git\n- Branch: main\n- Modified files: a.py\n\n## Rules\n",
        "## Git\n- Branch: login\n- Modified files: a.py, b.py\n\n## Rules\n",
    ),
    "file tree": (
        "# Project files\nsrc/\n  a.py\nREADME.md\n\n# Rules\n",
        "# Project files\nsrc/\n  a.py\n  b.py\nREADME.md\n\n# Rules\n",
    ),
    "file tree in an element": (
        "<directoryStructure>\n- a.py\n</directoryStructure>\n",
        "<directoryStructure>\n- a.py\n- new.py\n</directoryStructure>\n",
    ),
    "list of tasks": (
        "<todo>\n- [ ] parse\n- [ ] test\n</todo>\n",
        "<todo>\n- [x] parse\n- [ ] test\n</todo>\n",
    ),
    "memories": (
        "## Memories\n- Ana likes tea.\n- Ana lives in Oslo.\n\n## Rules\n",
        "## Memories\n- Parcels go by train.\n\n## Rules\n",
    ),
    "folder": ("You work at /home/ana/shop\n", "You work at /srv/api\n"),
}

TEXTS: dict[str, tuple[str, ...]] = {
    "documents": (
        "Context:\nReturns are free for thirty days.\n\nRules:\n",
        "Context:\nParcels to Norway take five days.\n\nRules:\n",
        "Context:\nSizes run small in winter shoes.\n\nRules:\n",
    ),
    "name": (
        "You are talking to Ana Souza.\n",
        "You are talking to Ben Okafor.\n",
        "You are talking to Chen Li.\n",
    ),
}


def asked(heads: tuple[str, ...]) -> list[dict[str, Any]]:
    return [chat(head + RULES, QUESTIONS[n % 3]) for n, head in enumerate(heads)]


@pytest.mark.parametrize("name", [*STATES, *TEXTS])
def test_what_changes_in_the_system_prompt(name: str) -> None:
    analysis = analysed(asked((STATES | TEXTS)[name]))

    assert set(codes(analysis)) == {"KVD703"}
    assert analysis.lineages == 1
    assert all(cause.requests <= analysis.requests for cause in analysis.causes)
    assert analysis.hit_rate_after > analysis.hit_rate


def test_a_folder_of_one_run_is_an_id() -> None:
    names = ("x7f3q9", "k2m8zt")
    heads = tuple(f"Scratch: /tmp/agent-{name}/out\n" for name in names)
    assert codes(analysed(asked(heads))) == ["KVD702"]


def test_a_section_is_learnt_as_a_whole() -> None:
    analysis = analysed(asked(STATES["git of Claude Code"]))
    assert [cause.label for cause in analysis.causes] == ["Status: ", "Recent commits: "]
    assert {cause.kind.name for cause in analysis.causes} == {"git of Claude Code"}


ORDERS: dict[str, tuple[str, ...]] = {
    "examples": (
        "Q: Where?\nA: Here.\n\nQ: When?\nA: Now.\n",
        "Q: When?\nA: Now.\n\nQ: Where?\nA: Here.\n",
    ),
    "JSON": ('{"name": "find", "kind": "tool"}\n', '{"kind": "tool", "name": "find"}\n'),
}


@pytest.mark.parametrize("name", ORDERS)
def test_the_same_text_in_another_order(name: str) -> None:
    assert codes(analysed(asked(ORDERS[name]))) == ["KVD705"]


def test_prompts_that_come_again_and_again_are_several() -> None:
    heads = TEXTS["documents"] * 4
    analysis = analysed(asked(heads))
    assert codes(analysis) == []
    assert analysis.lineages == 3
    assert analysis.hit_rate_after == analysis.hit_rate


def test_agents_whose_rules_are_the_same_are_several() -> None:
    agents = ("You are the planner. Make plans.\n", "You are the coder. Write code.\n")
    assert codes(analysed(asked(agents * 2))) == []


def test_the_tools_of_claude_stand_in_front() -> None:
    tools = [{"name": "find", "description": "Finds things. " * 80}]
    heads = STATES["list of tasks"]

    def lost(model: str) -> int:
        records = [chat(head + RULES, "hi", tools=tools, model=model) for head in heads]
        return analysed(records).causes[0].lost

    assert lost("claude-opus-4-6") < lost("shop-8b")


Shape = Callable[[list[str]], list[str]]


def talk(shape: Shape, count: int, answer: str = "Done.") -> list[dict[str, Any]]:
    """A conversation of short turns, each request with what ``shape`` leaves of it."""
    turns: list[str] = []
    sent = []
    for n in range(count):
        turns.append(f"Book room {n}")
        sent.append(chat(RULES, *shape(turns)))
        turns.append(f"{answer} Room {n}.")
    return sent


def test_the_oldest_of_short_turns_fall_out() -> None:
    (cause,) = analysed(talk(lambda turns: turns[-7:], 7)).causes
    assert cause.kind.name == "evicted"
    assert cause.requests == 3


def test_many_turns_that_go_at_once_and_seldom() -> None:
    def in_blocks(turns: list[str]) -> list[str]:
        return turns[max(0, len(turns) - 5) // 12 * 12 :]

    assert codes(analysed(talk(in_blocks, 30))) == []


def test_what_a_client_adds_to_the_newest_turn_alone() -> None:
    added = "\n<environment_details>\nVisible files: a.c\n</environment_details>"
    sent = [
        chat(RULES, f"explain main(){added}"),
        chat(RULES, "explain main()", "It reads the arguments.", f"fix it{added}"),
    ]
    assert codes(analysed(sent)) == ["KVD712"]


def test_thinking_that_is_taken_out_of_short_answers() -> None:
    def turns(*thought: bool) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for n, kept in enumerate(thought):
            thinking = [{"type": "thinking", "thinking": f"look {n} up", "signature": "x"}]
            text = [{"type": "text", "text": f"Yes {n}."}]
            found += [{"role": "user", "content": QUESTIONS[n]}]
            found += [{"role": "assistant", "content": [*(thinking if kept else ()), *text]}]
        return [*found, {"role": "user", "content": QUESTIONS[len(thought)]}]

    sent = [
        {"model": "m", "system": RULES, "messages": messages}
        for messages in (turns(True), turns(False, True))
    ]
    assert codes(analysed(sent)) == ["KVD712"]


def test_an_image_that_is_encoded_anew() -> None:
    def seen(data: str, *more: dict[str, str]) -> dict[str, Any]:
        image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
        parts = [{"type": "text", "text": "What is on it?"}, image]
        return {"model": "m", "messages": [{"role": "user", "content": parts}, *more]}

    answer = {"role": "assistant", "content": "A cat on a red sofa."}
    more = {"role": "user", "content": "Which colour has it?"}
    again = {"role": "assistant", "content": "It is red, as I said."}
    sent = [seen("AAAA", answer, more), seen("BBBB", answer, more, again, more)]
    assert codes(analysed(sent)) == ["KVD712"]


def test_arguments_that_are_written_in_another_order() -> None:
    def called(arguments: str, *more: dict[str, str]) -> dict[str, Any]:
        call = {"id": "c1", "type": "function"}
        call["function"] = {"name": "read", "arguments": arguments}  # type: ignore[assignment]
        turns = [
            {"role": "user", "content": "Read it"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "one"},
        ]
        return {"model": "m", "messages": [*turns, *more]}

    more = ({"role": "assistant", "content": "It is one."}, {"role": "user", "content": "Thanks"})
    sent = [called('{"path": "a", "limit": 2}'), called('{"limit": 2, "path": "a"}', *more)]
    assert codes(analysed(sent)) == ["KVD705"]


TALKS: dict[str, list[dict[str, Any]]] = {
    "the same questions, answered anew": [
        chat(RULES, "Is it here?", answer, "Why is that so?", f"Since {n}", "thanks")
        for n, answer in enumerate(("Yes", "No", "Yes, it is", "Yes") * 5)
    ],
    "an ending that many have": [
        chat(RULES, f"question {n}", *ending)
        for n in range(10)
        for ending in (
            ("fine", "thanks", "You're welcome! Is there anything else?", "bye"),
            ("fine", "thanks", "You're welcome! Is there anything else?", "bye", "Bye!", "wait"),
        )
    ],
    "a question that is put in other words": [
        chat(RULES, "hello you", "How can I help?", f"look for order {n}") for n in (12, 21, 102)
    ],
}


@pytest.mark.parametrize("name", TALKS)
def test_conversations_that_only_look_alike(name: str) -> None:
    assert codes(analysed(TALKS[name])) == []


LEFT = "\n<total_tokens>{n} tokens left</total_tokens>"
STAMPED = ("[2026年6月21日 20:14:07]", "[2026年6月21日 20:15:31]", "[2026年6月21日 20:17:02]")


def test_a_counter_that_is_appended_with_each_request() -> None:
    tails = [
        "".join(LEFT.format(n=14_999_436 - 10_000 * each) for each in range(n + 1))
        for n in range(3)
    ]
    analysis = analysed([chat(RULES + tail, QUESTIONS[0]) for tail in tails])

    assert codes(analysis) == ["KVD703"]


def stamped(own: bool) -> list[dict[str, Any]]:
    """A conversation with a time before each turn: that of the turn, or of the request."""
    turns = ["I am home", "How was it?", "Too many people", "Sit down first.", "Good"]
    requests = []
    for number, length in enumerate((1, 3, 5)):
        sent = [
            {
                "role": "assistant" if index % 2 else "user",
                "content": f"{STAMPED[(index + 1) // 2 if own else number]}\n{text}",
            }
            for index, text in enumerate(turns[:length])
        ]
        requests.append(
            {"model": "m", "messages": [{"role": "system", "content": RULES}, *sent]},
        )
    return requests


def test_a_template_that_writes_the_time_before_every_turn() -> None:
    assert codes(analysed(stamped(own=False))) == ["KVD701"]


def test_turns_with_the_time_at_which_they_were_written() -> None:
    assert codes(analysed(stamped(own=True))) == []


def call_of(api: str, number: int, arguments: str, identity: str) -> list[dict[str, Any]]:
    """A tool call and its result, as an API writes them."""
    name, result = "terminal", f"file {number}"
    if api == "responses":
        call = {"type": "function_call", "call_id": identity, "name": name, "arguments": arguments}
        return [call, {"type": "function_call_output", "call_id": identity, "output": result}]
    if api == "messages":
        used = {"type": "tool_use", "id": identity, "name": name, "input": json.loads(arguments)}
        told = {"type": "tool_result", "tool_use_id": identity, "content": result}
        return [{"role": "assistant", "content": [used]}, {"role": "user", "content": [told]}]
    function = {"name": name, "arguments": arguments}
    one = {"id": identity, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [one]},
        {"role": "tool", "tool_call_id": identity, "content": result},
    ]


def called(api: str, arguments: str, identity: str, *, calls: int = 2) -> dict[str, Any]:
    turns = [{"role": "user", "content": "What is there?"}]
    for number in range(calls):
        turns += call_of(api, number, arguments, f"{identity}{number}")
    return {"model": "m", "input" if api == "responses" else "messages": turns}


APIS = ("chat", "responses", "messages")
SENT = '{"command": "echo \\u00e9 \\ud83d\\ude00", "path": "/tmp/a"}'


@pytest.mark.parametrize("api", APIS)
def test_ids_of_calls_that_are_made_anew(api: str) -> None:
    sent = [called(api, SENT, name, calls=n + 1) for n, name in enumerate(("call_a", "call_b"))]
    (cause,) = analysed(sent).causes
    assert (cause.kind.code, cause.kind.name) == ("KVD702", "call id")
    assert cause.examples == ("call_a0", "call_b0")


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_arguments_that_are_parsed_and_written_again(api: str) -> None:
    again = json.dumps(json.loads(SENT), ensure_ascii=False, separators=(",", ":"))
    sent = [called(api, SENT, "c"), called(api, again, "c", calls=3)]
    assert codes(analysed(sent)) == ["KVD704"]


@pytest.mark.parametrize("api", APIS)
def test_calls_of_a_history_that_is_sent_as_it_was(api: str) -> None:
    assert codes(analysed([called(api, SENT, "c", calls=n) for n in (1, 2, 3)])) == []


def test_another_call_with_another_id_is_another_conversation() -> None:
    other = '{"command": "cat /etc/hosts"}'
    sent = [called("chat", SENT, "call_a"), called("chat", other, "call_b", calls=3)]
    assert codes(analysed(sent)) == []


def test_what_a_person_typed_is_no_call() -> None:
    typed = ['{"id": "order-17", "state": "open"}', '{"id": "order-18", "state": "open"}']
    assert codes(analysed([chat(RULES, one, "Yes.", "and?") for one in typed])) == []


def asked_twice(length: int, first: str = "Hello! What do you do?") -> int:
    """How many of two short requests, whose answers leave out what was cached, hit nevertheless."""
    usage = {"prompt_tokens": length, "prompt_tokens_details": None}
    return analysed(
        {
            "request": {"model": "m", "messages": [{"role": "user", "content": text}]},
            "response": {"usage": usage},
        }
        for text in (first, "Hello! What do you do?")
    ).totals.untold


def test_a_prompt_that_fills_a_block_only_by_what_its_template_adds() -> None:
    assert asked_twice(24) == 1


def test_one_that_fills_none_or_that_nobody_sent_before() -> None:
    assert asked_twice(14) == 0
    assert asked_twice(24, "Good morning.") == 0


def test_one_call_whose_id_is_made_anew() -> None:
    more = [{"role": "assistant", "content": "Nothing."}, {"role": "user", "content": "thanks"}]
    sent = [called("responses", SENT, name, calls=1) for name in ("call_5f0c2f8e", "call_c81e728d")]
    sent[1]["input"] += more
    (cause,) = analysed(sent).causes
    assert cause.kind.name == "call id"


def test_one_task_that_several_agents_do_at_a_time() -> None:
    runs = ("call_a", "call_b", "call_c")
    sent = [called("chat", SENT, run, calls=n) for n in range(4) for run in runs]
    assert codes(analysed(sent)) == []
