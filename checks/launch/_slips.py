"""What the writing of a launch line does to it: the findings about slips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from doctor.checkapi import Confidence, Evidence, Finding, Text, _, problem, visible

if TYPE_CHECKING:
    from doctor.launch.edits import Edit
    from doctor.launch.model import Launch, Slip

_GUESSED = frozenset({"lost-line-breaks", "backslash-in-yaml", "missing-continuation"})


def slip_finding(launch: Launch, kind: str, slips: list[Slip]) -> Finding:
    from doctor.launch.edits import Edit

    first = slips[0]
    title, text = _told(launch, kind, first)
    spans = tuple(span for slip in slips for span in slip.spans)
    edits: tuple[Edit, ...] = ()
    if kind == "entry-point-doubled":
        edits = _without_entry_point(launch)
    elif spans:
        edits = (Edit("", visible(first.shown), "", title, spans=spans),)
    where = launch.place
    if first.line and "\n" in launch.text:
        where = f"{launch.place}:{first.line}"
    return problem(
        title,
        text,
        evidence=(Evidence(_("launch line"), where, visible(first.shown)),),
        confidence=Confidence.MEDIUM if kind in _GUESSED else Confidence.HIGH,
        edits=edits,
    )


def _told(launch: Launch, kind: str, slip: Slip) -> tuple[Text, Text]:
    shown = visible(slip.shown)
    known = {
        "odd-blank": (
            _("A blank that is none: {char}", char=shown),
            _("The shell takes it for a letter, so that two arguments are one. Write a space."),
        ),
        "carriage-return": (
            _("Windows line ends break the command"),
            _(
                "The backslash is followed by a carriage return instead of the line break, so that"
                " the command ends there. Save the file with Unix line ends."
            ),
        ),
        "blank-after-backslash": (
            _("A blank behind the backslash ends the command"),
            _(
                "Only a backslash at the very end of the line continues it. What follows runs as a"
                " command of its own: 'command not found'. Take the blank away."
            ),
        ),
        "lost-line-breaks": (
            _("Backslashes without their line breaks"),
            _(
                "The line breaks were likely lost in copying. A backslash in front of a blank makes"
                " the blank part of the next argument, which vLLM then does not know. Put the line"
                " breaks back."
            ),
        ),
        "comment-inside": (
            _("A comment ends the command"),
            _("What stands below it is not part of the command. Move the comment above it."),
        ),
        "missing-continuation": (
            _("A line of flags is not part of the command"),
            _(
                "The line above it does not end in a backslash, so that the flags run as a command"
                " of their own. Add the backslash."
            ),
        ),
        "typographic-dash": (
            _("A dash of typography instead of hyphens: {char}", char=shown),
            _("vLLM does not know such a flag. Write two hyphens."),
        ),
        "typographic-quote": (
            _("Typographic quotes: {char}", char=shown),
            _("The shell takes them for letters. Write straight quotes."),
        ),
        "open-quote": (
            _("A quote does not end: {char}", char=shown),
            _("The shell waits for its end and takes all that follows as text."),
        ),
        "backslash-in-yaml": (
            _("A backslash in a string whose lines YAML joins"),
            _(
                "The line break is gone when the string is read, and the backslash makes the blank"
                " behind it part of the next argument. The lines are joined without it: take it"
                " away."
            ),
        ),
        "exec-form-quotes": (
            _("The list is in single quotes"),
            _(
                "Docker reads a list only as JSON, with double quotes; this one is given to a shell"
                " as text, which finds no such command."
            ),
        ),
        "line-in-one-word": (
            _("The whole line is one item of the list"),
            _(
                "Nothing splits an item, so that a program of that whole name is looked for: 'no"
                " such file or directory'. Write each word as an item of its own."
            ),
        ),
        "entry-point-doubled": (
            _("The image starts vLLM by itself"),
            _(
                "Its entry point is the server already, so that {shown} becomes its arguments and"
                " vLLM stops. Give the arguments alone.",
                shown=shown,
            ),
        ),
        "wrong-subcommand": (
            _("There is no '{shown}'", shown=shown),
            _("The command is 'vllm serve MODEL'."),
        ),
        "no-subcommand": (
            _("'vllm' without 'serve'"),
            _("The command is 'vllm serve MODEL'; without 'serve' vLLM prints its usage."),
        ),
        "module-without-m": (
            _("Python is given a module as if it were a file"),
            _("Write python -m vllm.entrypoints.openai.api_server."),
        ),
    }
    return known[kind]


def _without_entry_point(launch: Launch) -> tuple[Edit, ...]:
    from doctor.launch.edits import Edit

    program = launch.first - 2
    if program < 0 or launch.words[program].text.rpartition("/")[2] != "vllm":
        program = launch.first - 1  # IMAGE serve MODEL
        if program < 0 or launch.words[program].text != "serve":
            return ()
    why = _("The image's own entry point is the server.")
    old = " ".join(word.text for word in launch.words[program : launch.first])
    if launch.model is not None and launch.model.first == launch.first:
        model = launch.words[launch.first].text
        words = ("--model", model)
        edit = Edit("serve", f"{old} {model}", " ".join(words), why, program, launch.first, words)
        return (edit,)
    return (Edit("serve", old, "", why, program, launch.first - 1),)
