"""python-dotenv's rules.

A statement may span lines inside quotes; ``export`` is skipped; an unquoted value ends at a blank
followed by ``#``; in double quotes the usual escapes count, in single quotes only ``\\\\`` and
``\\'``; ``${NAME}`` and ``${NAME:-default}`` are filled in, ``$NAME`` is not. A line that does not
fit is skipped with a warning. Files are opened in text mode, so every line end is ``\\n``.

Two rules changed in 1.2.3: it drops a BOM, which until then became part of the first name, and in
``NAME= # text`` it sees a comment, where older ones take ``# text`` for the value. Escaped
backslashes before a quote are understood since then, too. Most installed copies are older.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from doctor.patterns import Pattern
from doctor.settings.envreaders.base import Assignment, Reading

_BLANKS = Pattern(r"[^\S\n]*")
_SPACE = Pattern(r"\s*")
_EXPORT = Pattern(r"export[^\S\n]+")
_QUOTED_NAME = Pattern(r"'([^']+)'")
_NAME = Pattern(r"[^=#\s]+")
_END = Pattern(r"(?:[^\S\n]*#[^\n]*)?[^\S\n]*(?:\n|\Z)")
_LINE = Pattern(r"[^\n]*\n?")
_QUOTED = {
    "'": Pattern(r"'((?:\\.|[^'\\])*)'", re.DOTALL),
    '"': Pattern(r'"((?:\\.|[^"\\])*)"', re.DOTALL),
}
_QUOTED_BEFORE_1_2_3 = {
    "'": Pattern(r"'((?:\\'|[^'])*)'"),
    '"': Pattern(r'"((?:\\"|[^"])*)"'),
}
_ESCAPES = {"'": Pattern(r"\\([\\'])"), '"': Pattern(r"\\([\\'\"abfnrtv])")}
_ESCAPED = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_COMMENT = Pattern(r"\s+#.*")
_END_OF_BARE = Pattern(r"(?:[^\S\n]*#[^\n]*)?")
_REFERENCE = Pattern(r"\$\{([^}:]*)(?::-([^}]*))?\}")

BOM = "\ufeff"


def read(text: str, environment: Mapping[str, str], *, since_1_2_3: bool = False) -> Reading:
    """``load_dotenv()`` without override: the environment wins inside ``${NAME}``."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if since_1_2_3:
        text = text.removeprefix(BOM)
    assignments: list[Assignment] = []
    known: dict[str, str] = {}
    position = 0
    while position < len(text):
        start = _skip(_SPACE, text, position)
        if start == len(text):
            break
        name, value, position = _statement(text, start, since_1_2_3)
        if name is not None and value is None:
            # A bare name takes back what was assigned before.
            assignments = [earlier for earlier in assignments if earlier.name != name]
            known[name] = ""
        elif name is not None and value is not None:
            value = _filled(value, {**known, **environment})
            known[name] = value
            line = text.count("\n", 0, start) + 1
            assignments.append(Assignment(line, name, value))
    return Reading(tuple(assignments))


def _skip(pattern: Pattern, text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _statement(text: str, start: int, since_1_2_3: bool) -> tuple[str | None, str | None, int]:
    """Name, value and where the next statement begins; (None, None, …) for what is skipped."""
    position = _skip(_EXPORT, text, start)
    name: str | None = None
    value: str | None = None
    if not text.startswith("#", position):
        pattern = _QUOTED_NAME if text.startswith("'", position) else _NAME
        match = pattern.match(text, position)
        if match is None:
            return None, None, _skip(_LINE, text, position)
        name = match.group(match.lastindex or 0)
        position = match.end()
    position = _skip(_BLANKS, text, position)
    if text.startswith("=", position):
        after = _skip(_BLANKS, text, position + 1)
        if since_1_2_3 and after > position + 1 and text.startswith("#", after):
            value, position = "", after
        else:
            value, position = _value(text, after, since_1_2_3)
        if value is None:
            return None, None, _skip(_LINE, text, position)
    end = _END.match(text, position)
    if end is None:
        return None, None, _skip(_LINE, text, _skip(_END_OF_BARE, text, position))
    return name, value, end.end()


def _value(text: str, position: int, since_1_2_3: bool) -> tuple[str | None, int]:
    quote = text[position : position + 1]
    if quote in _ESCAPES:
        patterns = _QUOTED if since_1_2_3 else _QUOTED_BEFORE_1_2_3
        match = patterns[quote].match(text, position)
        if match is None:
            return None, position
        return _ESCAPES[quote].sub(_unescape, match.group(1)), match.end()
    end = text.find("\n", position)
    end = len(text) if end < 0 else end
    return _COMMENT.sub("", text[position:end]).rstrip(), end


def _unescape(match: re.Match[str]) -> str:
    char = match.group(1)
    return _ESCAPED.get(char, char)


def _filled(value: str, known: Mapping[str, str]) -> str:
    def fill(match: re.Match[str]) -> str:
        return known.get(match.group(1), match.group(2) or "")

    return _REFERENCE.sub(fill, value)
