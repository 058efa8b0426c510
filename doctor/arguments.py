"""argparse, less its habit of repeating what was typed: it may be a key; and in two languages."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from doctor import exitcodes
from doctor.text import Text, Translator, _

# What argparse itself says on a page of help.
_OWN = (
    _("usage: "),
    _("options"),
    _("positional arguments"),
    _("show this help message and exit"),
    _("show program's version number and exit"),
)


class Parser(argparse.ArgumentParser):
    """Complains without the words that look like a key, and speaks the reader's language."""

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("formatter_class", Formatter)
        # By itself it would make one English sentence of an error that has its parts.
        options.setdefault("exit_on_error", False)
        super().__init__(*args, **options)

    def error(self, message: str) -> NoReturn:
        """Say it, and where more is told; exit code 2."""
        from doctor.grammar.mistakes import of_all

        lines = "".join(f"{self.prog}: {line}\n" for line in told(of_all(message)).split("\n"))
        more = told(_("More: {command} --help", command=self.prog))
        self.exit(exitcodes.USAGE, f"{lines}{more}\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            from doctor.grammar.mistakes import of_unknown

            reader = _last or self
            reader.error(of_unknown(reader, unknown))
        return options

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        global _wanted, _last
        _last = self
        # A page of help is printed before all arguments are read.
        _wanted = _language(args or ())
        try:
            return super().parse_known_args(args, namespace)
        except argparse.ArgumentError as error:
            from doctor.grammar.mistakes import of_argument

            self.error(of_argument(self, error))

    def format_help(self) -> str:
        from doctor.language import chosen

        _reader.append(Translator(chosen(_wanted)))
        try:
            return super().format_help()
        finally:
            _reader.pop()


_wanted: str | None = None

# Who began to read arguments last: the parser of the command, where there is one.
_last: Parser | None = None

# Who reads the page that is being made: argparse makes its formatters itself.
_reader: list[Translator] = []


class Formatter(argparse.HelpFormatter):
    """Pages of help in the reader's language, in columns. English outside of such a page."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, _told("usage: ") if prefix is None else prefix)

    def add_text(self, text: str | None) -> None:
        super().add_text(text if text is None else _told_sentence(text))

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading if heading is None else _told(heading))

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help if action.help is None else _told(action.help)

    def _split_lines(self, text: str, width: int) -> list[str]:
        from doctor.columns import wrapped

        return wrapped(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        from doctor.columns import wrapped

        return "\n".join(wrapped(" ".join(text.split()), width, indent, indent))


def _told(text: str) -> str:
    return _reader[-1](Text(text)) if _reader else text


def _told_sentence(text: str) -> str:
    """A description is often the help of its command, made a sentence."""
    told = _told(text)
    if told != text or not text.endswith("."):
        return told
    short = text[:1].lower() + text[1:-1]
    told = _told(short)
    return text if told == short else f"{told}。"


def told(text: str) -> str:
    """``text`` for the reader of a complaint, without keys."""
    from doctor.language import chosen
    from doctor.misplaced import without_keys
    from doctor.secrets import Redactor
    from doctor.untrusted import harmless

    return Redactor()(without_keys(harmless(Translator(chosen(_wanted))(text))))


def language_wanted() -> str | None:
    """What ``--lang`` said, for who tells something without the arguments at hand."""
    return _wanted


def _language(arguments: Sequence[str]) -> str | None:
    for position, word in enumerate(arguments, 1):
        if word == "--":
            return None
        if word == "--lang":
            return arguments[position] if position < len(arguments) else None
        if word.startswith("--lang="):
            return word.removeprefix("--lang=")
    return None
