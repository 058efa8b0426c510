"""How each program reads an env file: one module per program, none of which runs anything.

Every module has ``read(text, environment) -> Reading``. ``text`` is the decoded file with its
line ends and its BOM; ``environment`` is what ``${NAME}`` may refer to.
"""

from __future__ import annotations

from doctor.settings.envreaders.base import Assignment, Reading

__all__ = ["Assignment", "Reading"]
