"""The grammar of the command line as data: what the writers of scripts and the manual read."""

from __future__ import annotations

import argparse
import enum
from collections.abc import Iterable
from typing import Any

from doctor.records import dataclass


class Kind(enum.Enum):
    """What a value is, for a shell that is to complete it."""

    WORDS = "words"
    FILE = "file"
    FOLDER = "folder"
    OUTPUT = "output"
    """``FORMAT=FILE``; the words are the formats."""
    FREE = "free"
    """Nothing that could be offered."""


@dataclass(frozen=True, slots=True)
class Value:
    kind: Kind
    shown: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """``value`` is None for a switch; ``repeats`` where it may stand several times."""

    names: tuple[str, ...]
    help: str
    value: Value | None
    repeats: bool = False

    @property
    def long(self) -> str:
        return self.names[-1]


@dataclass(frozen=True, slots=True)
class Group:
    """Options under one heading; an empty title is that of the command's own."""

    title: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Operand:
    """A word that is no option; ``many`` where any number of them may come."""

    value: Value
    help: str
    many: bool


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    help: str
    description: str
    usage: str
    operands: tuple[Operand, ...]
    groups: tuple[Group, ...]

    @property
    def options(self) -> tuple[Option, ...]:
        return tuple(option for group in self.groups for option in group.options)

    @property
    def offered(self) -> Value | None:
        """What to offer where a word is due that is no option."""
        return self.operands[0].value if self.operands else None


@dataclass(frozen=True, slots=True)
class Grammar:
    program: str
    version: str
    description: str
    epilog: str
    commands: tuple[Command, ...]

    def command(self, name: str) -> Command:
        """By name. Raises ``KeyError``."""
        for command in self.commands:
            if command.name == name:
                return command
        raise KeyError(name)


def grammar() -> Grammar:
    """The grammar of this version."""
    from doctor import __version__
    from doctor.cli import build_parser

    parser = build_parser()
    words = _Words()
    chosen = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    shown = {action.dest: action.help or "" for action in chosen._choices_actions}
    commands = tuple(
        _command(name, shown.get(name, ""), sub, words) for name, sub in chosen.choices.items()
    )
    return Grammar(
        program=parser.prog,
        version=__version__,
        description=parser.description or "",
        epilog=parser.epilog or "",
        commands=commands,
    )


class _Words:
    """The words of a metavar, each list made once."""

    def __init__(self) -> None:
        from doctor import registry
        from doctor.checklists.read import BUILTIN
        from doctor.clients import ids
        from doctor.demo.scenarios import scenarios
        from doctor.language import available

        checks = registry.load().checks
        codes = tuple(sorted(check.code for check in checks))
        slugs = tuple(sorted(check.slug for check in checks))
        areas = tuple(dict.fromkeys(check.area for check in sorted(checks, key=lambda c: c.code)))
        clients = tuple(ids())
        self.known = {
            "CODE": (*codes, *slugs),
            "CODE|AREA": (*areas, *codes),
            "CODE|FIX-ID|TARGET": codes,
            "TARGET": clients,
            "SCENARIO": tuple(scenario.name for scenario in scenarios()),
            "NAME|FILE": BUILTIN,
            "LANG": available(),
            "--client": clients,
        }


_FILES = frozenset(
    {"FILE", "FILE|-", "TEXT|FILE|-", "FILE|-|-- vllm serve …", "BUNDLE", "PATH", "MODEL"}
)
# Of metavars that look like a file's and are none.
_NO_FILES = frozenset({"--field"})


def _value(action: argparse.Action, words: _Words) -> Value:
    shown = action.metavar if isinstance(action.metavar, str) else action.dest
    if action.choices is not None:
        return Value(Kind.WORDS, _plain(shown), tuple(str(choice) for choice in action.choices))
    name = action.option_strings[-1] if action.option_strings else ""
    known = words.known.get(name) or words.known.get(shown)
    if known:
        return Value(Kind.WORDS, shown, known)
    if shown == "FORMAT=FILE":
        from doctor.grammar.options import FORMAT_NAMES

        return Value(Kind.OUTPUT, shown, FORMAT_NAMES)
    if shown == "DIR":
        return Value(Kind.FOLDER, shown)
    if shown in _FILES and name not in _NO_FILES:
        return Value(Kind.FILE, shown)
    return Value(Kind.FREE, shown)


def _plain(shown: str) -> str:
    return shown.upper().replace("_", "-")


def _command(name: str, text: str, parser: argparse.ArgumentParser, words: _Words) -> Command:
    formatter = parser._get_formatter()
    operands = []
    for action in parser._get_positional_actions():
        if action.help != argparse.SUPPRESS:
            many = action.nargs in ("*", "+")
            operands.append(Operand(_value(action, words), _help(formatter, action), many))
    groups = []
    for group in parser._action_groups:
        options = tuple(_options(group._group_actions, formatter, words))
        if options:
            own = group is parser._optionals
            groups.append(Group("" if own else str(group.title), options))
    usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
    return Command(name, text, parser.description or "", usage, tuple(operands), tuple(groups))


def _options(actions: Iterable[argparse.Action], formatter: Any, words: _Words) -> Iterable[Option]:
    for action in actions:
        if not action.option_strings or action.help == argparse.SUPPRESS:
            continue
        yield Option(
            names=tuple(action.option_strings),
            help=_help(formatter, action),
            value=None if action.nargs == 0 else _value(action, words),
            repeats=isinstance(action, argparse._AppendAction),
        )


def _help(formatter: Any, action: argparse.Action) -> str:
    return " ".join(str(formatter._expand_help(action)).split()) if action.help else ""
