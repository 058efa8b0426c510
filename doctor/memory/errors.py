"""What the planner refuses, with the place and the reason."""

from __future__ import annotations


class ModelError(Exception):
    """The model cannot be planned. The text names the file, the field and what was expected."""


class OptionError(Exception):
    """An option has a value that vLLM would not take either, or that the planner does not know."""
