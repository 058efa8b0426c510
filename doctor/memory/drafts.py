"""Layers that a draft adds to the cache: MTP modules and EAGLE or draft models."""

from __future__ import annotations

from doctor.memory.architectures import shape
from doctor.memory.architectures.terms import Shape, Terms
from doctor.memory.config import ModelConfig
from doctor.memory.errors import OptionError
from doctor.memory.options import Options
from doctor.memory.specs import FULL_KINDS, Layer, replace
from doctor.text import _

# Methods of --speculative-config that draft with modules of the checkpoint itself.
_OWN = ("mtp", "_mtp")
# Those that draft without any model.
_FREE = frozenset({"", "ngram", "ngram_gpu", "suffix"})


def with_drafts(
    config: ModelConfig, options: Options, found: Shape, terms: Terms, layers: int
) -> tuple[Shape, int]:
    """The shape with the draft's layers behind the model's, and how many there are.

    Raises ``OptionError`` where the draft's model is not known.
    """
    method = options.speculative_method
    if method in _FREE:
        return found, 0
    if method.endswith(_OWN):
        names = ("num_nextn_predict_layers", "mtp_num_hidden_layers")
        count = config.integer(*names, default=1, low=0, high=64) or 1
        # A module attends as a full layer of the model does, indexer included.
        full = [one for one in found.layers if one.spec.kind in FULL_KINDS]
        if not full:
            raise OptionError(_("the model has no full attention for its MTP module to repeat"))
        copied = [one.spec for one in full if one.index == full[-1].index]
        added = [Layer(layers + n, spec) for n in range(count) for spec in copied]
        return replace(found, layers=(*found.layers, *added)), count
    if options.draft is None:
        raise OptionError(
            _(
                "--speculative-config: the draft model's config.json is not at hand, and its cache "
                "counts; give its folder as 'model'"
            )
        )
    draft = shape(options.draft, replace(terms, speculative=0))
    added = [Layer(layers + one.index, one.spec) for one in draft.layers]
    count = 1 + max((one.index for one in draft.layers), default=-1)
    return replace(found, layers=(*found.layers, *added)), count
