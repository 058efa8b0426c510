"""What the learner has done: which cases are solved, with how many hints and tries."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from doctor.records import dataclass
from doctor.settings.documents import Malformed, parse_json

_FILE = "progress.json"
_LARGEST = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Standing:
    """``tries`` are the times it was judged and not yet solved."""

    solved: bool = False
    tries: int = 0
    hints: int = 0


class Progress:
    """The file in ``root``. One that cannot be read counts as none, and is replaced."""

    def __init__(self, root: Path) -> None:
        self._path = root / _FILE
        self._known = dict(_read(self._path))

    def of(self, name: str) -> Standing:
        return self._known.get(name, Standing())

    def judged(self, name: str, solved: bool) -> Standing:
        """Solved once is solved, whatever is broken later."""
        now = self.of(name)
        if not now.solved:
            now = replace(now, solved=solved, tries=now.tries + int(not solved))
        return self._keep(name, now)

    def hinted(self, name: str, most: int) -> Standing:
        """One hint more, up to ``most``."""
        now = self.of(name)
        return self._keep(name, replace(now, hints=min(now.hints + 1, most)))

    def _keep(self, name: str, standing: Standing) -> Standing:
        """Raises ``OSError``."""
        self._known[name] = standing
        document = {
            one: {"solved": s.solved, "tries": s.tries, "hints": s.hints}
            for one, s in sorted(self._known.items())
        }
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        beside.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
        os.replace(beside, self._path)
        return standing


def _read(path: Path) -> Mapping[str, Standing]:
    try:
        if path.stat().st_size > _LARGEST:
            return {}
        value = parse_json(path.read_text("utf-8")).data
    except (OSError, Malformed, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {
        str(name): Standing(
            entry.get("solved") is True, _count(entry, "tries"), _count(entry, "hints")
        )
        for name, entry in value.items()
        if isinstance(entry, dict)
    }


def _count(entry: Mapping[str, object], name: str) -> int:
    value = entry.get(name)
    return value if isinstance(value, int) and value >= 0 else 0
