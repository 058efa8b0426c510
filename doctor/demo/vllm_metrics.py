"""``/metrics`` of vLLM 0.32.0: an excerpt of what the real engine exposed, with live counts.

``data/vllm-0.32.0-metrics.txt`` is cut from facts/observed/vllm-0.32.0-metrics.txt; nothing in
it is edited.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from .tokens import Completion

CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"

_SAMPLE = re.compile(r"(?P<name>[\w:]+)(?P<labels>\{.*\})? (?P<value>\S+)")
_LABEL = re.compile(r'(\w+)="([^"]*)"')


@cache
def _excerpt() -> tuple[str, ...]:
    file = resources.files(__package__) / "data" / "vllm-0.32.0-metrics.txt"
    return tuple(file.read_text("utf-8").splitlines())


@dataclass(eq=False)
class Metrics:
    """The metrics of one engine; ``values`` and ``cache_config`` overrule what was recorded.

    ``values["vllm:kv_cache_usage_perc"] = 0.97`` holds for every sample of that name; a key
    may carry labels as exposed, ``vllm:request_success_total{finished_reason="stop"}``, to
    mean only the samples that have them. ``growth`` is what is added from one scrape to the next.
    """

    model: str
    values: dict[str, float] = field(default_factory=dict)
    cache_config: Mapping[str, str] = field(default_factory=dict)
    growth: Mapping[str, float] = field(default_factory=dict)
    _added: dict[str, float] = field(default_factory=dict)

    def count(self, done: Completion) -> None:
        """Add one answered request to the counters."""
        reason = f'vllm:request_success_total{{finished_reason="{done.finish}"}}'
        for name, amount in (
            ("vllm:prompt_tokens_total", done.prompt_tokens),
            ("vllm:generation_tokens_total", done.completion_tokens),
            ("vllm:prefix_cache_queries_total", done.prompt_tokens),
            (reason, 1),
        ):
            self._added[name] = self._added.get(name, 0.0) + amount

    def expose(self) -> str:
        """What the next scrape gets."""
        text = "\n".join(self._line(line) for line in _excerpt()) + "\n"
        for name, amount in self.growth.items():
            self._added[name] = self._added.get(name, 0.0) + amount
        return text

    def _line(self, line: str) -> str:
        match = _SAMPLE.fullmatch(line)
        if match is None:
            return line
        name, labels = match["name"], match["labels"] or ""
        value = self._value(name, labels, float(match["value"]))
        text = match["value"] if value is None else repr(value)
        labels = labels.replace('model_name="tiny"', f'model_name="{self.model}"')
        if name == "vllm:cache_config_info":
            labels = self._cache_labels(labels)
        return f"{name}{labels} {text}"

    def _value(self, name: str, labels: str, recorded: float) -> float | None:
        has = set(_LABEL.findall(labels))

        def means(key: str) -> bool:
            wanted, _, rest = key.partition("{")
            return wanted == name and set(_LABEL.findall(rest)) <= has

        fixed = [value for key, value in self.values.items() if means(key)]
        added = sum(value for key, value in self._added.items() if means(key))
        if fixed:
            return float(fixed[-1]) + added
        return recorded + added if added else None

    def _cache_labels(self, labels: str) -> str:
        given = dict(_LABEL.findall(labels)) | dict(self.cache_config)
        return "{" + ",".join(f'{key}="{value}"' for key, value in given.items()) + "}"
