"""The blocks of a shell's grammar: which of its words opens, continues and closes which."""

from __future__ import annotations

from dataclasses import dataclass

_OPENERS = {"if": "if", "while": "loop", "until": "loop", "for": "loop", "select": "loop"}
_OPENERS |= {"foreach": "loop", "repeat": "loop", "{": "brace", "case": "case"}
# What stands behind these is no command, but belongs to them.
_WITH_WORDS = frozenset({"for", "select", "foreach", "repeat"})
_PREFIXES = frozenset({"!", "time", "coproc", "always"})
# Block, its part so far, word: the part that follows.
_PARTS = {
    ("if", "head", "then"): "body",
    ("if", "body", "elif"): "head",
    ("if", "body", "else"): "end",
    ("loop", "head", "do"): "body",
}
_MIDDLES = frozenset(word for _kind, _part, word in _PARTS)
CLOSERS = {"fi": "if", "done": "loop", "esac": "case", "}": "brace", "end": "loop"}
_ZSH = frozenset({"foreach", "repeat", "always", "end"})


@dataclass(slots=True)
class _Block:
    """``part`` of a case is "head" up to its ``in``, then "pattern" and "body" by turns;
    ``brackets`` are those open within a pattern. ``filled``: the part holds a command."""

    kind: str
    part: str
    function: bool
    filled: bool = False
    brackets: int = 0


class Blocks:
    """Those that are open. ``strict``: as sh; else the short forms of zsh are let through, which
    leave blocks open."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self._open: list[_Block] = []

    def __len__(self) -> int:
        return len(self._open)

    @property
    def in_function(self) -> bool:
        return any(block.function for block in self._open)

    @property
    def in_pattern(self) -> bool:
        return self._part("case") == "pattern"

    @property
    def in_case_head(self) -> bool:
        return self._part("case") == "head"

    def _part(self, kind: str) -> str:
        block = self._open[-1] if self._open else None
        return block.part if block is not None and block.kind == kind else ""

    # ---------------------------------------------------------------- words of the grammar

    def knows(self, text: str | None) -> bool:
        """Whether ``text`` at the beginning of a command is the grammar's."""
        if text is None or (self.strict and text in _ZSH):
            return False
        return text in _OPENERS or text in _MIDDLES or text in CLOSERS or text in _PREFIXES

    def take(self, text: str, function: bool) -> bool:
        """Open, continue or close a block, a ``function``'s; False where there is none such."""
        if text in _OPENERS:
            kind = _OPENERS[text]
            self._open.append(_Block(kind, "body" if kind == "brace" else "head", function))
            return True
        if text in CLOSERS:
            return self._close(CLOSERS[text])
        return text in _PREFIXES or self._continue(text)

    def names_words(self, text: str) -> bool:
        """Whether what follows is part of a head, as in ``for NAME in WORD …``."""
        return text in _WITH_WORDS

    def _continue(self, text: str) -> bool:
        block = self._open[-1] if self._open else None
        part = _PARTS.get((block.kind, block.part, text)) if block else None
        if block is None or part is None or not block.filled:
            return not self.strict
        block.part, block.filled = part, False
        return True

    def _close(self, kind: str) -> bool:
        block = self._open[-1] if self._open else None
        if self.strict and (block is None or block.kind != kind):
            return False
        if self.strict and block and kind != "case" and not (block.filled and block.part != "head"):
            return False
        if self._open:
            self._open.pop()
        self.fill()
        return True

    def fill(self) -> None:
        """A command stands in the innermost block."""
        if self._open:
            self._open[-1].filled = True

    # ---------------------------------------------------------------- case

    def begin_pattern(self) -> None:
        """Behind ``in``, and behind ``;;`` of a case."""
        if self._open and self._open[-1].kind == "case":
            self._open[-1].part = "pattern"

    def open_bracket(self) -> None:
        self._open[-1].brackets += 1

    def close_bracket(self, goes_on: bool) -> None:
        """Within a pattern. In zsh a bracket may enclose a part of it: ``(open|free)bsd*)``."""
        block = self._open[-1]
        block.brackets -= 1
        if block.brackets < 0 or (block.brackets == 0 and not (goes_on and not self.strict)):
            block.brackets, block.part = 0, "body"
