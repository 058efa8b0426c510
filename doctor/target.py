"""A Target: what is examined, with the connection that leads to it."""

from __future__ import annotations

from doctor.connection import Connection
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """``id`` is short and stable ("shop-api", "openai-sdk"); ``label`` is for people.

    ``kind`` is gateway or engine. ``named`` says that the user named it on the command line.
    ``engine`` leads to the engine behind a gateway, where the user says which it is;
    ``launch`` is the path of the file that starts the engine, where the user says so.
    """

    id: str
    label: str
    kind: str
    connection: Connection
    named: bool = False
    engine: Connection | None = None
    launch: str | None = None
