"""``.env`` files, by the rules of the program that reads them (``doctor.settings.envreaders``).

The same line means different things to different readers, so the edit is searched for: stretches
that may be the value, and spellings of the new one, are tried until the reader, given the edited
text, sees the new value and everything else as before. Of several that do, the first is taken that
as many readers as possible understand, of those that saw the old value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping

from doctor.facts.settings import EnvReader
from doctor.fixes import quoting
from doctor.fixes.editors.base import (
    Edit,
    line_end,
    literals,
    newline_of,
    not_found,
    unsupported,
    would_change_more,
)
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Operation, plain
from doctor.settings.envreaders import Assignment, Reading, compose, docker, python_dotenv, shell
from doctor.text import _

_HEAD = re.compile(
    r"""[ \t]*\ufeff?[ \t]*(?:export[ \t]+)?
        (?P<quote>["']?)(?P<name>[A-Za-z_][\w.-]*)(?P=quote)[ \t]*(?:=|:(?=[ \t]))""",
    re.VERBOSE,
)
# What stands ahead of a name where it is not one for every reader.
_LOST_HEAD = (
    r"[ \t]*\ufeff?[ \t]*(?:export[ \t]+|\$[eE][nN][vV]:)?"
    r"[\"']?{name}[\"']?[ \t]*[=:]"
)
_QUOTED = {
    "'": re.compile(r"'(?:\\.|[^'\\])*'|'[^']*'", re.DOTALL),
    '"': re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL),
}
_BARE = re.compile(r"[^\s\"'#$`\\&|;<>()*?~!{}\[\]]+")
_REFERENCE = re.compile(r"\$[A-Za-z_{(]")

Read = Callable[[str], Reading]


def readings(
    environment: Mapping[str, str], *, dotenv_drops_bom: bool = False
) -> dict[EnvReader, Read]:
    """What each program makes of a text; python-dotenv drops a BOM since its 1.2.3."""
    return {
        EnvReader.DOTENV: lambda text: python_dotenv.read(
            text, environment, since_1_2_3=dotenv_drops_bom
        ),
        EnvReader.COMPOSE: lambda text: compose.read(text, environment),
        EnvReader.DOCKER: lambda text: docker.read(text, environment),
        EnvReader.SHELL: lambda text: shell.read(text, environment),
    }


def edit(text: str, step: EditFile) -> Edit:
    """The edit that ``step`` asks for. Raises ``RefusedEdit``."""
    if step.operation is Operation.ADD:
        return _addition(text, step)
    reader = step.reader or EnvReader.DOTENV
    known = readings({}, dotenv_drops_bom=text.startswith("\ufeff") and _at_first(text, step))
    before = known[reader](text)
    if step.operation is Operation.RESPELL:
        return _respelling(text, step, before, known[reader])
    if before.refusal is not None and not before.assignments:
        reason = f"{reader.value}: {before.refusal}"
        raise RefusedEdit(reason, before.refusal_line)
    index = _find(before, step)
    line, head = _head(text, step)
    if step.operation is Operation.REMOVE:
        candidates = _removals(text, line, head, step)
    elif step.operation is Operation.SET:
        candidates = _replacements(text, line, head, step)
    else:
        raise unsupported(step)
    new = plain(step.new) if step.operation is Operation.SET else None
    expected = _rows(before.assignments, index, new)
    concerned = _seeing(known, text, step, plain(step.old))
    fitting = [
        (-len(concerned & _seeing(known, made.applied(text), step, new)), number, made)
        for number, made in enumerate(candidates)
        if _rows(known[reader](made.applied(text)).assignments) == expected
    ]
    if not fitting:
        raise would_change_more(step)
    return min(fitting)[2]


def _addition(text: str, step: EditFile) -> Edit:
    """A new line at the end, which every reader understands alike."""
    name, value = str(step.at[-1]), plain(step.new) or ""
    if not _BARE.fullmatch(value):
        raise unsupported(step)
    if any(found.name == name for found in python_dotenv.read(text, {}).assignments):
        raise RefusedEdit(_("{name} is set already", name=name))
    newline = newline_of(text)
    start = "" if not text or text.endswith("\n") else newline
    made = Edit(len(text), len(text), f"{start}{name}={value}{newline}")
    after = [(a.name, a.value) for a in python_dotenv.read(made.applied(text), {}).assignments]
    before = [(a.name, a.value) for a in python_dotenv.read(text, {}).assignments]
    if after != [*before, (name, value)]:
        raise would_change_more(step)
    return made


def _at_first(text: str, step: EditFile) -> bool:
    """Whether the step speaks of the first name by itself, though a BOM stands ahead of it."""
    old = python_dotenv.read(text, {}).assignments
    return not any((a.name, a.line) == (step.at[-1], step.line) for a in old)


