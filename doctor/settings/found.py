"""What one source yields: targets in the making, sightings, keys in files, problems, notes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from doctor.facts.settings import EnvFile, Login, Sighting, SourceProblem, Unsupported
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
    """Collects over all sources; order is kept. ``env_files`` come with their real paths.

    ``taken`` are the real paths of files that a client's own reader has read, so that nobody reads
    them by their shape. ``elsewhere`` tells of clients that go where nothing is examined.
    """

    candidates: list[Candidate] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    key_places: list[KeyPlace] = field(default_factory=list)
    env_files: list[tuple[str, EnvFile]] = field(default_factory=list)
    problems: list[SourceProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    logins: list[Login] = field(default_factory=list)
    unsupported: list[Unsupported] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    elsewhere: list[str] = field(default_factory=list)

    def extend(self, other: Found) -> None:
        self.candidates += other.candidates
        self.sightings += other.sightings
        self.key_places += other.key_places
        self.env_files += other.env_files
        self.problems += other.problems
        self.note(other.notes)
        self.logins += other.logins
        self.unsupported += other.unsupported
        self.taken |= other.taken

    def note(self, lines: Iterable[str]) -> None:
        self.notes += [line for line in lines if line not in self.notes]
