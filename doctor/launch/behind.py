"""Options of ``docker run`` that stand behind the image, where they are vLLM's arguments."""

from __future__ import annotations

from doctor.launch.model import Entry, Launch
from doctor.launch.reading.containers import RUNTIMES

_VALUED = frozenset(
    {"-e", "--env", "-v", "--volume", "-p", "--publish", "--gpus", "--shm-size", "--name"}
    | {"--runtime", "--network", "--restart", "--env-file", "--mount"}
)
_ALONE = frozenset({"--rm", "-d", "-it", "-ti", "--ipc=host"})


def behind_image(launch: Launch) -> tuple[tuple[int, int], ...]:
    """The first and last word of each."""
    container = launch.container
    if launch.entry is not Entry.IMAGE or container is None or container.runtime not in RUNTIMES:
        return ()
    found = []
    for index in range(launch.first, len(launch.words)):
        text = launch.words[index].text
        value = launch.words[index + 1].text if index + 1 < len(launch.words) else "-"
        if text in _ALONE or (text.partition("=")[0] in _VALUED and "=" in text[2:]):
            found.append((index, index))
        elif text in _VALUED and not value.startswith("-"):
            found.append((index, index + 1))
    return tuple(found)


def covered(launch: Launch) -> frozenset[int]:
    """The words of all of them."""
    return frozenset(i for first, last in behind_image(launch) for i in range(first, last + 1))
