"""Findings that the user has decided to leave out."""

from __future__ import annotations

import datetime
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """An ``[[ignore]]`` table: findings of ``code``, on ``subject`` (None: everywhere), are left
    out up to and including the day ``until``."""

    code: str
    reason: str
    subject: str | None = None
    until: datetime.date | None = None
    path: str = ""
    line: int | None = None
