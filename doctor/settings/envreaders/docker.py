"""The rules of ``docker run --env-file`` (podman's are the same).

One variable per line, everything behind the first ``=`` is the value: quotes, blanks and ``#``
stay. Blanks before the name and one ``\\r`` at the end of a line are dropped, a BOM as well. A
name alone is taken from the environment. A blank inside a name, as in ``export A=b``, makes
docker refuse the whole file.

Source: the documentation of docker's ``pkg/kvfile``; the table in the tests was taken from
docker 28.2.
"""

from __future__ import annotations

from collections.abc import Mapping

from doctor.settings.envreaders.base import Assignment, Reading


def read(text: str, environment: Mapping[str, str]) -> Reading:
    """What the container's environment holds; nothing where docker refuses the file."""
    assignments: list[Assignment] = []
    for number, whole in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        line = whole.removesuffix("\r").lstrip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not name:
            return Reading((), "no variable name", number)
        if " " in name or "\t" in name:
            return Reading((), f"variable '{name}' contains whitespaces", number)
        if equals:
            assignments.append(Assignment(number, name, value))
        elif name in environment:
            assignments.append(Assignment(number, name, environment[name]))
    return Reading(tuple(assignments))
