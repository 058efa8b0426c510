"""Whether Claude Code's settings hold what CC Switch has as its current provider for it.

CC Switch writes them when its user changes the provider, so another address there means that
something else wrote the file, or that its proxy was switched off without putting it back
(facts/gateway-clients.md §3.3).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from doctor.clients.machine import Machine
from doctor.settings import textfile
from doctor.text import _
from doctor.untrusted import visible
from doctor.urls import shown as shown_url


def differences(name: str, base: str, machine: Machine) -> Iterator[str]:
    """A note where the file is there and says another address. ``base`` is the provider's."""
    folder = _object(machine.home / ".cc-switch" / "settings.json").get("claudeConfigDir")
    own = machine.home / ".claude" if not isinstance(folder, str) or not folder else Path(folder)
    path = own / "settings.json"
    env = _object(path).get("env")
    written = env.get("ANTHROPIC_BASE_URL") if isinstance(env, dict) else None
    if not isinstance(written, str) or not written or _plain(written) == _plain(base):
        return
    yield _(
        "{path} has the address {written}, and CC Switch's current provider for Claude Code, "
        "{name}, has {base}: choose the provider there once more, or keep the file as it is.",
        path=machine.places.shown(str(path)),
        written=shown_url(written),
        name=visible(name, 80),
        base=shown_url(base),
    )


def _plain(base: str) -> str:
    return base.strip().rstrip("/").lower()


def _object(path: Path) -> dict[str, Any]:
    """The object in a file of strict JSON; empty where there is none."""
    try:
        value = json.loads(textfile.read(path).text)
    except (textfile.Unreadable, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
