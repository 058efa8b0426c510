"""The log once more, each request in the better order, for a replay."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from doctor.prefix.analyse import Analyser
from doctor.prefix.prompts import NoPrompt
from doctor.prefix.rewrite import rewritten
from doctor.prefix.stream import lines


def write_log(sources: Iterable[str], target: Path, analyser: Analyser) -> int:
    """Write bare request bodies to ``target``, which must not exist; the value is their number.

    ``analyser`` has read the same sources, so it knows what changes. Raises ``OSError``.
    """
    written = 0
    # Half of a surrogate pair, of a text that was cut off, is written as JSON writes it: \ud83d.
    with target.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        for line in lines(sources):
            try:
                record: Any = json.loads(line.data or b"null")
                prompt = analyser.reader.prompt(record)
            except (NoPrompt, ValueError, RecursionError):
                continue
            place = analyser.lineages.place(prompt)
            file.write(json.dumps(rewritten(prompt.body, place), ensure_ascii=False) + "\n")
            written += 1
    return written
