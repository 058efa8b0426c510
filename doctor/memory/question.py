"""From the words of a command line to what the planner is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from doctor.memory import versions
from doctor.memory.case import MemoryCase
from doctor.memory.demand import Demand, demand_of
from doctor.memory.errors import OptionError
from doctor.memory.flags import options_of, overridden, partition_of, version_of
from doctor.memory.gpus import Gpu, named, size
from doctor.memory.lengths import model_length
from doctor.memory.options import RULES_OF, Options
from doctor.memory.reading import Model, find_model
from doctor.records import dataclass
from doctor.suggest import nearest
from doctor.text import Text, _
from doctor.untrusted import visible

if TYPE_CHECKING:
    from doctor.launch.model import Launch, Refusal

# Flags of bytes, for which a unit may be written out (64GiB); vLLM itself takes 64G.
_BYTES = ("--kv-cache-memory-bytes", "--kv-cache-memory")


@dataclass(frozen=True, slots=True)
class Question:
    """``launch`` is the line as it was parsed; ``ignored`` flags that vLLM once had, which say
    nothing of memory."""

    model: Model
    options: Options
    gpu: Gpu | None
    demand: Demand
    launch: Launch
    ignored: tuple[str, ...] = ()

    def notes(self, case: MemoryCase) -> tuple[Text, ...]:
        """What the reader should know of how the answer was come by."""
        found = []
        inexact = versions.exactness(case.options, case.likely.recurrent, case.likely.latent)
        if inexact is not None:
            found.append(inexact)
        asked = case.options.max_model_len
        if asked is not None and asked > model_length(case.model.config):
            found.append(
                _(
                    "--max-model-len {asked} is above the model's own {length}: vLLM refuses it.",
                    asked=asked,
                    length=model_length(case.model.config),
                )
            )
        if self.ignored:
            flags = ", ".join(visible(flag) for flag in self.ignored)
            found.append(_("Not considered, vLLM has them no more: {flags}.", flags=flags))
        if case.budget is not None and not case.exact:
            found.append(
                _(
                    "What activations, CUDA graphs and libraries take is an estimate; vLLM "
                    "measures it at start and logs 'Available KV cache memory'."
                )
            )
        if case.gpu is not None and case.weights is None and not case.exact:
            found.append(
                _("How much the weights take is not known, so neither is what they leave.")
            )
        return tuple(found)


def of_words(
    words: Sequence[str],
    *,
    gpu: str | None = None,
    gpu_memory: str | None = None,
    version: str | None = None,
    concurrency: int | None = None,
    lengths: str | None = None,
    partition: str | None = None,
) -> Question:
    """``words`` are the model and vLLM's flags, as behind ``vllm serve``; ``partition`` is the
    value of VLLM_PP_LAYER_PARTITION.

    Raises ``ModelError`` and ``OptionError``.
    """
    from doctor.launch.lines import Wanted, launches
    from doctor.launch.reading.detect import read_argv

    argv = ["vllm", "serve", *_in_bytes(words)]
    ((launch, _kinds), *_others) = launches(read_argv(argv), "kvdoctor memory", Wanted())
    return of_launch(
        launch,
        gpu=_gpu(gpu, gpu_memory),
        version=RULES_OF if version is None else version,
        demand=demand_of(lengths, concurrency),
        partition=partition,
    )


def of_launch(
    launch: Launch,
    *,
    gpu: Gpu | None = None,
    version: str | None = None,
    demand: Demand | None = None,
    partition: str | None = None,
) -> Question:
    """A line that was read already; ``version`` None is the line's own.

    Raises ``ModelError`` and ``OptionError``.
    """
    ignored = _ignored(launch)
    name = launch.value("--model") or (launch.model.values[0] if launch.model else None)
    if not name:
        raise OptionError(_("name a model: a folder, a config.json or an id"))
    told = version_of(launch.version.text if version is None else version)
    made = replace(options_of(launch), vllm_version=told)
    if partition:
        made = replace(made, partition=partition_of(partition))
    model = find_model(name)
    model = replace(model, config=overridden(model.config, launch))
    return Question(model, made, gpu, demand or Demand(), launch, ignored)


def _gpu(name: str | None, memory: str | None) -> Gpu | None:
    found = None if name is None else named(name)
    if memory is None:
        return found
    total = size(memory, "--gpu-memory")
    if found is not None:
        return replace(found, total=total, source=_("--gpu-memory"))
    return Gpu("", total, source=_("--gpu-memory"))


def _in_bytes(words: Sequence[str]) -> list[str]:
    """The words with ``64GiB`` behind a flag of bytes made a number."""
    out: list[str] = []
    expected = ""
    for word in words:
        flag, equals, value = word.partition("=")
        spelled = flag.replace("_", "-")
        if expected:
            out.append(_bytes(word, expected))
            expected = ""
        elif spelled in _BYTES and equals:
            out.append(f"{flag}={_bytes(value, spelled)}")
        else:
            expected = spelled if spelled in _BYTES else ""
            out.append(word)
    return out


def _bytes(text: str, flag: str) -> str:
    # 64G and 64g are vLLM's own, and differ.
    return str(size(text, flag)) if text[-1:] in ("b", "B") else text


def _ignored(launch: Launch) -> tuple[str, ...]:
    """Flags of other versions. Raises ``OptionError`` for what no version takes."""
    from doctor.launch.tables import life, newest

    found = []
    for refusal in launch.refusals:
        argument = refusal.argument
        spelled = argument.spelled.replace("_", "-")
        if refusal.kind == "unknown" and life(spelled, newest()) is not None:
            found.append(spelled)
            continue
        raise OptionError(_refused(refusal))
    return tuple(found)


def _refused(refusal: Refusal) -> Text:
    from doctor.launch.tables import ever

    spelled = visible(refusal.argument.spelled, 80)
    if refusal.kind == "unknown":
        near = nearest(refusal.argument.spelled, ever())
        hint = _("; the nearest is {name}", name=near) if near else ""
        return _("{flag}: vLLM has no such flag{hint}", flag=spelled, hint=hint)
    said = visible(refusal.said, 160)
    return _("{flag}: vLLM refuses it ({said})", flag=spelled, said=said or refusal.kind)
