"""What readers give: command lines, each word with its place."""

from __future__ import annotations

from dataclasses import field

from doctor.launch.model import Container, Slip, Variable, Word
from doctor.records import dataclass


class NothingFound(Exception):
    """The text holds no command that starts a server; the text of the error says what it is."""


@dataclass(slots=True)
class Groups:
    """The kinds of the runs of words in one text, by their number: ``shell``, ``blank`` (shell
    words in which a line break is a blank), ``json``, ``item`` (items of a YAML list, one a line),
    ``key`` (keys and values of a YAML mapping, one a line) or ``fixed`` (not to be edited)."""

    kinds: list[str] = field(default_factory=list)

    def new(self, kind: str) -> int:
        self.kinds.append(kind)
        return len(self.kinds) - 1


@dataclass(slots=True)
class Found:
    """One command as it stands in the text. ``name`` tells it apart from others of the text (a
    service, a container); ``declared`` says that the words are made from settings of a file."""

    words: list[Word]
    name: str = ""
    line: int = 1
    slips: list[Slip] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    container: Container | None = None
    declared: bool = False
    # Ports that services ahead of this one publish.
    neighbours: list[tuple[str, int]] = field(default_factory=list)
    # Nothing but flags, in a text that holds nothing else.
    flags_alone: bool = False
    # The container's own program is told, so that the image's entry point does not run.
    own_program: bool = False
    # Others add arguments to these: an operator, whoever runs the image.
    added_to: bool = False
