"""What ``kvdoctor.toml`` says of checklists.

[checklists.release]                    # as in doctor/checklists/read.py
title = "Before a release"
[[checklists.release.item]]
id = "keys"
title = "Every key is sent as it should be"
checks = ["credentials"]

[[waive]]
checklist = "prelaunch"
item = "authenticated"
reason = "the lab engine asks for no key"
until = 2030-01-31

[[answer]]
checklist = "prelaunch"
item = "way-back"
answer = true
by = "Kim"                              # optional, as is until
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from doctor.checklists.model import Checklist, Reply, Waiver
from doctor.checklists.read import BUILTIN, of_table
from doctor.facts.machine import Environment
from doctor.records import dataclass
from doctor.settings.discover import project_root
from doctor.settings.places import Places
from doctor.settings.tables import Tables
from doctor.settings.toml_targets import read_tomls
from doctor.text import _
from doctor.untrusted import visible

_WAIVE: dict[str, tuple[type, ...]] = {
    "checklist": (str,),
    "item": (str,),
    "reason": (str,),
    "until": (datetime.date,),
}
_ANSWER: dict[str, tuple[type, ...]] = {
    "checklist": (str,),
    "item": (str,),
    "answer": (bool,),
    "by": (str,),
    "until": (datetime.date,),
}


@dataclass(frozen=True, slots=True)
class Own:
    """Of two checklists with one name the nearer file's counts."""

    checklists: dict[str, Checklist]
    waivers: tuple[Waiver, ...] = ()
    replies: tuple[Reply, ...] = ()


def read_own(environment: Environment) -> Own:
    """The tables of all ``kvdoctor.toml`` that count here. Raises ``ConfigError``."""
    root = project_root(Path(environment.cwd), environment.home)
    places = Places.of(environment, None if root is None else str(root))
    checklists: dict[str, Checklist] = {}
    waivers: list[Waiver] = []
    replies: list[Reply] = []
    for toml in read_tomls(environment, places, root):
        if toml.document is None:
            continue
        tables = Tables(toml.document, toml.shown)
        for name, checklist in _checklists(tables):
            checklists.setdefault(name, checklist)
        waivers += _waivers(tables)
        replies += _replies(tables)
    return Own(checklists, tuple(waivers), tuple(replies))


def _checklists(tables: Tables) -> Iterable[tuple[str, Checklist]]:
    found = tables.document.data.get("checklists", {})
    if not isinstance(found, dict):
        text = _("'checklists' must hold tables: [checklists.NAME]")
        raise tables.wrong(text, ("checklists",))
    for name in found:
        if name in BUILTIN:
            text = _("'{name}' is a checklist of kvdoctor; give yours another name", name=name)
            raise tables.wrong(text, ("checklists", name))
        yield name, of_table(tables, ("checklists", name), name)


def _rows(
    tables: Tables, name: str, types: dict[str, tuple[type, ...]], needed: tuple[str, ...]
) -> Iterable[tuple[dict[str, Any], str]]:
    """The tables of ``[[name]]``, each with its place."""
    found = tables.document.data.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise tables.wrong(_("'{name}' must hold tables: [[{name}]]", name=name), (name,))
    for index, table in enumerate(found):
        tables.typed((name, index), table, types)
        for key in needed:
            if not str(table.get(key, "")).strip():
                text = _("[[{name}]] needs '{key}'", name=name, key=key)
                raise tables.wrong(text, (name, index))
        line = tables.document.line((name, index))
        yield table, f"{tables.shown}:{line}" if line else tables.shown


def _waivers(tables: Tables) -> Iterable[Waiver]:
    for table, place in _rows(tables, "waive", _WAIVE, tuple(_WAIVE)):
        reason = visible(table["reason"])
        yield Waiver(table["checklist"], table["item"], reason, table["until"], place)


def _replies(tables: Tables) -> Iterable[Reply]:
    for table, place in _rows(tables, "answer", _ANSWER, ("checklist", "item", "answer")):
        by = visible(table.get("by", ""), 100)
        until = table.get("until")
        yield Reply(table["checklist"], table["item"], table["answer"], by, until, place)
