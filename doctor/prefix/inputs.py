"""What the user named: logs to read, folders and files of sources to scan."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from doctor.commands.output import UsageError
from doctor.facts.prefixlog import PrefixSource
from doctor.prefix.static.scan import has_sources, is_source, scan
from doctor.text import _

_LOGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.bz2", ".jsonl.xz")


@dataclass(frozen=True, slots=True)
class Inputs:
    """``logs`` are files and "-" for stdin, ``sources`` folders and files."""

    logs: tuple[str, ...]
    sources: tuple[Path, ...]

    @property
    def log_name(self) -> str:
        """How people call the logs; empty where there are none."""
        if not self.logs:
            return ""
        first = "stdin" if self.logs[0] == "-" else self.logs[0]
        return first if len(self.logs) == 1 else f"{first} +{len(self.logs) - 1}"


def inputs_of(names: list[str]) -> Inputs:
    """Raises ``UsageError`` where there is nothing to read."""
    if not names:
        if sys.stdin.isatty():
            raise UsageError(_("give a request log (JSON lines), a folder, or - for stdin"))
        return Inputs(("-",), ())
    logs: list[str] = []
    sources: list[Path] = []
    for name in names:
        path = Path(name)
        if name == "-" or not (path.is_dir() or is_source(path)):
            logs.append(name)
            continue
        inside = sorted(
            str(file) for file in path.rglob("*") if file.name.endswith(_LOGS) and file.is_file()
        )
        logs += inside
        if is_source(path) or has_sources(path):
            sources.append(path)
        elif not inside:
            raise UsageError(_("{path}: no log and no source below it", path=name))
    return Inputs(tuple(logs), tuple(sources))


def found_in(sources: tuple[Path, ...]) -> tuple[PrefixSource, ...] | None:
    """What the sources will put into prompts; None where there are no sources."""
    if not sources:
        return None
    return tuple(
        PrefixSource(
            code=spot.kind.code,
            kind=spot.kind.name,
            path=str(path),
            line=spot.line,
            prompt_line=spot.prompt_line,
            text=spot.text,
            guess=spot.guess,
            pin=spot.pin,
        )
        for source in sources
        for path, spot in scan(source)
    )
