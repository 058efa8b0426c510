"""What one source yields: targets in the making, sightings, keys in files, problems, notes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from doctor.facts.observed import EnvFile, Sighting, SourceProblem
from doctor.records import dataclass
from doctor.settings.candidates import Candidate


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A file that holds a key: its real path, its path for people, the line and the key's name."""

    path: str
    shown: str
    line: int | None
    name: str


@dataclass(slots=True)
class Found:
    """Collects over all sources; order is kept. ``env_files`` come with their real paths."""

    candidates: list[Candidate] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    key_places: list[KeyPlace] = field(default_factory=list)
    env_files: list[tuple[str, EnvFile]] = field(default_factory=list)
    problems: list[SourceProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def extend(self, other: Found) -> None:
        self.candidates += other.candidates
        self.sightings += other.sightings
        self.key_places += other.key_places
        self.env_files += other.env_files
        self.problems += other.problems
        self.notes += other.notes

    def note(self, lines: Iterable[str]) -> None:
        self.notes += [line for line in lines if line not in self.notes]
