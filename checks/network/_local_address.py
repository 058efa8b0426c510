"""Errors of one's own end of a connection, by number and by words."""

from __future__ import annotations

import enum
import re

from doctor.patterns import Pattern


class LocalTrouble(enum.StrEnum):
    """What the system refuses."""

    NOT_AVAILABLE = "not-available"
    IN_USE = "in-use"
    FORBIDDEN = "forbidden"


_SIGNS = (
    (
        LocalTrouble.NOT_AVAILABLE,
        Pattern(
            r"\[errno (?:99|49)\]|winerror 10049|EADDRNOTAVAIL"
            r"|can(?:no|')t assign requested address",
            re.I,
        ),
    ),
    (
        LocalTrouble.IN_USE,
        Pattern(r"\[errno (?:98|48)\]|winerror 10048|EADDRINUSE|address already in use", re.I),
    ),
    (
        LocalTrouble.FORBIDDEN,
        Pattern(r"\[errno (?:13|1)\]|winerror 10013|\bEACCES\b|\bEPERM\b", re.I),
    ),
)


def trouble_in(text: str) -> LocalTrouble | None:
    """What ``text`` says of the local end, None where it speaks of something else."""
    return next((kind for kind, sign in _SIGNS if sign.search(text)), None)
