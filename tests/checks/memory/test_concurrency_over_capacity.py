"""KVD804."""

from __future__ import annotations

from doctor.models import Status
from tests.checks.memory.plans import of, results

WORDS = ("Qwen/Qwen3-8B", "--max-model-len", "8192", "--kv-cache-memory-bytes", "9GiB")


def test_more_sequences_than_fit_are_told_with_what_fits() -> None:
    (finding,) = of("KVD804", *WORDS, "--max-num-seqs", "64", lengths="4096")
    assert finding.title == "--max-num-seqs 64, the cache holds 15"
    assert "Write --max-num-seqs 15." in finding.explanation


def test_what_fits_is_left_alone() -> None:
    assert of("KVD804", *WORDS, "--max-num-seqs", "15", lengths="4096") == ()


def test_the_default_is_a_ceiling_and_not_judged() -> None:
    assert results(*WORDS, lengths="4096")["KVD804"].status is Status.SKIPPED


def test_without_lengths_nothing_is_judged() -> None:
    assert results(*WORDS, "--max-num-seqs", "64")["KVD804"].status is Status.SKIPPED
