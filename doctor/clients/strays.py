"""Settings files in a place where their program does not look.

People put them where another program, or an older version, has its own. Every place in the tables
of the clients was tried with the real program: none was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from doctor.clients.files import File, Files
from doctor.facts.settings import Unsupported
from doctor.settings import textfile
from doctor.settings.found import Found
from doctor.text import Text, _

# The keys that lead to what only settings of this client have, None where the file has none.
Sign = Callable[[File], "tuple[str, ...] | None"]


def strays(
    files: Files, places: Iterable[Path], sign: Sign, advice: Callable[[Path], Text]
) -> Iterator[Unsupported]:
    """Those of ``places`` that were meant for this client. Only to be asked where the files that
    it does read say nothing: beside those a file is a copy that nobody misses."""
    for path in places:
        if str(path) in files.found.taken or not textfile.exists(path):
            continue
        keys = None if (file := _read(files, path)) is None else sign(file)
        if file is None or keys is None:
            continue
        yield Unsupported(
            files.client,
            file.shown,
            file.origin(*keys),
            _("it looks for its settings elsewhere, and says nothing of a file in this place"),
            advice(path),
            whole=True,
        )


def of_table(*names: str) -> Sign:
    """The first of ``names`` that is a table with something in it."""

    def sign(file: File) -> tuple[str, ...] | None:
        tables = (name for name in names if isinstance(file.at(name), Mapping) and file.at(name))
        return next(((name,) for name in tables), None)

    return sign


def move_to(place: str) -> Callable[[Path], Text]:
    return lambda _path: _("Move it to {place}.", place=place)


def _read(files: Files, path: Path) -> File | None:
    """Nothing of it is noted: nobody reads it."""
    own = Files(files.machine, files.client, Found())
    if path.suffix == ".toml":
        return own.toml(path)
    return own.yaml(path) if path.suffix in (".yaml", ".yml") else own.json(path)