def _respelling(text: str, step: EditFile, before: Reading, read: Read) -> Edit:
    """Write the line of a name that the reader loses (a BOM, ``export``, blanks) as it needs it."""
    name, wanted = str(step.at[-1]), plain(step.new) or ""
    start = 0
    for _number in range((step.line or 1) - 1):
        start = line_end(text, start)
    match = re.compile(_LOST_HEAD.format(name=re.escape(name))).match(text, start)
    if match is None:
        raise not_found(step)
    end = start + len(text[start : line_end(text, start)].rstrip("\r\n"))
    raw = text[match.end() : end].strip(" \t")
    # The reader may have taken something else for the name.
    mangled = {(a.name, a.line) for a in before.assignments if a.name.endswith(name)}
    others = [(a.name, a.value) for a in before.assignments if (a.name, a.line) not in mangled]
    for value in dict.fromkeys((raw, _unquoted(raw), wanted)):
        made = Edit(start, end, f"{name}={value}", literals(step, _unquoted(raw), _unquoted(value)))
        after = read(made.applied(text))
        rows = [(a.name, a.value) for a in after.assignments]
        if after.refusal is None and rows.count((name, wanted)) == 1:
            rows.remove((name, wanted))
            if rows == others or before.refusal is not None:
                return made
    raise would_change_more(step)


def _find(reading: Reading, step: EditFile) -> int:
    for index, assignment in enumerate(reading.assignments):
        if (assignment.name, assignment.line, assignment.value) == (
            str(step.at[-1]),
            step.line,
            plain(step.old),
        ):
            return index
    raise not_found(step)


def _head(text: str, step: EditFile) -> tuple[int, int]:
    """Where the line begins, and where what stands behind the ``=`` does."""
    position = 0
    for _number in range((step.line or 1) - 1):
        position = line_end(text, position)
    match = _HEAD.match(text, position)
    if match is None or match["name"] != step.at[-1]:
        raise not_found(step)
    return position, match.end()


def _stretches(text: str, head: int) -> Iterator[tuple[int, int]]:
    """What may be the value: the quoted text, the text up to a comment, the rest of the line."""
    blanks = re.compile(r"[ \t]*").match(text, head)
    start = blanks.end() if blanks else head
    pattern = _QUOTED.get(text[start : start + 1])
    quoted = pattern.match(text, start) if pattern else None
    if quoted is not None:
        yield start, quoted.end()
        # More pieces of the same word, as a shell joins them.
        joined = re.compile(r"[^\s#;&|]*").match(text, quoted.end())
        if joined and joined.end() > quoted.end():
            yield start, joined.end()
    end = line_end(text, head)
    line = text[start:end].rstrip("\n")
    bare = line.rstrip("\r")
    comment = re.search(r"\s#", bare)
    if comment:
        yield start, start + len(bare[: comment.start()].rstrip())
    yield start, start + len(bare.rstrip())
    yield start, start + len(bare)
    yield start, start + len(line)
    yield head, head + len(text[head:end].rstrip("\n").rstrip("\r"))
    yield head, head + len(text[head:end].rstrip("\n"))


def _spellings(new: str, old: str) -> list[str]:
    single = "'" + new + "'" if "'" not in new and "\\" not in new else None
    double = json.dumps(new, ensure_ascii=False) if "$" not in new else None
    as_shell = quoting.posix(new, old)
    bare = new if _BARE.fullmatch(new) else None
    if old[:1] == '"':
        order = [double, bare, single, new, as_shell]
    elif old[:1] == "'":
        order = [single, bare, double, new, as_shell]
    else:
        order = [bare, new, single, double, as_shell]
    return [spelling for spelling in dict.fromkeys(order) if spelling is not None]


def _replacements(text: str, line: int, head: int, step: EditFile) -> Iterator[Edit]:
    new, old = plain(step.new) or "", plain(step.old) or ""
    for start, end in dict.fromkeys(_stretches(text, head)):
        raw = text[start:end]
        if _REFERENCE.search(raw) and not _REFERENCE.search(old):
            continue  # made of other variables
        for spelling in _spellings(new, raw):
            hidden = literals(step, _unquoted(raw), _unquoted(spelling))
            yield Edit(start, end, spelling, hidden)


def _removals(text: str, line: int, head: int, step: EditFile) -> Iterator[Edit]:
    """Comment the lines of the assignment out."""
    for _start, end in dict.fromkeys(_stretches(text, head)):
        last = line_end(text, end)
        start = line + text.startswith("\ufeff", line)
        lines = text[start:last].splitlines(keepends=True)
        commented = "".join(f"# {one}" for one in lines)
        yield Edit(start, last, commented, literals(step, _unquoted(text[head:end])))


def _unquoted(raw: str) -> str:
    raw = raw.strip(" \t")
    return raw[1:-1] if len(raw) > 2 and raw[0] in "\"'" and raw[-1] == raw[0] else raw


def _rows(
    assignments: tuple[Assignment, ...], index: int | None = None, new: str | None = None
) -> list[tuple[str, str]]:
    """Names and values, with the one at ``index`` replaced by ``new``, or left out."""
    rows = [(a.name, a.value) for a in assignments]
    if index is not None:
        rows[index : index + 1] = [] if new is None else [(rows[index][0], new)]
    return rows


def _seeing(
    known: Mapping[EnvReader, Read], text: str, step: EditFile, value: str | None
) -> set[EnvReader]:
    """The readers that see ``value`` in the step's line, None: those that see none there."""
    found: set[EnvReader] = set()
    for reader, read in known.items():
        values = [
            a.value for a in read(text).assignments if (a.name, a.line) == (step.at[-1], step.line)
        ]
        if values == ([] if value is None else [value]):
            found.add(reader)
    return found


__all__ = ["edit", "readings"]
