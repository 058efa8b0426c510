from __future__ import annotations

from pathlib import Path

from tests.checks.launch.world import codes, config_file, corrected, findings, only

CODE = "KVD608"


def test_fewer_tokens_than_sequences() -> None:
    line = "vllm serve m --max-num-batched-tokens 8 --max-num-seqs 64"

    assert only(line, CODE)["severity"] == "error"
    assert corrected(line) == "vllm serve m --max-num-batched-tokens 64 --max-num-seqs 64"


def test_fewer_tokens_than_the_window_without_chunks() -> None:
    line = (
        "vllm serve m --no-enable-chunked-prefill --max-num-batched-tokens 2048 --max-model-len 8K"
    )

    assert "8,192" in only(line, CODE)["title"]
    assert "--max-num-batched-tokens 8192" in corrected(line)


def test_the_models_own_window_counts(tmp_path: Path) -> None:
    config = config_file(tmp_path)
    line = "vllm serve m --no-enable-chunked-prefill --max-num-batched-tokens 2048"

    assert only(line, CODE, config=config)
    assert findings(line, CODE) == []


def test_chunks_make_it_right() -> None:
    assert codes("vllm serve m --max-num-batched-tokens 2048 --max-model-len 32768") == []


def test_v0_does_not_chunk_by_itself() -> None:
    line = "vllm serve m --max-num-batched-tokens 2048 --max-model-len 8192"

    assert findings(line, CODE, "0.7.3")
    assert findings(line + " --enable-chunked-prefill", CODE, "0.7.3") == []
