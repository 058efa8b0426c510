"""What can be typed in before a benchmark: the flags of ``kvdoctor bench``, under their own rules
and with their own defaults."""

from __future__ import annotations

import argparse
import functools
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doctor.bench.scenario import Scenario
from doctor.commands.bench_asked import scenario_of
from doctor.grammar import values
from doctor.text import Text, _


@dataclass(frozen=True, slots=True)
class Field:
    """``name`` is the flag without its dashes. ``read`` raises ``ArgumentTypeError``. ``begins``
    a group of fields."""

    name: str
    label: Text
    hint: Text
    read: Callable[[str], Any]
    begins: bool = False

    @property
    def attribute(self) -> str:
        return self.name.replace("-", "_")


FIELDS = (
    Field("up-to", _("sweep up to"), _("1, 2, 4 … requests at once"), values.count),
    Field("concurrency", _("or only"), _("such loads: 8, or 1,4,16"), values.counts),
    Field("rate", _("or a rate"), _("requests that begin each second"), values.rates),
    Field("requests", _("requests"), _("per load; empty: 4 × load, at least 20"),
          values.count, begins=True),
    Field("seconds", _("seconds"), _("requests begin for so long, per load"), values.positive),
    Field("max-total-tokens", _("tokens at most"), _("for the whole run; empty: no bound"),
          values.count),
    Field("repeats", _("repeats"), _("per load; empty: 3, in a sweep 1"), values.count),
    Field("prompt-tokens", _("prompt tokens"), _("of each request"), values.count, begins=True),
    Field("output-tokens", _("output tokens"), _("of each answer"), values.count),
    Field("shared", _("shared"), _("of each prompt, 0 to 1; 0: none cached"), values.share),
    Field("model", _("model"), _("empty: the configured or only one"), str, begins=True),
)  # fmt: skip
_BY_NAME = {field.name: field for field in FIELDS}
# Without these there is nothing to send; what is left out elsewhere has a default.
_NEEDED = ("seconds", "prompt-tokens", "output-tokens", "shared")


@functools.cache
def _defaults() -> argparse.Namespace:
    from doctor.cli import build_parser

    options: argparse.Namespace = build_parser("bench").parse_args(["bench"])
    return options


def flags(**given: Any) -> argparse.Namespace:
    """Of ``kvdoctor bench``, as they are unless ``given``."""
    return argparse.Namespace(**{**vars(_defaults()), **given})


def initial() -> dict[str, str]:
    """What stands in the fields at first, by their names."""
    options = flags()
    texts = {field.name: _written(getattr(options, field.attribute)) for field in FIELDS}
    return texts | {"output-tokens": _written(scenario_of(options).output_tokens)}


def _written(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else f"{value}"


@dataclass(frozen=True, slots=True)
class Form:
    """``wrong`` maps names of fields to what is wrong with what stands in them; ``scenario`` is
    None then."""

    texts: Mapping[str, str]
    wrong: Mapping[str, Text]
    scenario: Scenario | None = None

    @property
    def model(self) -> str:
        return self.texts.get("model", "").strip()

    def command(self, target: Sequence[str]) -> str:
        """The same on a command line; what is a default is left out. ``target`` are the words that
        lead to the server."""
        words = ["kvdoctor", "bench", *target]
        usual = initial()
        for name, text in _given(self.texts).items():
            if name == "up-to" and (self.texts.get("concurrency") or self.texts.get("rate")):
                continue
            if text != usual.get(name, ""):
                words += [f"--{name}", text]
        return shlex.join(words)


def _given(texts: Mapping[str, str]) -> dict[str, str]:
    """Without blanks; empty fields are left out."""
    told = {name: "".join(texts.get(name, "").split()) for name in _BY_NAME}
    return {name: text for name, text in told.items() if text}


def form_of(texts: Mapping[str, str]) -> Form:
    """Of the texts in the fields, by their names."""
    given, wrong, read = _given(texts), {}, {}
    for name, text in given.items():
        try:
            read[name] = _BY_NAME[name].read(text)
        except argparse.ArgumentTypeError as error:
            wrong[name] = error.args[0]
    if len(texts.get("model", "").split()) > 1:
        wrong["model"] = _("A model's id holds no blank.")
    for name in _NEEDED:
        if name not in given:
            wrong[name] = _("a number is needed here")
    loads = [name for name in ("concurrency", "rate") if name in given]
    if len(loads) > 1:
        wrong.setdefault(loads[1], _("a closed loop or an open one: empty one of the two"))
    elif not loads and "up-to" not in given:
        wrong["up-to"] = _("a number is needed here")
    if wrong:
        return Form(texts, wrong)
    held = {field.attribute: read.get(field.name) for field in FIELDS if field.name != "up-to"}
    up_to = {"up_to": read["up-to"]} if "up-to" in read else {}
    return Form(texts, {}, scenario_of(flags(**held, **up_to)))
