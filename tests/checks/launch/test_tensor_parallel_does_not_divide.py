from __future__ import annotations

from pathlib import Path

from tests.checks.launch.world import codes, config_file, corrected, findings, only

CODE = "KVD904"


def test_heads_that_do_not_divide(tmp_path: Path) -> None:
    config = config_file(tmp_path, num_attention_heads=52, num_key_value_heads=None)
    line = "python -m vllm.entrypoints.openai.api_server --model m --tensor-parallel-size 3"

    finding = only(line, CODE, config=config)

    assert "52" in finding["title"]
    assert "1, 2, 4, 13" in finding["explanation"]
    assert corrected(line, config=config).endswith("--tensor-parallel-size 2")


def test_kv_heads_count_as_well(tmp_path: Path) -> None:
    config = config_file(tmp_path, num_attention_heads=28, num_key_value_heads=4)

    assert (
        "Sizes that work: 1, 2, 4, 28"
        in only("vllm serve m -tp 7", CODE, config=config)["explanation"]
    )
    assert corrected("vllm serve m -tp 8", config=config) == "vllm serve m -tp 4"


def test_more_ranks_than_kv_heads_keep_copies(tmp_path: Path) -> None:
    config = config_file(tmp_path, num_attention_heads=32, num_key_value_heads=4)

    assert codes("vllm serve m -tp 8", config=config) == []


def test_an_unknown_config_is_no_finding() -> None:
    assert codes("vllm serve m -tp 3") == []


def test_more_ranks_than_gpus_of_the_container() -> None:
    line = "docker run --gpus 2 --ipc=host vllm/vllm-openai:v0.32.0 --model m -tp {}"

    assert only(line.format(4), CODE)["title"] == "4 ranks for 2 GPUs"
    assert findings(line.format(2), CODE) == []
    assert findings(line.format("4 --distributed-executor-backend ray"), CODE) == []
