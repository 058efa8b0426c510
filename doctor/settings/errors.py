"""Errors of the user's own settings for kvdoctor: exit code 2, never a finding."""

from __future__ import annotations

from doctor.text import _


class ConfigError(Exception):
    """A flag or ``kvdoctor.toml`` makes no sense. ``path`` and ``line`` say where, if in a file."""

    def __init__(self, message: str, path: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        if self.path is None:
            return self.message
        place = f"{self.path}:{self.line}" if self.line else self.path
        return _("{place}: {text}", place=place, text=self.message)
