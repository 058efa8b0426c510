"""The completion script for bash, 3.2 and newer, with or without the package bash-completion."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from .grammar import Command, Grammar, Kind, Value

# bash takes "--format=json" as three words; "--out json=F" as well.
_HEAD = """\
# bash completion for {program}, written by '{program} completions bash'

_{program}_files() {{
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=( $(compgen "$1" -- "$2") )
}}

_{program}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local command=check option= i
    COMPREPLY=()
    for (( i = 1; i < COMP_CWORD; i++ )); do
        [[ ${{COMP_WORDS[i]}} == -- ]] && {{ _{program}_files -f "$current"; return; }}
    done
    if (( COMP_CWORD > 1 )); then
        [[ ${{COMP_WORDS[1]}} == -* ]] || command=${{COMP_WORDS[1]}}
    elif [[ $current != -* ]]; then
        COMPREPLY=( $(compgen -W {commands} -- "$current") )
        return
    fi
    option=$before
    if [[ $current == = || $before == = ]]; then
        local at=$(( COMP_CWORD - 1 ))
        if [[ $current == = ]]; then current=; else at=$(( COMP_CWORD - 2 )); fi
        option=${{COMP_WORDS[at]}}
        [[ $option != -* && ${{COMP_WORDS[at-1]}} == --out ]] && {{
            _{program}_files -f "$current"; return; }}
    fi
    case "$command $option" in
"""


def script(grammar: Grammar) -> str:
    """The text to be sourced."""
    commands = shlex.quote(" ".join(command.name for command in grammar.commands))
    head = _HEAD.format(program=grammar.program, commands=commands)
    return head + "\n".join((*_cases(grammar), "}", f"complete -F _{grammar.program} kvdoctor", ""))


def _cases(grammar: Grammar) -> Iterator[str]:
    for action, places in _values(grammar).items():
        yield f"        {'|'.join(map(shlex.quote, places))})"
        yield f"            {action}"
        yield "            return ;;"
    yield "    esac"
    yield "    case $command in"
    for command in grammar.commands:
        yield f"        {command.name})"
        yield "            if [[ $current == -* ]]; then"
        yield f"                {_words(_names(command))}"
        action = _action(command.offered, grammar.program)
        if action != ":":
            yield "            else"
            yield f"                {action}"
        yield "            fi ;;"
    yield "    esac"


def _values(grammar: Grammar) -> dict[str, list[str]]:
    """What to do → the places, as "command --option"; many share one list."""
    found: dict[str, list[str]] = {}
    for command in grammar.commands:
        for option in command.options:
            if option.value is not None:
                places = found.setdefault(_action(option.value, grammar.program), [])
                places.extend(f"{command.name} {name}" for name in option.names)
    return found


def _names(command: Command) -> tuple[str, ...]:
    return tuple(name for option in command.options for name in option.names)


def _action(value: Value | None, program: str) -> str:
    kind = Kind.FREE if value is None else value.kind
    if value is None or kind is Kind.FREE:
        return ":"
    if kind is Kind.FILE:
        return f'_{program}_files -f "$current"'
    if kind is Kind.FOLDER:
        return f'_{program}_files -d "$current"'
    if kind is Kind.OUTPUT:
        formats = tuple(f"{word}=" for word in value.words)
        return f"compopt -o nospace 2>/dev/null; {_words(formats)}"
    return _words(value.words)


def _words(words: tuple[str, ...]) -> str:
    return f'COMPREPLY=( $(compgen -W {shlex.quote(" ".join(words))} -- "$current") )'
