"""The model on a launch line: missing, in the wrong place, or not looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checks.launch._say import seen, vllm
from doctor.checkapi import Evidence, Finding, Severity, _, joined, problem, visible

if TYPE_CHECKING:
    from doctor.launch.edits import Edit
    from doctor.launch.model import Argument, Launch


def is_two_words(launch: Launch, argument: Argument) -> bool:
    from doctor.launch.tables import ever, table

    text = argument.values[0]
    name = "--" + text.partition(" ")[0].lstrip("-").replace("_", "-")
    options = table(launch.version.table).options
    return text.startswith("--") and " " in text and (name in options or name in ever())


def model_findings(launch: Launch) -> list[Finding]:
    from doctor.launch.model import Entry

    if launch.entry in (Entry.DECLARED, Entry.OTHER):
        return []
    if launch.entry is Entry.API_SERVER:
        return _ignored_model(launch)
    positional = launch.model
    named = launch.has("--served-model-name")
    given = launch.has("--model", "--config")
    if positional is None and not given and not launch.open_ended:
        return [_no_model(launch, named)]
    if (
        launch.entry is Entry.SERVE
        and positional is not None
        and named
        and not given
        and launch.first < positional.first
        and launch.words[launch.first].text.startswith("-")
    ):
        return [_late_model(launch, positional)]
    return []


def _no_model(launch: Launch, named: bool) -> Finding:
    if named:
        text = _(
            "With --served-model-name vLLM insists on it and stops: 'model should be provided as"
            " the first positional argument'. Write vllm serve MODEL …"
        )
    else:
        text = _("vLLM then serves its default, a small model. Write vllm serve MODEL …")
    return problem(
        _("The line names no model"),
        text,
        evidence=(Evidence(_("launch line"), launch.place, _shown(launch)),),
        severity=Severity.ERROR if named else Severity.WARNING,
    )


def _shown(launch: Launch) -> str:
    from doctor.launch.hidden import masked

    return visible(masked(launch, " ".join(launch.argv)), 120)


def _late_model(launch: Launch, model: Argument) -> Finding:
    from doctor.launch.edits import Edit

    why = _("With --served-model-name the model must come first.")
    name = model.values[0]
    edits = (
        Edit("model", name, "", why, model.first, model.last),
        Edit("model", "", name, why, launch.first, launch.first - 1, (name,)),
    )
    return problem(
        _("The model does not stand first"),
        _(
            "With --served-model-name vLLM looks for it right behind 'serve', and stops where a"
            " flag stands there."
        ),
        evidence=(seen(launch, model),),
        edits=edits,
    )


def _no_dashes(launch: Launch, word: Argument) -> Finding:
    from doctor.launch.edits import replaced

    why = _("A flag begins with two hyphens.")
    return problem(
        _("{word} lacks its hyphens", word="model"),
        _("vLLM takes the word for a name and stops at the next one. Write --model."),
        evidence=(seen(launch, word),),
        edits=(replaced(word, ("--model",), why),),
    )


def _ignored_model(launch: Launch) -> list[Finding]:
    """api_server takes ``--model``; a path alone was refused up to 0.9 and is passed over since."""
    from doctor.launch.edits import replaced

    stray = [r.argument for r in launch.refusals if r.kind == "stray"]
    given = launch.model or (stray[0] if stray else None)
    if given is not None and not given.known:
        return []  # it may stand for flags, or for nothing
    if given is None:
        if launch.has("--model", "--config") or launch.open_ended:
            return []
        return [_no_model(launch, named=False)]
    if is_two_words(launch, given):
        return []
    refused = launch.model is None
    why = _("api_server takes the model by --model only.")
    edits: tuple[Edit, ...] = ()
    if given.values[0] == "model" and not launch.has("--model"):
        return [_no_dashes(launch, given)]
    if not launch.has("--model"):
        edits = (replaced(given, ("--model", given.values[0]), why),)
    return [
        problem(
            _("api_server does not look at {model}", model=visible(given.values[0], 80)),
            joined(
                _("{vllm} stops at it: 'unrecognized arguments'.", vllm=vllm(launch.version))
                if refused
                else _(
                    "{vllm} passes over it and serves its default model; up to 0.9 vLLM stopped:"
                    " 'unrecognized arguments'.",
                    vllm=vllm(launch.version),
                ),
                _("Write --model {model}, or vllm serve {model}.", model=visible(given.values[0])),
            ),
            evidence=(seen(launch, given),),
            severity=Severity.ERROR if refused else Severity.WARNING,
            edits=edits,
        )
    ]
