"""ENTRYPOINT, CMD and ENV of a Dockerfile; the last stage counts."""

from __future__ import annotations

import json

from doctor.launch.model import Container, Slip, Span, Variable, Word
from doctor.launch.reading.found import Found, Groups
from doctor.launch.reading.shell import commands
from doctor.patterns import Pattern

_INSTRUCTION = Pattern(r"(?m)^[ \t]*([A-Za-z]+)[ \t]+")
_FROM = Pattern(r"(?im)^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(\S+)")
_RUNS = Pattern(r"(?im)^[ \t]*(?:ENTRYPOINT|CMD)[ \t]")
_STRING = Pattern(r'"(?:\\.|[^"\\\n])*"')
_SINGLE = Pattern(r"'([^'\n]*)'")
_KNOWN = frozenset(
    {"ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL"}
    | {"MAINTAINER", "ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"}
)


def is_dockerfile(text: str) -> bool:
    return _FROM.search(text) is not None and _RUNS.search(text) is not None


def read(text: str, groups: Groups) -> list[Found]:
    """The command that the image runs."""
    image = ""
    entrypoint: tuple[list[Word], list[Slip]] = ([], [])
    command: tuple[list[Word], list[Slip]] = ([], [])
    variables: dict[str, Variable] = {}
    begun = 1
    for name, start, end in _instructions(text):
        if name == "FROM":
            match = _FROM.match(text, text.rfind("\n", 0, start) + 1)
            image = match.group(1) if match else ""
            entrypoint, command = ([], []), ([], [])
        elif name == "ENV":
            for variable in _env(text, start, end, groups):
                variables[variable.name] = variable
        elif name in ("ENTRYPOINT", "CMD"):
            begun = text.count("\n", 0, start) + 1
            known = {v.name: v.value for v in variables.values()}
            made = _command(text, start, end, groups, known)
            if name == "ENTRYPOINT":
                entrypoint = made
            else:
                command = made
    words = [*entrypoint[0], *command[0]]
    container = Container("build", image)
    slips = [*entrypoint[1], *command[1]]
    found = Found(words, "", begun, slips, list(variables.values()), container)
    found.own_program = bool(entrypoint[0])
    found.added_to = True  # docker run takes CMD out and puts what it was given in its place
    return [found]


def _instructions(text: str) -> list[tuple[str, int, int]]:
    """Name, and where the rest begins and ends, continued lines included."""
    found = []
    position = 0
    while match := _INSTRUCTION.search(text, position):
        start = position = match.end()
        while True:
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            line = text[position:end].rstrip(" \t\r")
            comment = text[text.rfind("\n", 0, position) + 1 : end].lstrip().startswith("#")
            position = min(end + 1, len(text))
            if end >= len(text) or not (line.endswith("\\") or (comment and position > start)):
                break
        if match.group(1).upper() in _KNOWN:
            found.append((match.group(1).upper(), start, end))
        position = max(position, start + 1)
    return found


def _command(
    text: str, start: int, end: int, groups: Groups, variables: dict[str, str]
) -> tuple[list[Word], list[Slip]]:
    body = text[start:end].strip()
    if body.startswith("["):
        return _exec_form(text, start, end, groups)
    made = commands(text, groups, start=start, end=end, variables=variables)
    words = [word for one in made[:1] for word in one.words]
    return words, [slip for one in made[:1] for slip in one.slips]


def _exec_form(text: str, start: int, end: int, groups: Groups) -> tuple[list[Word], list[Slip]]:
    group = groups.new("json")
    words, slips = [], []
    strings = [(m.start(), m.end()) for m in _STRING.finditer(text[start:end])]
    if not strings and _SINGLE.search(text[start:end]):
        spans = []
        for match in _SINGLE.finditer(text[start:end]):
            at, to = start + match.start(), start + match.end()
            words.append(Word(match.group(1), at, to, group))
            spans.append(Span(at, to, json.dumps(match.group(1))))
        line = text.count("\n", 0, start) + 1
        slips.append(Slip("exec-form-quotes", line, "['…']", tuple(spans)))
        return words, slips
    for at, to in strings:
        try:
            value = json.loads(text[start + at : start + to], strict=False)
        except ValueError:
            value = text[start + at + 1 : start + to - 1]
        words.append(Word(value, start + at, start + to, group))
    return words, slips


def _env(text: str, start: int, end: int, groups: Groups) -> list[Variable]:
    made = commands(text, groups, start=start, end=end)
    words = [word for one in made for word in one.words]
    line = Span(text.rfind("\n", 0, start) + 1, min(end + 1, len(text)), "")
    if not words:
        # Assignments alone set variables for the reader of commands.
        pairs = [part.partition("=") for part in text[start:end].replace("\\\n", " ").split()]
        return [
            Variable(name, value.strip("\"'"), line if len(pairs) == 1 else None)
            for name, equals, value in pairs
            if equals
        ]
    if len(words) >= 2 and "=" not in words[0].text:
        return [Variable(words[0].text, " ".join(w.text for w in words[1:]), line)]
    return []
