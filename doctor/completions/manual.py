"""The manual page, in the ``man`` macros that groff and mandoc read."""

from __future__ import annotations

from collections.abc import Iterator

from .grammar import Command, Grammar, Option

_EXIT = (
    ("0", "Nothing at or above --fail-on."),
    ("1", "Findings."),
    ("2", "Usage or configuration."),
    ("3", "Nothing to examine."),
    ("4", "Internal error."),
    ("130", "Interrupted."),
)
_ENVIRONMENT = (
    ("OPENAI_*, ANTHROPIC_*, TAOTOKEN_API_KEY, …", "Settings of clients, as those read them."),
    ("KVDOCTOR_PLUGINS", "0 loads no plugin; names separated by commas load these alone."),
    ("KVDOCTOR_CLINIC", "The folder of the clinic's cases, in place of the one of this user."),
    ("NO_COLOR", "No colour, and text in place of the app."),
    ("LC_ALL, LC_MESSAGES, LANG", "The language, where --lang does not say it."),
)
_FILES = (
    ("kvdoctor.toml", "Targets, checklists and what is ignored, in the working folder or above."),
    (".env", "Variables, with the rules of the program that reads them (--env-reader)."),
)


def page(grammar: Grammar) -> str:
    """``kvdoctor(1)``. It holds no date: the same version gives the same page."""
    return "\n".join((*_lines(grammar), ""))


def _lines(grammar: Grammar) -> Iterator[str]:
    program = grammar.program
    yield f'.TH {program.upper()} 1 "" "{program} {grammar.version}" "User Commands"'
    yield ".SH NAME"
    yield _text(f"{program} - {_lowered(grammar.description)}")
    yield ".SH SYNOPSIS"
    yield f".B {program}"
    yield _text("[COMMAND] [options]")
    yield ".SH DESCRIPTION"
    yield _text(grammar.description)
    yield ".PP"
    yield _text(grammar.epilog)
    yield ".SH COMMANDS"
    for command in grammar.commands:
        yield from _command(command)
    yield ".SH EXIT STATUS"
    yield from _table(_EXIT)
    yield ".SH ENVIRONMENT"
    yield from _table(_ENVIRONMENT)
    yield ".SH FILES"
    yield from _table(_FILES)


def _command(command: Command) -> Iterator[str]:
    yield f'.SS "{_inline(command.name)}"'
    yield _text(command.description)
    yield ".PP"
    yield f".B {_inline(command.usage)}"
    for operand in command.operands:
        if operand.help:
            yield from _entry(f"\\fI{_inline(operand.value.shown)}\\fR", operand.help)
    for group in command.groups:
        if group.title:
            yield ".PP"
            yield _text(group.title[0].upper() + group.title[1:] + ":")
        for option in group.options:
            yield from _entry(_spelled(option), _told(option))


def _spelled(option: Option) -> str:
    names = ", ".join(f"\\fB{_inline(name)}\\fR" for name in option.names)
    return names if option.value is None else f"{names} \\fI{_inline(option.value.shown)}\\fR"


def _told(option: Option) -> str:
    words = option.value.words if option.value and option.value.shown == _metavar(option) else ()
    choices = f"One of {', '.join(words)}." if words else ""
    return " ".join(filter(None, (option.help, choices)))


def _metavar(option: Option) -> str:
    """What argparse shows for an option that has choices and no name for them."""
    return option.long.lstrip("-").upper()


def _table(rows: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for name, text in rows:
        yield from _entry(f"\\fB{_inline(name)}\\fR", text)


def _entry(head: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield head
    yield _text(text) if text else "\\&"


def _text(text: str) -> str:
    """A paragraph: no line of it may begin with a control character."""
    escaped = _inline(text)
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


def _inline(text: str) -> str:
    out = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("'", "\\(aq")
    return "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in out)


def _lowered(text: str) -> str:
    return (text[0].lower() + text[1:]).rstrip(".")
