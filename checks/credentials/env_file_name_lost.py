"""KVD116: a line of an env file that the program reading it does not understand."""

from __future__ import annotations

import enum
import re
from collections.abc import AsyncIterator, Iterator

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Secret,
    SettingName,
    Severity,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.connection import Connection, OriginKind
from doctor.facts.settings import EnvFile, EnvLine, EnvReader, Role, SourceProblem
from doctor.patterns import Pattern
from doctor.records import dataclass

from ._client_variables import key_variables
from ._env_files import role_of
from ._key_text import body, is_empty, without_quotes
from ._sources import origin_of

CODE = "KVD116"
_BOM = "\ufeff"
# What stands ahead of the name in the languages of shells.
_AHEAD_OF_NAME = Pattern(r"\A\ufeff?\s*(\$env:|export\s+|setx?\s+|declare\s+-x\s+)?", re.I)
_COMPUTED = Pattern(r"[$][(']|`")
_BLANKS_AT_EQUALS = Pattern(r"\A[^=]*(?:\s=|=[ \t]+\S)")


class Cause(enum.Enum):
    BOM = "byte order mark"
    POWERSHELL = "PowerShell"
    CMD = "cmd"
    EXPORT = "export"
    BLANKS = "blanks"
    LINE_ENDS = "line ends"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Lost:
    """What one reader does not get from one file: ``names`` of variables, and why.

    ``line`` is the one at fault, which may be another than those of ``names``: docker refuses
    the whole file for one bad line.
    """

    file: EnvFile
    reader: EnvReader
    known: bool
    names: tuple[str, ...]
    line: EnvLine
    cause: Cause
    said: SourceProblem | None = None


