"""Findings that the user has decided to leave out."""

from __future__ import annotations

import datetime
import fnmatch

from doctor.records import dataclass


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

    def covers(self, code: str, target: str, today: datetime.date) -> bool:
        """Whether the rule leaves out a finding of ``code`` on ``target`` today."""
        if self.code.upper() != code.upper() or self.expired(today):
            return False
        return self.subject is None or fnmatch.fnmatchcase(target, self.subject)

    def expired(self, today: datetime.date) -> bool:
        """Whether its last day is over."""
        return self.until is not None and self.until < today
