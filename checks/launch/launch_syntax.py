"""KVD916."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from checks.launch._models import is_two_words, model_findings
from checks.launch._say import seen, vllm
from checks.launch._slips import slip_finding
from doctor.checkapi import (
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
    from doctor.launch.model import Argument, Launch


@check(
    code="KVD916",
    slug="launch-syntax",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def launch_syntax(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The line is not read as it was meant: by the shell, the container or vLLM's entry point.

    What it checks: continued lines that a blank, a comment or a Windows line end breaks; line
    breaks lost in copying; typographic quotes and dashes, odd blanks; JSON without quotes around
    it; a flag and its value in one item of a list; `vllm` without `serve`; an image's own entry
    point given again; a missing or second model; a model that `api_server` does not look at.

    Why it matters: what stands behind the break never reaches vLLM, or reaches it as a word with
    a blank in front. A model that is not looked at is worse: vLLM serves its default instead.

    How to fix: take the corrected line that `kvdoctor launch` prints; an image's own entry point
    is best left alone.

    Fix safety: quotes, blanks and breaks only; a comment inside the command is moved above it.

    References: facts/vllm.md §§1.2, 5.2 row 28; vllm/utils/argparse_utils.py@0.32.0.
    """
    launch = await launched(f)
    for kind in dict.fromkeys(slip.kind for slip in launch.slips):
        yield slip_finding(launch, kind, [slip for slip in launch.slips if slip.kind == kind])
    if launch.other:
        return
    for finding in (
        *_behind_image(launch),
        *_two_words(launch),
        *_unquoted(launch),
        *_config(launch),
        *model_findings(launch),
        *_strays(launch),
    ):
        yield finding


# ------------------------------------------------------------------ arguments


def _is_bare(argument: Argument) -> bool:
    return argument.values[0] == "model"


def _whole(launch: Launch) -> list[Argument]:
    """What stands in the place of a model or nowhere."""
    strays = [r.argument for r in launch.refusals if r.kind == "stray"]
    return [*([launch.model] if launch.model is not None else []), *strays]


def _two_words(launch: Launch) -> list[Finding]:
    from doctor.launch.edits import replaced

    found = []
    for argument in _whole(launch):
        if not is_two_words(launch, argument):
            continue
        name, value = (
            argument.values[0].split(None, 1)
            if argument.values[0].split(None, 1)[1:]
            else (argument.values[0].strip(), "")
        )
        words = (name, value.strip().strip("\"'")) if value else (name,)
        why = _("A flag and its value are two arguments.")
        found.append(
            problem(
                _("{text} is one argument instead of two", text=visible(argument.values[0], 80)),
                _(
                    "vLLM takes a word with a blank in it for a value, not for a flag, and stops."
                    " Write {name} and {value} as two items.",
                    name=visible(name),
                    value=visible(value),
                ),
                evidence=(seen(launch, argument),),
                edits=(replaced(argument, words, why),),
            )
        )
    return found


def _behind_image(launch: Launch) -> list[Finding]:
    from doctor.launch.behind import behind_image
    from doctor.launch.edits import Edit

    found = []
    for first, last in behind_image(launch):
        words = tuple(word.text for word in launch.words[first : last + 1])
        told = visible(" ".join(words), 80)
        why = _("Options of the container stand in front of the image.")
        image = launch.first - 1
        found.append(
            problem(
                _("{option} stands behind the image", option=told),
                _(
                    "What stands there is given to vLLM, which does not know it. Options of docker"
                    " run go in front of the image's name."
                ),
                evidence=(Evidence(_("launch line"), launch.where(first), told),),
                edits=(
                    Edit(words[0], told, "", why, first, last),
                    Edit(words[0], "", told, why, image, image - 1, words),
                ),
            )
        )
    return found


def _unquoted(launch: Launch) -> list[Finding]:
    from doctor.launch.edits import Edit
    from doctor.launch.unquoted import unquoted

    found = []
    for one in unquoted(launch):
        why = _("Single quotes keep JSON together.")
        edit = Edit(one.argument.spelled, one.written, f"'{one.written}'", why, spans=one.spans)
        found.append(
            problem(
                _("The JSON of {flag} is not quoted", flag=visible(one.argument.spelled)),
                _(
                    "The shell takes its double quotes away and parts it at blanks, so that vLLM"
                    " gets no JSON and stops. Put it into single quotes."
                ),
                evidence=(seen(launch, one.argument),),
                edits=(edit,),
            )
        )
    return found


def _config(launch: Launch) -> list[Finding]:
    """Only a ``--config`` that stands alone is looked for, with the file behind it."""
    from doctor.launch.edits import replaced

    argument = launch.last("--config")
    if argument is None or not argument.joined or not argument.values[0]:
        return []
    why = _("vLLM looks for --config as a word of its own.")
    return [
        problem(
            _("The file of {flag} is not read", flag=visible(argument.spelled + "=")),
            joined(why, _("Written with = it is passed over. Put a blank between them.")),
            evidence=(seen(launch, argument),),
            severity=Severity.WARNING,
            edits=(replaced(argument, ("--config", argument.values[0]), why),),
        )
    ]


def _strays(launch: Launch) -> list[Finding]:
    from doctor.launch import behind, unquoted
    from doctor.launch.edits import removed
    from doctor.launch.model import Entry

    inside = unquoted.covered(launch) | behind.covered(launch)
    found = []
    for refusal in launch.refusals:
        argument = refusal.argument
        if refusal.kind != "stray" or argument.first in inside or is_two_words(launch, argument):
            continue
        if launch.entry is Entry.API_SERVER and launch.model is None:
            continue  # told above
        if launch.entry is Entry.API_SERVER and launch.model is not None and _is_bare(launch.model):
            continue  # the value of a --model without its hyphens
        if any(one.spelled == "--omni" for one in launch.arguments):
            continue  # likely the value of a flag of vLLM-Omni
        word = argument.values[0]
        why = _("No flag takes it.")
        found.append(
            problem(
                _("{word} belongs to no flag", word=visible(word, 80)),
                joined(
                    _("{vllm} stops: 'unrecognized arguments'.", vllm=vllm(launch.version)),
                    _(
                        "The model is {model} already.",
                        model=visible(launch.model.values[0], 80),
                    )
                    if launch.model is not None and word
                    else "",
                ),
                evidence=(seen(launch, argument),),
                edits=(removed(argument, why, visible(word, 80)),),
            )
        )
    return found
