"""KVD901."""

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
    from doctor.launch.model import Argument, Launch, Variable
    from doctor.launch.tables import Life


@check(
    code="KVD901",
    slug="flag-removed",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def flag_removed(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A flag or variable of an older vLLM that this version no longer has.

    What it checks: every flag of the launch line, and every `VLLM_` variable set with it, against
    the flags that the version really has; 41 versions from 0.6 to 0.33 are known.

    Why it matters: vLLM stops at the first flag that it does not know ("unrecognized arguments",
    or "ambiguous option" where the old name has become the beginning of others). A variable that
    is gone is passed over with a warning at most, so that what it was set for does not happen.

    How to fix: take it out, or write what took its place; the corrected line does so.

    Fix safety: only the flag that vLLM refuses is changed. Where the new form does not do quite
    the same, the finding says so.

    References: facts/vllm.md §§1.3, 1.4, 1.5; facts/vllm-flags-history.json.
    """
    launch = await launched(f)
    from doctor.launch.speculation import OLD_GROUP

    group = []
    for argument, name, life in _gone(launch):
        if name in OLD_GROUP and not name.startswith("--no-"):
            group.append(argument)
            continue
        yield _removed(launch, argument, name, life)
    if group:
        yield _speculation(launch, group)
    for variables, life in _variables(launch):
        yield _variable(launch, variables, life)


def _gone(launch: Launch) -> list[tuple[Argument, str, Life]]:
    from doctor.launch.behind import covered
    from doctor.launch.tables import life

    behind = covered(launch)
    found = []
    for refusal in launch.refusals:
        if refusal.kind not in ("unknown", "ambiguous") or refusal.argument.first in behind:
            continue
        argument = refusal.argument
        name = "--" + argument.spelled.lstrip("-").replace("_", "-")
        told = life(name, launch.version.table)
        if told is None and name.startswith("--no-"):
            told = life(f"--{name[5:]}", launch.version.table)
            name = f"--{name[5:]}"
        if told is not None and told.gone and not _is_later(told.first, launch):
            found.append((argument, name, told))
    return found


def _is_later(first: str, launch: Launch) -> bool:
    from doctor.launch.tables import number_of

    return (number_of(first) or (0,)) > (number_of(launch.version.table) or (0,))


def _removed(launch: Launch, argument: Argument, name: str, life: Life) -> Finding:
    from doctor.launch.edits import removed, replaced
    from doctor.launch.replacements import replacement
    from doctor.launch.tables import table

    taken = _without_model(launch, argument)
    known = replacement(name, taken, table(launch.version.table))
    why = known.why if known else _("No flag takes its place.")
    words = known.words if known is not None and taken.known else ()
    edit = replaced(taken, words, why) if words else removed(taken, why)
    return problem(
        _("{flag} is gone since vLLM {gone}", flag=written(argument), gone=life.gone or "?"),
        joined(
            _(
                "The last version with it is {last}. {vllm} stops at it.",
                last=life.last or "?",
                vllm=vllm(launch.version),
            ),
            why,
            _("Write {new} instead.", new=visible(" ".join(words))) if words else _("Take it out."),
        ),
        evidence=(seen(launch, taken),),
        confidence=sure(launch.version) if known is None or known.sure else Confidence.MEDIUM,
        edits=(edit,),
    )


def _without_model(launch: Launch, argument: Argument) -> Argument:
    """A flag of old that took no value does not take the model that stands behind it."""
    import dataclasses

    from doctor.launch.tables import last_kind

    name = "--" + argument.spelled.lstrip("-").replace("_", "-")
    kind = last_kind(name)
    if kind in ("switch", "bool") and not argument.joined and argument.values:
        if argument.values[0].lower() in ("true", "false"):
            return argument
        return dataclasses.replace(argument, values=(), last=argument.first)
    if kind.endswith("+") and not argument.joined:
        last = argument.last
        while last + 1 < len(launch.words) and not launch.words[last + 1].text.startswith("-"):
            last += 1
        values = tuple(w.text for w in launch.words[argument.first + 1 : last + 1])
        return dataclasses.replace(argument, values=values, last=last)
    return argument


def _speculation(launch: Launch, group: list[Argument]) -> Finding:
    """The flags of speculative decoding up to 0.8.0 become one JSON value."""
    import json

    from doctor.launch.edits import removed, replaced
    from doctor.launch.speculation import speculation
    from doctor.launch.tables import table

    asked = speculation(launch)
    config = {k: v for k, v in (asked.config or {}).items() if v is not None}
    if config.get("model") == "[ngram]":
        config = {"method": "ngram", **{k: v for k, v in config.items() if k != "model"}}
    text = json.dumps(config)
    why = _("--speculative-config holds all of it since 0.8.3.")
    possible = table(launch.version.table).has("--speculative-config")
    edits = []
    if possible and launch.last("--speculative-config") is None:
        edits.append(replaced(group[0], ("--speculative-config", text), why))
    else:
        edits.append(removed(group[0], why))
    edits += [removed(argument, why) for argument in group[1:]]
    return problem(
        _("The --speculative-… flags are gone since vLLM 0.8.3"),
        joined(
            _("{vllm} stops at them.", vllm=vllm(launch.version)),
            why,
            _("Write --speculative-config '{config}' instead.", config=visible(text)),
        ),
        evidence=tuple(seen(launch, argument) for argument in group),
        confidence=sure(launch.version),
        edits=tuple(edits),
    )


def _variables(launch: Launch) -> list[tuple[list[Variable], Life]]:
    from doctor.launch.tables import variable_life, variable_names

    known = variable_names(launch.version.table)
    found: dict[str, tuple[list[Variable], Life]] = {}
    for variable in launch.variables:
        if variable.name.startswith("VLLM_") and variable.name not in known:
            life = variable_life(variable.name)
            if life is not None and life.gone and not _is_later(life.first, launch):
                found.setdefault(variable.name, ([], life))[0].append(variable)
    return list(found.values())


def _variable(launch: Launch, variables: list[Variable], life: Life) -> Finding:
    from doctor.launch.edits import Edit
    from doctor.launch.replacements import VARIABLES

    variable = variables[-1]
    instead = VARIABLES.get(variable.name, _("Nothing is known to take its place."))
    fatal = launch.on("--fail-on-environ-validation") is True
    told = f"{variable.name}={variable.value}"
    cuts = tuple(one.cut for one in variables if one.cut is not None)
    edits = (Edit(variable.name, told, "", instead, spans=cuts),) if cuts else ()
    return problem(
        _(
            "{name} does nothing since vLLM {gone}",
            name=visible(variable.name),
            gone=life.gone or "?",
        ),
        joined(
            _(
                "The last version that reads it is {last}. {vllm} starts without what it says.",
                last=life.last or "?",
                vllm=vllm(launch.version),
            )
            if not fatal
            else _("--fail-on-environ-validation makes vLLM stop at it."),
            instead,
        ),
        evidence=(Evidence(_("variable"), launch.place, visible(told)),),
        severity=Severity.ERROR if fatal else Severity.WARNING,
        confidence=sure(launch.version),
        edits=edits,
    )
