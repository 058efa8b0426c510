"""KVD903."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from checks.launch._say import seen, sure, vllm, written
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Severity,
    _,
    check,
    facts,
    joined,
    launched,
    problem,
    visible,
)

if TYPE_CHECKING:
    from doctor.launch.edits import Edit
    from doctor.launch.foreign import Foreign
    from doctor.launch.model import Argument, Launch, Refusal

# Builds for these add flags of their own at run time (facts/vllm.md §1.1).
_PLUGINS = ("ascend", "npu", "gaudi", "habana", "hpu", "tpu", "rbln", "spyre")


@check(
    code="KVD903",
    slug="flag-unknown",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def flag_unknown(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A flag that this version of vLLM does not have: mistyped, of another server, or newer.

    What it checks: each flag by the rules of vLLM's own parser, which takes `_` for `-` and any
    beginning that is the beginning of one flag only. What is left is looked for among the flags
    of later versions, of SGLang, Text Generation Inference, llama.cpp, LMDeploy and TensorRT-LLM,
    of requests, and among the nearest names.

    Why it matters: vLLM prints its usage and stops with status 2 before it has loaded anything.

    How to fix: write the name that is proposed. Where none is, take the flag out or upgrade.

    Fix safety: a proposed name is a likeness, and marked as likely. Builds of vLLM for other
    hardware add flags of their own; where the line shows such a one, this is only a warning.

    References: facts/vllm.md §§1.1, 1.2; facts/vllm-flags.json.
    """
    launch = await launched(f)
    if launch.other:
        for finding in _of_other_server(launch):
            yield finding
        return
    from doctor.launch import behind, unquoted

    inside = unquoted.covered(launch) | behind.covered(launch)
    omni = any(argument.spelled == "--omni" for argument in launch.arguments)
    for refusal in launch.refusals:
        argument = refusal.argument
        if refusal.kind not in ("unknown", "ambiguous") or argument.first in inside:
            continue
        if omni and argument.spelled != "--omni":
            continue  # it may well be one of vLLM-Omni's own
        if not _was_removed(launch, argument) and not _is_two_words(argument):
            yield _unknown(launch, refusal)
    for finding in _variables(launch):
        yield finding


def _was_removed(launch: Launch, argument: Argument) -> bool:
    """KVD901's."""
    from doctor.launch.tables import life, number_of

    name = "--" + argument.spelled.lstrip("-").replace("_", "-")
    for spelled in (name, f"--{name[5:]}" if name.startswith("--no-") else name):
        told = life(spelled, launch.version.table)
        if told is not None and told.gone:
            return (number_of(told.first) or (0,)) <= (number_of(launch.version.table) or (0,))
    return False


def _is_two_words(argument: Argument) -> bool:
    """KVD916's."""
    return " " in argument.spelled


def _unknown(launch: Launch, refusal: Refusal) -> Finding:
    from doctor.launch.foreign import foreign
    from doctor.launch.tables import life

    argument = refusal.argument
    name = argument.spelled
    if name == "--omni":
        return _of_omni(launch, argument)
    known = foreign(name)
    if known is not None:
        return _foreign(launch, argument, known)
    hyphened = "--" + name.lstrip("-").replace("_", "-")
    later = life(hyphened, launch.version.table)
    if later is not None:
        return _later(launch, argument, later.first)
    if refusal.kind == "ambiguous":
        return _ambiguous(launch, refusal)
    return _mistyped(launch, argument, hyphened)


def _of_omni(launch: Launch, argument: Argument) -> Finding:
    """vLLM-Omni, installed beside vLLM, takes over ``vllm serve`` where it finds this flag."""
    return problem(
        _("{flag} is a flag of vLLM-Omni", flag=written(argument)),
        _(
            "With vLLM-Omni installed the line starts it, and its own flags are not judged here."
            " Without it vLLM stops: 'unrecognized arguments'."
        ),
        evidence=(seen(launch, argument),),
        severity=Severity.INFO,
        confidence=Confidence.LOW,
    )


