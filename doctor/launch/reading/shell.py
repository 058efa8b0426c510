"""Command lines of a script or of a pasted text, taken apart as a shell does. Nothing is run.

Unlike the editors of start-up files it follows variables and arrays of the text itself, and reads
on where a shell would not: a continuation that a blank has broken, line breaks that were lost
when a command was pasted, typographic quotes and dashes. Each of those is noted as a slip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from doctor.launch.model import Slip, Span, Word
from doctor.launch.reading.filling import Value, Variables
from doctor.launch.reading.found import Groups
from doctor.launch.reading.loosewords import ODD_BLANKS, LooseTokens, with_straight_dashes
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.shellwords import model as shell
from doctor.shellwords.pieces import NAME

_FLAG_AHEAD = Pattern(r"[ \t]*(?:-{1,2}|[‐‑‒–—−]{1,2})[A-Za-z]")
_COMMENTS = Pattern(r"(?:[ \t]*#[^\n]*\n)+")
_BROKEN_END = Pattern(r"\\[ \t\u00a0\u3000]+(?=\r?\n)")
_LOST_BREAK = Pattern(r"\\[ \t\u00a0\u3000]+(?=\S)")
_ASSIGNMENT = Pattern(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
# ``<your model>`` of a guide: to be filled in by the reader, and no file to read from.
_PLACEHOLDER = Pattern(
    r"[0-9]*<[A-Za-z][^<>\n|&;`\"']{0,60}(?<![ \t])>" + rf"(?=[\s{ODD_BLANKS}]|$|\\)"
)
_LIMIT = 200_000


@dataclass(slots=True)
class Command:
    words: list[Word] = field(default_factory=list)
    slips: list[Slip] = field(default_factory=list)
    exports: dict[str, tuple[str, Span]] = field(default_factory=dict)

    @property
    def start(self) -> int:
        return min((w.start for w in self.words if w.start >= 0), default=0)


def commands(
    text: str,
    groups: Groups,
    *,
    start: int = 0,
    end: int | None = None,
    blank: bool = False,
    variables: Mapping[str, str] | None = None,
    wanted: Callable[[str], bool] = lambda _text: True,
) -> list[Command]:
    """The commands between ``start`` and ``end``. ``blank`` takes a line break for a blank, as in
    a folded string of YAML. ``wanted`` says of a command's text so far whether a line that begins
    with a flag belongs to it."""
    stop = len(text) if end is None else end
    reader = _Reader(text, groups, start, min(stop, start + _LIMIT), blank, wanted)
    for name, value in (variables or {}).items():
        reader.variables[name] = Value(value)
    return reader.run()


class _Reader:
    """Commands of a text: where no shell would go on, it does, and everywhere else as a shell."""

    def __init__(
        self,
        text: str,
        groups: Groups,
        start: int,
        end: int,
        blank: bool,
        wanted: Callable[[str], bool],
    ) -> None:
        self.text = text
        self.groups = groups
        self.tokens = LooseTokens(text, start, end)
        self.blank = blank
        # Of the whole text: inside an array a line break is a blank as well.
        self.folded = blank
        self.in_array = False
        self.wanted = wanted
        self.variables = Variables(text, groups)
        self.exports: dict[str, tuple[str, Span]] = {}
        self.commands: list[Command] = []
        self._begin()

    def _begin(self) -> None:
        self.command = Command()
        self.tokens.slips = self.command.slips
        self.group = self.groups.new("blank" if self.blank else "shell")

    # ---------------------------------------------------------------- commands

    def run(self) -> list[Command]:
        while self.tokens.char:
            self._step()
        self._finish()
        return self.commands

    def _step(self) -> None:
        tokens = self.tokens
        char, before = tokens.char, tokens.position
        if char in " \t" or (self.blank and char in "\r\n"):
            tokens.position += 1
        elif char in ODD_BLANKS:
            tokens.slip("odd-blank", f"U+{ord(char):04X}", (tokens.span(1, " "),))
            tokens.position += 1
        elif char == "\\" and self._continuation():
            pass
        elif char in "^`" and (behind := tokens.line_end(before + 1)):
            tokens.position = behind
        elif tokens.at_line_end():
            tokens.position += 1
        elif char == "#":
            self._comment()
        elif tokens.at("```") or tokens.at("~~~"):
            self._finish()
            tokens.to_line_end()
        elif placeholder := _PLACEHOLDER.match(tokens.text, before):
            tokens.position = placeholder.end()
            self._add(placeholder.group(), before, known=False)
        else:
            self._token()

    def _token(self) -> None:
        token = self.tokens.token()
        if isinstance(token, shell.Word):
            self._word(token)
        elif isinstance(token, shell.Operator):
            # Behind the text of a here-document nothing of its line goes on.
            if token.text == "\n" and token.end == self.tokens.position:
                self._line_end(token)
            else:
                self._finish()

    def _continuation(self) -> bool:
        tokens = self.tokens
        start = tokens.position
        behind = tokens.line_end(start + 1)
        lost = _LOST_BREAK.match(tokens.text, start)
        if self.folded and (behind or lost):
            tokens.slip("backslash-in-yaml", "\\", (tokens.span(1, ""),))
            tokens.position += 1
            return True
        if behind:
            if tokens.at("\\\r"):
                tokens.slip("carriage-return", "\\␍", (Span(start + 1, start + 2, ""),))
            tokens.position = behind
            return True
        if broken := _BROKEN_END.match(tokens.text, start):
            blanks = Span(start + 1, broken.end(), "")
            tokens.slip("blank-after-backslash", "\\␠", (blanks,))
            tokens.position = tokens.line_end(broken.end())
            return True
        if lost:
            new = " " if self.groups.kinds[self.group] != "shell" else "\\\n  "
            tokens.slip("lost-line-breaks", "\\ ", (Span(start, lost.end(), new),))
            tokens.position = lost.end()
            return True
        if not tokens.text[start + 1 :].strip():
            tokens.position += 1
            return True
        return False

    def _comment(self) -> None:
        tokens = self.tokens
        begun = tokens.position
        tokens.to_line_end()
        following = min(tokens.position + 1, len(tokens.text))
        if self.command.words and self._flag_follows(following) and not self.blank:
            line_start = self.text.rfind("\n", 0, begun) + 1
            if not self.text[line_start:begun].strip():
                first = self.text.rfind("\n", 0, self.command.start) + 1
                comment = self.text[line_start:following]
                spans = (Span(line_start, following, ""), Span(first, first, comment.lstrip(" \t")))
                shown = self.text[begun : tokens.position].strip()
                tokens.slip("comment-inside", shown, spans)
                tokens.position = following

    def _flag_follows(self, position: int) -> bool:
        if not self.wanted(self._told()):
            return False
        text = self.tokens.text
        comments = _COMMENTS.match(text, position)
        return _FLAG_AHEAD.match(text, comments.end() if comments else position) is not None

    def _told(self) -> str:
        return " ".join(word.text for word in self.command.words[:16])

    def _line_end(self, line_end: shell.Operator) -> None:
        if not self.command.words or not self._flag_follows(line_end.end):
            return self._finish()
        tokens = self.tokens
        place = line_end.start - (self.text[line_end.start - 1] == "\r")
        tokens.slip("missing-continuation", "⏎", (Span(place, place, " \\"),))
        if comments := _COMMENTS.match(tokens.text, line_end.end):
            tokens.slip("comment-inside", "#", (Span(comments.start(), comments.end(), ""),))
            tokens.position = comments.end()
        return None

    # ---------------------------------------------------------------- words

    def _add(self, text: str, start: int, *, known: bool) -> None:
        self.command.words.append(Word(text, start, self.tokens.position, self.group, known))

    def _word(self, word: shell.Word) -> None:
        array = len(word.pieces) == 1 and word.name and self.tokens.char == "("
        if array and not self.in_array:
            self._array(word)
        elif (several := self.variables.several(word)) is not None:
            self.command.words += several
        else:
            text, known = self.variables.filled(word.pieces)
            self._add(with_straight_dashes(self.tokens, text, word.start), word.start, known=known)

    def _array(self, word: shell.Word) -> None:
        """``NAME=( … )``: its words, with comments and line breaks between them."""
        tokens = self.tokens
        kept, group, blank = self.command, self.group, self.blank
        self.in_array = self.blank = True
        self._begin()
        tokens.position += 1
        while tokens.char not in (")", ""):
            if tokens.char == "#":
                tokens.to_line_end()
            elif tokens.char in ";&|(<>":
                tokens.position += 1
            else:
                self._step()
        tokens.position = min(tokens.position + 1, len(tokens.text))
        items = self.command.words
        name = word.name or ""
        old = self.variables.get(name)
        if word.appends and old is not None and old.items is not None:
            items = [*old.items, *items]
        self.variables[name] = Value(None, -1, items)
        self.command, self.group, self.blank = kept, group, blank
        tokens.slips = kept.slips
        self.in_array = False

    # ---------------------------------------------------------------- meaning

    def _finish(self) -> None:
        command = self.command
        self._begin()
        words = command.words
        exporting = bool(words) and words[0].text in ("export", "declare", "set")
        rest = words[1:] if exporting else words
        if words and words[0].text == "set" and len(words) > 1:
            return self._windows_set(words)
        if rest and all(_ASSIGNMENT.match(word.text) for word in rest):
            for word in rest:
                name, _, value = word.text.partition("=")
                if self.variables.get(name) is None or self.variables[name].items is None:
                    quote = self.text[word.start + len(name) + 1 : word.start + len(name) + 2]
                    at = word.start + len(name) + 1 + (quote in "\"'" and bool(quote))
                    literal = self.text.startswith(value, at)
                    self.variables[name] = Value(
                        value if word.known else None, at if literal else -1
                    )
                if exporting and word.known:
                    cut = (
                        self._whole_line(word) if len(rest) == 1 else Span(word.start, word.end, "")
                    )
                    self.exports[name] = (value, cut)
            return None
        if words:
            command.exports = dict(self.exports)
            self.commands.append(command)
        return None

    def _windows_set(self, words: list[Word]) -> None:
        name, equals, value = words[1].text.partition("=")
        if equals and NAME.fullmatch(name):
            self.exports[name] = (value, self._whole_line(words[1]))

    def _whole_line(self, word: Word) -> Span:
        start = self.text.rfind("\n", 0, word.start) + 1
        end = self.text.find("\n", word.end)
        return Span(start, len(self.text) if end < 0 else end + 1, "")
