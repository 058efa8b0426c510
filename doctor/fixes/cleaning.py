"""Keys that are only cleaned: whether one is, and the shell line that cleans it without naming it.

A key is never written where it was not, and never shown. So a line that repairs the running shell
works on the variable's own value; which filters do it is found by trying them on the value.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

from doctor.fixes.steps import Shell


def is_cleaned(old: str, new: str) -> bool:
    """Whether ``new`` is ``old`` with characters taken out, or with non-ASCII ones replaced by
    ASCII ones, so that whoever holds the one holds the other."""
    if not new or len(new) > len(old):
        return False
    # reachable: how many characters of ``new`` can be accounted for so far.
    reachable = {0}
    for char in old:
        step = {
            n + 1
            for n in reachable
            if n < len(new) and (new[n] == char or (not char.isascii() and new[n].isascii()))
        }
        reachable |= step
    return len(new) in reachable and _kept(old, new)


def _kept(old: str, new: str) -> bool:
    """Of the ASCII letters and digits of ``new`` most stand in ``old`` as they are."""
    run = max((len(part) for part in re.findall(r"[A-Za-z0-9_\-]+", new)), default=0)
    return run < 8 or any(new[i : i + 8] in old for i in range(max(len(new) - 7, 1)))


@dataclass(frozen=True, slots=True)
class _Filter:
    """One clean-up: what it does to a value, and how a pipe and PowerShell do the same."""

    apply: Callable[[str], str]
    pipe: str
    powershell: str


_FILTERS = (
    _Filter(
        lambda text: re.sub(r"[ \t]#[^\n]*", "", text),
        "sed 's/[[:blank:]]#.*//'",
        r"-replace '[ \t]#.*', ''",
    ),
    _Filter(
        lambda text: re.sub(r"^Bearer *", "", text, flags=re.MULTILINE),
        "sed 's/^Bearer *//'",
        "-creplace '(?m)^Bearer *', ''",
    ),
    _Filter(
        lambda text: re.sub("[\"']", "", text),
        "tr -d '\"'\\'",
        "-replace '[\"'']', ''",
    ),
    _Filter(
        lambda text: "".join(char for char in text if "!" <= char <= "~"),
        "LC_ALL=C tr -cd '!-~'",
        "-replace '[^!-~]', ''",
    ),
)


def cleaning_line(shell: Shell, name: str, old: str, new: str) -> str | None:
    """The line that turns ``old`` into ``new`` in variable ``name``; None where none does."""
    if shell is Shell.CMD:
        return None
    for count in range(1, len(_FILTERS) + 1):
        for chosen in itertools.combinations(_FILTERS, count):
            text = old
            for one in chosen:
                text = one.apply(text)
            if text == new:
                return _line(shell, name, chosen)
    return None


def _line(shell: Shell, name: str, chosen: tuple[_Filter, ...]) -> str:
    if shell is Shell.POWERSHELL:
        return " ".join([f"$env:{name} = $env:{name}", *(one.powershell for one in chosen)])
    pipe = " | ".join([f'printf %s "${name}"', *(one.pipe for one in chosen)])
    if shell is Shell.FISH:
        return f"set -gx {name} ({pipe})"
    return f'export {name}="$({pipe})"'
