"""KVD919."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from checks.launch._say import seen, sure, vllm, written
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
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
    from doctor.launch.model import Argument, Launch, Refusal

# Smallest value → flags. gpu-memory-utilization is KVD802's, num_speculative_tokens KVD906's.
_POSITIVE = (
    *("--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size"),
    *("--max-num-seqs", "--max-num-batched-tokens", "--block-size"),
)
_PARSERS = {"--tool-call-parser": "tool", "--reasoning-parser": "reasoning"}
# Quantizations that only builds for other hardware have (vllm-ascend, vllm-gaudi, vllm-neuron).
_OF_OTHERS = frozenset({"ascend", "inc", "neuron_quant", "rbln", "spyre"})
_PLUGINS = {"tool": "--tool-parser-plugin", "reasoning": "--reasoning-parser-plugin"}


@check(
    code="KVD919",
    slug="flag-value-invalid",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def flag_value_invalid(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A value that the flag does not take.

    What it checks: each value by the converter and the choices that this version has for its
    flag (integers, 32k and 32K, JSON, names), values behind switches that take none, values that
    are missing, sizes below 1, and names of parsers and quantization methods where the version's
    own are known.

    Why it matters: argparse stops with status 2 ("invalid choice", "ignored explicit argument",
    "expected one argument"); what only the configuration refuses stops vLLM a little later.

    How to fix: write the value that is proposed. A switch is turned off by `--no-` in front of its
    name, not by False behind it.

    Fix safety: the proposed value is the one that is meant or nearest; names are likenesses.

    References: facts/vllm.md §§1.2, 1.3, 5.2.
    """
    launch = await launched(f)
    if launch.other:
        return
    from doctor.launch import behind, unquoted

    inside = unquoted.covered(launch) | behind.covered(launch)
    for refusal in launch.refusals:
        if refusal.argument.first in inside:
            continue
        if refusal.kind in ("value", "choice"):
            yield _value(launch, refusal)
        elif refusal.kind == "key":
            yield _key(launch, refusal)
        elif refusal.kind == "explicit":
            yield _switch(launch, refusal)
        elif refusal.kind == "missing":
            yield _missing(launch, refusal)
    for finding in (*_small(launch), *_named(launch), *_pairs(launch)):
        yield finding


def _value(launch: Launch, refusal: Refusal) -> Finding:
    from doctor.launch.meant import meant_value

    argument, value = refusal.argument, refusal.names[0]
    meant = meant_value(launch, argument, value)
    edits: tuple[Edit, ...] = ()
    if meant is not None:
        edits = (_with_value(argument, value, meant, _("The value that is likely meant.")),)
        new: str = _("Write {value}.", value=visible(meant))
    else:
        new = ""
    return problem(
        _("{flag} does not take {value}", flag=written(argument), value=visible(value, 80)),
        joined(
            _("{vllm} stops: {said}.", vllm=vllm(launch.version), said=visible(refusal.said, 400)),
            new,
        ),
        evidence=(seen(launch, argument),),
        confidence=sure(launch.version),
        edits=edits,
    )


def _key(launch: Launch, refusal: Refusal) -> Finding:
    """A key of JSON that the flag does not have."""
    from doctor.launch.edits import replaced
    from doctor.launch.tables import table
    from doctor.suggest import nearest

    argument, key = refusal.argument, refusal.names[0]
    flag = table(launch.version.table).flags.get(argument.flag or "")
    near = nearest(key, flag.keys, 0.75) if flag is not None else None
    edits: tuple[Edit, ...] = ()
    if near is not None and argument.path:
        rest = argument.path[len(key) :]
        name = argument.spelled.partition(".")[0]
        word = f"{name}.{near}{rest}"
        words = (f"{word}={argument.values[0]}",) if argument.joined else (word, *argument.values)
        edits = (replaced(argument, words, _("The nearest key.")),)
    elif near is not None and argument.values[-1].count(f'"{key}"') == 1:
        value = argument.values[-1]
        new = value.replace(f'"{key}"', f'"{near}"')
        edits = (_with_value(argument, value, new, _("The nearest key.")),)
    return problem(
        _("{flag} has no key {key}", flag=visible(argument.flag or ""), key=visible(key, 80)),
        joined(
            _("{vllm} stops: {said}.", vllm=vllm(launch.version), said=visible(refusal.said, 200)),
            _("The nearest is {near}.", near=near) if near is not None else "",
        ),
        evidence=(seen(launch, argument),),
        confidence=sure(launch.version),
        edits=edits,
    )


def _with_value(argument: Argument, old: str, new: str, why: str) -> Edit:
    from doctor.launch.edits import replaced

    if argument.joined:
        return replaced(argument, (f"{argument.spelled}={new}",), why)
    values = [new if value == old else value for value in argument.values]
    return replaced(argument, (argument.spelled, *values), why)


