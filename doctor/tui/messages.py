"""What the app tells its screens."""

from __future__ import annotations

from textual.message import Message


class RunChanged(Message):
    """What is shown is another; sent to every screen, at most ten times a second by a run."""
