"""A ``docker run`` whose container is given an address at its own localhost.

A compose file or a Dockerfile stands in the project, where ``check`` reads it; a command that
somebody typed is only to be seen where it was pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from doctor.patterns import Pattern
from doctor.proxyrules import values
from doctor.untrusted import visible
from doctor.urls import is_loopback

if TYPE_CHECKING:
    from doctor.launch.model import Container, Variable
    from doctor.launch.reading.containers import Run

_RUN = Pattern(r"\b(?:docker|podman|nerdctl)(?: container)? (?:run|create)\s")
_GOES_ON = Pattern(r"[\\^`]\s*$")
_OPTION = Pattern(r"\s*-{1,2}\w")
_PROMPT = Pattern(r"^\W*(?=(?:sudo )?(?:docker|podman|nerdctl)\b)|^\S*[$#>] ")
_PROXY = Pattern(r"(?:https?|all)_proxy", re.IGNORECASE)
_LONGEST = 60


def containers_at_themselves(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line, and ``docker run: NAME=URL is the container's own``, a base URL, or
    ``docker run: proxy NAME=URL is the container's own``.

    Silent where the container has the network of its host or of another, where the same container
    publishes the address's port, on which something of its own may listen, and where the image
    says by its name that it brings the server.
    """
    for index, line in enumerate(lines):
        match = _RUN.search(line)
        if match is None:
            continue
        for run in _runs(_whole(lines, index)):
            for variable in run.variables:
                if variable.known and (told := _told(variable, run.container)) is not None:
                    yield index + 1, f"docker run: {told} is the container's own"


def _whole(lines: Sequence[str], index: int) -> str:
    """The command with the lines on which it goes on."""
    taken = [_PROMPT.sub("", lines[index])]
    for line in lines[index + 1 : index + _LONGEST]:
        if not (_GOES_ON.search(taken[-1]) or _OPTION.match(line)):
            break
        taken.append(line)
    return "\n".join(taken)


def _runs(text: str) -> Iterator[Run]:
    # A reader of shells is much to import for texts of which few hold a command.
    from doctor.launch.reading.containers import read_run, run_at
    from doctor.launch.reading.found import Groups
    from doctor.launch.reading.shell import commands

    for command in commands(text, Groups()):
        run = run_at(command.words)
        if run is not None:
            yield read_run(command.words, run)


def _told(variable: Variable, container: Container) -> str | None:
    if container.network == "host" or container.network.startswith("container:"):
        return None
    address = values.address(variable.value)
    if address is None or not is_loopback(address.host):
        return None
    published = ((one.outer, one.inner) for one in container.published)
    if any(address.port in ports for ports in published):
        return None
    told = f"{variable.name}={visible(variable.value)}"
    if _is_of_a_model(variable.name, container.image):
        return told
    return f"proxy {told}" if _PROXY.fullmatch(variable.name) else None


def _is_of_a_model(name: str, image: str) -> bool:
    """Whether ``name`` is the base URL of a server for models that ``image`` does not bring."""
    from doctor.facts.settings import Role
    from doctor.settings.names import speaks_of_models, understood

    meaning = understood(name)
    if meaning is None or meaning.role is not Role.BASE_URL:
        return False
    named = meaning.prefix.lower() in image.lower()
    return not named and (speaks_of_models(meaning.prefix) or meaning.provider is not None)
