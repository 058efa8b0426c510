"""What holds for any text."""

from __future__ import annotations

import contextlib
import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from doctor.launch import examine
from doctor.launch.judging import NothingFound
from doctor.launch.layout import quoted
from doctor.launch.reading.detect import read_argv, read_text
from doctor.launch.reading.found import Groups
from doctor.launch.reading.shell import commands
from doctor.launch.values import NotAValue, check, suffixed

PIECES = st.sampled_from(
    [
        *("vllm", "serve", "m", "docker", "run", "vllm/vllm-openai:v0.9.1", "--port", "8000"),
        *("--swap-space", "8", "--max_model_len=1.5K", "--enable-prefix-caching", "False"),
        *("-tp", "2", "--speculative-model", "x", "--num-speculative-tokens", "5", "–port"),
        *("--host", "0.0.0.0", "-sc", '{"a": 1}', "'", '"', "\\", "\\\n", "\\ ", "\n", "\r\n"),
        *("#", "# c\n", "$X", "${X:-y}", "$(", "`", "A=1", "A=(", ")", "“", "”", "\u00a0", ";"),
        *("&&", ">", "<<E\n", "E", "services:\n", "  a:\n", "    command: ", "    image: ", "- "),
        *("FROM x\n", "CMD ", "[", "]", ",", "{", "}", "apiVersion: 1\n", "kind: Pod\n", ": "),
        *("[server]\n", "[memory]\n", "a = 1\n", "--config", "--api-key", "--", "-1", "--.", "-."),
    ]
)
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=24).map(" ".join),
    st.lists(PIECES, max_size=24).map("".join),
)


@given(TEXTS)
@example("A+=(")
@example("A=(" * 2_000)
@example("services:\n  a: " + "[" * 2_000)
@example("[" * 20_000)
@example('[{"Config": 1, "HostConfig": []}]')
@example("services:\n  a: &x\n    command: [*x]\n")
@example("&a : *a\nservices:\n x:")
@example("vllm serve m --speculative-config.")
@example("vllm serve m -. x")
@settings(max_examples=300)
def test_reading_any_text_never_raises_anything_else(text: str) -> None:
    with contextlib.suppress(NothingFound):
        read_text(text)


@given(TEXTS)
@example("vllm serve m --speculative-config.a")
@example("--0\n--")
@example("vllm serve m --x\n--y\nvllm serve n --z")
@example("vllm serve m --api-key sk-made-up-made-up-made-up-1 --swap-space")
@settings(max_examples=100)
def test_judging_any_text_ends_in_a_document_that_is_stable(text: str) -> None:
    try:
        document = examine(text, "0.32.0")
    except NothingFound:
        return
    assert not [c for c in document["checks"] if c["status"] in ("crashed", "timeout")]
    json.dumps(document)
    for line in document["lines"]:
        if not line["changes"]:
            same = line["corrected"]["argv"] == line["line"]["argv"]
            assert same or line["kind"] in ("config", "script")


FLAGS = st.sampled_from(
    [
        ("--port", "8000"), ("--swap-space", "8"), ("--disable-log-requests",),
        ("--max-model-len", "1.5K"), ("--enable-prefix-caching", "False"), ("-tp", "2"),
        ("--task", "embed"), ("--max-modellen", "4"), ("--dtype=fp16",), ("--ctx-size", "9"),
        ("--gpu-memory-utilization", "90"), ("--use-v2-block-manager",),
        ("--served-model-name", "a b"),
        ("--speculative-model", "d", "--num-speculative-tokens", "3"), ("--api-key", "a", "b"),
        ("--guided-decoding-backend", "xgrammar"), ("--enable-auto-tool-choice",),
        ("--max-num-batched-tokens", "8"), ("--max-num-seqs", "64"), ("--frobnicate",),
        ("--compilation-config.mode", "3"), ("--temperature", "1"),
    ]
)  # fmt: skip
LINES = st.lists(FLAGS, max_size=6, unique=True).map(
    lambda flags: ["vllm", "serve", "Qwen/Qwen3-8B", *(word for flag in flags for word in flag)]
)
FORMS = st.sampled_from(["line", "continued", "compose", "flow", "argv"])


def written(argv: list[str], form: str) -> str:
    words = [quoted("shell", word) for word in argv]
    if form == "continued":
        return " \\\n  ".join(words) + "\n"
    if form == "compose":
        items = "".join(f"      - {json.dumps(word)}  # c\n" for word in argv)
        return f"services:\n  a:\n    image: own:1\n    command:\n{items}    restart: always\n"
    if form == "flow":
        return f"FROM own:1\nCMD {json.dumps(argv)}\n"
    return " ".join(words)


@given(LINES, FORMS)
@settings(max_examples=60)
def test_what_is_corrected_stays_as_it_is(argv: list[str], form: str) -> None:
    text = written(argv, form)

    document = examine(argv if form == "argv" else text, "0.32.0")
    once = document["corrected"]
    twice = examine(once["text"], "0.32.0")["corrected"]

    assert once["accepted"]
    assert twice["text"] == once["text"]
    assert twice["argv"] == once["argv"]


@given(LINES, FORMS)
@settings(max_examples=40)
def test_the_form_does_not_change_what_is_found(argv: list[str], form: str) -> None:
    plain = examine(argv, "0.32.0")
    other = examine(written(argv, form), "0.32.0")

    # Shared memory is a matter of containers only.
    found = [f["code"] for f in other["findings"] if f["code"] != "KVD812"]
    assert found == [f["code"] for f in plain["findings"]]
    assert other["corrected"]["argv"] == plain["corrected"]["argv"]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)))
def test_words_are_quoted_so_that_they_are_read_back(words: list[str]) -> None:
    plain = [
        w for w in words if w and not set(w) & set("“”‘’«»„‐‑‒–—−\u00a0\u3000\u2003\u2009\ufeff")
    ]
    text = " ".join(["x", *(quoted("shell", word) for word in plain)])

    (command,) = commands(text, Groups())

    assert [word.text for word in command.words] == ["x", *plain]


@given(st.lists(st.text(max_size=8), max_size=8))
def test_the_words_of_a_command_are_kept(words: list[str]) -> None:
    reading = read_argv(["vllm", "serve", *words])

    assert reading.found[0].words[0].text == "vllm"


@given(
    st.text(max_size=12), st.sampled_from(["int", "float?", "hint", "hintauto", "json", "dict?"])
)
def test_a_value_is_taken_or_refused(text: str, kind: str) -> None:
    with contextlib.suppress(NotAValue):
        check(kind, (), text)


@given(st.integers(0, 10**6), st.sampled_from("kmgt"))
def test_suffixes(number: int, suffix: str) -> None:
    power = "kmgt".index(suffix) + 1

    assert suffixed(f"{number}{suffix}") == number * 1000**power
    assert suffixed(f"{number}{suffix.upper()}") == number * 1024**power
