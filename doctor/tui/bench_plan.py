"""What a benchmark would send, told before it does."""

from __future__ import annotations

from textual.content import Content

from doctor.bench.scenario import Scenario
from doctor.text import Text, _
from doctor.tui.bench_form import Form
from doctor.tui.benching import Whom
from doctor.tui.speech import Speech
from doctor.tui.wrapping import hung

_INDENT = 10


def total(scenario: Scenario) -> Text:
    """The bounds, in one line."""
    return _(
        "up to {requests} requests, about {tokens} tokens at most",
        requests=f"{scenario.most_requests:,}",
        tokens=f"{scenario.most_tokens():,}",
    )


def plan_text(speech: Speech, width: int, whom: Whom, form: Form, asks: bool) -> Content:
    """Whom, how much, what, and the same as a command. ``asks`` says that the server is somebody
    else's."""
    say = speech.line
    told: list[tuple[Text, list[str]]] = [
        (_("target"), [whom.label, whom.url]),
        (_("model"), [form.model or whom.model or _("the only one that is served")]),
    ]
    if form.scenario is not None:
        told += [
            (_("load"), [_loads(form.scenario), total(form.scenario)]),
            (_("prompts"), _prompts(form.scenario)),
            (_("time"), [_time(form.scenario)]),
        ]
    if asks:
        text = _("Not on the own network: you are asked once more before anything is sent.")
        told.append((_("costs"), [text]))
    if form.scenario is not None:
        told.append((_("command"), [form.command(whom.words)]))
    lines: list[Content] = []
    for label, sentences in told:
        lead = Content.styled(say(label), "$accent")
        for one in sentences:
            lines += hung(Content(say(one)), width, _INDENT, lead)
            lead = Content()
    return Content("\n").join(lines)


def _loads(scenario: Scenario) -> Text:
    names = ", ".join(load.name for load in scenario.loads)
    if scenario.sweep:
        return _("{loads} requests at once, until more bring nothing", loads=names)
    if scenario.loads[0].rate is not None:
        return _("{loads} begin, whatever became of the earlier ones", loads=names)
    return _("{loads} requests at once", loads=names)


def _prompts(scenario: Scenario) -> list[str]:
    told: list[str] = [
        _(
            "{prompt} tokens each, answers of {output}",
            prompt=f"{scenario.prompt_tokens:,}",
            output=f"{scenario.output_tokens:,}",
        )
    ]
    if scenario.shared:
        told.append(_("{share} of each prompt is the same in all", share=f"{scenario.shared:.0%}"))
    else:
        told.append(_("words in random order: nothing comes from the prefix cache"))
    return told


def _time(scenario: Scenario) -> Text:
    begin = scenario.seconds * scenario.repeats * len(scenario.loads)
    return _(
        "requests begin for {each} s at most at each load and repeat, {all} s in all",
        each=f"{scenario.seconds:g}",
        all=f"{begin:,.0f}",
    )
