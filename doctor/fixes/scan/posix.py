"""Start-up files of sh, bash and zsh, taken apart into commands and words.

Nothing is run. Quotes, comments, continued lines, here-documents, substitutions, ``[[ ]]``,
``(( ))``, ``case``, functions and arrays are followed as far as is needed to know where each
assignment stands. Where the text cannot be followed to its end, nothing is said of any of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NoReturn

from doctor.fixes.editors.base import line_of
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan.base import Assignment, Nesting, Scan

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WHOLE_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_FUNCTION_PARENTHESES = re.compile(r"\([ \t]*\)")
_REDIRECTION = re.compile(r"&?>>?[&|]?|<[&>]?")
_DECLARES = frozenset({"declare", "typeset", "local", "readonly", "export"})
_OPENERS = {"if": "if", "while": "loop", "until": "loop", "for": "loop", "select": "loop"}
_OPENERS |= {"foreach": "loop", "repeat": "loop", "{": "brace"}
_MIDDLES = frozenset({"then", "do", "else", "elif", "!", "time", "coproc", "always"})
_CLOSERS = frozenset({"fi", "done", "esac", "}", "end"})
_ESCAPES = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n"}
_ESCAPES |= {"r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?"}
_ANSI = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)


def scan(text: str, *, allexport: bool = False) -> Scan:
    """Every assignment of the file. ``allexport``: all of them are exported, as by ``set -a``.

    Raises ``RefusedEdit`` where a quote, a bracket or a here-document does not end.
    """
    scanner = _Scanner(text, allexport)
    scanner.run(record=True, closing=False)
    return scanner.result()


@dataclass(slots=True)
class _Word:
    """``text`` is None where it cannot be told. ``name`` is that of an unquoted ``NAME=``, whose
    value begins at ``value_start``."""

    start: int
    end: int = 0
    text: str | None = ""
    name: str | None = None
    value_start: int = 0
    appends: bool = False

    @property
    def value(self) -> str | None:
        if self.text is None or self.name is None or self.appends:
            return None
        return self.text.partition("=")[2]

    def add(self, piece: str | None) -> None:
        self.text = None if self.text is None or piece is None else self.text + piece


@dataclass(slots=True)
class _Block:
    kind: str
    function: bool = False
    # Of a case: "head" up to "in", then "pattern" and "body" by turns.
    state: str = ""


@dataclass(slots=True)
class _Scanner:
    text: str
    allexport: bool
    position: int = 0
    blocks: list[_Block] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    exports: set[str] = field(default_factory=set)
    sourced: list[str] = field(default_factory=list)
    commands: list[tuple[int, int]] = field(default_factory=list)
    heredocs: list[tuple[str, bool]] = field(default_factory=list)
    pending_function: bool = False

    def result(self) -> Scan:
        found = tuple(
            replace(a, exported=True) if a.name in self.exports else a for a in self.assignments
        )
        return Scan(found, tuple(self.sourced), tuple(self.commands))

    def refuse(self, what: str, position: int) -> NoReturn:
        raise RefusedEdit(what, line_of(self.text, position))

    def _at(self, token: str) -> bool:
        return self.text.startswith(token, self.position)

    # ---------------------------------------------------------------- commands

    def run(self, *, record: bool, closing: bool) -> None:
        """Read commands up to the end, or up to the bracket that closes a substitution."""
        opened = self.position
        depth = len(self.blocks)
        words: list[_Word] = []
        after = ""
        while True:
            if self._in_pattern(depth):
                self._pattern()
                words = []
                continue
            char = self.text[self.position : self.position + 1]
            if not char:
                if closing:
                    self.refuse("a bracket is not closed", opened)
                if self.heredocs:
                    self.refuse("a here-document does not end", self.position)
                self._finish(words, after, "", record)
                return
            if char in " \t" or self._at("\\\n"):
                self.position += 2 if char == "\\" else 1
            elif char == "#":
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end
            elif char in "\n;&|" and not self._at("&>"):
                operator = self._operator()
                self._finish(words, after, operator, record)
                words, after = [], operator
                if operator in (";;", ";&", ";;&", ";|"):
                    self._case_state("pattern", depth)
            elif char == "(":
                self._open_parenthesis(words)
            elif char == ")":
                if not closing:
                    self.refuse("a bracket closes nothing", self.position)
                self._finish(words, after, "", record)
                del self.blocks[depth:]
                self.position += 1
                return
            elif char in "<>&" and not self._at("<(") and not self._at(">("):
                if words and words[-1].end == self.position and (words[-1].text or "").isdigit():
                    words.pop()  # the number of what is redirected
                self._redirection()
            else:
                word = self._word()
                if words or not self._reserved(word):
                    words.append(word)
                    self._case_head(words)
                    if self._in_pattern(depth):
                        words = []

    def _operator(self) -> str:
        for operator in (";;&", ";;", ";&", ";|", "&&", "||", "|&", ";", "&", "|", "\n"):
            if self._at(operator):
                self.position += len(operator)
                if operator == "\n":
                    self._skip_heredocs()
                return operator
        raise AssertionError("called at an operator")

    def _skip_heredocs(self) -> None:
        for delimiter, strip in self.heredocs:
            begun = self.position
            while True:
                if self.position >= len(self.text):
                    self.refuse("a here-document does not end", begun)
                end = self.text.find("\n", self.position)
                end = len(self.text) if end < 0 else end
                line = self.text[self.position : end]
                self.position = min(end + 1, len(self.text))
                if (line.lstrip("\t") if strip else line) == delimiter:
                    break
        self.heredocs.clear()

    def _open_parenthesis(self, words: list[_Word]) -> None:
        start = self.position
        if not words and self._at("(("):
            self._skip_brackets()
        elif words and (match := _FUNCTION_PARENTHESES.match(self.text, self.position)):
            self.position = match.end()
            self.pending_function = True
            words.clear()
            return
        else:
            self.position += 1
            self.run(record=False, closing=True)
        words.append(_Word(start, self.position, None))

    def _redirection(self) -> None:
        if self._at("<<") and not self._at("<<<"):
            self.position += 2
            strip = self._at("-")
            self.position += strip
            self._blanks()
            begun = self.position
            word = self._word() if self._word_begins() else _Word(begun, begun, None)
            raw = self.text[begun : word.end]
            self.heredocs.append((re.sub(r"[\"'\\]", "", raw), strip))
            return
        match = _REDIRECTION.match(self.text, self.position)
        self.position += 3 if self._at("<<<") else len(match.group()) if match else 1
        self._blanks()
        if self._word_begins():
            self._word()

    def _blanks(self) -> None:
        while self.text[self.position : self.position + 1] in (" ", "\t"):
            self.position += 1

    def _word_begins(self) -> bool:
        char = self.text[self.position : self.position + 1]
        return bool(char) and (char not in " \t\n;&|()<>" or self._at("<(") or self._at(">("))

    # ---------------------------------------------------------------- blocks

    def _reserved(self, word: _Word) -> bool:
        """Whether the first word of a command is the grammar's; blocks are opened and closed."""
        text = word.text
        if text is None or self.text[word.start : word.end] != text:
            return False  # quoted, so an ordinary word
        if text in _OPENERS:
            self._push(_Block(_OPENERS[text]))
            return text not in ("for", "select", "foreach", "repeat")
        if text == "case":
            self._push(_Block("case", state="head"))
            return True
        if text == "function":
            self._blanks()
            if self._word_begins():
                self._word()
            self._blanks()
            match = _FUNCTION_PARENTHESES.match(self.text, self.position)
            self.position = match.end() if match else self.position
            self.pending_function = True
            return True
        if text in _CLOSERS:
            if self.blocks:
                self.blocks.pop()
            return True
        if text == "[[":
            self._skip_test(word.start)
            return False
        return text in _MIDDLES

    def _push(self, block: _Block) -> None:
        block.function = self.pending_function
        self.pending_function = False
        self.blocks.append(block)

    def _case_head(self, words: list[_Word]) -> None:
        block = self.blocks[-1] if self.blocks else None
        if block is not None and block.state == "head" and words[-1].text == "in":
            block.state = "pattern"

    def _case_state(self, state: str, depth: int) -> None:
        if len(self.blocks) > depth and self.blocks[-1].kind == "case":
            self.blocks[-1].state = state

    def _in_pattern(self, depth: int) -> bool:
        return len(self.blocks) > depth and self.blocks[-1].state == "pattern"

    def _pattern(self) -> None:
        """One piece of a case's pattern."""
        char = self.text[self.position : self.position + 1]
        if not char:
            self.refuse("a case does not end", self.position)
        if char == "#":
            end = self.text.find("\n", self.position)
            self.position = len(self.text) if end < 0 else end
        elif char == ")":
            self.position += 1
            self.blocks[-1].state = "body"
        elif self._word_begins():
            if self._word().text == "esac":
                self.blocks.pop()
        else:
            self.position += 1

    def _skip_test(self, opened: int) -> None:
        """Up to the ``]]`` that ends a test; inside it ``<``, ``(`` and ``|`` mean other things."""
        while self.position < len(self.text):
            if re.match(r"\s\]\]", self.text[self.position : self.position + 3]):
                self.position += 3
                return
            self._skip_piece()
        self.refuse("a test does not end", opened)

    def _skip_brackets(self) -> None:
        """From an opening bracket to the one that closes it, by characters."""
        opened, depth = self.position, 0
        while self.position < len(self.text):
            char = self.text[self.position]
            depth += {"(": 1, ")": -1}.get(char, 0)
            if depth == 0:
                self.position += 1
                return
            self._skip_piece()
        self.refuse("a bracket is not closed", opened)

    def _skip_piece(self) -> None:
        char = self.text[self.position]
        if char in "\\'\"$`":
            self._piece(char, _Word(self.position))
        else:
            self.position += 1

    # ---------------------------------------------------------------- words

    def _word(self) -> _Word:
        word = _Word(self.position)
        match = _ASSIGNMENT.match(self.text, self.position)
        if match:
            word.name, word.appends = match.group(1), bool(match.group(2))
            word.text = f"{word.name}="
            word.value_start = self.position = match.end()
            if self._at("("):
                self.position += 1
                self.run(record=False, closing=True)
                word.add(None)
            elif self._at("~"):
                word.add(None)
        while self.position < len(self.text):
            char = self.text[self.position]
            if char in " \t\n;&|)" or (char in "<>" and not self._substitution(word)):
                break
            if char == "(":
                if _FUNCTION_PARENTHESES.match(self.text, self.position):
                    break
                self._skip_brackets()
                word.add(None)
            elif char in "<>":
                self.position += 2
                self.run(record=False, closing=True)
                word.add(None)
            else:
                self._piece(char, word)
        word.end = self.position
        return word

    def _substitution(self, word: _Word) -> bool:
        """``<(…)`` at the beginning of a word."""
        return self.position == word.start and (self._at("<(") or self._at(">("))

    def _piece(self, char: str, word: _Word) -> None:
        if char == "\\":
            if not self._at("\\\n"):
                word.add(self.text[self.position + 1 : self.position + 2] or "\\")
            self.position += 2
        elif char == "'":
            end = self.text.find("'", self.position + 1)
            if end < 0:
                self.refuse("a quote does not end", self.position)
            word.add(self.text[self.position + 1 : end])
            self.position = end + 1
        elif char == '"':
            self._double_quoted(word)
        elif char == "$":
            self._dollar(word, quoted=False)
        elif char == "`":
            self._backquotes()
            word.add(None)
        else:
            word.add(char)
            self.position += 1

    def _double_quoted(self, word: _Word) -> None:
        opened = self.position
        self.position += 1
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == '"':
                self.position += 1
                return
            if char == "\\":
                following = self.text[self.position + 1 : self.position + 2]
                if following and following in '$`"\\':
                    word.add(following)
                elif following != "\n":
                    word.add(char + following)
                self.position += 2
            elif char == "$":
                self._dollar(word, quoted=True)
            elif char == "`":
                self._backquotes()
                word.add(None)
            else:
                word.add(char)
                self.position += 1
        self.refuse("a quote does not end", opened)

    def _backquotes(self) -> None:
        opened = self.position
        self.position += 1
        while self.position < len(self.text):
            char = self.text[self.position]
            self.position += 2 if char == "\\" else 1
            if char == "`":
                return
        self.refuse("a backquote does not end", opened)

    def _dollar(self, word: _Word, *, quoted: bool) -> None:
        following = self.text[self.position + 1 : self.position + 2]
        if following == "'" and not quoted:
            word.add(self._ansi())
        elif following == '"' and not quoted:
            self.position += 1
            self._double_quoted(word)
            word.add(None)  # translated by the locale
        elif following == "(":
            self.position += 1
            if self._at("(("):
                self._skip_brackets()
            else:
                self.position += 1
                self.run(record=False, closing=True)
            word.add(None)
        elif following == "{":
            self._braces(quoted=quoted)
            word.add(None)
        elif match := _NAME.match(self.text, self.position + 1):
            self.position = match.end()
            word.add(None)
        elif following and following in "@*#?-$!0123456789":
            self.position += 2
            word.add(None)
        else:
            self.position += 1
            word.add("$")

    def _braces(self, *, quoted: bool) -> None:
        opened = self.position
        self.position += 2
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == "}":
                self.position += 1
                return
            if char == "'" and quoted:
                self.position += 1
            elif char in "\\'\"`":
                self._piece(char, _Word(self.position))
            elif char == "$":
                self._dollar(_Word(self.position), quoted=quoted)
            else:
                self.position += 1
        self.refuse("a brace is not closed", opened)

    def _ansi(self) -> str:
        """``$'…'`` with its escapes."""
        match = re.compile(r"\$'((?:\\.|[^'\\])*)'", re.DOTALL).match(self.text, self.position)
        if match is None:
            self.refuse("a quote does not end", self.position)
        self.position = match.end()
        # \\xE2 is a byte, of which several make a character.
        spelled = _ANSI.sub(_unescape, match.group(1))
        return spelled.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")

    # ---------------------------------------------------------------- meaning

    def _finish(self, words: list[_Word], after: str, operator: str, record: bool) -> None:
        if not words:
            return
        span = (words[0].start, words[-1].end)
        if not record:
            return
        self.commands.append(span)
        if operator in ("|", "|&", "&") or after in ("|", "|&"):
            return  # a subshell's variables are its own
        nesting = Nesting.TOP
        if any(block.function for block in self.blocks):
            nesting = Nesting.FUNCTION
        elif self.blocks or after in ("&&", "||"):
            nesting = Nesting.CONDITIONAL
        first = words[0].text
        if all(word.name for word in words):
            self._record(words, words, self.allexport, nesting, span)
        elif first in _DECLARES:
            flags = [word.text or "" for word in words[1:] if (word.text or "").startswith("-")]
            exports = first == "export" or any("x" in flag for flag in flags)
            rest = [word for word in words[1:] if word.text is None or word.text[:1] != "-"]
            if first == "export" and any("n" in flag or "f" in flag for flag in flags):
                return
            if exports:
                self.exports.update(w.text for w in rest if w.text and _NAME.fullmatch(w.text))
            exports = exports or (self.allexport and first != "local")
            self._record(rest, rest, exports, nesting, span)
        elif first in (".", "source") and len(words) > 1 and nesting is not Nesting.FUNCTION:
            self.sourced.append(self.text[words[1].start : words[1].end])
        elif first in ("set", "setopt"):
            rest_texts = [word.text or "" for word in words[1:]]
            if "allexport" in rest_texts or any(re.fullmatch(r"-\w*a\w*", t) for t in rest_texts):
                self.allexport = True
            if any(re.fullmatch(r"\+\w*a\w*", text) for text in rest_texts):
                self.allexport = False

    def _record(
        self,
        words: list[_Word],
        siblings: list[_Word],
        exported: bool,
        nesting: Nesting,
        span: tuple[int, int],
    ) -> None:
        for word in words:
            name, value, value_start, editable = word.name, word.value, word.value_start, True
            if name is None:
                # export "NAME=value": known, but its text is not the value's alone.
                whole = _WHOLE_ASSIGNMENT.fullmatch(word.text or "")
                if whole is None:
                    continue
                name, value = whole.groups()
                value_start, editable = word.start, False
            self.assignments.append(
                Assignment(
                    name=name,
                    value=value,
                    line=line_of(self.text, word.start),
                    start=word.start,
                    value_start=value_start,
                    end=word.end,
                    command_start=span[0],
                    command_end=span[1],
                    exported=exported,
                    nesting=nesting,
                    sole=len(siblings) == 1,
                    editable=editable and not word.appends,
                )
            )


def _unescape(match: re.Match[str]) -> str:
    two, four, eight, octal, control, char = match.groups()
    if four or eight:
        number = int(four or eight, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else ""
    if two or octal:
        byte = int(two, 16) if two else int(octal, 8) & 0xFF
        return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)
    if control:
        return chr(ord(control) & 0x1F)
    return _ESCAPES.get(char, "\\" + char)
