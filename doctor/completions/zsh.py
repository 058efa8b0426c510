"""The completion script for zsh: a file ``_kvdoctor`` of ``fpath``, or text to be sourced."""

from __future__ import annotations

from collections.abc import Iterator

from .grammar import Command, Grammar, Kind, Option, Value


def script(grammar: Grammar) -> str:
    """The text; its first line is what ``compinit`` looks for."""
    return "\n".join((*_lines(grammar), ""))


def _lines(grammar: Grammar) -> Iterator[str]:
    name = f"_{grammar.program}"
    yield f"#compdef {grammar.program}"
    yield f"# zsh completion for {grammar.program}, written by '{grammar.program} completions zsh'"
    yield ""
    yield "_kvdoctor_output() {"
    yield "  if compset -P '*='; then _files; else compadd -S '' \"$@\"; fi"
    yield "}"
    yield ""
    yield f"{name}() {{"
    yield "  local curcontext=$curcontext state line"
    yield "  typeset -A opt_args"
    yield "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then"
    yield "    local -a commands=("
    for command in grammar.commands:
        yield f"      {_quoted(_described(command.name, command.help))}"
    yield "    )"
    yield "    _describe -t commands command commands"
    yield "    return"
    yield "  fi"
    yield "  local command=check"
    yield "  if [[ $words[2] != -* ]]; then"
    yield "    command=$words[2]"
    yield "    shift words"
    yield "    (( CURRENT-- ))"
    yield "  fi"
    yield "  case $command in"
    for command in grammar.commands:
        yield f"    {command.name})"
        yield from _arguments(command)
        yield "      ;;"
    yield "  esac"
    yield "}"
    yield ""
    yield "# Called as an autoloaded function, or sourced."
    yield f"if [[ $funcstack[1] == {name} ]]; then"
    yield f'  {name} "$@"'
    yield "else"
    yield f"  compdef {name} {grammar.program}"
    yield "fi"


def _arguments(command: Command) -> Iterator[str]:
    specs = [spec for option in command.options for spec in _option(option)]
    for place, operand in enumerate(command.operands, 1):
        place_or_all = "*" if operand.many else str(place) + ":"
        specs.append(f"{place_or_all}:{_colons(operand.value.shown)}:{_action(operand.value)}")
    if not command.operands:
        specs.append("*: :()")
    yield "      _arguments -s \\"
    for spec in specs[:-1]:
        yield f"        {_quoted(spec)} \\"
    yield f"        {_quoted(specs[-1])}"


def _option(option: Option) -> Iterator[str]:
    """One spec for each spelling, which exclude one another unless the option may be repeated."""
    others = "*" if option.repeats else f"({' '.join(option.names)})"
    for name in option.names:
        text = f"[{_bracketed(option.help or option.long)}]"
        if option.value is None:
            yield f"{others}{name}{text}"
        else:
            joined = f"{name}=" if name.startswith("--") else f"{name}+"
            shown = _colons(option.value.shown)
            yield f"{others}{joined}{text}:{shown}:{_action(option.value)}"


def _action(value: Value) -> str:
    if value.kind is Kind.WORDS:
        return f"({' '.join(value.words)})"
    if value.kind is Kind.FILE:
        return "_files"
    if value.kind is Kind.FOLDER:
        return "_files -/"
    if value.kind is Kind.OUTPUT:
        formats = " ".join(f"{word}=" for word in value.words)
        return f"_kvdoctor_output {formats}"
    return "()"


def _described(name: str, text: str) -> str:
    return f"{_colons(name)}:{text}"


def _colons(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _bracketed(text: str) -> str:
    return "".join("\\" + char if char in "\\[]:" else char for char in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
