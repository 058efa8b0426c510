"""Bytes of recurrent states on one rank: a short convolution's inputs and the recurrence itself."""

from __future__ import annotations

from doctor.memory.architectures.terms import Terms
from doctor.memory.config import ModelConfig
from doctor.text import _


def mamba1(terms: Terms, inner: int, width: int, kernel: int) -> int:
    mine = terms.share(_("state channels"), inner)
    return mine * (kernel - 1) * terms.conv_bytes + mine * width * terms.state_bytes()


def mamba2(
    terms: Terms,
    inner: int,
    *,
    groups: int,
    heads: int,
    head: int,
    width: int,
    kernel: int,
    rule: str = "auto",
) -> int:
    if groups % terms.tp and groups > 1:
        terms.share(_("state groups"), groups)
    # One group is copied, so that every rank has what its heads need.
    groups += terms.tp - groups if groups % terms.tp else 0
    channels = terms.share(_("state channels"), inner + 2 * groups * width)
    convolution = channels * (kernel - 1 + terms.speculative) * terms.conv_bytes
    recurrence = terms.share(_("state heads"), heads) * head * width * terms.state_bytes(rule)
    return convolution + recurrence


def delta_net(config: ModelConfig, terms: Terms, rule: str = "auto") -> int:
    """Gated delta net, as Qwen3-Next and OLMo Hybrid have it."""
    keys = config.integer("linear_num_key_heads")
    values = config.integer("linear_num_value_heads")
    key, value = config.integer("linear_key_head_dim"), config.integer("linear_value_head_dim")
    kernel = config.integer("linear_conv_kernel_dim", default=4)
    channels = terms.share(_("state channels"), 2 * key * keys + value * values)
    convolution = channels * (kernel - 1 + terms.speculative) * terms.conv_bytes
    return convolution + terms.share(_("state heads"), values) * key * value * terms.state_bytes(
        rule
    )


def kimi_delta(terms: Terms, heads: int, head: int, kernel: int) -> int:
    channels = terms.share(_("state channels"), 3 * heads * head)
    convolution = channels * (kernel - 1 + terms.speculative) * terms.conv_bytes
    return convolution + terms.share(_("state heads"), heads) * head * head * terms.state_bytes(
        "float32"
    )


def short_convolution(terms: Terms, width: int, kernel: int) -> int:
    return terms.share(_("state channels"), width) * (kernel - 1) * terms.conv_bytes
