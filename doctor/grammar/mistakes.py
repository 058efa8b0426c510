"""What is wrong with the words of a command line, as a reader is told it.

argparse finds most of it and says it in English, a little differently in each Python: its
sentences are read here for their parts. One that is not known is passed on as it is.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence

from doctor.patterns import Pattern
from doctor.suggest import nearest
from doctor.text import Text, _, listed, stacked
from doctor.untrusted import visible

_MISSING = Pattern(r"the following arguments are required: (.+)", re.DOTALL)
_ONE_OF = Pattern(r"one of the arguments (.+) is required", re.DOTALL)
_EXCLUDED = Pattern(r"not allowed with argument (.+)", re.DOTALL)
_NO_VALUE = Pattern(r"ignored explicit argument (.+)", re.DOTALL)
_NO_CHOICE = Pattern(
    r"invalid choice: (.+?)(?:, maybe you meant .+\?)? \(choose from .*\)", re.DOTALL
)
# What other programs call the option that would hold a key.
_KEYS = frozenset(
    {"key", "apikey", "k", "token", "authtoken", "accesstoken", "bearer", "openaiapikey", "secret"}
)


def of_argument(parser: argparse.ArgumentParser, error: argparse.ArgumentError) -> Text:
    """What argparse says of one argument, or of those that are missing."""
    message = error.message
    if error.argument_name is None:
        return of_all(message)
    name = visible(error.argument_name.rpartition("/")[2])
    if isinstance(message, Text):
        return _("{option}: {what}", option=name, what=message)
    action = _action(parser, error.argument_name)
    if found := _NO_CHOICE.fullmatch(message):
        return _no_choice(name, _literal(found[1]), action)
    if found := _EXCLUDED.fullmatch(message):
        return _("{option} and {other} exclude each other: give one", option=name, other=found[1])
    if found := _NO_VALUE.fullmatch(message):
        value = _literal(found[1])
        return _("{option} takes no value; {value} was given", option=name, value=value)
    if message.startswith("expected ") and action is not None:
        return _("{option} needs a value: {kind}", option=name, kind=_kind(action))
    return Text(f"{name}: {{message}}", message=message)


def of_all(message: str) -> Text:
    """What argparse says of no argument in particular."""
    if found := _MISSING.fullmatch(message):
        return _("{what} is missing", what=visible(found[1]))
    if found := _ONE_OF.fullmatch(message):
        return _("one of these is missing: {options}", options=listed(found[1].split()))
    return message if isinstance(message, Text) else Text("{message}", message=message)


def of_unknown(parser: argparse.ArgumentParser, words: Sequence[str]) -> Text:
    """The words that ``parser`` has no place for, a line for each option among them.

    The values behind unknown options are not told of as well.
    """
    options = [word.partition("=")[0] for word in words if word[:1] == "-" and len(word) > 1]
    if options:
        known = tuple(_names(parser._actions))
        return stacked(_unknown(visible(name), known) for name in dict.fromkeys(options))
    return _("not expected here: {words}", words=listed(visible(word) for word in words))


def _unknown(name: str, known: Sequence[str]) -> Text:
    plain = name.lstrip("-").lower().replace("_", "-")
    if plain.replace("-", "") in _KEYS and "--key-env" in known:
        return _(
            "{option}: a key on the command line can be read by others; "
            "use --key-env NAME, --key-file FILE or --key-stdin",
            option=name,
        )
    by_word = {option.lstrip("-"): option for option in known if option.startswith("--")}
    begun = [word for word in by_word if len(plain) > 1 and word.startswith(plain)]
    near = begun[0] if len(begun) == 1 else nearest(plain, by_word)
    if near is None:
        return _("{option}: unknown", option=name)
    return _("{option}: unknown; did you mean {near}?", option=name, near=by_word[near])


def _no_choice(name: str, value: str, action: argparse.Action | None) -> Text:
    choices = tuple(str(choice) for choice in (action and action.choices) or ())
    if isinstance(action, argparse._SubParsersAction):
        return _no_command(value, choices)
    near = nearest(value, choices)
    known = listed(choices)
    if near is None:
        return _(
            "{option}: {value} is unknown; known: {known}", option=name, value=value, known=known
        )
    return _(
        "{option}: {value} is unknown; did you mean {near}? Known: {known}",
        option=name,
        value=value,
        near=near,
        known=known,
    )


def _no_command(word: str, commands: Sequence[str]) -> Text:
    from doctor.clients import ids
    from doctor.misplaced import is_url

    known = listed(commands)
    if is_url(word) or word in ids():
        return _(
            "{word}: no command, but a target: kvdoctor check {word}. Commands: {known}",
            word=word,
            known=known,
        )
    near = nearest(word, commands)
    if near is None:
        return _("{word}: no such command. Commands: {known}", word=word, known=known)
    return _(
        "{word}: no such command; did you mean {near}? Commands: {known}",
        word=word,
        near=near,
        known=known,
    )


def _action(parser: argparse.ArgumentParser, name: str) -> argparse.Action | None:
    """The one that argparse calls ``name``: its options, its metavar or its destination."""
    for action in parser._actions:
        if name in ("/".join(action.option_strings), action.metavar, action.dest):
            return action
    return None


def _kind(action: argparse.Action) -> str:
    if action.metavar is None and action.choices:
        return listed(str(choice) for choice in action.choices)
    return action.metavar if isinstance(action.metavar, str) else action.dest.upper()


def _names(actions: Iterable[argparse.Action]) -> Iterator[str]:
    for action in actions:
        if action.help != argparse.SUPPRESS:
            yield from action.option_strings


def _literal(shown: str) -> str:
    """A value that argparse shows as Python spells it."""
    with contextlib.suppress(ValueError, SyntaxError):
        return visible(str(ast.literal_eval(shown)))
    return visible(shown)
