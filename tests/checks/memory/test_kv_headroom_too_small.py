"""KVD801."""

from __future__ import annotations

from doctor.models import Confidence, Severity, Status
from tests.checks.memory.plans import of, results

# 144 KiB a token: 9 GiB hold 65,536 tokens.
WORDS = ("Qwen/Qwen3-8B", "--max-model-len", "8192", "--kv-cache-memory-bytes", "9GiB")


def test_requests_that_do_not_fit_at_once_are_counted() -> None:
    (finding,) = of("KVD801", *WORDS, concurrency=32, lengths="4096")
    assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.HIGH)
    assert finding.title == "The KV cache holds 15 of 32 requests at once"
    assert "576 MiB" in finding.explanation


def test_what_fits_is_left_alone() -> None:
    assert of("KVD801", *WORDS, concurrency=15, lengths="4096") == ()


def test_the_sequences_that_were_admitted_are_its_consequence() -> None:
    found = results(*WORDS, "--max-num-seqs", "64", concurrency=32, lengths="4096")
    assert len(found["KVD804"].findings) == 1
    assert "KVD804" in found["KVD801"].findings[0].explains


def test_without_lengths_nothing_is_judged() -> None:
    assert results(*WORDS, concurrency=32)["KVD801"].status is Status.SKIPPED


def test_windowed_layers_share_what_is_in_flight() -> None:
    words = ("google/gemma-3-27b-it", "--kv-cache-memory-bytes", "20GiB")
    # 10 layers in full and 52 by their window of 1024: about 1.4 GiB for 12,000 tokens.
    assert of("KVD801", *words, concurrency=10, lengths="12000") == ()
    assert of("KVD801", *words, concurrency=32, lengths="12000") != ()
