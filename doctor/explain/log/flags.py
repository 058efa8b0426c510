"""What became of a flag that vLLM refuses: gone, not there yet, of another server, misspelled."""

from __future__ import annotations

from doctor.launch import tables
from doctor.launch.foreign import MODEL, REQUEST, foreign
from doctor.suggest import nearest
from doctor.text import Text, _

# A flag that this version has is no newer than what runs, whatever that is.
OLDEST = tables.versions()[0]


def gone(flag: str) -> Text | None:
    """Which version dropped it, None where the newest has it, or none ever had."""
    life = tables.life(_hyphened(flag), tables.newest())
    if life is None or life.gone is None:
        return None
    return _("{last} was the last version with it", last=life.last)


def since(flag: str) -> str | None:
    """The version from which on vLLM has it, None where it has it no more, or never had."""
    life = tables.life(_hyphened(flag), tables.newest())
    return life.first if life is not None and life.gone is None else None


def of_another(flag: str) -> tuple[Text, str | None] | None:
    """Whose flag it is, as a sentence, and vLLM's own for the same; None where it is nobody's."""
    known = foreign(flag)
    if known is None or not known.server:
        return None
    if known.server == REQUEST:
        return _("{flag} belongs into the request, not into the launch line", flag=flag), None
    own = None if known.flag == MODEL else known.flag
    return _("{flag} is a flag of {server}", flag=flag, server=known.server), own


def nearest_flag(flag: str) -> str | None:
    """The most similar flag of the newest version."""
    return nearest(_hyphened(flag), tables.table(tables.newest()).options, 0.75)


def _hyphened(flag: str) -> str:
    return flag.replace("_", "-")
