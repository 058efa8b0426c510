"""Where the settings of this machine, or those in the text, show a cause, and what that bears on.

A plain string is a place that shows the fault, whatever the text is; the classes here bear on some
texts alone, or prove less. ``rivals.py`` has the one that only a refusal can tell.
"""

from __future__ import annotations

from doctor.text import Text, _


class Hint(str):
    """A place that bears on a failed connection and proves nothing: that this machine is a
    container, where the server may be inside; that a proxy is set, which may work, or lacks its
    scheme, which most programs put in front."""

    __slots__ = ()


class Beside(str):
    """A place that says something of the texts of one client alone: those that may mean ``code``
    as well."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, place: str, code: str) -> Beside:
        made = super().__new__(cls, place)
        made.code = code
        return made


class OfClient(str):
    """A place that says something of the causes of one client's texts alone."""

    __slots__ = ("client",)
    client: str

    def __new__(cls, place: str, client: str) -> OfClient:
        made = super().__new__(cls, place)
        made.client = client
        return made


class InText(Text):
    """A line of the text itself, whose settings show the fault whatever this machine has."""

    __slots__ = ()

    @classmethod
    def at(cls, line: int) -> InText:
        place = _("line {line} of the text", line=line)
        return cls(place.msgid, **place.params)

    @property
    def number(self) -> int:
        """Of the line, from 1."""
        return int(self.params["line"])
