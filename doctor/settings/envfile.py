"""A ``.env`` file as python-dotenv, docker, docker compose and a shell each read it.

The rules of each are in ``doctor/settings/envreaders``. Nothing in the file is ever executed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from doctor.facts.settings import EnvFile, EnvLine, EnvReader
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.borrowed import public
from doctor.settings.envreaders import Assignment, Reading, compose, docker, python_dotenv, shell
from doctor.settings.names import is_secret_name, looks_like_key, understood
from doctor.settings.textfile import TextFile
from doctor.untrusted import visible

# A line that a person would call an assignment, whichever reader takes it.
_LINE = Pattern(
    r"""\s* \ufeff? \s* (?:export\s+)?
        (?P<quote>["']?) (?P<name>[A-Za-z_][\w.-]*) (?P=quote)
        \s* (?:=|:(?=\s|$)) [^\S\n]* (?P<raw>.*)""",
    re.VERBOSE,
)

_WORD = Pattern(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class ReadEnvFile:
    """An env file with, per reader, what it takes from it or why it refuses it.

    ``own`` is what it would take if the environment were empty, ``without_secrets`` if it held no
    secret (see ``doctor.settings.borrowed``); ``environment`` is the whole of it.
    """

    file: EnvFile
    readings: dict[EnvReader, Reading]
    own: dict[EnvReader, Reading]
    without_secrets: dict[EnvReader, Reading]
    environment: Mapping[str, str]


def read_env_file(
    source: TextFile,
    shown: str,
    environment: Mapping[str, str],
    *,
    project: bool = False,
    readers: tuple[EnvReader, ...] = (),
    dotenv_since_1_2_3: bool = False,
    tracked_by_git: bool | None = None,
) -> ReadEnvFile:
    """Read ``source`` by everybody's rules.

    ``environment`` is what ``${NAME}`` may refer to. ``dotenv_since_1_2_3`` says that the
    python-dotenv in use is known to be that new (see ``envreaders.python_dotenv``).
    """
    full, safe, own = (
        _readings(source, known, dotenv_since_1_2_3)
        for known in (environment, public(environment), dict[str, str]())
    )
    file = EnvFile(
        path=shown,
        project=project,
        lines=tuple(_lines(source.text, full)),
        bom=source.bom,
        crlf=source.crlf,
        readers=readers,
        mode=source.mode,
        tracked_by_git=tracked_by_git,
    )
    return ReadEnvFile(file, full, own, safe, environment)


def _readings(
    source: TextFile, environment: Mapping[str, str], dotenv_since_1_2_3: bool
) -> dict[EnvReader, Reading]:
    if source.encoding != "utf-8":
        # Every character is followed by a NUL for whoever expects UTF-8.
        refused = Reading((), f"the file is {source.encoding.upper()}, not UTF-8", 1)
        return dict.fromkeys(EnvReader, refused)
    text = source.text
    readings = {
        EnvReader.DOTENV: python_dotenv.read(text, environment, since_1_2_3=dotenv_since_1_2_3),
        EnvReader.DOCKER: docker.read(text, environment),
        EnvReader.COMPOSE: compose.read(text, environment),
        EnvReader.SHELL: shell.read(text, environment),
    }
    if source.undecodable is not None:
        refused = Reading((), "bytes that are not UTF-8", source.undecodable)
        readings[EnvReader.DOTENV] = readings[EnvReader.DOCKER] = refused
    return readings


def _lines(text: str, readings: Mapping[EnvReader, Reading]) -> list[EnvLine]:
    by_line: dict[int, dict[EnvReader, Assignment]] = {}
    for reader, reading in readings.items():
        for assignment in reading.assignments:
            # Several on one line are a shell's; the first stands for the line.
            by_line.setdefault(assignment.line, {}).setdefault(reader, assignment)
    found: list[EnvLine] = []
    inside = 0
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), start=1):
        taken = by_line.get(number, {})
        match = None if line.lstrip("\ufeff \t").startswith("#") else _LINE.match(line)
        if number <= inside and EnvReader.DOTENV not in taken:
            continue  # the middle of a value that spans lines
        if match is None and not taken:
            continue
        name = match["name"] if match else visible(next(iter(taken.values())).name)
        raw = match["raw"] if match else line
        dotenv = taken.get(EnvReader.DOTENV)
        if dotenv is not None and "\n" in dotenv.value and raw[:1] in ("'", '"'):
            inside = number + dotenv.value.count("\n")
        found.append(_line(number, name, raw, taken))
    return found


def _line(number: int, name: str, raw: str, taken: Mapping[EnvReader, Assignment]) -> EnvLine:
    hidden = (
        is_secret_name(name)
        or looks_like_key(raw)
        or any(looks_like_key(assignment.value) for assignment in taken.values())
    )
    ours = hidden or _is_ours(name, raw)

    def held(value: str) -> str | Secret:
        # What other programs keep there is none of ours, and may be anything.
        return Secret(value) if hidden else value if ours else ""

    values: dict[EnvReader, tuple[str, str | Secret] | None] = {
        reader: (taken[reader].name, held(taken[reader].value)) if reader in taken else None
        for reader in EnvReader
    }
    return EnvLine(number, name, held(raw), values)


def _is_ours(name: str, raw: str) -> bool:
    """Whether the line sets something that a client of a model reads, in whatever syntax."""
    ahead = raw.partition("=")[0] if "=" in raw else ""
    return any(understood(word.upper()) for word in _WORD.findall(f"{name} {ahead}"))
