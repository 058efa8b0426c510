"""From a command that was read to a Launch: which version, which arguments, which models."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from doctor.launch import versions
from doctor.launch.arguments import Parsed, parse
from doctor.launch.model import Entry, Launch, Slip, Span, Variable, Version, Word
from doctor.launch.models import Wanted, with_configs
from doctor.launch.oneword import parted
from doctor.launch.program import ASSIGNMENT, Start, start_of
from doctor.launch.reading.containers import read_run, run_at
from doctor.launch.reading.detect import Reading
from doctor.launch.reading.found import Found, Groups, NothingFound
from doctor.launch.tables import table
from doctor.patterns import Pattern
from doctor.text import _

_WHOLE_REFERENCE = Pattern(r"\$(?:[@*]|[A-Za-z_]\w*|\{[^}]*\})|\$\(.*\)|`.*`", flags=16)
# A template, or what a guide leaves to its reader: ``...``, ``{...}``, ``{"model": <name>}``.
_TO_FILL_IN = Pattern(r"\{\{|^(?:\.\.\.|…)$|^\{\s*(?:\.\.\.|…)\s*\}$|:\s*<[A-Za-z][\w -]*>")
# What has more words is no command that somebody wrote; no text starts so many servers.
_WORDS, _COMMANDS, _LINES = 1_000, 20_000, 25
_MANY = Pattern(r"[@*]|ARGS|OPTS|OPTIONS|FLAGS|PARAMS|EXTRA", flags=2)  # re.IGNORECASE


def launches(reading: Reading, place: str, wanted: Wanted) -> list[tuple[Launch, tuple[str, ...]]]:
    """Every line of ``reading`` that starts a server, with the kinds of its groups of words.

    Raises ``NothingFound``; ``ValueError`` for a version that is none.
    """
    made: list[tuple[Launch, tuple[str, ...]]] = []
    for found in reading.found[:_COMMANDS]:
        if len(found.words) > _WORDS:
            continue
        found = parted(reading.text, found, reading.kinds)
        start = start_of(found, reading.kind)
        if start is None:
            continue
        if len(made) == _LINES:
            last, kinds = made[-1]
            note = _("Only the first {count} lines of the text are judged.", count=_LINES)
            made[-1] = replace(last, notes=(*last.notes, note)), kinds
            break
        made.append(_launch(reading, found, start, place, wanted, len(made)))
    if not made:
        raise NothingFound(_("no command that starts vLLM was found in {place}", place=place))
    return made


def _launch(
    reading: Reading, found: Found, start: Start, place: str, wanted: Wanted, number: int
) -> tuple[Launch, tuple[str, ...]]:
    words = [
        replace(word, known=False) if word.known and _TO_FILL_IN.search(word.text) else word
        for word in found.words
    ]
    container = found.container
    variables = [Variable(name, value) for name, value in wanted.given.items()]
    variables += [*found.variables, *_assigned(words, start)]
    run = run_at(words)
    if run is not None:
        options = read_run(words, run)
        container = options.container
        variables += options.variables
    version = _version(reading, container, words, start, wanted)
    flags = table(version.table)
    open_ended = start.program < 0
    notes: list[str] = []
    entry = Entry.DECLARED if found.declared else start.entry
    parsed = Parsed()
    if entry is not Entry.OTHER:
        parsed = parse(words, start.first, flags, entry)
        named = parsed.model is not None or any(a.flag == "--model" for a in parsed.arguments)
        open_ended = open_ended or (found.added_to and not named)
        open_ended = open_ended or _is_open(words, start.first, parsed)
        configured = _config_file(words, start, wanted, notes)
        if configured is None:
            open_ended = True
        elif configured:
            extra = parse([*words, *configured], len(words), flags, entry)
            words += configured
            parsed.arguments = [*extra.arguments, *parsed.arguments]
            parsed.refusals += extra.refusals
    slips = list(found.slips)
    if start.slip:
        slips.append(_entry_slip(reading.text, words, start))
    launch = Launch(
        id=found.name or (f"line {found.line}" if number else "line"),
        place=place,
        text=reading.text,
        entry=entry,
        words=tuple(words),
        first=start.first,
        version=version,
        arguments=tuple(parsed.arguments),
        refusals=tuple(parsed.refusals),
        model=parsed.model,
        variables=tuple(variables),
        container=container,
        gpu=wanted.gpu,
        slips=tuple(slips),
        open_ended=open_ended,
        other=start.other,
        notes=tuple(notes),
        here=wanted.here,
        folder=wanted.folder,
        neighbours=tuple(found.neighbours),
    )
    return with_configs(launch, wanted), reading.kinds


def _is_open(words: Sequence[Word], first: int, parsed: Parsed) -> bool:
    """Whether a reference may stand for further arguments: one that is nobody's value, or that is
    named so."""
    taken = {i for a in parsed.arguments if a.values for i in range(a.first + 1, a.last + 1)}
    if parsed.model is not None:
        taken.add(parsed.model.first)
    for index in range(first, len(words)):
        word = words[index]
        if not word.known and _TO_FILL_IN.search(word.text) and index not in taken:
            return True
        if word.known or not _WHOLE_REFERENCE.fullmatch(word.text):
            continue
        if index not in taken or _MANY.search(word.text):
            return True
    return False


def _assigned(words: Sequence[Word], start: Start) -> list[Variable]:
    """``NAME=value`` in front of the program."""
    found = []
    for index, word in enumerate(words[: max(start.program, 0)]):
        match = ASSIGNMENT.fullmatch(word.text)
        if match is None:
            if word.text in ("env", "sudo", "nohup", "exec", "time", "$"):
                continue
            break
        after = words[index + 1] if index + 1 < len(words) else None
        cut = Span(word.start, after.start, "") if after is not None and word.start >= 0 else None
        found.append(Variable(match.group(1), match.group(2), cut, word.known))
    return found


def _version(
    reading: Reading,
    container: object,
    words: Sequence[Word],
    start: Start,
    wanted: Wanted,
) -> Version:
    if wanted.version:
        return versions.told(wanted.version, "--vllm-version")
    image = getattr(container, "image", "")
    found = versions.of_image(image) or versions.of_text(reading.text)
    if found is None and wanted.here and not image and 0 <= start.program < len(words):
        found = versions.installed(words[0].text) or versions.installed(words[start.program].text)
    return found or versions.assumed()


def _entry_slip(text: str, words: Sequence[Word], start: Start) -> Slip:
    word = words[start.program]
    line = text.count("\n", 0, word.start) + 1 if word.start >= 0 else 0
    spans: tuple[Span, ...] = ()
    if word.start >= 0 and start.slip == "no-subcommand":
        spans = (Span(word.end, word.end, " serve"),)
    elif start.slip == "wrong-subcommand":
        second = words[start.program + 1]
        spans = (Span(second.start, second.end, "serve"),) if second.start >= 0 else ()
    elif start.slip == "module-without-m" and word.start >= 0:
        spans = (Span(word.start, word.start, "-m "),)
    count = 1 if word.text == "serve" else 2
    shown = " ".join(w.text for w in words[start.program : start.program + count])
    return Slip(start.slip, line, shown, spans)


def _config_file(
    words: Sequence[Word], start: Start, wanted: Wanted, notes: list[str]
) -> list[Word] | None:
    """The words of ``--config FILE``; none without one, None where it cannot be read."""
    from doctor.launch.reading import declared, yamltext
    from doctor.settings import textfile
    from doctor.settings.documents import Malformed

    for index in range(start.first, len(words) - 1):
        if words[index].text != "--config":
            continue
        name = words[index + 1].text
        path = Path(wanted.folder, os.path.expanduser(name))
        try:
            text = textfile.read(path).text
            roots = yamltext.documents(text)
        except (textfile.Unreadable, Malformed, OSError, ValueError):
            notes.append(_("{name} was not read: its flags are not judged", name=name))
            return None
        if len(roots) == 1 and yamltext.is_mapping(roots[0]):
            made = declared.vllm_config(text, roots[0], Groups())
            return [Word(word.text) for word in made.words[2:]]
        return []
    return []


__all__ = ["Wanted", "launches"]
