"""``kvdoctor memory`` as a user runs it."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from doctor.memory.reading import known_models

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "doctor/schemas/memory-1.json").read_text("utf-8"))
GIB = 1 << 30


def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "doctor", "memory", *words],
        capture_output=True,
        text=True,
        cwd=cwd or ROOT,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONPATH": str(ROOT)},
    )


def document(*words: str, code: int = 0) -> dict[str, Any]:
    done = run(*words, "--format", "json")
    assert done.returncode == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    return found


def folder_of(tmp_path: Path, model: str, tensors: int | None = None) -> Path:
    """A checkpoint's folder; its one safetensors file has a header and no weights."""
    config = known_models()[model.lower()]["config"]
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    if tensors is not None:
        tensor = {"dtype": "BF16", "shape": [tensors // 2], "data_offsets": [0, tensors]}
        header = json.dumps({"__metadata__": {"format": "pt"}, "w": tensor}).encode()
        (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header)
    return tmp_path


def test_the_document_says_what_vllm_says_in_its_own_words() -> None:
    found = document(
        "meta-llama/Llama-3.1-8B", "--kv-cache-memory-bytes", "64GiB",
        "--max-num-batched-tokens", "2048", "--no-async-scheduling", "--vllm-version", "0.32.0",
    )  # fmt: skip
    kv = found["kv"]
    assert (kv["bytes_per_token"], kv["block_size"], kv["bytes_per_block"]) == (131072, 16, 2097152)
    assert (kv["num_blocks"], kv["tokens"], kv["max_concurrency"]) == (32768, 524288, 4.0)
    assert kv["bytes_for_one_request"] == 16 * GIB
    assert kv["layers"] == [
        {
            "spec": "FullAttentionSpec",
            "count": 32,
            "page_bytes": 65536,
            "block_size": 16,
            "window": None,
        }
    ]
    assert found["weights_bytes"] == 16_060_514_304
    assert found["findings"] == []
    assert found["gpu"] is None
    assert found["vllm_version"]["exact"] is True


def test_flags_may_stand_before_the_model_and_be_spelled_in_any_of_vllms_ways() -> None:
    first = document("Qwen/Qwen3-8B", "--tensor-parallel-size", "2", "--kv-cache-dtype", "fp8")
    second = document("-tp=2", "--kv_cache_dtype=fp8", "Qwen/Qwen3-8B")
    assert first["kv"] == second["kv"]
    assert first["kv"]["bytes_per_token"] == 36864


def test_windowed_and_all_full_bounds_are_both_told() -> None:
    words = ("--kv-cache-memory-bytes", "64G", "--max-num-batched-tokens", "2048",
             "--no-async-scheduling")  # fmt: skip
    found = document("google/gemma-3-27b-it", *words)
    assert found["kv"]["tokens"] == 734_956
    assert found["kv"]["admitted_by"] == "window"
    assert found["all_full"]["tokens"] == 135_296
    off = document("google/gemma-3-27b-it", *words, "--disable-hybrid-kv-cache-manager")
    assert off["kv"]["tokens"] == 135_296
    assert off["all_full"] is None


def test_a_folder_is_weighed_by_its_headers(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "Qwen/Qwen3-0.6B", tensors=1_192_099_840)
    found = document(str(folder))
    assert found["weights_bytes"] == 1_192_099_840
    assert found["weights"]["exact"] is True
    assert found["weights"]["source"] == "header of the safetensors file"


def test_an_index_without_its_files_gives_its_total(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "Qwen/Qwen3-8B")
    index = {"metadata": {"total_size": 16_381_470_720}, "weight_map": {"a": "model-1.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert document(str(folder))["weights"]["total_bytes"] == 16_381_470_720


def test_weights_that_do_not_fit_end_with_1_and_say_what_would() -> None:
    found = document("meta-llama/Llama-3.1-70B", "--gpu", "H100", code=1)
    assert [f["code"] for f in found["findings"] if f["explained_by"] is None] == ["KVD806"]
    assert "--tensor-parallel-size 4" in found["findings"][0]["explanation"]
    assert found["advice"]["smallest_tensor_parallel_size"] == 4


def test_a_small_share_is_blamed_where_the_gpu_would_hold_the_weights() -> None:
    words = ("mistralai/Mistral-7B-Instruct-v0.3", "--gpu", "T4", "--max-model-len", "2048",
             "--quantization", "awq", "--gpu-memory-utilization")  # fmt: skip
    found = document(*words, "0.1", code=1)
    assert [f["code"] for f in found["findings"] if f["explained_by"] is None] == ["KVD802"]
    assert document(*words, "0.9")["findings"] == []


def test_a_window_that_does_not_fit_names_the_longest_that_does() -> None:
    words = ("meta-llama/Llama-3.1-8B", "--kv-cache-memory-bytes", "4GiB")
    found = document(*words, code=1)
    (finding,) = found["findings"]
    assert finding["code"] == "KVD803"
    assert finding["confidence"] == "high"
    # vLLM's own estimate for 4 GiB less one block: 32752 tokens.
    assert "32,752" in finding["explanation"]
    assert document(*words, "--max-model-len", "32752")["findings"] == []
    assert document(*words, "--max-model-len", "-1")["kv"]["max_model_len"] == 32_752


def test_plain_text_reads_from_weights_to_advice() -> None:
    done = run("Qwen/Qwen2.5-7B-Instruct", "--gpu", "L4", "--lengths", "2000/6000")
    assert done.returncode == 0, done.stderr
    for part in ("7.62 billion parameters", "56 KiB per token", "NVIDIA L4", "Likely holds",
                 "--kv-cache-dtype fp8", "is an estimate"):  # fmt: skip
        assert part in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name a model"),
        (("nobody/Knows-This-1B",), "nobody/Knows-This-1B is neither"),
        (("Qwen/Qwen3-8", "--gpu", "L4"), "nearest known id is Qwen/Qwen3-8B"),
        (("Qwen/Qwen3-8B", "--tensor-paralel-size", "2"), "nearest is --tensor-parallel-size"),
        (("Qwen/Qwen3-8B", "-tp", "3"), "does not divide the model's 32 attention heads"),
        (("Qwen/Qwen3-8B", "--kv-cache-dtype", "fp9"), "--kv-cache-dtype"),
        (("Qwen/Qwen3-8B", "--gpu", "H1000"), "--gpu H1000 is not known"),
        (("Qwen/Qwen3-8B", "--gpu", "A100"), "A100 40GB"),
        (("Qwen/Qwen3-8B", "--gpu-memory", "much"), "--gpu-memory much"),
        (("Qwen/Qwen3-8B", "--block-size", "24"), "multiple of 16"),
        (("Qwen/Qwen3-8B", "--vllm-version", "0.6.3"), "from 0.8.3 on"),
        (("Qwen/Qwen3-8B", "--lengths", "/nonexistent.jsonl"), "/nonexistent.jsonl"),
        (("./nowhere",), "no such folder or file"),
    ],
)
def test_what_is_wrong_is_named_and_ends_with_2(words: tuple[str, ...], said: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_flag_that_vllm_has_dropped_is_told_and_not_taken_for_a_fault() -> None:
    found = document("Qwen/Qwen3-8B", "--swap-space", "4")
    assert any("--swap-space" in note for note in found["notes"])
