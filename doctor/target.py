"""A Target: what is examined, with the connection that leads to it."""

from __future__ import annotations

from dataclasses import dataclass

from doctor.connection import Connection


@dataclass(frozen=True, slots=True)
class Target:
    """``id`` is short and stable ("shop-api", "openai-sdk"); ``label`` is for people.

    ``kind`` is gateway or engine. ``named`` says that the user named it on the command line.
    """

    id: str
    label: str
    kind: str
    connection: Connection
    named: bool = False
