"""What answers show: nobody is blamed for what they do not prove."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.facts.prefixproof import PrefixProof, ProofAnswer, ProofPair, Shown
from doctor.prefix.verdict import cached, shown

answers = st.builds(
    ProofAnswer,
    prompt=st.none() | st.integers(0, 5_000),
    cached=st.none() | st.integers(0, 5_000),
    counted=st.none() | st.tuples(st.integers(0, 5_000), st.integers(0, 9_000)),
    fault=st.sampled_from(["", "", "", "400: no"]),
)
pairs = st.builds(ProofPair, st.floats(0, 1), answers, answers)
proofs = st.builds(
    PrefixProof,
    url=st.just("http://127.0.0.1:8000/v1"),
    model=st.just("m"),
    shown=st.just(Shown.UNANSWERED),
    as_sent=st.none() | pairs,
    better=st.none() | pairs,
    again=st.lists(answers, max_size=4).map(tuple),
    prefix_caching=st.sampled_from([None, True, False]),
    alignment=st.none() | st.integers(1, 2_000),
    salted=st.booleans(),
)


@given(proofs, st.booleans(), st.booleans())
def test_a_cause_takes_a_hit_and_a_miss(proof: PrefixProof, hosted: bool, marked: bool) -> None:
    found = shown(proof, hosted=hosted, marked=marked)
    if found is Shown.CAUSE:
        assert proof.as_sent is not None
        assert proof.better is not None
        hit = cached(proof, proof.better.second)
        assert hit
        assert (cached(proof, proof.as_sent.second) or 0) < hit
    if proof.as_sent is None or any(pair.fault for pair in (proof.as_sent.first,)):
        assert found is Shown.UNANSWERED


@given(proofs)
def test_without_anything_moved_no_client_is_blamed(proof: PrefixProof) -> None:
    assert shown(replace(proof, better=None)) is not Shown.CAUSE


def proof(hit: int | None, *again: int, shared: float = 0.9, **more: object) -> PrefixProof:
    """A stable pair of 2,000 tokens, of whose second ``hit`` were cached."""
    first = ProofAnswer(prompt=2_000, cached=None if hit is None else 0)
    second = ProofAnswer(prompt=2_000, cached=hit)
    return PrefixProof(
        url="http://127.0.0.1:8000/v1",
        model="m",
        shown=Shown.UNANSWERED,
        as_sent=ProofPair(shared, first, second),
        again=tuple(ProofAnswer(prompt=2_000, cached=count) for count in again),
        **more,  # type: ignore[arg-type]  # fields of the class
    )


CASES: dict[str, tuple[PrefixProof, bool, Shown]] = {
    "all of what is shared": (proof(1_792), False, Shown.WELL),
    "half of it, as lengths are guessed": (proof(1_000), False, Shown.WELL),
    "nothing, ever": (proof(0, 0, 0, 0, 0), False, Shown.MISSES),
    "a part that is always the same": (proof(256, 256, 256, 256, 256), False, Shown.MISSES),
    "at times": (proof(0, 1_984, 0, 1_984, 0), False, Shown.ROUTING),
    "from the second time on": (proof(0, 0, 1_984, 1_984, 1_984), False, Shown.LATE),
    "a hybrid's block": (proof(0, shared=0.2, alignment=544), False, Shown.SHORT),
    "a hybrid's block, nearly full": (proof(0, shared=0.3, alignment=544), False, Shown.SHORT),
    "hosted and short": (proof(0, shared=0.4), True, Shown.BELOW_USUAL),
    "hosted and long enough": (proof(0, 0, 0, 0, 0), True, Shown.MISSES),
    "not told": (proof(None), False, Shown.NOT_TOLD),
    "off": (proof(None, prefix_caching=False), False, Shown.OFF),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_stable_pair_shows(name: str) -> None:
    made, hosted, expected = CASES[name]
    assert shown(made, hosted=hosted) is expected


def test_others_at_work_make_counters_tell_nothing() -> None:
    alone = ProofAnswer(prompt=2_000, counted=(1_792, 2_000))
    crowded = ProofAnswer(prompt=2_000, counted=(9_000, 30_000))
    made = proof(None)
    assert made.as_sent is not None
    assert shown(replace(made, as_sent=replace(made.as_sent, second=alone))) is Shown.WELL
    assert shown(replace(made, as_sent=replace(made.as_sent, second=crowded))) is Shown.NOT_TOLD


def test_a_model_without_attention_has_no_fault() -> None:
    made = proof(None, prefix_caching=False)
    assert shown(made, attention_free=True) is Shown.NO_ATTENTION
