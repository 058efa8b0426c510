"""Reports about what prompts share: their requests are put to ``prefix``, with the chat template
that the report shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .case import Case, GivenResponse
from .program import Ran, run
from .world import World

_KIND = "prefix-cache"
_TEMPLATES = ("chat_template.jinja", "tokenizer_config.json")


def compared(case: Case, world: World) -> Ran | None:
    """What ``prefix`` says of the report's requests, None for reports about something else."""
    if case.kind != _KIND or not case.requests:
        return None
    records: list[dict[str, Any]] = list(case.requests)
    if case.response is not None:
        # As recorders keep it: the answer beside its request, which is the last one.
        records[-1] = {"request": records[-1], "response": _answer(case.response)}
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    templates = [name for name in case.files if Path(name).name in _TEMPLATES]
    return run(world, ["prefix", "--format", "json", "-", *templates], stdin=lines)


def _answer(response: GivenResponse) -> Any:
    try:
        return json.loads(response.body)
    except ValueError:
        return response.body
