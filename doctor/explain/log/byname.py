"""What the weights take of a model whose id the log tells, where it does not tell their size."""

from __future__ import annotations

from doctor.explain.log.engine import Start


def weights_by_name(start: Start) -> tuple[str, float] | None:
    """The id, and GiB on each GPU as the planner computes them. None for a model that is not
    bundled, and where weights are quantized while they are loaded, or stay in the CPU's memory."""
    name = start.config.get("model", start.args.get("model"))
    if not isinstance(name, str) or _told(start, "quantization") not in (None, "None"):
        return None
    if _told(start, "cpu_offload_gb") not in (None, 0, 0.0):
        return None
    from doctor.memory.demand import demand_of
    from doctor.memory.errors import ModelError, OptionError
    from doctor.memory.options import Options
    from doctor.memory.reading import known_model

    model = known_model(name)
    if model is None:
        return None
    from doctor.memory.case import case_of

    options = Options(
        tensor_parallel_size=_number(start, "tensor_parallel_size"),
        pipeline_parallel_size=_number(start, "pipeline_parallel_size"),
        dtype=str(_told(start, "dtype") or "auto").removeprefix("torch."),
    )
    try:
        case = case_of(model, options, None, demand_of(None, None))
    except (ModelError, OptionError):
        return None
    return None if case.weights is None else (model.name, case.weights.per_rank / 2**30)


def _told(start: Start, name: str) -> object:
    return start.config.get(name, start.args.get(name))


def _number(start: Start, name: str) -> int:
    value = _told(start, name)
    return value if isinstance(value, int) and value > 0 else 1
