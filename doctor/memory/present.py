"""The plan as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from doctor.columns import left
from doctor.memory.advice import Advice
from doctor.memory.budget import Budget
from doctor.memory.case import MemoryCase
from doctor.memory.plan import Plan
from doctor.memory.ranges import Range
from doctor.memory.sizes import shown
from doctor.memory.specs import Kind
from doctor.models import Finding
from doctor.render.hopnames import SEVERITY_NAMES
from doctor.render.lines import Lines
from doctor.text import Text, _
from doctor.untrusted import visible

_MARGIN = 15


def present(
    out: Lines,
    case: MemoryCase,
    advice: Advice | None,
    findings: Sequence[Finding],
    notes: Sequence[str],
    whole: dict[str, Any] | None,
) -> None:
    """``whole`` is the all-full bound of ``document.all_full``."""
    plan = case.likely
    out.wrap(_title(case))
    _row(out, _("Weights"), _weights(case))
    _row(out, _("KV cache"), _cache(plan))
    for text in _layers(plan):
        _row(out, "", text)
    _row(out, _("One request"), _request(plan))
    if whole is not None:
        size = shown(whole["bytes_for_one_request"])
        text = _("{size} if every layer were stored in full; vLLM admits by the windows", size=size)
        _row(out, "", text)
    if case.budget is not None and not case.exact:
        out.line("")
        _budget(out, case, case.budget)
    _capacity(out, case)
    if advice is not None:
        _advice(out, advice)
    for number, finding in enumerate((f for f in findings if f.explained_by is None), 1):
        out.line("")
        _finding(out, number, finding)
    if notes:
        out.line("")
    for note in notes:
        out.wrap(_("Note: {note}", note=note))


def _title(case: MemoryCase) -> Text:
    config, weights = case.model.config, case.weights
    name, architecture = visible(case.model.name), visible(config.architecture)
    if weights is not None and weights.parameters:
        size = f"{weights.parameters / 1e9:,.2f}"
        return _(
            "{name}: {architecture}, {size} billion parameters. Planned for vLLM {version}.",
            name=name,
            architecture=architecture,
            size=size,
            version=case.options.version,
        )
    return _(
        "{name}: {architecture}. Planned for vLLM {version}.",
        name=name,
        architecture=architecture,
        version=case.options.version,
    )


def _weights(case: MemoryCase) -> Text:
    weights = case.weights
    if weights is None:
        return _("not known: give the folder that holds them")
    told = _("{size} ({source})", size=shown(weights.per_rank), source=weights.source)
    if case.options.world > 1:
        told = _(
            "{size} on each of {world} GPUs, {total} in all ({source})",
            size=shown(weights.per_rank),
            world=case.options.world,
            total=shown(weights.total),
            source=weights.source,
        )
    return _("{told}, the vision part roughly", told=told) if weights.partial else told


def _cache(plan: Plan) -> Text:
    dtype = plan.dtype if plan.kv_dtype == "auto" else plan.kv_dtype
    return _(
        "{size} per token, {dtype}; blocks of {tokens} tokens, {block} each",
        size=shown(plan.bytes_per_token),
        dtype=dtype,
        tokens=f"{plan.block_size:,}",
        block=shown(plan.bytes_per_block),
    )


_WORDS = {
    Kind.FULL: _("full attention"),
    Kind.SINK: _("full attention with a sink"),
    Kind.MLA: _("latent attention (MLA)"),
    Kind.SLIDING: _("a window of {span} tokens"),
    Kind.CHUNKED: _("chunks of {span} tokens"),
    Kind.MAMBA: _("a state of fixed size"),
    Kind.CROSS: _("attention to the encoder"),
}


def _layers(plan: Plan) -> list[Text]:
    rows = []
    for row in plan.rows:
        word = _WORDS[Kind(row.spec)]
        if row.span:
            word = _(word.msgid, span=f"{row.span:,}")
        rows.append(
            _(
                "{count} layers with {what}: {page} per block",
                count=row.count,
                what=word,
                page=shown(row.page_bytes),
            )
        )
    return rows


def _request(plan: Plan) -> Text:
    return _(
        "{size} at {length} tokens",
        size=shown(plan.bytes_for_one_request),
        length=f"{plan.max_model_len:,}",
    )


def _budget(out: Lines, case: MemoryCase, budget: Budget) -> None:
    name = case.gpu.name if case.gpu is not None and case.gpu.name else _("GPU")
    out.wrap(
        _(
            "{name}: {total}, of which vLLM may use {share} ({utilization}). Estimated:",
            name=name,
            total=shown(budget.total),
            share=shown(budget.requested),
            utilization=f"{budget.utilization:g}",
        )
    )
    _row(out, _("  weights"), Text(shown(budget.weights)))
    if budget.padding.high:
        _row(
            out,
            _("  padding"),
            _("{span}: MXFP4 kernels fill experts up to whole tiles", span=_span(budget.padding)),
        )
    for label, span in (
        (_("  activations"), budget.activations),
        (_("  CUDA graphs"), budget.graphs),
        (_("  libraries"), budget.libraries),
        (_("  KV cache"), budget.available),
    ):
        _row(out, label, _span(span))


def _span(span: Range) -> Text:
    if span.low == span.high:
        return Text(shown(span.likely))
    return _(
        "likely {likely} ({low} to {high})",
        likely=shown(max(0, span.likely)),
        low=shown(max(0, span.low)),
        high=shown(max(0, span.high)),
    )


def _capacity(out: Lines, case: MemoryCase) -> None:
    plan = case.likely
    if plan.tokens is None or plan.max_concurrency is None:
        return
    out.line("")
    text = _(
        "{blocks} blocks: {tokens} tokens, {times}x a request of {length} tokens",
        blocks=f"{plan.num_blocks or 0:,}",
        tokens=f"{plan.tokens:,}",
        times=f"{plan.max_concurrency:.2f}",
        length=f"{plan.max_model_len:,}",
    )
    _row(out, _("It holds") if case.exact else _("Likely holds"), text)


def _advice(out: Lines, advice: Advice) -> None:
    if advice.longest:
        text = _(
            "--max-model-len {length} for {requests} at once",
            length=advice.longest,
            requests=advice.requests,
        )
        _row(out, _("Longest"), text)
    if advice.at_once is not None:
        _row(out, _("At once"), _("{count} requests of the mean length", count=advice.at_once))
    if advice.line:
        _row(out, _("To start with"), Text(" ".join(advice.line)))
    helping = [knob for knob in advice.knobs if knob.tokens]
    if helping:
        out.line("")
        out.wrap(_("What each change would make of the cache:"))
        width = max(len(knob.flag) for knob in helping)
        for knob in helping:
            told = _(
                "{tokens} tokens, {times}x",
                tokens=f"{knob.tokens:,}",
                times=f"{knob.max_concurrency:.2f}",
            )
            note = f"   {out.say(knob.note)}" if knob.note is not None else ""
            out.wrap(f"{knob.flag:<{width}}  {out.say(told)}{note}", indent=2, hang=width + 2)


def _finding(out: Lines, number: int, finding: Finding) -> None:
    mark = out.say(SEVERITY_NAMES[finding.severity])
    out.wrap(f"{number}. {finding.code}  {out.say(finding.title)}  ({mark})", hang=4)
    out.wrap(finding.explanation, indent=3)


def _row(out: Lines, label: str, text: str) -> None:
    out.wrap(left(out.say(label), _MARGIN) + out.say(text), hang=_MARGIN)
