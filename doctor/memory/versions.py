"""Where vLLM's rules differ by version. Those of 0.32.0 are the base.

facts/vllm.md §4.3–4.5, and ``v1/core/kv_cache_utils.py``, ``v1/kv_cache_interface.py`` and
``config/vllm.py`` of 25 releases from 0.9.1 to 0.33.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from doctor.memory.errors import OptionError
from doctor.memory.options import RULES_OF, Options
from doctor.text import Text, _

if TYPE_CHECKING:
    from doctor.memory.plan import Plan

_FIRST = (0, 8, 3)  # V1 with these log lines
_HYBRID = (0, 9, 1)  # before, windowed layers of mixed models were stored as full ones
_TOKENS_BY_CONCURRENCY = (0, 20, 1)
_GRAPHS_RESERVED = (0, 20, 0)  # also the release that took 0.92 as the default utilization
_IN_FLIGHT = (0, 26, 0)
_BLOCK_KEPT_BACK = (0, 29, 0)  # also the release in which Mamba2 takes a block for a checkpoint
_LARGER_GROUPS = ((0, 18, 0), 1.5), ((0, 12, 0), 1.25)
_SMALL_GB10 = (0, 33, 0)
# Minor versions whose source was read for these rules: attention, and recurrent states.
_READ = ((0, 9), (0, 33))
_READ_STATES = ((0, 29), (0, 32))


def check(options: Options) -> None:
    """Raises ``OptionError`` for versions whose planning is another (V0)."""
    if options.vllm_version < _FIRST:
        raise OptionError(
            _(
                "--vllm-version {version}: the planner knows vLLM from 0.8.3 on; "
                "older engines plan by other rules",
                version=options.version,
            )
        )


def exactness(options: Options, recurrent: bool, latent: bool) -> Text | None:
    """What to say of a version whose rules were not read for such a model; None: exact.

    ``recurrent`` is a model with states, ``latent`` one with MLA, whose kernels' block sizes have
    changed as well.
    """
    oldest, newest = _READ_STATES if recurrent or latent else _READ
    if oldest <= options.vllm_version[:2] <= newest:
        return None
    return _(
        "By the rules of vLLM {rules}, with what is known to differ in {version}; that may plan "
        "this model otherwise.",
        rules=RULES_OF,
        version=options.version,
    )


def hybrid_manager(options: Options) -> bool:
    """Whether windowed layers keep their windows only."""
    return not options.disable_hybrid_kv_cache_manager and options.vllm_version >= _HYBRID


def counts_batches_in_flight(options: Options) -> bool:
    return options.vllm_version >= _IN_FLIGHT


def keeps_a_block_back(options: Options) -> bool:
    """Whether the admission check leaves out the block that the pool never hands out."""
    return options.vllm_version >= _BLOCK_KEPT_BACK


def takes_checkpoints(options: Options) -> bool:
    """Whether a Mamba2 layer holds one more block while a prompt is read."""
    return options.vllm_version >= _BLOCK_KEPT_BACK


def group_slack(options: Options) -> float:
    """Up to which ratio of the largest to the smallest kind of layers all groups are made as large
    as the largest, instead of as the smallest."""
    for first, ratio in _LARGER_GROUPS:
        if options.vllm_version >= first:
            return ratio
    return 1.0


def gb10_is_small(options: Options) -> bool:
    return options.vllm_version >= _SMALL_GB10


def default_utilization(options: Options) -> float:
    return 0.92 if options.vllm_version >= _GRAPHS_RESERVED else 0.9


def reserves_graphs(options: Options) -> bool:
    return options.vllm_version >= _GRAPHS_RESERVED


def logged_tokens(plan: Plan, blocks: int, concurrency: float) -> int:
    """ "KV cache size" of the start-up log."""
    version = plan.options.vllm_version
    if version >= _TOKENS_BY_CONCURRENCY:
        return int(concurrency * plan.max_model_len)
    sizes = [group.first.block_size for group in plan.groups]
    if version >= _HYBRID:
        shards = plan.options.decode_context_parallel_size
        shards *= plan.options.prefill_context_parallel_size
        return blocks // len(plan.groups) * min(sizes) * shards
    return blocks * plan.block_size
