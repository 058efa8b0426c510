"""What a report itself tells of its server: which models it lists, whether its key is good."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from .case import Case, GivenResponse
from .commandline import read_command_line
from .configured import Configured

# The routes of a LiteLLM proxy, a models list in a log, and the ids below a refusal (LM Studio).
_ROUTE = re.compile(r"""^\s*-?\s*model_name:\s*["']?([^\s"'#]+)""", re.MULTILINE)
_LISTED = re.compile(r'"id":\s*"([^"]+)",\s*"object":\s*"model"')
_CONFIGURED = re.compile(r"""\bmodel\w*["']?\s*[:=]\s*["']?([\w.-]+(?:/[\w.-]+)+)""")
_BELOW = re.compile(r"your models:\s*((?:\S+\n?)+)", re.IGNORECASE)
# curl with the key of the report, and the status that it prints.
_TAKEN = re.compile(r"^\$? ?curl [^\n]*Authorization: Bearer [^\n]*\n2\d\d\b", re.MULTILINE)


def listed_models(case: Case, asked: Configured) -> tuple[str, ...]:
    """The ids in the order in which the report has them; empty where it tells none."""
    return tuple(dict.fromkeys(_models(case, asked)))


def _models(case: Case, asked: Configured) -> Iterator[str]:
    for text in case.files.values():
        # Of a proxy that is not the one that asks.
        if "litellm_params" in text and asked.base_url and asked.base_url not in text:
            yield from _ROUTE.findall(text)
    yield from _LISTED.findall(case.log)
    match = _BELOW.search(_text(case.response, "error", "message"))
    if match is not None:
        yield from match.group(1).split()
    for text in case.files.values():
        # The client cut off what its settings have before the last slash.
        whole = (name for name in _CONFIGURED.findall(text) if asked.model)
        yield from (name for name in whole if name.endswith(f"/{asked.model}"))
    answered = _text(case.response, "model")
    if asked.is_near and answered and answered != asked.model:
        yield answered  # an engine lists what it has loaded


def key_of_engine_sent_otherwise(case: Case) -> str | None:
    """The key with which the engine of the report was started, where its log shows that a client
    sent it in another header than ``Authorization``. Its user has it and would give it."""
    engine = read_command_line(case.argv, case.env).engine
    if engine is None or not engine.key:
        return None
    sent = re.compile(rf"x-api-key\W{{1,9}}{re.escape(engine.key)}(?!\w)", re.IGNORECASE)
    return engine.key if sent.search(case.log) else None


def _text(response: GivenResponse | None, *path: str) -> str:
    """What stands at ``path`` of the body; empty where there is no text."""
    try:
        value = {} if response is None else json.loads(response.body)
        for name in path:
            value = value[name]
    except (ValueError, KeyError, TypeError):
        return ""
    return value if isinstance(value, str) else ""


def key_is_taken(case: Case) -> bool:
    """Whether another request of the report, made with the same key, was answered."""
    return _TAKEN.search(case.log) is not None
