"""A day that stands in a prompt changes once a day, and no cache is that old."""

from __future__ import annotations

import json

from .requests import RULES, chat
from .test_command import run


def log(stamp: str) -> bytes:
    """Four sessions of six requests, each with ``stamp`` of its own behind the rules."""
    records = []
    for session in range(4):
        system = f"{RULES}\nToday's date: {stamp.format(session)}\n"
        turns = [f"session {session}: please read the next part of the file, number {n}. " * 6
                 for n in range(6)]  # fmt: skip
        records += [chat(system, *turns[: n + 1]) for n in range(6)]
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_a_date_alone_is_silent() -> None:
    assert "KVD701" not in run("-", stdin=log("2026-08-2{}")).stdout


def test_a_time_beside_it_is_not() -> None:
    assert "KVD701" in run("-", stdin=log("2026-08-20 12:0{}:11")).stdout
