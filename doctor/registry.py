"""Which checks exist: the built-in ones, those of plugins, and what the user selected."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from doctor.checkapi import Check
from doctor.records import dataclass
from doctor.suggest import nearest

GROUP = "kvdoctor.checks"
# Set to 0 to load no plugin, or to a comma-separated list of the only ones to load.
SWITCH = "KVDOCTOR_PLUGINS"


class UnknownSelector(ValueError):
    """``--select`` or ``--ignore`` names nothing that exists; ``hint`` is the nearest name."""

    def __init__(self, selector: str, hint: str | None) -> None:
        super().__init__(selector)
        self.selector = selector
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Registry:
    """All checks in the order of their codes; ``notes`` tell of plugins that did not load."""

    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    def find(self, name: str) -> Check | None:
        """By code or by slug, whatever the case."""
        wanted = name.strip().lower()
        for check in self.checks:
            if wanted in (check.code.lower(), check.slug, check.code.lower().removeprefix("kvd")):
                return check
        return None

    def selected(self, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Check, ...]:
        """The checks that match ``select`` (all if empty) and not ``ignore``.

        A selector is a code, a slug, the beginning of a code (``KVD1``) or an area. Raises
        ``UnknownSelector``.
        """
        chosen = self._matching(select) if tuple(select) else set(self.checks)
        dropped = self._matching(ignore)
        return tuple(c for c in self.checks if c in chosen and c not in dropped)

    def _matching(self, selectors: Iterable[str]) -> set[Check]:
        found: set[Check] = set()
        for selector in selectors:
            for word in filter(None, (part.strip() for part in selector.split(","))):
                hits = {c for c in self.checks if _matches(c, word.lower())}
                if not hits:
                    names = [n for c in self.checks for n in (c.code, c.slug, c.area)]
                    raise UnknownSelector(word, nearest(word, names))
                found |= hits
        return found


def _matches(check: Check, word: str) -> bool:
    return word in (check.slug, check.area) or check.code.lower().startswith(word)


def load() -> Registry:
    """Import every built-in check and every plugin. A plugin that fails becomes a note."""
    checks = list(_builtin())
    notes: list[str] = []
    taken = {check.code for check in checks}
    for name, found, error in _plugins():
        if error is not None:
            notes.append(f"the plugin {name} was not loaded: {error}")
            continue
        for check in found:
            if check.code.startswith("KVD") or check.code in taken:
                notes.append(f"the plugin {name} uses the code {check.code}, which is taken")
                continue
            taken.add(check.code)
            checks.append(check)
    return Registry(tuple(sorted(checks, key=lambda c: c.code)), tuple(notes))


def _builtin() -> Iterable[Check]:
    import checks

    for root in checks.__path__:
        for path in sorted(Path(root).glob("*/[!_]*.py")):
            yield from _in_module(f"checks.{path.parent.name}.{path.stem}")


def _in_module(name: str) -> Iterable[Check]:
    module = importlib.import_module(name)
    for value in vars(module).values():
        if isinstance(value, Check) and value.module == name:
            yield value


def _any_declared() -> bool:
    """Whether an installed distribution has plugins. Mostly none has, and then to look into their
    folders costs less than to import ``importlib.metadata``."""
    group = GROUP.encode()
    for folder in sys.path:
        try:
            infos = [name for name in os.listdir(folder or os.curdir) if name.endswith("-info")]
        except OSError:
            continue
        for info in infos:
            try:
                with open(os.path.join(folder, info, "entry_points.txt"), "rb") as file:
                    if group in file.read():
                        return True
            except OSError:
                continue
    return False


def _plugins() -> Iterable[tuple[str, tuple[Check, ...], str | None]]:
    switch = os.environ.get(SWITCH, "")
    if switch == "0" or not _any_declared():
        return
    from importlib.metadata import entry_points

    wanted = {name.strip() for name in switch.split(",") if name.strip()}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        if wanted and entry.name not in wanted:
            continue
        try:
            module = entry.load()
            found = tuple(v for v in vars(module).values() if isinstance(v, Check))
        except Exception as error:  # a plugin may fail in any way
            yield entry.name, (), f"{type(error).__name__}: {error}"
        else:
            yield entry.name, found, None
