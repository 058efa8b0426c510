from __future__ import annotations

from pathlib import Path

from doctor.launch import examine
from tests.checks.launch.world import codes, config_file, corrected, findings, only

CODE = "KVD913"


def test_a_web_address_is_no_model() -> None:
    line = "vllm serve https://huggingface.co/Qwen/Qwen3-8B/tree/main --port 1"

    assert only(line, CODE)["severity"] == "error"
    assert corrected(line) == "vllm serve Qwen/Qwen3-8B --port 1"


def test_a_name_that_does_not_exist() -> None:
    line = "docker run vllm/vllm-openai:v0.32.0 --model=Qwen/Qwen3-8B-Instruct"

    assert only(line, CODE)["title"] == "There is no model Qwen/Qwen3-8B-Instruct"
    assert corrected(line).endswith("--model=Qwen/Qwen3-8B")


def test_names_that_exist() -> None:
    for name in ("Qwen/Qwen3-8B", "Qwen/Qwen3-4B-Instruct-2507", "Qwen/Qwen2.5-7B-Instruct"):
        assert codes(f"vllm serve {name}") == []


def test_a_directory_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("none")
    config_file(tmp_path / "inner")

    finding = only(["vllm", "serve", str(tmp_path)], CODE)

    assert "inner inside it does" in finding["explanation"]


def test_a_directory_behind_a_mount(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    line = f"docker run -v {tmp_path}:/models vllm/vllm-openai:v0.32.0 --model /models/m"

    assert only(line, CODE)
    config_file(tmp_path / "m")
    assert findings(line, CODE) == []


def test_a_path_that_is_not_on_this_machine_is_left_alone() -> None:
    assert examine("vllm serve /models/elsewhere/m", "0.32.0")["findings"] == []
