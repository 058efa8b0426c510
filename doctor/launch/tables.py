"""The flags of ``vllm serve`` per version, from ``data/`` (made by scripts/vllm_flags.py).

41 versions from 0.6.0 to 0.33.0 are sampled, every minor line. A version between two of them has
the flags of the lower one.
"""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

from doctor.patterns import Pattern
from doctor.records import dataclass

_VERSION = Pattern(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?:\.?post(\d{1,4}))?")

Number = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Flag:
    """``kind`` is what argparse makes of it: ``switch``, ``bool`` (with ``--no-``), ``storebool``
    (True or False may stand behind it), ``append``, ``optstr`` (a value or none), or the converter
    of its value (``int``, ``hint``, ``float``, ``str``, ``json``, …) with ``?`` where None is a
    value and ``+`` where several may follow. ``keys`` are those of its JSON, none where they are
    not known."""

    name: str
    kind: str
    choices: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    deprecated: bool = False

    @property
    def takes(self) -> str:
        """How many values: ``0``, ``1``, ``?`` or ``+``."""
        if self.kind in ("switch", "bool"):
            return "0"
        if self.kind in ("optstr", "storebool"):
            return "?"
        return "+" if self.kind.endswith("+") else "1"

    @property
    def is_switch(self) -> bool:
        return self.kind in ("switch", "bool")


class Table:
    """The flags of one version."""

    def __init__(self, version: str, flags: dict[str, Flag]) -> None:
        self.version = version
        self.flags = flags
        self.options: dict[str, tuple[Flag, bool]] = {}
        for flag in flags.values():
            for name in (flag.name, *flag.aliases):
                self.options[name] = (flag, False)
                if flag.kind == "bool" and name.startswith("--"):
                    self.options[f"--no-{name[2:]}"] = (flag, True)
        self.options["--help"] = self.options["-h"] = (Flag("--help", "switch"), False)

    def has(self, name: str) -> bool:
        return name in self.flags

    def matching(self, prefix: str) -> list[str]:
        """The options that ``prefix`` abbreviates."""
        return [name for name in self.options if name.startswith(prefix)]


@dataclass(frozen=True, slots=True)
class Life:
    """When a flag existed, by sampled versions. ``gone`` is the first without it, ``last`` the
    last with it (None: the newest has it)."""

    first: str
    last: str | None
    gone: str | None


@functools.cache
def _data() -> dict[str, Any]:
    folder = resources.files("doctor.launch") / "data"
    loaded: dict[str, Any] = json.loads((folder / "flags.json").read_text("utf-8"))
    return loaded


@functools.cache
def versions() -> tuple[str, ...]:
    """The sampled versions, oldest first."""
    return tuple(_data()["versions"])


def newest() -> str:
    return versions()[-1]


def number_of(version: str) -> Number | None:
    """``0.11.1`` → (0, 11, 1, 0); None for what is no version."""
    match = _VERSION.match(version)
    if match is None:
        return None
    major, minor, patch, post = (int(part or 0) for part in match.groups()[:4])
    return (major, minor, patch, post)


def at_or_below(version: str) -> str:
    """The nearest sampled version that is not newer; the oldest for what is older than all. A
    post-release has the flags of its release."""
    wanted = number_of(version)
    below = [v for v in versions() if wanted and (number_of(v) or wanted)[:3] <= wanted[:3]]
    return below[-1] if below else versions()[0]


@functools.cache
def table(version: str) -> Table:
    """The flags of a sampled version. Raises ``KeyError`` for another one."""
    order = {v: index for index, v in enumerate(versions())}
    wanted = order[version]
    found: dict[str, Flag] = {}
    for name, steps in _data()["flags"].items():
        last = None
        for step in steps:
            if order[step[0]] <= wanted:
                last = step
        if last is not None and last[1] is not None:
            found[name] = _flag(name, last)
    return Table(version, found)


def _flag(name: str, step: list[Any]) -> Flag:
    extras = step[2] if len(step) > 2 else {}
    return Flag(
        name,
        step[1],
        tuple(extras.get("c", ())),
        tuple(extras.get("k", ())),
        tuple(extras.get("a", ())),
        bool(extras.get("d")),
    )


def life(name: str, version: str) -> Life | None:
    """Of a flag that ``version`` lacks: when it was there. ``name`` may be an alias. None for one
    that no version has."""
    order = {v: index for index, v in enumerate(versions())}
    steps = _data()["flags"].get(name)
    if steps is None:
        steps = next(
            (s for s in _data()["flags"].values() if any(name in _aliases(x) for x in s)), None
        )
    if steps is None:
        return None
    spans: list[tuple[str, str | None]] = []
    for step in steps:
        if step[1] is None:
            spans[-1] = (spans[-1][0], step[0])
        elif not spans or spans[-1][1] is not None:
            spans.append((step[0], None))
    wanted = order[version]
    # The last life that began before the version, else the first one after it.
    before = [span for span in spans if order[span[0]] <= wanted]
    first, gone = before[-1] if before else spans[0]
    last = versions()[order[gone] - 1] if gone else None
    return Life(first, last, gone)


def last_kind(name: str) -> str:
    """The kind that a flag last had, "" for one that no version has."""
    steps = _data()["flags"].get(name, ())
    kinds = [step[1] for step in steps if step[1] is not None]
    return str(kinds[-1]) if kinds else ""


def life_after(name: str, version: str) -> str | None:
    """The first version after ``version`` that lacks a flag, None where none is known."""
    order = {v: index for index, v in enumerate(versions())}
    for step in _data()["flags"].get(name, ()):
        if step[1] is None and order[step[0]] > order[version]:
            return str(step[0])
    return None


def _aliases(step: list[Any]) -> list[str]:
    extras = step[2] if len(step) > 2 else {}
    found: list[str] = extras.get("a", [])
    return found


def ever() -> tuple[str, ...]:
    """Every flag that some version has."""
    return tuple(_data()["flags"])


@functools.cache
def _variables() -> dict[str, list[str]]:
    folder = resources.files("doctor.launch") / "data"
    loaded: dict[str, list[str]] = json.loads((folder / "variables.json").read_text("utf-8"))
    return loaded


def variable_names(version: str) -> frozenset[str]:
    """The ``VLLM_*`` variables that a sampled version knows."""
    order = {v: index for index, v in enumerate(versions())}
    wanted = order[version]
    return frozenset(
        name
        for name, runs in _variables().items()
        if any(_within(run, wanted, order) for run in runs)
    )


def _within(run: str, wanted: int, order: dict[str, int]) -> bool:
    first, _, last = run.partition("..")
    return order[first] <= wanted <= order[last or first]


def variable_life(name: str) -> Life | None:
    """When a variable existed, None for one that no version knows."""
    runs = _variables().get(name)
    if runs is None:
        return None
    order = {v: index for index, v in enumerate(versions())}
    first = runs[0].partition("..")[0]
    last = runs[-1].rpartition("..")[2]
    after = order[last] + 1
    if after < len(versions()):
        return Life(first, last, versions()[after])
    return Life(first, None, None)
