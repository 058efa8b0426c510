"""One line of a log, taken apart: who wrote it, how grave it is, what it says.

Around vLLM's own text stand what brings the log (docker compose, kubectl, journald, CI) and the
process (facts/vllm.md §5.8); both are taken off, however many there are.
"""

from __future__ import annotations

import json

from doctor.patterns import Pattern
from doctor.records import dataclass

_ANSI = Pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_])")
# Who brings the log. A year stands in front of each time, which vLLM's own has not.
_CARRIER = Pattern(
    r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?:? {1,4}"
    r"(?:(?:stdout|stderr) [FP] )?(?:\S{1,80} [\w.@/-]{1,60}\[\d+\]: )?"
    r"|(?:[A-Z]{4,9} )?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z (?:\[resource\.[^\]]{1,200}\] )?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,80} [\w.@/-]{1,60}(?:\[\d+\])?: "
    r"|\[(?:pod|container)/[^\]]{1,200}\] "
    r"|\[(?:info|error|warn(?:ing)?|debug)\] (?:\(\w+\) )?(?=\S)"
    r"|(?P<service>[A-Za-z][\w.-]{0,60}?) {0,20}\| ?)",
    2,  # re.IGNORECASE
)
_PROCESS = Pattern(
    r"\((?P<name>(?:[A-Za-z][\w.:-]{0,60} ?)?(?:rank=\d+ )?pid=\d+|raylet|autoscaler)"
    r"(?:, ip=[\w.:]{1,60})?\) ?"
)
_LEVEL = Pattern(
    r"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) {1,3}"
    r"(?P<when>(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d)(?:[.,]\d+)? "
    r"\[?(?P<where>[^\s\]]{1,120}:\d+)\] ?"
    r"|(?P<server>DEBUG|INFO|WARNING|ERROR|CRITICAL): {2,8}"
    # Formats of programs around vLLM: "file.py:12 name - [ERROR] ", "package.module - ERROR - ".
    r"|(?:[\w./-]{1,80}(?::\d+)? {1,12}){0,2}- \[?(?P<plain>DEBUG|INFO|WARNING|ERROR|CRITICAL)\]?"
    r"(?: -|:)? "
)
# A progress bar without an end of line, and the next message right behind it.
_BEHIND_BAR = Pattern(
    r"(?:it/s|s/it|\?it/s)[^\]]{0,20}\] ?(?=\((?:[A-Za-z]|pid=)|(?:INFO|WARNING|ERROR) \d\d-\d\d)"
)
_MOST = 5
# What docker's json-file driver writes.
_DOCKER = b'{"log":'


@dataclass(frozen=True, slots=True)
class Line:
    """``number`` counts from 1. ``process`` is empty where the line names none; ``level`` where it
    has none. ``where`` is the source file and line that vLLM prints."""

    number: int
    process: str
    level: str
    where: str
    text: str


def parse(number: int, raw: bytes) -> Line:
    """Never raises; bytes that are no UTF-8 are replaced."""
    if raw.startswith(_DOCKER):
        raw = _of_docker(raw)
    text = raw.decode("utf-8", "replace").rstrip("\r")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.rpartition("\r")[2] or text
    if "it]" in text or "/s]" in text:
        bar = _BEHIND_BAR.search(text)
        if bar is not None:
            text = text[bar.end() :]
    at, service, process = 0, "", ""
    for _time in range(_MOST):
        match = _CARRIER.match(text, at)
        if match is not None and match.end() > at:
            service = match["service"] or service
            at = match.end()
            continue
        match = _PROCESS.match(text, at)
        if match is None:
            break
        process = f"{process} {match['name']}".strip()
        at = match.end()
    level = _LEVEL.match(text, at)
    if level is None:
        return Line(number, process or service, "", "", text[at:])
    return Line(
        number,
        process or service,
        level["level"] or level["server"] or level["plain"],
        level["where"] or "",
        text[level.end() :],
    )


def _of_docker(raw: bytes) -> bytes:
    try:
        text = json.loads(raw).get("log")
    except (ValueError, RecursionError, AttributeError):
        return raw
    return str(text).rstrip("\n").encode("utf-8", "replace")
