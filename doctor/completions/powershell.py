"""The completion script for PowerShell, 5.1 and newer."""

from __future__ import annotations

from collections.abc import Iterator

from .grammar import Command, Grammar, Kind, Value

_TAIL = """\
    $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
    if ($wordToComplete -ne '' -and $words.Count -gt 1) {
        $words = @($words[0..($words.Count - 2)])
    }
    $name = 'check'
    if ($words.Count -gt 1) {
        if ($words[1] -notlike '-*') { $name = $words[1] }
    } elseif ($wordToComplete -notlike '-*') {
        $name = ''
    }
    if ($name -ne '' -and -not $known.ContainsKey($name)) { return }
    $before = $words[-1]
    if ($name -eq '') {
        $offered = $commands
    } elseif ($known[$name].ContainsKey($before)) {
        $offered = $known[$name][$before]
    } elseif ($wordToComplete -like '-*') {
        $options = @($known[$name].Keys | Where-Object { $_ -like '-*' })
        $offered = @($options + $known[$name]['switches'] | Sort-Object)
    } elseif ($words.Count -gt 1) {
        $offered = $known[$name]['']
    } else {
        $offered = $commands
    }
    # Nothing offered: PowerShell itself completes files.
    $offered | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
"""


def script(grammar: Grammar) -> str:
    """The text, for ``| Out-String | Invoke-Expression`` in a profile."""
    program = grammar.program
    return "\n".join((*_lines(grammar, program), _TAIL))


def _lines(grammar: Grammar, program: str) -> Iterator[str]:
    yield f"# PowerShell completion for {program}, written by '{program} completions powershell'"
    yield f"Register-ArgumentCompleter -Native -CommandName {program} -ScriptBlock {{"
    yield "    param($wordToComplete, $commandAst, $cursorPosition)"
    yield f"    $commands = {_array([command.name for command in grammar.commands])}"
    yield "    $known = @{"
    for command in grammar.commands:
        yield f"        {_quoted(command.name)} = @{{"
        yield from (f"            {entry}" for entry in _entries(command))
        yield "        }"
    yield "    }"


def _entries(command: Command) -> Iterator[str]:
    """Option → its values; a switch has no entry of its own among those that take one, so that
    what follows it is a word like any other."""
    switches = [n for o in command.options if o.value is None for n in o.names]
    yield f"'' = {_array(_words(command.offered))}"
    for option in command.options:
        if option.value is not None:
            for name in option.names:
                yield f"{_quoted(name)} = {_array(_words(option.value))}"
    yield f"'switches' = {_array(switches)}"


def _words(value: Value | None) -> list[str]:
    if value is None or value.kind in (Kind.FILE, Kind.FOLDER, Kind.FREE):
        return []
    if value.kind is Kind.OUTPUT:
        return [f"{word}=" for word in value.words]
    return list(value.words)


def _array(words: list[str]) -> str:
    return f"@({', '.join(map(_quoted, words))})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
