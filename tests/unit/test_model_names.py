from __future__ import annotations

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from doctor.model_names import (
    Likeness,
    answers_chat,
    core,
    family,
    is_dated,
    is_family_name,
    likeness,
    matches,
    provider_style,
    same_model,
    served_as,
    successors,
    with_vendor,
    without_routing,
)
from doctor.model_words import ROUTING_PREFIXES

_FAMILIES = ("qwen3", "gpt", "claude", "llama", "glm")
_WORDS = ("sonnet", "4o", "8b", "mini", "3.1", "70b", "coder")
IDS = st.tuples(
    st.sampled_from(_FAMILIES), st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3)
).map(lambda parts: "-".join((parts[0], *parts[1])))
ANYTHING = st.text(max_size=200)
VENDORS = st.sampled_from(("Qwen", "meta-llama", "THUDM", "deepseek-ai", "01-ai"))
DATES = st.sampled_from(("2024-08-06", "20250514", "0613", "2411", "240615", "latest", "08-2024"))


# ------------------------------------------------------------------ properties


@given(ANYTHING, ANYTHING)
def test_any_two_texts_can_be_compared(a: str, b: str) -> None:
    kind = likeness(a, b)

    assert (kind is Likeness.SAME) == (a == b)
    assert likeness(a, a) is Likeness.SAME
    assert same_model(a, a)
    assert with_vendor(a) is None or core(a) in str(with_vendor(a))
    assert provider_style(a) is None or isinstance(provider_style(a), str)


@given(ANYTHING, st.lists(ANYTHING, max_size=8))
def test_only_other_served_ids_are_ever_offered(wanted: str, served: list[str]) -> None:
    found = matches(wanted, served)

    assert {match.id for match in found} <= set(served) - {wanted}
    assert len({match.id for match in found}) == len(found)
    assert all(0 <= match.score <= 1 for match in found)


@given(IDS, st.lists(IDS, max_size=5))
def test_a_sure_likeness_leaves_no_mere_resemblance(wanted: str, others: list[str]) -> None:
    found = matches(wanted.upper(), [*others, wanted])

    assert found[0].likeness is Likeness.CASE
    assert all(match.likeness is not Likeness.NEAR for match in found)


@given(IDS)
def test_case_quotes_and_blanks_are_seen(name: str) -> None:
    assert likeness(name.upper(), name) is Likeness.CASE
    assert likeness(f' "{name}"\n', name) is Likeness.QUOTED


@given(IDS, st.sampled_from(sorted(ROUTING_PREFIXES)), VENDORS)
def test_prefix_vendor_and_path_are_told_apart(name: str, prefix: str, vendor: str) -> None:
    assert likeness(f"{prefix}/{name}", name) is Likeness.ROUTING
    assert likeness(f"{prefix}/{vendor}/{name}", f"{vendor}/{name}") is Likeness.ROUTING
    assert likeness(f"{vendor}/{name}", name) is Likeness.VENDOR
    assert likeness(name, f"{vendor}/{name}") is Likeness.VENDOR
    assert likeness(f"/data/models/{name}/", name) is Likeness.PATH
    assert likeness(name, f"C:\\models\\{name}") is Likeness.PATH
    assert without_routing(f"{prefix}/{name}") == (name,)


@given(IDS, DATES)
def test_a_date_behind_the_name_makes_no_other_model(name: str, date: str) -> None:
    assert likeness(name, f"{name}-{date}") is Likeness.VERSION
    assert likeness(f"{name}-{date}", name) is Likeness.VERSION
    assert same_model(name, f"{name}-{date}")
    assert is_dated(f"{name}-{date}")


@given(IDS)
def test_the_words_in_another_spelling_are_the_same_model(name: str) -> None:
    spoken = name.replace("-", " ").title()
    assume(spoken.lower() != name)

    assert likeness(spoken, name) is Likeness.SPELLING


@given(IDS, st.sampled_from(("mini", "turbo", "vision", "flash")))
def test_a_variant_is_another_model(name: str, variant: str) -> None:
    assume(variant not in name)

    assert likeness(name, f"{name}-{variant}") is None
    assert likeness(f"{name}-{variant}", name) is None


@given(st.text(alphabet=string.ascii_lowercase + string.digits + "-./", min_size=1, max_size=40))
def test_a_pattern_of_the_list_takes_what_it_matches(name: str) -> None:
    assert served_as(name, ["other", name]) == name
    assert served_as(name, ["*"]) == "*"
    assert served_as(f"openai/{name}", ["openai/*"]) == "openai/*"
    assert served_as(name, []) is None


