"""The rules of docker compose (v2) for ``env_file`` and for its own ``.env``.

``NAME=value`` or ``NAME: value``; ``export`` is skipped. An unquoted value is trimmed and ends at
the first `` #``, so that in ``NAME=  # text`` the text becomes the value. Quotes may span lines;
in double quotes escapes count. ``$NAME``, ``${NAME}`` and the forms ``:-  -  :?  ?  :+  +`` are
filled in, except in single quotes. A character that no name can have, an open quote or a broken
``${`` makes compose refuse the whole file.

Source: the documentation and the parser of compose-go (read, not copied).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from doctor.patterns import Pattern
from doctor.settings.envreaders.base import Assignment, Reading

# Blanks within a line, as Go's parser lists them.
_BLANKS = "\t\v\f\r \x85\xa0"
_EXPORT = Pattern(r"export\s+")
_NAME_MARKS = "_.-[]"
_ESCAPE = Pattern(r'\\([abfnrtv$"\\]|0[0-7]{3})')
_ESCAPED = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_NAME = Pattern(r"[A-Za-z_][A-Za-z0-9_]*")


class _Refused(Exception):
    """Compose rejects the file; the text is the reason."""


def read(text: str, environment: Mapping[str, str]) -> Reading:
    """What compose makes of the file; nothing where it refuses it."""
    text = text.removeprefix("\ufeff")
    assignments: list[Assignment] = []
    known: dict[str, str] = {}
    position = 0
    line = 1
    try:
        while (position := _statement_start(text, position)) < len(text):
            line = text.count("\n", 0, position) + 1
            name, separator, position = _name(text, position)
            if separator == "\n":
                found = environment.get(name)
            else:
                found, position = _value(text, position, {**known, **environment})
            if found is not None and name and not name[0].isdigit():
                known[name] = found
                assignments.append(Assignment(line, name, found))
    except _Refused as refused:
        return Reading((), str(refused), line)
    return Reading(tuple(assignments))


def _statement_start(text: str, position: int) -> int:
    while position < len(text):
        if text[position].isspace():
            position += 1
        elif text[position] == "#":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
        else:
            break
    return position


def _name(text: str, position: int) -> tuple[str, str, int]:
    """The name, what ended it ("=", ":" or a line end), and where the value begins."""
    match = _EXPORT.match(text, position)
    if match:
        position = match.end()
    for end in range(position, len(text)):
        char = text[end]
        if char in "=:\n":
            name = text[position:end].rstrip()
            if " " in name:
                raise _Refused("key cannot contain a space")
            after = end + 1
            while after < len(text) and text[after] in _BLANKS:
                after += 1
            return name, char, after
        if char not in _BLANKS and char not in _NAME_MARKS and not char.isalnum():
            raise _Refused(f"unexpected character {char!r} in variable name")
    # A last line without separator and line end: compose takes nothing of use from it.
    return "", "\n", len(text)


def _value(text: str, position: int, known: Mapping[str, str]) -> tuple[str, int]:
    quote = text[position : position + 1]
    if quote not in ("'", '"'):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        bare = text[position:end].split(" #", 1)[0].rstrip()
        return substituted(bare, known), min(end + 1, len(text))
    chars: list[str] = []
    escaped = False
    for index in range(position + 1, len(text)):
        char = text[index]
        if char == quote and not escaped:
            inner = "".join(chars)
            if quote == '"':
                inner = substituted(_ESCAPE.sub(_unescape, inner), known)
            return inner, index + 1
        if char == "\\" and not escaped:
            escaped = True
            continue
        if escaped and char != quote:
            chars.append("\\")
        chars.append(char)
        escaped = False
    raise _Refused("unterminated quoted value")


def _unescape(match: re.Match[str]) -> str:
    sign = match.group(1)
    if sign == "$":
        return "$$"
    if sign[0] == "0":
        return chr(int(sign, 8))
    return _ESCAPED.get(sign, sign)


def substituted(template: str, known: Mapping[str, str]) -> str:
    """Compose's interpolation, also used for the values of a compose file.

    Raises ``ValueError`` where compose refuses the template or a required variable is missing.
    """
    out: list[str] = []
    position = 0
    while (dollar := template.find("$", position)) >= 0:
        out.append(template[position:dollar])
        following = template[dollar + 1 : dollar + 2]
        if following == "$":
            out.append("$")
            position = dollar + 2
        elif following == "{":
            end = _closing_brace(template, dollar + 1)
            out.append(_braced(template[dollar + 2 : end], known))
            position = end + 1
        elif match := _NAME.match(template, dollar + 1):
            out.append(known.get(match.group(), ""))
            position = match.end()
        else:
            out.append("$")
            position = dollar + 1
    out.append(template[position:])
    return "".join(out)


def _closing_brace(template: str, opening: int) -> int:
    depth = 0
    for index in range(opening, len(template)):
        if template[index] == "{":
            depth += 1
        elif template[index] == "}":
            depth -= 1
            if depth == 0:
                return index
    raise _InvalidTemplate("invalid interpolation format")


class _InvalidTemplate(_Refused, ValueError):
    """A template that compose refuses, in an env file or in a compose file."""


def _braced(inner: str, known: Mapping[str, str]) -> str:
    match = _NAME.match(inner)
    if match is None:
        raise _InvalidTemplate("invalid interpolation format")
    name, rest = match.group(), inner[match.end() :]
    if not rest:
        return known.get(name, "")
    empty_counts = rest.startswith(":")
    operator, word = rest[empty_counts : empty_counts + 1], rest[empty_counts + 1 :]
    value = known.get(name)
    there = bool(value) if empty_counts else value is not None
    if operator == "-":
        return (value or "") if there else substituted(word, known)
    if operator == "+":
        return substituted(word, known) if there else (value or "")
    if operator == "?":
        if not there:
            raise _InvalidTemplate(f"required variable {name} is missing a value")
        return value or ""
    raise _InvalidTemplate("invalid interpolation format")