def _switch(launch: Launch, refusal: Refusal) -> Finding:
    """``--enable-prefix-caching False``."""
    from doctor.launch.edits import removed, replaced
    from doctor.launch.tables import table

    argument, value = refusal.argument, refusal.names[0]
    flag = table(launch.version.table).flags.get(argument.flag or "")
    off = value.lower() in ("false", "0", "no", "off")
    wanted_on = off == argument.negated
    positive = flag.name if flag is not None else argument.spelled
    if wanted_on:
        edit = replaced(argument, (positive,), _("The switch alone turns it on."))
        new = _("Write {flag} alone.", flag=positive)
    elif flag is not None and flag.kind == "bool":
        negative = f"--no-{positive[2:]}"
        edit = replaced(argument, (negative,), _("The switch is turned off by --no-."))
        new = _("Write {flag}.", flag=negative)
    else:
        edit = removed(argument, _("Without the switch it is off."))
        new = _("Leave it out: without it, it is off.")
    return problem(
        _("{flag} takes no value", flag=written(argument)),
        joined(_("{vllm} stops at {value}.", vllm=vllm(launch.version), value=visible(value)), new),
        evidence=(seen(launch, argument),),
        confidence=sure(launch.version),
        edits=(edit,),
    )


def _missing(launch: Launch, refusal: Refusal) -> Finding:
    argument = refusal.argument
    after = argument.last + 1
    what = _("nothing stands behind it")
    if after < len(launch.words):
        what = _("{word} behind it is a flag", word=visible(launch.words[after].text, 60))
    return problem(
        _("{flag} lacks its value", flag=written(argument)),
        _(
            "{what}, so {vllm} stops: expected an argument. Write {flag} VALUE.",
            what=what,
            vllm=vllm(launch.version),
            flag=written(argument),
        ),
        evidence=(seen(launch, argument),),
    )


def _small(launch: Launch) -> list[Finding]:
    found = []
    for flag in _POSITIVE:
        argument, number = launch.last(flag), launch.number(flag)
        if argument is None or number is None or number >= 1:
            continue
        found.append(
            problem(
                _("{flag} is {number}", flag=written(argument), number=number),
                _("It must be at least 1, and vLLM stops."),
                evidence=(seen(launch, argument),),
            )
        )
    length = launch.number("--max-model-len")
    argument = launch.last("--max-model-len")
    if argument is not None and length is not None and (length == 0 or length < -1):
        found.append(
            problem(
                _("--max-model-len is {number}", number=length),
                _("It must be at least 1, or -1 for what fits, and vLLM stops."),
                evidence=(seen(launch, argument),),
            )
        )
    port, argument = launch.number("--port"), launch.last("--port")
    if argument is not None and port is not None and not 0 <= port <= 65535:
        found.append(
            problem(
                _("There is no port {port}", port=port),
                _("Ports go from 1 to 65535, and vLLM stops when it binds it."),
                evidence=(seen(launch, argument),),
            )
        )
    return found


def _named(launch: Launch) -> list[Finding]:
    """Names that are looked up only after the parser is done."""
    from doctor.launch.parsers import names
    from doctor.suggest import nearest

    found = []
    for flag, kind in (*_PARSERS.items(), ("--quantization", "quantization")):
        argument, value = launch.last(flag), launch.value(flag)
        known = names(kind, launch.version.table)
        if argument is None or not value or value == "None" or known is None or value in known:
            continue
        if launch.has(_PLUGINS.get(kind, "")) or launch.version.newer or value in _OF_OTHERS:
            continue
        near = nearest(value, known, 0.75)
        edits: tuple[Edit, ...] = ()
        if near is not None:
            edits = (_with_value(argument, value, near, _("The nearest name.")),)
        found.append(
            problem(
                _("{flag} {value} is not known", flag=flag, value=visible(value, 80)),
                joined(
                    _("{vllm} has no such name and stops.", vllm=vllm(launch.version)),
                    _("The nearest is {near}.", near=near)
                    if near
                    else _("It has: {names}.", names=", ".join(sorted(known)[:40])),
                ),
                evidence=(seen(launch, argument),),
                confidence=Confidence.MEDIUM if launch.version.assumed else Confidence.HIGH,
                edits=edits,
            )
        )
    return found


def _pairs(launch: Launch) -> list[Finding]:
    """Flags that need or exclude one another (validate_parsed_serve_args@0.32.0)."""
    found = []
    outputs = launch.last("--enable-log-outputs")
    if (
        outputs is not None
        and launch.on("--enable-log-outputs")
        and not launch.on("--enable-log-requests")
        and not launch.open_ended
    ):
        from doctor.launch.edits import Edit

        at = outputs.last + 1
        words = ("--enable-log-requests",)
        why = _("Outputs are logged with their requests only.")
        found.append(
            problem(
                _("--enable-log-outputs needs --enable-log-requests"),
                _("vLLM stops. Add --enable-log-requests."),
                evidence=(seen(launch, outputs),),
                edits=(Edit(words[0], "", words[0], why, at, at - 1, words),),
            )
        )
    return found