# ------------------------------------------------------------------ seen in the wild


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("command-r", "command-r-08-2024"),
        ("o1", "o1-2024-12-17"),
        ("qwen-max", "qwen-max-2025-01-25"),
        ("mistral-large-latest", "mistral-large-2411"),
        ("kimi-latest", "moonshot-v1-32k"),
        ("deepseek-chat", "DeepSeek-V3.2"),
        ("qwen3-8b", "Qwen/Qwen3-8B-FP8"),
        ("gpt-4o-team-west", "gpt-4o-2024-11-20"),
        ("gemma-3-27b", "google/gemma-3-27b-it"),
        ("a-name-of-ours", "llama-3-70b"),
    ],
)
def test_an_answer_by_the_same_model(asked: str, answered: str) -> None:
    assert same_model(asked, answered)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-4o", "gpt-4o-mini"),
        ("gpt-4o-mini", "gpt-4o"),
        ("gpt-4-turbo", "gpt-3.5-turbo"),
        ("o1", "gpt-4o"),
        ("claude-opus-4", "claude-sonnet-4"),
        ("claude-sonnet-4", "claude-sonnet-4-5"),
        ("qwen3-8b", "qwen3-4b"),
        ("qwen3-8b", "tiny"),
        ("qwen3-235b-a22b", "qwen3-30b-a3b"),
        ("deepseek-r1", "deepseek-r1-distill-qwen-7b"),
    ],
)
def test_an_answer_by_another_model(asked: str, answered: str) -> None:
    assert not same_model(asked, answered)


@pytest.mark.parametrize(
    ("wanted", "other", "kind"),
    [
        ("deepseek-chat", "deepseek-v4-flash", Likeness.RENAMED),
        ("Qwen/Qwen3-8B-Instruct", "Qwen/Qwen3-8B", Likeness.RENAMED),
        ("Claude 3.5 Sonnet", "claude-3-5-sonnet-20241022", Likeness.SPELLING),
        ("Claude 4 Sonnet", "claude-sonnet-4-20250514", Likeness.SPELLING),
        ("qwen3:8b", "qwen3-8b", Likeness.SPELLING),
        ("GPT4o", "gpt-4o", Likeness.SPELLING),
        ("ｑｗｅｎ３-8b", "qwen3-8b", Likeness.CASE),
        ("qwen8-3b", "qwen3-8b", None),
        ("gpt-4", "gpt-4o", None),
    ],
)
def test_likenesses_of_the_wild(wanted: str, other: str, kind: Likeness | None) -> None:
    assert likeness(wanted, other) is kind


def test_the_weights_name_counts_only_as_the_root() -> None:
    assert likeness("Qwen/Qwen3-8B", "tiny", root="Qwen/Qwen3-8B") is Likeness.ROOT
    assert likeness("Qwen/Qwen3-8B", "tiny") is None


def test_the_nearest_comes_first() -> None:
    found = matches("claude-sonnet-4-6", ["claude-opus-4", "claude-sonnet-4-5", "gpt-4o"])

    assert found[0].id == "claude-sonnet-4-5"
    assert found[0].likeness is Likeness.NEAR


def test_families() -> None:
    assert family("Qwen/Qwen3-8B") == "qwen"
    assert family("o3-mini") == "gpt"
    assert family("my-coder") is None
    assert is_family_name("gpt3")
    assert not is_family_name("gpt-4")


def test_vendors_and_styles() -> None:
    assert with_vendor("deepseek-chat") == "deepseek/deepseek-chat"
    assert with_vendor("gpt-4o") == "openai/gpt-4o"
    assert with_vendor("my-coder") is None
    assert provider_style("Pro/deepseek-ai/DeepSeek-R1") == "SiliconFlow"
    assert provider_style("anthropic.claude-3-5-sonnet-20241022-v2:0") == "Bedrock"
    assert provider_style("qwen3-8b") is None


def test_retired_ids_and_work_other_than_chat() -> None:
    assert successors("deepseek-reasoner") == ("deepseek-v4-flash", "deepseek-flash")
    assert successors("gpt-4o") == ()
    assert answers_chat("qwen3-8b")
    assert not answers_chat("text-embedding-3-small")
    assert not answers_chat("BAAI/bge-m3")
