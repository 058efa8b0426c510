"""Why a file is left alone."""

from __future__ import annotations


class RefusedEdit(Exception):
    """An edit that is not made, with the place. ``reason`` is a sentence without its full stop."""

    def __init__(self, reason: str, line: int | None = None, path: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.path = path

    def at(self, path: str) -> RefusedEdit:
        """The same with the path of the file."""
        return RefusedEdit(self.reason, self.line, path)

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.path and self.line else self.path
        return f"{place}: {self.reason}" if place else self.reason
