"""vLLM's argument parser, taken apart: what it makes of each word and what it refuses.

It stops at the first fault; here all are found at once. The rules are argparse's with vLLM's own
on top (facts/vllm.md §1.2): ``_`` for ``-`` in names, unique beginnings of a name, an ``=`` in
front of the value, dotted flags that make up JSON, ``--no-`` of switches, several values behind
some flags, negative numbers as values.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import field, replace

from doctor.launch.model import Argument, Entry, Refusal, Word
from doctor.launch.tables import Flag, Table, last_kind, number_of
from doctor.launch.values import NotAValue, check, parsed_json
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.text import _

_NEGATIVE = Pattern(r"-\d+|-\d*\.\d+")
_LEVEL = Pattern(r"-O=?(\w*)")


@dataclass(slots=True)
class Parsed:
    """``strays`` are words that nobody takes; ``model`` the positional one."""

    arguments: list[Argument] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    model: Argument | None = None


@dataclass(frozen=True, slots=True)
class _Option:
    """A word that is an option: ``names`` has one entry, several if ambiguous, none if unknown."""

    spelled: str
    explicit: str | None
    names: tuple[str, ...]
    path: str = ""


def parse(words: Sequence[Word], first: int, table: Table, entry: Entry) -> Parsed:
    """Read ``words`` from ``first`` on."""
    return _Parser(words, first, table, entry).run()


class _Parser:
    def __init__(self, words: Sequence[Word], first: int, table: Table, entry: Entry) -> None:
        self.words = words
        self.first = first
        self.table = table
        self.entry = entry
        self.parsed = Parsed()
        number = number_of(table.version) or (0, 0, 0, 0)
        # FrontendArgs, and with it the positional model of both entry points, is of 0.10.0.
        self.positional = entry in (Entry.SERVE, Entry.IMAGE) or number >= (0, 10, 0, 0)

    def run(self) -> Parsed:
        position = self.first
        only_values = False
        while position < len(self.words):
            word = self.words[position]
            if not only_values and word.text == "--" and word.known:
                only_values = True
                position += 1
                continue
            option = None if only_values else self._option(position)
            if option is None:
                self._positional(position)
                position += 1
            else:
                position = self._take(option, position)
        return self.parsed

    # ---------------------------------------------------------------- words

    def _option(self, position: int) -> _Option | None:
        word = self.words[position]
        text = word.text
        if not text.startswith("-") or text == "-" or (not word.known and not text[:3].strip("-")):
            return None
        name, equals, value = text.partition("=")
        explicit = value if equals else None
        if name.startswith("-O") and not name.startswith("--"):
            return self._level(text, position)
        path = ""
        if "." in name:
            name, _, path = name.partition(".")
        if name.startswith("--"):
            name = "--" + name[2:].replace("_", "-")
        if name in self.table.options:
            return _Option(name, explicit, (name,), path)
        if _NEGATIVE.fullmatch(text):
            return None
        names = self.table.matching(name) if len(name) > 1 else []
        if not names and not path and " " in text:
            return None  # argparse takes it for a value
        return _Option(name, explicit, tuple(names), path)

    def _level(self, text: str, position: int) -> _Option:
        """``-O3`` and ``-O 3``; before 0.12.0 ``-O`` is --compilation-config."""
        match = _LEVEL.match(text)
        level = match.group(1) if match else ""
        if "-O" in self.table.options:
            return _Option("-O", level or None, ("-O",))
        after = self.words[position + 1].text if position + 1 < len(self.words) else ""
        if level or after in ("0", "1", "2", "3"):
            return _Option("--optimization-level", level or None, ("--optimization-level",))
        return _Option("-O", None, ())

    def _is_value(self, position: int) -> bool:
        """Whether the word at ``position`` may be a value of the flag before it."""
        if position >= len(self.words):
            return False
        word = self.words[position]
        return not (word.text == "--" and word.known) and self._option(position) is None

    # ---------------------------------------------------------------- flags

    def _take(self, option: _Option, position: int) -> int:
        written = self.words[position].text.partition("=")[0]
        end = position + 1
        if len(option.names) != 1:
            return self._unknown(option, position, written)
        flag, negated = self.table.options[option.names[0]]
        values: list[str] = []
        known = self.words[position].known
        if option.explicit is not None:
            values.append(option.explicit)
        elif option.path:
            if end < len(self.words):
                values.append(self.words[end].text)
                known = known and self.words[end].known
                end += 1
        else:
            room = {"0": 0, "1": 1, "?": 1}.get(flag.takes, len(self.words))
            while len(values) < room and self._is_value(end):
                values.append(self.words[end].text)
                known = known and self.words[end].known
                end += 1
        argument = Argument(
            written,
            flag.name,
            tuple(values),
            position,
            end - 1,
            option.path,
            negated,
            option.explicit is not None,
            known,
        )
        end, argument = self._spilled(flag, argument, end)
        self.parsed.arguments.append(argument)
        self._judge(flag, argument)
        return end

    def _spilled(self, flag: Flag, argument: Argument, end: int) -> tuple[int, Argument]:
        """``--enable-prefix-caching True``: the value of a switch that takes none."""
        if flag.is_switch and not argument.path and self._is_value(end):
            text = self.words[end].text
            if text.lower() in ("true", "false", "0", "1", "yes", "no", "on", "off"):
                found = replace(argument, spilled=(end,))
                said = f"unrecognized arguments: {text}"
                self.parsed.refusals.append(Refusal("explicit", found, said, (text,)))
                return end + 1, found
        return end, argument

    def _unknown(self, option: _Option, position: int, written: str) -> int:
        end = position + 1
        explicit = option.explicit
        spilled: list[int] = []
        if explicit is None and self._is_value(end) and self._meant_as_value(written, end):
            spilled.append(end)
            end += 1
        values = (explicit,) if explicit is not None else ()
        known = self.words[position].known and all(self.words[i].known for i in spilled)
        argument = Argument(
            written,
            None,
            tuple(values) or tuple(self.words[i].text for i in spilled),
            position,
            end - 1,
            option.path,
            joined=explicit is not None,
            known=known,
        )
        self.parsed.arguments.append(argument)
        if option.names:
            matches = ", ".join(option.names)
            said = f"ambiguous option: {written} could match {matches}"
            self.parsed.refusals.append(Refusal("ambiguous", argument, said, option.names))
        else:
            said = " ".join(self.words[i].text for i in range(position, end))
            said = f"unrecognized arguments: {said}"
            self.parsed.refusals.append(Refusal("unknown", argument, said))
        return end

    def _meant_as_value(self, written: str, position: int) -> bool:
        """Whether the word behind an unknown flag belongs to it; the model does not."""
        text = self.words[position].text
        kind = last_kind("--" + written.lstrip("-").replace("_", "-"))
        if kind in ("switch", "bool") or written.startswith("--no-"):
            return text.lower() in ("true", "false")
        lacks_model = self.positional and self.parsed.model is None
        return bool(kind) or not lacks_model or "/" not in text

    def _judge(self, flag: Flag, argument: Argument) -> None:
        """What argparse would refuse of the values."""
        refuse = self.parsed.refusals.append
        if argument.path:
            self._judge_path(flag, argument)
            return
        if flag.is_switch:
            if argument.joined:
                said = f"ignored explicit argument '{argument.values[0]}'"
                refuse(Refusal("explicit", argument, said, argument.values))
            return
        if not argument.values and flag.takes != "?":
            if not self._followed_by_unknown(argument):
                said = "expected at least one argument" if flag.takes == "+" else "one"
                refuse(Refusal("missing", argument, said))
            return
        if not argument.known:
            return
        for value in argument.values:
            try:
                self._value(flag, value)
            except NotAValue as error:
                kind = "choice" if str(error).startswith("none of") else "value"
                refuse(Refusal(kind, argument, str(error), (value,)))
            else:
                self._judge_keys(flag, argument, value)

    def _judge_path(self, flag: Flag, argument: Argument) -> None:
        """A dotted flag becomes JSON, which only some flags take."""
        refuse = self.parsed.refusals.append
        if not argument.values:
            refuse(Refusal("missing", argument, "expected one argument"))
            return
        key = argument.path.partition(".")[0].rstrip("+")
        try:
            if flag.is_switch:
                raise NotAValue(_("it is a switch and has no keys"))
            self._value(flag, json.dumps({key: 1}))
        except NotAValue as error:
            refuse(Refusal("key", argument, str(error), (key,)))
            return
        if flag.keys and key.replace("-", "_") not in flag.keys:
            refuse(Refusal("key", argument, _("it has no key {key}", key=key), (key,)))

    def _judge_keys(self, flag: Flag, argument: Argument, value: str) -> None:
        if not flag.keys or not value.strip().startswith("{"):
            return
        try:
            told = parsed_json(value)
        except NotAValue:
            return
        for key in told if isinstance(told, dict) else ():
            if str(key).replace("-", "_") not in flag.keys:
                said = _("it has no key {key}", key=key)
                self.parsed.refusals.append(Refusal("key", argument, said, (str(key),)))

    def _value(self, flag: Flag, value: str) -> None:
        if flag.kind == "storebool":
            if value.lower() not in ("true", "false"):
                raise NotAValue(_("none of {choices}", choices="True, False"))
        elif flag.kind not in ("append", "optstr"):
            check(flag.kind, flag.choices, value)

    def _followed_by_unknown(self, argument: Argument) -> bool:
        after = argument.last + 1
        return after < len(self.words) and not self.words[after].known

    # ---------------------------------------------------------------- the rest

    def _positional(self, position: int) -> None:
        word = self.words[position]
        argument = Argument(word.text, None, (word.text,), position, position, known=word.known)
        if self.positional and self.parsed.model is None:
            self.parsed.model = argument
        elif word.known:
            said = f"unrecognized arguments: {word.text}"
            self.parsed.refusals.append(Refusal("stray", argument, said))
