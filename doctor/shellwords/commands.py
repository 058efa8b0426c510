"""Simple commands, and the blocks that they stand in: ``if``, loops, ``case``, functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from doctor.patterns import Pattern
from doctor.shellwords.blocks import Blocks
from doctor.shellwords.model import (
    CASE_ENDS,
    PIPES,
    Command,
    Kind,
    Operator,
    Piece,
    Redirection,
    Trouble,
    Word,
)
from doctor.shellwords.words import FUNCTION_PARENTHESES

if TYPE_CHECKING:  # words hold commands, and commands words
    from doctor.shellwords.tokens import Tokens

_TEST_END = Pattern(r"\s\]\]")
_JOINTS = ("&&", "||", *PIPES)


class Commands:
    """Reads the commands of ``tokens`` from its position on."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.blocks = Blocks(strict=not tokens.extended)
        self._command = Command()
        self._list: list[Command] = []
        self._function = False  # the next block is a function's

    def read(self) -> Iterator[Command]:
        """Every command up to the end of the text; ``tokens.fault`` says where that comes too
        early. Commands that are joined by ``&&``, ``||`` or a pipe are given together."""
        while self._step():
            yield from self._complete()
        self._finish("", self.tokens.position)
        yield from self._complete()

    def skip(self) -> bool:
        """Go behind the bracket that closes what was opened; False where there is none."""
        while True:
            self.tokens.gap()
            if self.tokens.char == ")" and not self.blocks.in_pattern:
                self.tokens.position += 1
                return True
            if not self._step():
                return False
            self._list.clear()

    # ---------------------------------------------------------------- steps

    def _step(self) -> bool:
        """Read one token; False at the end."""
        self.tokens.gap()
        if self.blocks.in_pattern:
            return self._pattern()
        if self.tokens.char == "(":
            self._open_bracket()
            return True
        token = self.tokens.token()
        if token is None:
            return False
        if isinstance(token, Word):
            self._word(token)
        elif isinstance(token, Redirection):
            self._command.redirections.append(token)
        elif isinstance(token, Operator):
            self._operator(token)
        return True

    def _operator(self, operator: Operator) -> None:
        if operator.text == ")":
            self.tokens.fail(Trouble.STRAY, operator.start)
            return
        if operator.text == "\n" and self._command.before in _JOINTS and self._command.empty:
            return  # a line may break behind an operator
        self._finish(operator.text, operator.start)
        if operator.text in CASE_ENDS:
            self.blocks.begin_pattern()

    def _finish(self, behind: str, stop: int) -> None:
        command = self._command
        command.behind, command.stop = behind, stop
        command.depth = len(self.blocks)
        command.function = self.blocks.in_function
        if command.words or command.redirections:
            self.blocks.fill()
        # The body may begin on the next line; one in brackets is a word.
        self._function = self._function and not command.words
        self._list.append(command)
        self._command = Command(before=behind)

    def _complete(self) -> list[Command]:
        """The commands of a list that has come to its end."""
        if not self._list or self._list[-1].behind in _JOINTS:
            return []
        complete, self._list = self._list, []
        for command in complete:
            command.background = complete[-1].behind == "&"
        return complete

    def _open_bracket(self) -> None:
        tokens, words = self.tokens, self._command.words
        start = tokens.position
        parentheses = FUNCTION_PARENTHESES.match(tokens.text, start)
        if parentheses and (words or tokens.extended):  # zsh has functions without a name
            tokens.position = parentheses.end()
            self._command.keywords.append("()")
            self._function = bool(words)
            words.clear()
            return
        if not tokens.extended and (words or tokens.at("((")):
            tokens.fail(Trouble.STRAY, start)
            return
        if not words and tokens.at("(("):
            kind, closed = Kind.ARITHMETIC, tokens.skip_brackets()
        else:
            kind, closed = Kind.BRACKETS, tokens.substitution(1).closed
        piece = Piece(kind, start, tokens.position, None, closed=closed)
        words.append(Word(start, tokens.position, (piece,)))

    # ---------------------------------------------------------------- words

    def _word(self, word: Word) -> None:
        words = self._command.words
        if words or not self._reserved(word):
            words.append(word)
        if self.blocks.in_case_head and word.bare == "in":
            self.blocks.begin_pattern()
            self._command = Command(before="\n")

    def _reserved(self, word: Word) -> bool:
        """Whether the first word of a command is the grammar's and no word of the command."""
        text = word.bare
        if text == "function":
            self._name_function()
        elif text == "[[":
            self._skip_test(word)
            return False
        elif text is None or not self.blocks.knows(text):
            return False
        else:
            if not self.blocks.take(text, self._function):
                self.tokens.fail(Trouble.STRAY, word.start)
            self._function = False
            if self.blocks.names_words(text):
                return False
        self._command.keywords.append(text)
        return True

    def _name_function(self) -> None:
        tokens = self.tokens
        tokens.gap()
        if tokens.word_begins():
            tokens.word()
        tokens.gap()
        match = FUNCTION_PARENTHESES.match(tokens.text, tokens.position)
        tokens.position = match.end() if match else tokens.position
        self._function = True

    def _skip_test(self, word: Word) -> None:
        """``[[ … ]]``; inside it ``<``, ``(`` and ``|`` mean other things."""
        tokens = self.tokens
        while tokens.char:
            if end := _TEST_END.match(tokens.text, tokens.position):
                tokens.position = end.end()
                return
            tokens.skip_piece()
        tokens.fail(Trouble.TEST, word.start)

    # ---------------------------------------------------------------- case

    def _pattern(self) -> bool:
        """One piece of a case's pattern; False at the end of the text."""
        tokens = self.tokens
        if not tokens.char:
            tokens.fail(Trouble.CASE, tokens.position)
            return False
        if tokens.char == "#":
            tokens.to_line_end()
        elif tokens.char == "(":
            tokens.position += 1
            self.blocks.open_bracket()
        elif tokens.char == ")":
            tokens.position += 1
            self.blocks.close_bracket(goes_on=tokens.char not in (" ", "\t", "\n", ";", ""))
        elif tokens.word_begins():
            if tokens.word().bare == "esac":
                self.blocks.take("esac", function=False)
                self._command.keywords.append("esac")
        else:
            tokens.position += 1
        return True