def _foreign(launch: Launch, argument: Argument, known: Foreign) -> Finding:
    from doctor.launch.edits import removed, replaced
    from doctor.launch.foreign import MODEL, REQUEST

    if known.server == REQUEST:
        what = _("It belongs into the body of a request, where each client sets its own.")
    elif known.server:
        what = _("It is a flag of {server}.", server=known.server)
    else:
        what = _("vLLM never had it.")
    edits: tuple[Edit, ...]
    if known.flag == MODEL:
        new = _("vLLM takes the model as the first word behind 'serve'.")
        edits = _as_model(launch, argument)
    elif known.flag is None:
        new = _("Take it out: vLLM has or needs none of the kind.")
        edits = (removed(argument, new),)
    else:
        new = _("vLLM's is {flag}.", flag=known.flag)
        takes_one = argument.values and known.flag not in (
            "--enforce-eager",
            "--enable-log-requests",
            "--no-enable-prefix-caching",
        )
        values = argument.values if takes_one else ()
        if argument.flag is None and not takes_one and argument.values:
            argument = _alone(argument)
        edits = (replaced(argument, (known.flag, *values), new),)
    return problem(
        _("vLLM has no {flag}", flag=written(argument)),
        joined(what, new, _("{vllm} stops at it.", vllm=vllm(launch.version))),
        evidence=(seen(launch, argument),),
        confidence=Confidence.HIGH if known.server else Confidence.MEDIUM,
        edits=edits,
    )


def _alone(argument: Argument) -> Argument:
    import dataclasses

    return dataclasses.replace(argument, values=(), last=argument.first)


def _as_model(launch: Launch, argument: Argument) -> tuple[Edit, ...]:
    from doctor.launch.edits import Edit, removed, replaced
    from doctor.launch.model import Entry

    why = _("vLLM's own way to name the model.")
    if launch.entry is not Entry.SERVE:
        return (replaced(argument, ("--model", *argument.values), why),)
    if launch.model is not None or not argument.values:
        return (removed(argument, why),)
    put = Edit(
        argument.spelled,
        "",
        argument.values[0],
        why,
        launch.first,
        launch.first - 1,
        argument.values[:1],
    )
    return (removed(argument, why), put)


def _later(launch: Launch, argument: Argument, first: str) -> Finding:
    from doctor.launch.edits import removed

    return problem(
        _("{flag} exists from vLLM {first} on", flag=written(argument), first=first),
        _(
            "{vllm} stops at it. Upgrade, or take it out.",
            vllm=vllm(launch.version),
        ),
        evidence=(seen(launch, argument),),
        confidence=sure(launch.version),
        edits=(removed(_bare(argument, first), _("This version does not have it yet.")),),
    )


def _bare(argument: Argument, version: str) -> Argument:
    """Without the word behind it where the flag takes none."""
    from doctor.launch.tables import table

    name = "--" + argument.spelled.lstrip("-").replace("_", "-")
    known = table(version).options.get(name)
    if known is not None and known[0].is_switch and not argument.joined:
        return _alone(argument)
    return argument


def _ambiguous(launch: Launch, refusal: Refusal) -> Finding:
    argument = refusal.argument
    names = ", ".join(refusal.names[:6])
    return problem(
        _("{flag} is the beginning of several flags", flag=written(argument)),
        _(
            "{vllm} stops at it: it could be {names}. Write the whole name.",
            vllm=vllm(launch.version),
            names=names,
        ),
        evidence=(seen(launch, argument),),
        confidence=sure(launch.version),
    )


