"""What words mean: flags as vLLM spells them, GPUs, lengths, overrides and drafts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctor.memory import ModelError, OptionError
from doctor.memory.case import case_of
from doctor.memory.demand import demand_of
from doctor.memory.gpus import GIB, named, size
from doctor.memory.plan import Plan
from doctor.memory.question import Question, of_words
from doctor.memory.reading import find_model, known_models

QWEN = "Qwen/Qwen3-8B"


def plan_of(*words: str) -> Plan:
    question: Question = of_words(words)
    return case_of(question.model, question.options, question.gpu, question.demand).likely


def checkpoint(folder: Path, model: str, **changes: object) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    config = {**known_models()[model.lower()]["config"], **changes}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("80GiB", 80 * GIB), ("80G", 80 * GIB), ("80GB", 80 * 10**9), ("1.5TiB", 3 << 39),
     ("512 MiB", 512 << 20), ("1073741824", GIB), ("24gb", 24 * 10**9)],
)  # fmt: skip
def test_sizes_have_the_units_that_they_say(text: str, expected: int) -> None:
    assert size(text, "--gpu-memory") == expected


@pytest.mark.parametrize("text", ["", "GiB", "-1GiB", "80XiB", "1e3", "nan", "0"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="--gpu-memory"):
        size(text, "--gpu-memory")


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [("H100", "NVIDIA H100 80GB", None), ("2x h100", "NVIDIA H100 80GB", 2),
     ("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090", None), ("Tesla T4", "NVIDIA T4", None),
     ("A100-80G", "NVIDIA A100 80GB", None), ("8 × H200", "NVIDIA H200", 8)],
)  # fmt: skip
def test_gpus_are_known_by_their_usual_names(text: str, name: str, count: int | None) -> None:
    assert (named(text).name, named(text).count) == (name, count)


def test_every_gpu_has_a_size_below_what_it_is_sold_with() -> None:
    assert named("A100 40GB").total < 40 * GIB < named("A100 80GB").total < 80 * GIB


def test_lengths_of_a_log_are_prompt_and_answer(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    rows: list[object] = [
        {"usage": {"prompt_tokens": 90, "completion_tokens": 10}},
        {"response": {"usage": {"total_tokens": 200}}},
        {"prompt_tokens": 300},
        {"usage": {"input_tokens": 350, "output_tokens": 50}},
        {"messages": []},
        [1],
    ]
    log.write_text("\n".join(map(json.dumps, rows)) + "\nnot json\n\n", encoding="utf-8")
    found = demand_of(str(log), 8)
    assert (found.at_once, found.requests, found.skipped) == (8, 4, 3)
    assert (found.mean, found.median, found.p99, found.largest) == (250, 200, 400, 400)


def test_two_numbers_are_the_median_and_p99() -> None:
    found = demand_of("1000/8000", None)
    assert (found.median, found.p99, found.mean) == (1000, 8000, 4500)
    with pytest.raises(OptionError, match="median first"):
        demand_of("8000/1000", None)


def test_hf_overrides_change_the_configuration() -> None:
    made = plan_of(QWEN, "--hf-overrides", '{"num_hidden_layers": 18}')
    assert made.bytes_per_token == plan_of(QWEN).bytes_per_token // 2
    with pytest.raises(OptionError, match="--hf-overrides"):
        plan_of(QWEN, "--hf-overrides", "[1]")


def test_an_mtp_module_adds_a_layer_and_an_ngram_draft_none() -> None:
    model, flag = "deepseek-ai/DeepSeek-V3", "--speculative-config"
    mtp = plan_of(model, flag, '{"method": "mtp", "num_speculative_tokens": 1}')
    assert mtp.bytes_per_token == plan_of(model).bytes_per_token * 62 // 61
    free = plan_of(model, flag, '{"method": "ngram", "num_speculative_tokens": 3}')
    assert free.bytes_per_token == plan_of(model).bytes_per_token


def test_a_draft_models_cache_counts(tmp_path: Path) -> None:
    draft = {"method": "draft_model", "num_speculative_tokens": 4}
    known = json.dumps({**draft, "model": "Qwen/Qwen3-0.6B"})
    made = plan_of("Qwen/Qwen3-32B", "--speculative-config", known)
    assert made.bytes_per_token == (64 + 28) * 4096
    unknown = json.dumps({**draft, "model": str(tmp_path)})
    with pytest.raises(OptionError, match="draft model"):
        plan_of("Qwen/Qwen3-32B", "--speculative-config", unknown)


def test_the_hubs_cache_is_looked_into_before_the_table(tmp_path: Path) -> None:
    snapshot = tmp_path / "hub" / "models--nobody--Tuned-8B" / "snapshots" / "abc"
    checkpoint(snapshot, QWEN, num_hidden_layers=9)
    model = find_model("nobody/Tuned-8B", {"HF_HOME": str(tmp_path)})
    assert model.config.layers == 9
    with pytest.raises(ModelError, match="neither a folder"):
        find_model("nobody/Other-8B", {"HF_HOME": str(tmp_path)})


def test_nested_configurations_are_those_of_the_language_model(tmp_path: Path) -> None:
    text = known_models()[QWEN.lower()]["config"]
    nested = {
        "architectures": ["LlavaForConditionalGeneration"],
        "model_type": "llava",
        "text_config": text,
        "vision_config": {"num_hidden_layers": 27, "hidden_size": 1152},
    }
    (tmp_path / "config.json").write_text(json.dumps(nested), encoding="utf-8")
    made = plan_of(str(tmp_path))
    assert made.rows == plan_of(QWEN).rows


def test_gguf_files_are_refused_with_what_to_give_instead(tmp_path: Path) -> None:
    (tmp_path / "model-Q4_K_M.gguf").write_bytes(b"GGUF")
    for name in (tmp_path, tmp_path / "model-Q4_K_M.gguf"):
        with pytest.raises(ModelError, match=r"GGUF.*config\.json"):
            find_model(str(name))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-tp", "8", "-dcp", "3"), "does not divide 8"),
        (("-pp", "100"), "36 layers"),
        (("--kv-cache-dtype", "fp8_ds_mla"), "sparse MLA"),
        (("--gpu-memory-utilization", "1.5"), "at most 1"),
        (("--max-model-len", "0"), "at least 1"),
        (("--speculative-config", "{"), "--speculative-config"),
    ],
)
def test_impossible_options_are_refused_by_name(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        plan_of(QWEN, *words)


def test_states_cannot_be_stored_as_attention() -> None:
    words = ("google/gemma-2-9b-it", "--disable-hybrid-kv-cache-manager")
    assert plan_of(*words).bytes_per_block == 42 * 131072
    with pytest.raises(OptionError, match="cannot be stored as one kind"):
        plan_of("Qwen/Qwen3-Next-80B-A3B-Instruct", words[1])