@check(
    code=CODE,
    slug="env-file-name-lost",
    severity=Severity.ERROR,
    needs=(facts.SETTINGS,),
)
async def env_file_name_lost(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A `.env` file holds key, URL or model in a form that its reader drops or renames.

    What it checks: the lines of `.env` files that set a key, a base URL or a model, as the
    programs that are known to read the file see them; where none is known, as python-dotenv
    does, and then only if this connection lacks the value.

    Why it matters: a byte order mark becomes part of the first name, so that `OPENAI_API_KEY`
    is not set though everybody sees it in the file. `docker --env-file` refuses `export` and
    blanks ahead of `=`, and no reader takes `$env:NAME=` or `set NAME=`.

    How to fix: write `NAME=value`, one per line, without blanks around `=`, and save the file
    as UTF-8 without BOM and with LF.

    Fix safety: the value is taken over as it stands in the file, only for a variable that the
    client reads, or beside the base URL in effect.

    References: https://docs.docker.com/reference/cli/docker/container/run/#env
    """
    settings = await f.get(facts.SETTINGS)
    if not settings.env_files:
        raise NotApplicable("there is no env file")
    for file in settings.env_files:
        said = next((p for p in settings.problems if p.path == file.path), None)
        for lost in _lost_in(file, said):
            lacking = _lacking(lost, f.connection)
            if lost.known or lacking:
                yield _finding(lost, lacking, f.connection)


def _lost_in(file: EnvFile, said: SourceProblem | None) -> Iterator[Lost]:
    for reader in file.readers or (EnvReader.DOTENV,):
        lines = [line for line in file.lines if _is_lost(line, reader)]
        if lines:
            culprit, cause = _culprit(file, lines)
            names = tuple(dict.fromkeys(_name(line) for line in lines))
            yield Lost(file, reader, bool(file.readers), names, culprit, cause, said)
        kept = [line for line in file.lines if line not in lines and _ends_in_cr(line, reader)]
        if kept:
            names = tuple(dict.fromkeys(_name(line) for line in kept))
            yield Lost(file, reader, bool(file.readers), names, kept[0], Cause.LINE_ENDS)


def _is_lost(line: EnvLine, reader: EnvReader) -> bool:
    """A line with a value for one of our roles that the reader does not set by its name."""
    name = _name(line)
    if role_of(name) is None or reader not in line.values or not _value(line):
        return False
    if reader is EnvReader.SHELL and _COMPUTED.search(_whole(line)):
        return False  # a shell sets it; only the value cannot be told without running something
    read = line.values[reader]
    return read is None or read[0] != name


def _ends_in_cr(line: EnvLine, reader: EnvReader) -> bool:
    read = line.values.get(reader)
    return role_of(_name(line)) is not None and read is not None and _text(read[1]).endswith("\r")


def _culprit(file: EnvFile, lost: list[EnvLine]) -> tuple[EnvLine, Cause]:
    """The line at fault, among those lost first, and what is wrong with it."""
    for line in (*lost, *file.lines):
        cause = _cause(file, line)
        if cause is not Cause.OTHER:
            return line, cause
    return lost[0], Cause.OTHER


def _cause(file: EnvFile, line: EnvLine) -> Cause:
    whole = _whole(line)
    match = _AHEAD_OF_NAME.match(whole)
    word = (match.group(1) or "").strip().lower() if match else ""
    if word == "$env:":
        return Cause.POWERSHELL
    if word in ("set", "setx"):
        return Cause.CMD
    if whole.startswith(_BOM) or (file.bom and line.number == 1):
        return Cause.BOM
    if word:
        return Cause.EXPORT
    return Cause.BLANKS if _BLANKS_AT_EQUALS.match(whole) else Cause.OTHER


def _whole(line: EnvLine) -> str:
    """The assignment as it stands in the file, whether ``raw`` is all of it or its value."""
    raw = _text(line.raw)
    return raw if line.name.strip(_BOM + " ") in raw and "=" in raw else f"{line.name}={raw}"


def _name(line: EnvLine) -> str:
    """The name that was meant."""
    left = _whole(line).partition("=")[0]
    return _AHEAD_OF_NAME.sub("", left, count=1).strip().strip("\"'")


def _value(line: EnvLine) -> str:
    """The value that was meant: what a reader with the right name gets, else what stands there."""
    name = _name(line)
    for read in line.values.values():
        if read is not None and read[0] == name:
            return _text(read[1]).strip()
    return without_quotes(_whole(line).partition("=")[2].strip()).strip()


def _text(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value


def _lacking(lost: Lost, connection: Connection) -> bool:
    """Whether the connection has no value of its own for something that was lost."""
    if lost.cause is Cause.LINE_ENDS:
        return False
    roles = {role_of(name) for name in lost.names}
    return (
        (Role.KEY in roles and _has_no_key(connection))
        or (Role.BASE_URL in roles and origin_of(connection.base_url).kind is OriginKind.DEFAULT)
        or (Role.MODEL in roles and connection.model is None)
    )


def _has_no_key(connection: Connection) -> bool:
    return connection.key is None or is_empty(connection.key.value.reveal())


def _finding(lost: Lost, lacking: bool, connection: Connection) -> Finding:
    names = ", ".join(lost.names)
    where = f"{lost.file.path}:{lost.line.number}"
    return problem(
        _title(lost, names),
        _("{why} {how}", why=_why(lost, names), how=_how(lost)),
        evidence=(Evidence(_("line"), where, _shown(lost.line)),),
        changes=_changes(lost, connection),
        severity=None if lacking else Severity.WARNING,
        explains=("KVD101", "KVD109", "KVD111", "KVD114") if lacking else (),
    )


def _title(lost: Lost, names: str) -> str:
    path, reader = lost.file.path, lost.reader.value
    match lost.cause:
        case Cause.BOM:
            return _("A byte order mark hides {names} in {path}", names=names, path=path)
        case Cause.POWERSHELL:
            return _("{path} sets {names} in PowerShell's syntax", path=path, names=names)
        case Cause.CMD:
            return _("{path} sets {names} in the syntax of cmd", path=path, names=names)
        case Cause.LINE_ENDS:
            return _(
                "{reader} leaves a carriage return at the end of {names}",
                reader=reader,
                names=names,
            )
        case _other:
            return _(
                "{reader} does not get {names} from {path}", reader=reader, names=names, path=path
            )


def _why(lost: Lost, names: str) -> str:
    reader, number = lost.reader.value, lost.line.number
    match lost.cause:
        case Cause.BOM:
            return _(
                "The file begins with U+FEFF. {reader} takes it for a part of the first name, so "
                "that {names} is not set.",
                reader=reader,
                names=names,
            )
        case Cause.POWERSHELL | Cause.CMD:
            return _(
                "Line {number} is a command of that shell; a reader of env files does not run it.",
                number=number,
            )
        case Cause.EXPORT:
            return _(
                "Line {number} begins with a word of the shell, which {reader} does not take.",
                number=number,
                reader=reader,
            )
        case Cause.BLANKS:
            return _(
                'Line {number} has a blank at "=", which {reader} does not take.',
                number=number,
                reader=reader,
            )
        case Cause.LINE_ENDS:
            return _(
                "{path} has Windows line ends (CR LF), and {reader} takes the CR for a part of "
                "the value.",
                path=lost.file.path,
                reader=reader,
            )
        case Cause.OTHER:
            return _("{rule}{said}", rule=_rule(lost.reader), said=_said(lost))


def _rule(reader: EnvReader) -> str:
    """What this program does with a line that it does not understand."""
    match reader:
        case EnvReader.DOCKER:
            return _(
                "docker --env-file refuses a whole file for one line with `export` or with a "
                'blank ahead of "=".'
            )
        case EnvReader.COMPOSE:
            return _("Compose refuses a whole file for one line that it does not understand.")
        case EnvReader.SHELL:
            return _('A shell takes a line with a blank at "=" for a command.')
        case EnvReader.DOTENV:
            return _("python-dotenv passes over a line that it does not understand.")


def _said(lost: Lost) -> str:
    """What reading the file told, with its line."""
    if lost.said is None:
        return ""
    number = lost.said.line if lost.said.line is not None else lost.line.number
    return _(" Line {number}: {message}.", number=number, message=visible(lost.said.message, 160))


def _how(lost: Lost) -> str:
    match lost.cause:
        case Cause.BOM:
            return _("Save the file as UTF-8 without BOM.")
        case Cause.LINE_ENDS:
            return _("Save the file with LF line ends.")
        case Cause.OTHER:
            return _(
                'Write every line as NAME=value, without a word ahead of it or blanks at "=", in '
                "UTF-8."
            )
        case _other:
            return _("Write it as {name}=value.", name=_name(lost.line))


def _shown(line: EnvLine) -> str:
    """The line; its value only where that is surely no secret."""
    left, _equals, right = _whole(line).partition("=")
    told = role_of(_name(line)) in (Role.BASE_URL, Role.MODEL)
    value = visible(right, 120) if told else Secret(right).masked
    return f"{visible(left, 80)}={value}"


def _changes(lost: Lost, connection: Connection) -> tuple[Change, ...]:
    """The key that was lost, where the client would have sent it to this very host."""
    if lost.cause is Cause.LINE_ENDS or not _has_no_key(connection):
        return ()
    base = origin_of(connection.base_url)
    beside = base.path == lost.file.path
    if base.project and not beside:
        return ()
    wanted = key_variables(connection.client)
    found: dict[str, str] = {}
    for line in lost.file.lines:
        name, value = _name(line), body(_value(line))
        if name not in lost.names or role_of(name) is not Role.KEY or not value:
            continue
        if name in wanted or beside:
            found.setdefault(value, name)
    return tuple(
        Change(
            CODE,
            SettingName.KEY,
            Secret(value),
            _("use {name} of {path}", name=name, path=lost.file.path),
            guess=len(found) > 1,
            rank=rank,
        )
        for rank, (value, name) in enumerate(found.items())
    )
