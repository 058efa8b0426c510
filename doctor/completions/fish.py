"""The completion script for fish, 3.0 and newer."""

from __future__ import annotations

from collections.abc import Iterator

from .grammar import Command, Grammar, Kind, Option, Value


def script(grammar: Grammar) -> str:
    """The text to be sourced, or a file ``kvdoctor.fish`` of a completions folder."""
    return "\n".join((*_lines(grammar), ""))


def _lines(grammar: Grammar) -> Iterator[str]:
    program = grammar.program
    yield f"# fish completion for {program}, written by '{program} completions fish'"
    yield ""
    yield f"function __{program}_in"
    yield "    set -l words (commandline -opc)"
    yield "    set -l command check"
    yield "    if set -q words[2]; and not string match -q -- '-*' $words[2]"
    yield "        set command $words[2]"
    yield "    else if not set -q words[2]; and not string match -q -- '-*' (commandline -ct)"
    yield "        set command ''"
    yield "    end"
    yield '    test "$command" = "$argv[1]"'
    yield "end"
    yield ""
    yield f"complete -c {program} -f"
    for command in grammar.commands:
        yield (
            f"complete -c {program} -n \"__{program}_in ''\" "
            f"-a {command.name} -d {_quoted(command.help)}"
        )
    for command in grammar.commands:
        yield ""
        yield from _command(program, command)


def _command(program: str, command: Command) -> Iterator[str]:
    start = f'complete -c {program} -n "__{program}_in {command.name}"'
    for option in command.options:
        yield f"{start} {_option(option)}"
    if command.offered is not None and command.offered.kind is not Kind.FREE:
        yield f"{start} {_value(command.offered, option=False)}"


def _option(option: Option) -> str:
    parts = [
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    ]
    if option.value is not None:
        parts.append(_value(option.value, option=True))
    if option.help:
        parts.append(f"-d {_quoted(option.help)}")
    return " ".join(parts)


def _value(value: Value, option: bool) -> str:
    if value.kind is Kind.FILE:
        return "-r -F" if option else "-F"
    if value.kind is Kind.FOLDER:
        words = "(__fish_complete_directories)"
    elif value.kind is Kind.OUTPUT:
        words = " ".join(f"{word}=" for word in value.words)
    else:
        words = " ".join(value.words)
    need = "-x " if option else ""
    return f"{need}-a {_quoted(words)}" if words else need.strip()


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
