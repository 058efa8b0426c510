from __future__ import annotations

import pytest

from tests.checks.launch.world import findings, only

CODE = "KVD906"


@pytest.mark.parametrize(
    ("config", "severity"),
    [
        ('{"method": "ngram"}', "error"),
        ('{"model": "d"}', "error"),
        ('{"method": "ngram", "num_speculative_tokens": 0}', "error"),
        ('{"model": "d", "num_speculative_tokens": 12}', "warning"),
    ],
)
def test_missing_not_positive_or_many(config: str, severity: str) -> None:
    assert only(["vllm", "serve", "m", "-sc", config], CODE)["severity"] == severity


@pytest.mark.parametrize(
    "config",
    [
        '{"model": "d", "num_speculative_tokens": 5}',
        '{"method": "mtp"}',
        '{"method": "ngram", "num_speculative_tokens": 10, "prompt_lookup_max": 4}',
    ],
)
def test_what_is_right(config: str) -> None:
    assert findings(["vllm", "serve", "m", "-sc", config], CODE) == []


def test_dotted_and_short_forms() -> None:
    assert findings("vllm serve m --spec-method ngram --spec-tokens 4", CODE) == []
    assert findings("vllm serve m --spec-method ngram --spec-tokens 0", CODE)
    assert findings("vllm serve m --speculative-config.model d", CODE)
