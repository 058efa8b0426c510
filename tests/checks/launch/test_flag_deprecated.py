from __future__ import annotations

from tests.checks.launch.world import codes, corrected, findings, only

CODE = "KVD902"


def test_a_deprecated_flag_is_a_warning_and_says_what_to_use() -> None:
    line = "vllm serve m --task embed"

    finding = only(line, CODE, "0.12.0")

    assert finding["title"] == "--task is deprecated"
    assert finding["severity"] == "warning"
    assert "From 0.13.0 on vLLM stops at it." in finding["explanation"]
    assert corrected(line, "0.12.0") == "vllm serve m --runner pooling --convert embed"


def test_what_is_merely_the_default_is_no_finding() -> None:
    line = "vllm serve m --enable-prefix-caching --enable-chunked-prefill"

    assert codes(line) == []


def test_before_it_was_deprecated() -> None:
    assert findings("vllm serve m --disable-log-requests", CODE, "0.9.1") == []
    assert len(findings("vllm serve m --disable-log-requests", CODE, "0.12.0")) == 1
