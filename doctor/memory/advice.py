"""What fits, and what each knob buys."""

from __future__ import annotations

from doctor.memory.case import MemoryCase, variant
from doctor.memory.defaults import sequences
from doctor.memory.errors import ModelError, OptionError
from doctor.memory.plan import Plan, longest_that_fits
from doctor.records import dataclass
from doctor.text import Text, _

_MOST_TP = 16


@dataclass(frozen=True, slots=True)
class Knob:
    """A change and what it does: the cache in tokens and in requests of full length, by the likely
    estimate. ``flag`` is as vLLM spells it."""

    flag: str
    tokens: int
    max_concurrency: float
    longest: int
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """``longest`` is the largest max_model_len that fits for the requests at once (one where no
    number was told); ``at_once`` how many requests of the mean length fit, None where lengths are
    not known. ``line`` are flags to start with."""

    longest: int
    requests: int
    at_once: int | None
    line: tuple[str, ...]
    knobs: tuple[Knob, ...]
    smallest_tp: int | None


def advice_of(case: MemoryCase) -> Advice | None:
    """None where it is not known how much memory there is."""
    made = case.likely
    if made.usable is None or not made.groups:
        return None
    requests = case.demand.at_once or 1
    return Advice(
        longest=longest_that_fits(made, made.usable, requests),
        requests=requests,
        at_once=requests_that_fit(made, case.demand.mean),
        line=_line(case),
        knobs=_knobs(case),
        smallest_tp=smallest_tp(case),
    )


def requests_that_fit(made: Plan, length: int | None) -> int | None:
    """How many requests of ``length`` tokens the cache holds at once."""
    if length is None or made.usable is None:
        return None
    each = made.bytes_held(min(length, made.max_model_len))
    if not each:
        return None
    several = max(0, made.usable - made.bytes_in_flight) // each
    # One alone is what vLLM admits by.
    return max(several, int(bool(made.one_request_fits)))


def smallest_tp(case: MemoryCase) -> int | None:
    """The smallest tensor parallelism at which a request of full length fits, None if none does."""
    if case.exact or case.budget is None:
        return None
    tp = 1
    while tp <= _MOST_TP:
        try:
            tried = variant(case, tensor_parallel_size=tp)
            if tried.likely.one_request_fits:
                return tp
        except (ModelError, OptionError):
            pass  # it does not divide the heads
        tp *= 2
    return None


def _knobs(case: MemoryCase) -> tuple[Knob, ...]:
    options, made = case.options, case.likely
    tried: list[tuple[str, dict[str, object], Text | None]] = []
    if made.kv_dtype == "auto":
        note = _("halves the cache; check answers, scales are 1 where the checkpoint has none")
        tried.append(("--kv-cache-dtype fp8", {"kv_cache_dtype": "fp8"}, note))
    if case.gpu is not None and not case.exact:
        utilization = case.budget.utilization if case.budget else 0.92
        if utilization < 0.95:
            note = _("if nothing else uses the GPU")
            changes: dict[str, object] = {"gpu_memory_utilization": 0.95}
            tried.append(("--gpu-memory-utilization 0.95", changes, note))
        tp = options.tensor_parallel_size * 2
        tried.append((f"--tensor-parallel-size {tp}", {"tensor_parallel_size": tp}, None))
        if not options.enforce_eager:
            note = _("no CUDA graphs: slower decoding")
            tried.append(("--enforce-eager", {"enforce_eager": True}, note))
        if sequences(options) > 64:
            note = _("smaller sampler buffers")
            tried.append(("--max-num-seqs 64", {"max_num_seqs": 64}, note))
    if made.windowed and made.batched_tokens > 2048:
        note = _("windowed layers hold a batch beyond their window; prefill gets slower")
        changes = {"max_num_batched_tokens": 2048}
        tried.append(("--max-num-batched-tokens 2048", changes, note))
    knobs = (_knob(case, *one) for one in tried)
    return tuple(knob for knob in knobs if knob is not None)


def _knob(
    case: MemoryCase, flag: str, changes: dict[str, object], note: Text | None
) -> Knob | None:
    try:
        made = variant(case, **changes).likely
    except (ModelError, OptionError):
        return None
    if made.tokens is None or made.max_concurrency is None or made.usable is None:
        return None
    return Knob(flag, made.tokens, made.max_concurrency, longest_that_fits(made, made.usable), note)


def _line(case: MemoryCase) -> tuple[str, ...]:
    """Flags that make the plan fit: only those that differ from what was asked for."""
    made, p99 = case.worst, case.demand.p99
    if made.usable is None:
        return ()
    words: list[str] = []
    if made.one_request_fits is False:
        fitting = longest_that_fits(made, made.usable) // 1024 * 1024
        if p99 is not None:
            fitting = min(fitting, -(-p99 * 6 // 5 // 1024) * 1024)
        if fitting < 1024:
            return ()
        words += ["--max-model-len", str(fitting)]
    fit = requests_that_fit(case.likely, case.demand.mean)
    if fit and case.options.max_num_seqs is not None and fit < case.options.max_num_seqs:
        words += ["--max-num-seqs", str(fit)]
    return tuple(words)
