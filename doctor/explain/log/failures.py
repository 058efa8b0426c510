"""Exceptions and error lines, put together from the lines of each process.

Processes write in between one another, so each has its own assembler. An exception in a log is a
head (``Traceback``), frames, a line with its class, and what follows that line; vLLM prints them
bare or each with its own prefix. People who paste a log lose the indents, so frames are known by
their form.
"""

from __future__ import annotations

from collections.abc import Iterator

from doctor.explain.log.lines import Line
from doctor.patterns import Pattern
from doctor.records import dataclass

_HEAD = "Traceback (most recent call last)"
_LINKS = ("The above exception was the direct cause", "During handling of the above exception")
_FRAME = Pattern(
    r"\s*File \"(?P<file>[^\"\n]{1,400})\",(?: line (?P<line>\d+)(?:, in (?P<name>\S+))?"
    # People shorten what they paste.
    r"| in (?P<cut>\w{1,80})$)"
)
_CLASS = Pattern(
    r"(?:Exception: |E\s{2,6})?(?P<name>(?:[A-Za-z_]\w{0,80}\.){0,8}(?:[A-Z]\w{0,80}|error))"
    r"(?:: (?P<text>.*)|:?\s*)$"
)
# Errors that stand for themselves, in lines without a level.
_BARE = Pattern(
    r"(?:[\w.-]{1,60}(?: serve)?: )?error: "
    r"|(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception)\b: "
    r"|\S{0,80} ?\S{0,80} ?(?:\[\d+\] )?\S{0,40} ?NCCL WARN "
    r"|Killed\s*$|(?:Bus error|Segmentation fault)\b|\*\*\* SIG[A-Z]+ received"
    r"|terminate called after throwing|\s*what\(\):|Fatal Python error|docker: Error|OCI runtime"
    r"|AssertionError\b|\[rank\d+\]: [\w.]{1,80}(?:Error|Exception)\b"
    r"|Error response from daemon|Cannot access gated repo|Access to model \S+ is restricted"
)
_INDENTED = Pattern(r"\s{1,12}(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception): ")
# What a worker was told to do when it failed: as good as a frame.
_METHOD = Pattern(r"(?:processing|[Ee]xecuting) method '?(?P<name>\w{1,60})")
_NOT_FATAL = ("Warning", "KeyboardInterrupt", "CancelledError", "SystemExit")
_RANK = Pattern(r"\[rank\d+\]: ")
_GRAVE = ("ERROR", "CRITICAL")
# What is kept of one message (lines, characters), and of its frames.
_MESSAGE, _TEXT, _FRAMES = 40, 4_000, 60


@dataclass(frozen=True, slots=True)
class Failure:
    """``line`` is where its class or message stands. ``frames`` are the functions it passed
    through, outermost first. ``wraps``: raised while another one was handled."""

    line: int
    process: str
    name: str
    text: str
    frames: tuple[str, ...] = ()
    place: str = ""
    traced: bool = False
    wraps: bool = False
    level: str = ""


