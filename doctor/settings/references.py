"""Values of settings files that stand for a variable: ``${NAME}``, ``os.environ/NAME``, …"""

from __future__ import annotations

import re

from doctor.patterns import Pattern
from doctor.records import dataclass

_FORMS = (
    Pattern(r"\$\{(?P<name>[A-Za-z_]\w*)(?::?-(?P<default>[^}]*))?\}"),
    Pattern(r"\$(?P<name>[A-Za-z_]\w*)"),
    Pattern(r"os\.environ/(?P<name>[A-Za-z_]\w*)"),
    Pattern(r"\$?\{env:(?P<name>[A-Za-z_]\w*)\}"),
    Pattern(r"env:(?P<name>[A-Za-z_]\w*)"),
    Pattern(r"%(?P<name>[A-Za-z_]\w*)%"),
)
# Filled in by somebody else, from a place that cannot be seen here.
_ELSEWHERE = Pattern(r"\$?\{\{.*\}\}|\{(?:file|secret):.*\}|!\w+ .*|<[^>]*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reference:
    """A whole value that stands for variable ``name``, or for ``default`` where it is unset."""

    name: str
    default: str | None = None


def reference(value: str) -> Reference | None:
    """The variable that ``value`` as a whole stands for."""
    for form in _FORMS:
        match = form.fullmatch(value.strip())
        if match:
            return Reference(match["name"], match.groupdict().get("default"))
    return None


def comes_from_elsewhere(value: str) -> bool:
    """Whether ``value`` is a template that another program fills in (``${{ secrets.X }}``)."""
    return _ELSEWHERE.fullmatch(value.strip()) is not None
