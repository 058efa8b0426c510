"""Start-up files of sh, bash and zsh, taken apart into commands and words.

Nothing is run. Quotes, comments, continued lines, here-documents, substitutions, ``[[ ]]``,
``(( ))``, ``case``, functions and arrays are followed as far as is needed to know where each
assignment stands. Where the text cannot be followed to its end, nothing is said of any of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from doctor.fixes.editors.base import line_of
from doctor.fixes.scan.base import Assignment, Nesting, Scan
from doctor.fixes.scan.posix_words import FUNCTION_PARENTHESES, NAME, Word, Words
from doctor.text import _

_WHOLE_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_REDIRECTION = re.compile(r"&?>>?[&|]?|<[&>]?")
_DECLARES = frozenset({"declare", "typeset", "local", "readonly", "export"})
_OPENERS = {"if": "if", "while": "loop", "until": "loop", "for": "loop", "select": "loop"}
_OPENERS |= {"foreach": "loop", "repeat": "loop", "{": "brace"}
_MIDDLES = frozenset({"then", "do", "else", "elif", "!", "time", "coproc", "always"})
_CLOSERS = frozenset({"fi", "done", "esac", "}", "end"})


def scan(text: str, *, allexport: bool = False) -> Scan:
    """Every assignment of the file. ``allexport``: all of them are exported, as by ``set -a``.

    Raises ``RefusedEdit`` where a quote, a bracket or a here-document does not end.
    """
    scanner = _Scanner(text, allexport)
    scanner.run(record=True, closing=False)
    return scanner.result()


@dataclass(slots=True)
class _Block:
    kind: str
    function: bool = False
    # Of a case: "head" up to "in", then "pattern" and "body" by turns; brackets within a pattern.
    state: str = ""
    depth: int = 0


class _Scanner(Words):
    def __init__(self, text: str, allexport: bool) -> None:
        super().__init__(text)
        self.allexport = allexport
        self.blocks: list[_Block] = []
        self.assignments: list[Assignment] = []
        self.exports: set[str] = set()
        self.sourced: list[str] = []
        self.commands: list[tuple[int, int]] = []
        self.heredocs: list[tuple[str, bool]] = []
        self.pending_function = False

    def result(self) -> Scan:
        found = tuple(
            replace(a, exported=True) if a.name in self.exports else a for a in self.assignments
        )
        return Scan(found, tuple(self.sourced), tuple(self.commands))

    # ---------------------------------------------------------------- commands

    def run(self, *, record: bool, closing: bool) -> None:
        """Read commands up to the end, or up to the bracket that closes a substitution."""
        opened = self.position
        depth = len(self.blocks)
        words: list[Word] = []
        after = ""
        while True:
            if self._in_pattern(depth):
                self._pattern()
                words = []
                continue
            char = self.text[self.position : self.position + 1]
            if not char:
                if closing:
                    self.refuse(_("a bracket is not closed"), opened)
                if self.heredocs:
                    self.refuse(_("a here-document does not end"), self.position)
                self._finish(words, after, "", record)
                return
            if char in " \t" or self.at("\\\n"):
                self.position += 2 if char == "\\" else 1
            elif char == "#":
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end
            elif char in "\n;&|" and not self.at("&>"):
                operator = self._operator()
                self._finish(words, after, operator, record)
                words, after = [], operator
                if operator in (";;", ";&", ";;&", ";|"):
                    self._case_state("pattern", depth)
            elif char == "(":
                self._open_parenthesis(words)
            elif char == ")":
                if not closing:
                    self.refuse(_("a bracket closes nothing"), self.position)
                self._finish(words, after, "", record)
                del self.blocks[depth:]
                self.position += 1
                return
            elif char in "<>&" and not self.at("<(") and not self.at(">("):
                if words and words[-1].end == self.position and (words[-1].text or "").isdigit():
                    words.pop()  # the number of what is redirected
                self._redirection()
            else:
                word = self.word()
                if words or not self._reserved(word):
                    words.append(word)
                    self._case_head(words)
                    if self._in_pattern(depth):
                        words = []

    def _operator(self) -> str:
        for operator in (";;&", ";;", ";&", ";|", "&&", "||", "|&", ";", "&", "|", "\n"):
            if self.at(operator):
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
                    self.refuse(_("a here-document does not end"), begun)
                end = self.text.find("\n", self.position)
                end = len(self.text) if end < 0 else end
                line = self.text[self.position : end]
                self.position = min(end + 1, len(self.text))
                if (line.lstrip("\t") if strip else line) == delimiter:
                    break
        self.heredocs.clear()

    def _open_parenthesis(self, words: list[Word]) -> None:
        start = self.position
        if not words and self.at("(("):
            self.skip_brackets()
        elif not words and (match := FUNCTION_PARENTHESES.match(self.text, self.position)):
            self.position = match.end()  # zsh's nameless function, which runs at once
            return
        elif words and (match := FUNCTION_PARENTHESES.match(self.text, self.position)):
            self.position = match.end()
            self.pending_function = True
            words.clear()
            return
        else:
            self.position += 1
            self.run(record=False, closing=True)
        words.append(Word(start, self.position, None))

    def _redirection(self) -> None:
        if self.at("<<") and not self.at("<<<"):
            self.position += 2
            strip = self.at("-")
            self.position += strip
            self.blanks()
            begun = self.position
            word = self.word() if self.word_begins() else Word(begun, begun, None)
            raw = self.text[begun : word.end]
            self.heredocs.append((re.sub(r"[\"'\\]", "", raw), strip))
            return
        match = _REDIRECTION.match(self.text, self.position)
        self.position += 3 if self.at("<<<") else len(match.group()) if match else 1
        self.blanks()
        if self.word_begins():
            self.word()

    # ---------------------------------------------------------------- blocks

    def _reserved(self, word: Word) -> bool:
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
            self.blanks()
            if self.word_begins():
                self.word()
            self.blanks()
            match = FUNCTION_PARENTHESES.match(self.text, self.position)
            self.position = match.end() if match else self.position
            self.pending_function = True
            return True
        if text in _CLOSERS:
            if self.blocks:
                self.blocks.pop()
            return True
        if text == "[[":
            self.skip_test(word.start)
            return False
        return text in _MIDDLES

    def _push(self, block: _Block) -> None:
        block.function = self.pending_function
        self.pending_function = False
        self.blocks.append(block)

    def _case_head(self, words: list[Word]) -> None:
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
            self.refuse(_("a case does not end"), self.position)
        if char == "#":
            end = self.text.find("\n", self.position)
            self.position = len(self.text) if end < 0 else end
        elif char == "(":
            self.position += 1
            self.blocks[-1].depth += 1
        elif char == ")":
            self.position += 1
            block = self.blocks[-1]
            # In zsh a bracket may enclose a part of the pattern: (open|free)bsd*)
            block.depth -= 1
            part = block.depth == 0 and self._pattern_goes_on()
            if block.depth <= 0 and not part:
                block.depth, block.state = 0, "body"
        elif self.word_begins():
            if self.word().text == "esac":
                self.blocks.pop()
        else:
            self.position += 1

    def _pattern_goes_on(self) -> bool:
        following = self.text[self.position : self.position + 1]
        return bool(following) and following not in " \t\n;"

    # ---------------------------------------------------------------- meaning

    def _finish(self, words: list[Word], after: str, operator: str, record: bool) -> None:
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
                self.exports.update(w.text for w in rest if w.text and NAME.fullmatch(w.text))
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
        words: list[Word],
        siblings: list[Word],
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
