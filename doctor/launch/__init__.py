"""The lint of launch lines: reads a line of any form, judges it for a version of vLLM, corrects it.

``examine`` is the whole of it as one call; see ``doctor.commands.launch`` for the command.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from doctor.launch.model import Gpu


def examine(
    source: str | Sequence[str],
    version: str | None = None,
    *,
    place: str = "line",
    config: str | None = None,
    draft_config: str | None = None,
    gpu: Gpu | None = None,
    folder: str = "",
    variables: dict[str, str] | None = None,
) -> dict[str, Any]:
    """``kvdoctor.launch/1`` of a text (a line, a script, a compose file, …) or a command's words.

    ``version`` is vLLM's; without one it is found in the text, else the newest known is taken.
    ``config`` and ``draft_config`` are paths of the models' config.json (or their directories),
    ``variables`` what is set in front of the line. Raises ``doctor.launch.judging.NothingFound``
    where no server is started, ``ValueError`` for a version that is none.
    """
    from doctor import registry
    from doctor.launch.document import launch_document
    from doctor.launch.judging import judge, read
    from doctor.launch.lines import Wanted

    wanted = Wanted(version, config, draft_config, gpu, folder=folder, given=variables or {})
    reading = read(source)
    return launch_document(judge(reading, place, wanted, registry.load().checks))


__all__ = ["examine"]
