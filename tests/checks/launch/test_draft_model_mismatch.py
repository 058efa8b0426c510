from __future__ import annotations

from pathlib import Path

from tests.checks.launch.world import config_file, findings, only

CODE = "KVD905"
LINE = """vllm serve m --speculative-config '{"model": "d", "num_speculative_tokens": 3}'"""


def test_other_vocabularies(tmp_path: Path) -> None:
    target = config_file(tmp_path / "t", vocab_size=152064)
    draft = config_file(tmp_path / "d", vocab_size=151936)

    finding = only(LINE, CODE, config=target, draft_config=draft)

    assert finding["title"] == "Draft vocabulary 151,936, target vocabulary 152,064"


def test_the_same_vocabulary(tmp_path: Path) -> None:
    same = config_file(tmp_path)

    assert findings(LINE, CODE, config=same, draft_config=same) == []


def test_an_eagle_head_has_its_own(tmp_path: Path) -> None:
    target = config_file(tmp_path / "t", vocab_size=152064)
    draft = config_file(tmp_path / "d", vocab_size=32000, architectures=["LlamaForCausalLMEagle3"])

    assert findings(LINE, CODE, config=target, draft_config=draft) == []


def test_versions_that_cannot_draft_with_a_model() -> None:
    line = LINE.replace('"model"', '"method": "draft_model", "model"')

    assert only(line, CODE, "0.11.0")["severity"] == "error"
    assert findings(line, CODE, "0.15.1") == []
    assert findings(line.replace("draft_model", "eagle3"), CODE, "0.11.0") == []
