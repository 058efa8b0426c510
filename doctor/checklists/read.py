"""Checklists from TOML: the built-in ones, a file, the tables of ``kvdoctor.toml``.

title = "Before launch"
about = "What must hold before others depend on it."

[[item]]
id = "keys"
title = "Every key is sent as it should be"
checks = ["credentials"]        # codes, beginnings of codes, slugs, areas
severity = "warning"            # findings from here on fail; default: error
required = true                 # not tested counts as failed

[[item]]
id = "first-token"
title = "The first token comes soon"
measure = "ttft_ms"             # see doctor/checklists/measures.py
at_most = 3000

[[item]]
id = "way-back"
title = "There is a way back"
question = "Is it written down how to go back to the previous model?"
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from doctor.checklists.measures import MEASURES
from doctor.checklists.model import Checklist, Item
from doctor.models import Severity
from doctor.patterns import Pattern
from doctor.registry import Registry, UnknownSelector
from doctor.settings import textfile
from doctor.settings.documents import Malformed, parse_toml
from doctor.settings.errors import ConfigError
from doctor.settings.locate import Path as KeyPath
from doctor.settings.tables import Tables, listed
from doctor.text import Text, _
from doctor.untrusted import visible

BUILTIN = ("triage", "onboarding", "prelaunch")
_DATA = Path(__file__).parent / "data"
_TYPES: dict[str, tuple[type, ...]] = {
    "id": (str,),
    "title": (str,),
    "checks": (list,),
    "severity": (str,),
    "measure": (str,),
    "at_least": (int, float),
    "at_most": (int, float),
    "question": (str,),
    "required": (bool,),
}
_KINDS = ("checks", "measure", "question")
_ID = Pattern(r"[a-z0-9][a-z0-9_-]{0,63}")
_LIMIT = 1024 * 1024


def builtin(name: str) -> Checklist:
    """One of ``BUILTIN``."""
    text = (_DATA / f"{name}.toml").read_text("utf-8")
    ours = of_text(text, name, f"{name}.toml")
    # Its texts are the program's own, so they are messages; scripts/messages.py collects them.
    items = tuple(
        replace(item, title=Text(item.title), question=Text(item.question)) for item in ours.items
    )
    return replace(ours, title=Text(ours.title), about=Text(ours.about), items=items)


def of_file(path: Path) -> Checklist:
    """A file of the user's. Raises ``ConfigError``."""
    try:
        text = textfile.read(path, _LIMIT).text
    except textfile.Unreadable as unreadable:
        raise ConfigError(str(unreadable), str(path)) from None
    return of_text(text, path.stem, str(path))


def of_text(text: str, name: str, shown: str) -> Checklist:
    """Raises ``ConfigError`` with the line."""
    try:
        document = parse_toml(text)
    except Malformed as malformed:
        raise ConfigError(malformed.message, shown, malformed.line) from None
    return of_table(Tables(document, shown), (), name)


def of_table(tables: Tables, path: KeyPath, name: str) -> Checklist:
    """The checklist at ``path`` of a document. Raises ``ConfigError``."""
    table: Any = tables.document.data
    for key in path:
        table = table[key]
    if not isinstance(table, dict):
        text = _("write a table: [checklists.{name}]", name=visible(name))
        raise tables.wrong(text, path)
    types: dict[str, tuple[type, ...]] = {"title": (str,), "about": (str,)}
    tables.known(path, table, (*types, "item"))
    tables.typed(path, {k: v for k, v in table.items() if k != "item"}, types)
    found = table.get("item", [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise tables.wrong(_("'item' must hold tables: [[item]]"), (*path, "item"))
    if not found:
        raise tables.wrong(_("the checklist has no [[item]]"), path)
    items = tuple(_item(tables, (*path, "item", index), one) for index, one in enumerate(found))
    seen: set[str] = set()
    for index, item in enumerate(items):
        if item.id in seen:
            text = _("two items have the id '{id}'", id=item.id)
            raise tables.wrong(text, (*path, "item", index, "id"))
        seen.add(item.id)
    return Checklist(
        name=visible(name, 100),
        title=table.get("title", name),
        about=table.get("about", ""),
        items=items,
        place=tables.shown,
    )


def _item(tables: Tables, path: KeyPath, table: dict[str, Any]) -> Item:
    tables.typed(path, table, _TYPES)
    for key in ("id", "title"):
        if not str(table.get(key, "")).strip():
            raise tables.wrong(_("[[item]] needs '{key}'", key=key), path)
    if not _ID.fullmatch(table["id"]):
        text = _("an id is made of small letters, digits, '_' and '-'")
        raise tables.wrong(text, (*path, "id"))
    given = [key for key in _KINDS if table.get(key)]
    if len(given) != 1:
        raise tables.wrong(_("[[item]] needs one of {kinds}", kinds=listed(_KINDS)), path)
    checks = table.get("checks", [])
    if not all(isinstance(one, str) for one in checks):
        raise tables.wrong(_("'checks' must hold strings in quotes"), (*path, "checks"))
    severities = tuple(severity.word for severity in Severity)
    tables.choice(path, table, "severity", severities)
    tables.choice(path, table, "measure", tuple(MEASURES))
    bounds = [key for key in ("at_least", "at_most") if key in table]
    if bounds and "measure" not in table:
        raise tables.wrong(_("'{key}' needs a 'measure'", key=bounds[0]), (*path, bounds[0]))
    if "measure" in table and not bounds and not MEASURES[table["measure"]].truth:
        text = _("'{measure}' needs 'at_least' or 'at_most'", measure=table["measure"])
        raise tables.wrong(text, path)
    return Item(
        id=table["id"],
        title=table["title"],
        checks=tuple(checks),
        severity=Severity[table.get("severity", "error").upper()],
        measure=table.get("measure", ""),
        at_least=table.get("at_least"),
        at_most=table.get("at_most"),
        question=table.get("question", ""),
        required=table.get("required", False),
        line=tables.document.line(path),
    )


def codes_of(item: Item, known: Registry, place: str) -> frozenset[str]:
    """The codes of the checks that ``item`` names. Raises ``ConfigError``."""
    try:
        return frozenset(check.code for check in known.selected(item.checks))
    except UnknownSelector as error:
        hint = f"; the nearest is '{error.hint}'" if error.hint else ""
        told = visible(error.selector)
        text = f"'{told}' is no check, area or slug{hint}"
        raise ConfigError(text, place, item.line) from None
