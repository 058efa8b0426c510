"""The cache plays as the engine's own does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from doctor.prefix.blocks import Blocks, of_tokens
from doctor.prefix.cache import PrefixCache
from doctor.prefix.player import Engine, Player

SIZE = 4


def play(cache: PrefixCache, tokens: list[int]) -> int:
    return cache.play(of_tokens(tokens, SIZE, 0), len(tokens), SIZE)


def test_the_last_token_is_always_computed() -> None:
    cache = PrefixCache(100)
    prompt = list(range(3 * SIZE))
    assert play(cache, prompt) == 0
    # Three full blocks are there, but the third holds the last token.
    assert play(cache, prompt) == 2
    assert play(cache, [*prompt, 99]) == 3


def test_a_prompt_shorter_than_a_block_never_hits() -> None:
    cache = PrefixCache(100)
    for _time in range(3):
        assert play(cache, [1, 2, 3]) == 0


def test_the_least_recently_used_goes_first_and_its_end_before_its_beginning() -> None:
    cache = PrefixCache(4)
    old, new = [*list(range(8)), 0], [*list(range(100, 108)), 0]
    play(cache, old)  # two full blocks and a started one
    play(cache, new)  # needs three of four: takes the end of the older prompt
    assert play(cache, old) == 1


def test_hybrid_models_hit_whole_scheduler_blocks() -> None:
    cache = PrefixCache(100, align=4)
    prompt = [*list(range(7 * SIZE)), 0]
    play(cache, prompt)
    assert play(cache, prompt) == 4


prompts = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=40), min_size=1, max_size=30)


@given(prompts)
def test_with_room_a_prompt_hits_what_it_shares_with_any_before(all_: list[list[int]]) -> None:
    cache = PrefixCache(10_000)
    for number, prompt in enumerate(all_):
        shared = max((common(prompt, other) for other in all_[:number]), default=0)
        expected = min(shared // SIZE, (len(prompt) - 1) // SIZE)
        assert play(cache, prompt) == expected


@given(prompts, st.integers(1, 12))
def test_a_smaller_cache_never_hits_more(all_: list[list[int]], room: int) -> None:
    large, small = PrefixCache(10_000), PrefixCache(room)
    for prompt in all_:
        assert play(small, prompt) <= play(large, prompt)


def common(one: list[int], other: list[int]) -> int:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return length


@given(st.lists(st.integers(0, 3), max_size=60), st.lists(st.integers(0, 3), max_size=60))
def test_blocks_of_tokens_are_equal_as_far_as_the_tokens_are(
    one: list[int], other: list[int]
) -> None:
    blocks, others = of_tokens(one, SIZE, 1), of_tokens(other, SIZE, 1)
    same = common(one, other) // SIZE * blocks.unit
    assert blocks.text[:same] == others.text[:same]
    assert blocks.text[same : same + blocks.unit] != others.text[same : same + blocks.unit] or (
        len(blocks.text) == len(others.text) == same
    )
    assert len(blocks.text) == len(one) // SIZE * blocks.unit


class BlockByBlock:
    """The same cache in the plainest way: every block on its own, the next to go in front."""

    def __init__(self, capacity: int, align: int) -> None:
        self.capacity, self.align = capacity, align
        self.free: list[tuple[int, str]] = []

    def play(self, prompt: Blocks, length: int) -> int:
        ends = range(prompt.unit, len(prompt.text) + 1, prompt.unit)
        blocks = [(prompt.seed, prompt.text[:end]) for end in ends]
        hits = 0
        while hits < min(len(blocks), (length - 1) // SIZE) and blocks[hits] in self.free:
            hits += 1
        hits -= hits % self.align
        used = blocks[:hits]
        rest = [block for block in self.free if block not in used]
        needed = -(-length // SIZE) - hits
        rest = rest[max(needed + hits + len(rest) - self.capacity, 0) :]
        rest = [block for block in rest if block not in blocks]
        self.free = [*rest, *reversed(blocks)]
        self.free = self.free[max(len(self.free) - self.capacity, 0) :]
        return hits


# Texts of few letters, so that many begin alike, and all lengths.
texts = st.builds(
    lambda head, tail: head + tail,
    st.sampled_from(["", "a" * 30, "ab" * 20, "aab" * 9]),
    st.text("ab", max_size=24),
)


@given(
    st.lists(st.tuples(texts, st.integers(0, 1), st.booleans()), max_size=30),
    st.integers(1, 25),
    st.sampled_from([1, 1, 2, 3]),
    st.sampled_from([1, 2, 4]),
)
def test_runs_are_played_as_their_blocks_would_be(
    all_: list[tuple[str, int, bool]], room: int, align: int, unit: int
) -> None:
    cache, plain = PrefixCache(room, align), BlockByBlock(room, align)
    for text, seed, copied in all_:
        if copied:
            cache = cache.copy()
        prompt = Blocks(text, unit, seed)
        length = -(-len(text) * SIZE // unit)
        assert cache.play(prompt, length, SIZE) == plain.play(prompt, length)
        assert cache.missing in (0, room - len(plain.free))


@given(st.integers(1, 3), st.integers(200, 1_200))
def test_long_prompts_are_kept_in_parts(unit: int, blocks: int) -> None:
    cache = PrefixCache(2_000)
    text = "".join(chr(97 + n * n % 23) for n in range(blocks * unit))
    for end in (blocks, blocks // 2, blocks - 1, blocks):
        prompt = Blocks(text[: end * unit] + "-" * unit, unit)
        expected = 0 if end == blocks and cache.missing == 2_000 else end
        assert cache.play(prompt, (end + 1) * SIZE, SIZE) == expected


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.booleans()), max_size=25
    ),
    st.integers(1, 12),
)
def test_both_ways_are_played_as_by_two_caches(
    all_: list[tuple[list[int], bool]], room: int
) -> None:
    player = Player(Engine(block_size=SIZE, capacity=room, per_token=1))
    for prompt, changed in all_:
        better = [9, *prompt[1:]] if changed else prompt
        made = of_tokens(better, SIZE, 0) if changed else None
        player.play(len(prompt), of_tokens(prompt, SIZE, 0), made)
    again, better_again = PrefixCache(room), PrefixCache(room)
    assert player.totals.hits == sum(play(again, prompt) for prompt, _changed in all_)
    assert player.totals.hits_after == sum(
        play(better_again, [9, *prompt[1:]] if changed else prompt) for prompt, changed in all_
    )