class Assembler:
    """The failures of one process. ``take`` gives those that are complete with a line."""

    def __init__(self) -> None:
        self._head: Line | None = None
        self._frames: list[str] = []
        self._place = ""
        self._code = ""
        self._method = ""
        self._wraps = False
        self._first: Line | None = None
        self._name = ""
        self._traced = False
        self._message: list[str] = []

    @property
    def busy(self) -> bool:
        """Whether the next lines may belong to what has begun."""
        return self._head is not None or self._first is not None

    def take(self, line: Line) -> Iterator[Failure]:
        text = line.text
        ranked = _RANK.match(text)
        if ranked is not None:
            text = text[ranked.end() :]
        if self._head is not None and self._is_of(line, self._head):
            if self._in_traceback(text, line):
                return
        elif self._first is not None and self._is_of(line, self._first):
            if self._goes_on(text, line, self._first):
                self._add(text)
                return
            yield from self.flush()
        if _HEAD in text or self._is_cut(text):
            yield from self.flush()
            self._head, self._frames, self._place, self._code = line, [], "", ""
            self._in_traceback(text, line)
        elif text.lstrip().startswith(_LINKS):
            self._wraps = True
        elif line.level in _GRAVE:
            if text.strip() and not _FRAME.match(text):
                yield from self.flush()
                self._begin(text, line, traced=False)
        elif not line.level and _BARE.match(text) and not _harmless(text):
            yield from self.flush()
            self._begin(text, line, traced=False)

    def flush(self) -> Iterator[Failure]:
        """What has begun, as it is."""
        first, self._first, self._head = self._first, None, None
        if first is None:
            return
        wraps, self._wraps = self._wraps, False
        if self._name.endswith(_NOT_FATAL):
            return
        message = " ".join(self._message)[:_TEXT]
        called = _METHOD.search(message)
        if called is not None:
            self._method = called["name"]
        frames = (self._method, *self._frames) if self._traced else ()
        if self._code and self._traced and (message == self._name or self._name == "KeyError"):
            # A bare assertion says what failed in its code only, a key little without it.
            message = f"{message} ({self._code})"
        yield Failure(
            line=first.number,
            process=first.process,
            name=self._name,
            text=message,
            frames=frames,
            place=self._place if self._traced else "",
            traced=self._traced,
            wraps=wraps,
            level=first.level,
        )

    def glue(self, text: str) -> bool:
        """Take what a terminal broke off the end of the last line; False where nothing is open."""
        if self._first is None or not self._message or _BARE.match(text) or _HEAD in text:
            return False
        self._message[-1] += text.rstrip()
        return True

    def _is_of(self, line: Line, begun: Line) -> bool:
        """Whether ``line`` may go on with what ``begun`` began: other threads write in between."""
        return line.level == begun.level and line.where == begun.where

    def _is_cut(self, text: str) -> bool:
        """Whether ``text`` is a frame whose beginning was left out of what was pasted."""
        return self._head is None and _FRAME.match(text) is not None

    def _in_traceback(self, text: str, line: Line) -> bool:
        """Whether the line belongs to the traceback; its last one begins the message."""
        frame = _FRAME.match(text)
        if frame is not None:
            if len(self._frames) >= _FRAMES:
                del self._frames[_FRAMES // 2]
            self._frames.append(frame["name"] or frame["cut"] or "")
            line_of = f":{frame['line']}" if frame["line"] else ""
            self._place = f"{_tail(frame['file'])}{line_of}"
            return True
        if _CLASS.match(text) or _INDENTED.match(text):
            self._begin(text.lstrip(), line, traced=True)
            return True
        # Code, indented or, as pastes have it, not.
        if _HEAD in text or text.lstrip().startswith(_LINKS):
            return False
        self._code = text.strip()[:_TEXT] or self._code
        return True

    def _begin(self, text: str, line: Line, traced: bool) -> None:
        found = _CLASS.match(text)
        self._head, self._first, self._traced = None, line, traced
        self._name = found["name"] if found else ""
        self._message = [text.strip()]

    def _goes_on(self, text: str, line: Line, first: Line) -> bool:
        if _HEAD in text or text.lstrip().startswith((*_LINKS, 'File "')):
            return False
        if line.number - first.number > 3 * _MESSAGE or _looks(text) == _looks(first.text):
            return False
        return bool(line.level) or (bool(text.strip()) and not _BARE.match(text))

    def _add(self, text: str) -> None:
        if len(self._message) < _MESSAGE and text.strip():
            self._message.append(text.strip())


def _harmless(text: str) -> bool:
    return text.partition(":")[0].endswith(_NOT_FATAL)


def _looks(text: str) -> str:
    """Without numbers: the same message again is not the next line of the message."""
    return "".join(char for char in text[:200] if not char.isdigit())


def _tail(path: str) -> str:
    """The last two parts of a path: enough to know the file."""
    return "/".join(path.replace("\\", "/").split("/")[-2:])
