"""Makes a changed environment variable last: in the start-up file that exports it.

The running shell keeps its own copy, so its line comes along. Where no start-up file is found the
line is all there is.
"""

from __future__ import annotations

from collections.abc import Sequence

from doctor.fixes.cleaning import cleaning_line
from doctor.fixes.draft import Draft
from doctor.fixes.quoting import lasting_line, set_line, unset_line
from doctor.fixes.scan.base import Nesting
from doctor.fixes.scene import Scene
from doctor.fixes.startup import Export
from doctor.fixes.steps import EditFile, Operation, RunText, Shell, Step, Value, plain
from doctor.secrets import Secret
from doctor.text import Text, _


def change_variable(scene: Scene, name: str, old: Value, new: Value | None) -> Draft:
    """Give ``name`` the value ``new``, or take it out (None), wherever the user's shell gets
    ``old`` from."""
    places = _places(scene, name, plain(old) or "")
    lines = _lines(scene, name, old, new)
    if not places:
        texts = tuple(RunText(line, shell) for shell, line in lines)
        return Draft(texts, new is None, (_nowhere(scene, name, old, bool(lines)),))
    edits: list[Step] = [
        EditFile(
            path=export.file.path,
            shown=export.file.shown,
            format=export.file.format,
            at=(name,),
            line=export.assignment.line,
            old=old,
            new=new,
            operation=Operation.REMOVE if new is None else Operation.SET,
            exports=name,
        )
        for export in places
    ]
    in_function = any(e.assignment.nesting is Nesting.FUNCTION for e in places)
    return Draft(
        (*edits, *(RunText(line, shell, now=True) for shell, line in lines)),
        risky=new is None or in_function,
        notes=tuple(_elsewhere(scene, name, old, places)),
    )


def add_variable(scene: Scene, name: str, value: str, beside: str, held: str) -> Draft:
    """Export a new variable, in the start-up file that gives ``beside`` the value ``held``."""
    places = _places(scene, beside, held)
    lines = _lines(scene, name, None, value)
    if not places:
        texts = tuple(RunText(line, shell) for shell, line in lines)
        return Draft(texts, False, (_nowhere(scene, beside, held, bool(lines)),))
    anchor = places[-1]
    edit = EditFile(
        path=anchor.file.path,
        shown=anchor.file.shown,
        format=anchor.file.format,
        at=(name,),
        line=anchor.last_line,
        old=None,
        new=value,
        operation=Operation.ADD,
        exports=name,
    )
    risky = anchor.assignment.nesting is Nesting.FUNCTION
    return Draft((edit, *(RunText(line, shell, now=True) for shell, line in lines)), risky)


def _places(scene: Scene, name: str, value: str) -> tuple[Export, ...]:
    """The user's own files that set it, those of his shell if there are any."""
    known = [e for e in scene.startup.exports(name, value) if e.file.own]
    mine = [e for e in known if scene.startup.read_by_mine(e)]
    certain = [e for e in mine or known if e.assignment.nesting is not Nesting.FUNCTION]
    return tuple(certain or mine or known)


def _elsewhere(scene: Scene, name: str, old: Value, places: Sequence[Export]) -> list[Text]:
    rest = [e for e in scene.startup.exports(name, plain(old)) if e not in places]
    return [
        _("{name} is set to the same in {place} as well.", name=name, place=export.place)
        for export in rest
    ]


def _nowhere(scene: Scene, name: str, old: Value, has_line: bool) -> Text:
    found = scene.startup.exports(name, plain(old))
    if found:
        return _(
            "{name} is set in {place}, a file of the system: change it there.",
            name=name,
            place=found[-1].place,
        )
    if has_line:
        return _(
            "No start-up file sets {name} to this value, so the line holds for the running shell; "
            "change it also where it is set.",
            name=name,
        )
    return _("No start-up file sets {name} to this value: change it where it is set.", name=name)


def _lines(
    scene: Scene, name: str, old: Value | None, new: Value | None
) -> list[tuple[Shell, str]]:
    """What repairs the running shell; on Windows for both of its shells."""
    shell = scene.startup.shell
    shells = [shell, Shell.CMD] if scene.environment.platform == "win32" else [shell]
    lines = [(one, _line(one, name, old, new)) for one in shells]
    found = [(one, line) for one, line in lines if line is not None]
    if scene.environment.platform == "win32" and not isinstance(new, Secret):
        found.append((Shell.POWERSHELL, lasting_line(name, plain(new))))
    return found


def _line(shell: Shell, name: str, old: Value | None, new: Value | None) -> str | None:
    if new is None:
        return unset_line(shell, (name,))
    if isinstance(new, Secret) or isinstance(old, Secret):
        return cleaning_line(shell, name, plain(old) or "", plain(new) or "")
    return set_line(shell, name, plain(new) or "")