def _mistyped(launch: Launch, argument: Argument, name: str) -> Finding:
    from doctor.launch.edits import removed, replaced
    from doctor.launch.tables import table
    from doctor.suggest import nearest

    options = table(launch.version.table).options
    short = not argument.spelled.startswith("--")
    near = None if short else nearest(name, [o for o in options if o.startswith("--")], 0.75)
    plugin = _plugin(launch)
    if near is not None:
        flag, _negated = options[near]
        if flag.is_switch and not argument.joined and argument.values:
            argument = _alone(argument)
        joined_value = argument.joined and argument.values and not flag.is_switch
        words = (f"{near}={argument.values[0]}",) if joined_value else (near, *argument.values)
        if flag.is_switch:
            words = (near,)
        edits = (replaced(argument, words, _("The nearest name that this version has.")),)
        text = _("The nearest name is {near}, likely what is meant.", near=near)
        level = Confidence.MEDIUM
    else:
        edits = (removed(argument, _("No version of vLLM has it.")),)
        text = _("No known version of vLLM has it, and no name is near.")
        level = sure(launch.version)
    if plugin:
        return problem(
            _("vLLM itself has no {flag}", flag=written(argument)),
            _(
                "{text} A build for {plugin} may add it.",
                text=text,
                plugin=plugin,
            ),
            evidence=(seen(launch, argument),),
            severity=Severity.INFO,
            confidence=Confidence.LOW,
        )
    return problem(
        _("vLLM has no {flag}", flag=written(argument)),
        joined(_("{vllm} stops at it.", vllm=vllm(launch.version)), text),
        evidence=(seen(launch, argument),),
        confidence=level,
        edits=edits,
    )


def _plugin(launch: Launch) -> str:
    image = launch.container.image.lower() if launch.container else ""
    told = image + " " + " ".join(v.name.lower() for v in launch.variables)
    return next(
        (name for name in _PLUGINS if name in told.replace("_", " ").split() or name in image), ""
    )


def _of_other_server(launch: Launch) -> list[Finding]:
    """A line of another server with flags that are vLLM's alone."""
    from doctor.launch.foreign import known_of
    from doctor.launch.tables import ever

    own = known_of(launch.other)
    if not own:
        return []
    found = []
    for index in range(launch.first, len(launch.words)):
        word = launch.words[index]
        name = word.text.partition("=")[0]
        hyphened = "--" + name.lstrip("-").replace("_", "-")
        if name.startswith("--") and hyphened in _VLLM_ALONE and hyphened in ever():
            place = Evidence(_("launch line"), launch.where(index), visible(name))
            found.append(
                problem(
                    _("{flag} is a flag of vLLM", flag=visible(name)),
                    _(
                        "The line starts {server}, which does not have it and stops at it.",
                        server=launch.other,
                    ),
                    evidence=(place,),
                    confidence=Confidence.MEDIUM,
                )
            )
    return found


# Flags of vLLM that none of the other servers has.
_VLLM_ALONE = frozenset(
    {"--enable-reasoning", "--gpu-memory-utilization", "--max-num-seqs", "--swap-space"}
    | {"--max-num-batched-tokens", "--enable-chunked-prefill", "--enable-prefix-caching"}
    | {"--disable-log-requests", "--enable-auto-tool-choice", "--speculative-config"}
    | {"--use-v2-block-manager", "--num-scheduler-steps", "--guided-decoding-backend"}
)


def _variables(launch: Launch) -> list[Finding]:
    """``VLLM_`` variables that are one letter away from a known one."""
    from doctor.launch.edits import Edit
    from doctor.launch.model import Span
    from doctor.launch.tables import variable_life, variable_names
    from doctor.suggest import nearest

    names = variable_names(launch.version.table)
    found = []
    for variable in launch.variables:
        name = variable.name
        if not name.startswith("VLLM_") or name in names or variable_life(name) is not None:
            continue
        near = nearest(name, names, 0.88)
        if near is None:
            continue
        edits: tuple[Edit, ...] = ()
        cut = variable.cut
        if cut is not None and launch.text.count(name, cut.start, cut.end) == 1:
            at = launch.text.index(name, cut.start)
            span = Span(at, at + len(name), near)
            edits = (Edit(name, name, near, _("The nearest name."), spans=(span,)),)
        found.append(
            problem(
                _("vLLM reads no {name}", name=visible(name)),
                _("The nearest name is {near}, likely what is meant.", near=near),
                evidence=(Evidence(_("variable"), launch.place, visible(name)),),
                severity=Severity.WARNING,
                confidence=Confidence.MEDIUM,
                edits=edits,
            )
        )
    return found
