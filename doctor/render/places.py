"""Where in a file a finding belongs, for formats that mark lines."""

from __future__ import annotations

import os
from pathlib import Path

from doctor.models import Finding
from doctor.patterns import Pattern
from doctor.records import dataclass

# ``OPENAI_API_KEY, ~/.zshrc:41``, ``.env:3``: what is ahead of the last ", " is a name.
_PLACE = Pattern(r"(?:.*, )?(?P<path>[^\s,:]*[^\s,:/]):(?P<line>[1-9][0-9]{0,6})")
_HOME = "~/"


@dataclass(frozen=True, slots=True)
class Place:
    """``path`` has slashes and no leading one: relative to the working folder, or to the home
    folder where ``home`` says so. ``line`` counts from 1."""

    path: str
    line: int
    home: bool = False


def place_of(finding: Finding) -> Place | None:
    """The first line of a file that the evidence names; None where there is none, or the file lies
    elsewhere: an absolute path says nothing on another machine."""
    for evidence in finding.evidence:
        match = _PLACE.fullmatch(evidence.location)
        if match is None:
            continue
        place = _relative(match["path"], int(match["line"]))
        if place is not None:
            return place
    return None


def _relative(path: str, line: int) -> Place | None:
    whole = os.path.expanduser(path)
    if os.path.isabs(whole):
        try:
            path = str(Path(whole).relative_to(Path.cwd()))
        except ValueError:
            return Place(path.removeprefix(_HOME), line, home=True) if whole != path else None
    path = path.replace("\\", "/").removeprefix("./")
    # An address with a port is no file: a name with a dot in it, and nothing that looks like one.
    if not path or ".." in path.split("/") or not _is_file(path):
        return None
    return Place(path, line)


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False
