"""Makes a fix of entries that belong into files: a client's whole block, or one line of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from doctor.connection import Origin, OriginKind
from doctor.fixes import files
from doctor.fixes.documents import edit_at, format_of
from doctor.fixes.prepare import prepare
from doctor.fixes.preview import diffs
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scene import Scene
from doctor.fixes.steps import EditFile, Format, Operation, RunText, Selector, Value
from doctor.models import Applicability, FileEntry, Fix, Lasting
from doctor.settings.documents import PARSERS, Malformed
from doctor.text import _
from doctor.untrusted import visible

_NEW_ITEM = "+"


def lasting_fix(code: str, wanted: Lasting, scene: Scene | None) -> Fix:
    """The fix with its preview. Without ``scene`` (a replay) it is text.

    It is safe where it only adds to files of the user's own; what stands there already and is the
    same is left alone, and what is different is written over only by a fix that is not safe.
    """
    steps: tuple[EditFile, ...] = ()
    lines: list[str] = []
    refusal: RefusedEdit | None = None
    if scene is not None:
        try:
            steps = tuple(steps_of(wanted.entries, scene))
            lines += diffs(prepare(steps))
        except RefusedEdit as refused:
            refusal = refused
            lines.append(_("It has to be changed by hand: {why}.", why=str(refused)))
    if scene is None or refusal is not None:
        steps = ()
        lines += [_told(entry) for entry in wanted.entries]
    lines += [*wanted.lines, *wanted.notes]
    texts = tuple(RunText(line) for line in wanted.lines)
    return Fix(
        id=f"{code}:{wanted.name}",
        title=wanted.title,
        applicability=_applicability(steps, scene),
        proved=wanted.works and bool(steps),
        preview="\n".join(lines),
        steps=(*steps, *texts),
    )


def _applicability(steps: Sequence[EditFile], scene: Scene | None) -> Applicability:
    if scene is None or not steps:
        return Applicability.MANUAL
    for step in steps:
        if step.operation is not Operation.ADD or not scene.owned(step.path):
            return Applicability.UNSAFE
        if scene.tracked(step.path, step.shown):
            return Applicability.UNSAFE
    return Applicability.SAFE


def steps_of(entries: Sequence[FileEntry], scene: Scene) -> list[EditFile]:
    """The edits; what stands there already needs none. Raises ``RefusedEdit``."""
    documents: dict[str, Any] = {}
    found = []
    for entry in entries:
        path = scene.absolute(entry.path)
        if entry.old is not None:
            name = ".".join(map(str, entry.keys))
            origin = Origin(OriginKind.FILE, name, entry.path)
            found.append(edit_at(origin, entry.old, entry.new, scene))
            continue
        if path not in documents:
            documents[path] = _document(path, entry.path)
        keys = _numbered(entry.keys, documents[path])
        old = _at(documents[path], keys)
        if old == entry.new:
            continue
        found.append(_step(path, entry, keys, old))
    return found


def _step(path: str, entry: FileEntry, keys: Selector, old: Value | None) -> EditFile:
    format_ = format_of(path)
    at = (str(keys[-1]),) if format_ is Format.ENV else keys
    operation = Operation.ADD if old is None else Operation.SET
    return EditFile(path, entry.path, format_, at, None, old, entry.new, operation)


def _document(path: str, shown: str) -> Any:
    """What the file says; None where there is none, or nothing in it."""
    held = files.read_or_absent(path)
    text = held.data.decode("utf-8", "replace")
    if not text.strip("\ufeff \t\r\n"):
        return None
    if format_of(path) is Format.ENV:
        from doctor.settings.envreaders import python_dotenv

        return {found.name: found.value for found in python_dotenv.read(text, {}).assignments}
    suffix = "." + path.rpartition(".")[2].lower()
    try:
        return PARSERS[suffix](text).data
    except Malformed as malformed:
        raise RefusedEdit(malformed.message, malformed.line, shown) from None


def _numbered(keys: Selector, document: Any) -> Selector:
    """ "+" as the number of the item that will be the list's last."""
    out: list[str | int] = []
    for key in keys:
        if key == _NEW_ITEM:
            there = _at(document, tuple(out), whole=True)
            out.append(len(there) if isinstance(there, list) else 0)
        else:
            out.append(key)
    return tuple(out)


def _at(document: Any, keys: Selector, *, whole: bool = False) -> Any:
    node = document
    for key in keys:
        if isinstance(node, Mapping) and isinstance(key, str):
            node = node.get(key)
        elif isinstance(node, Sequence) and not isinstance(node, str) and isinstance(key, int):
            node = node[key] if key < len(node) else None
        else:
            return None
    return node if whole or isinstance(node, str | int | bool) else None


def _told(entry: FileEntry) -> str:
    name = ".".join(str(key) for key in entry.keys if key != _NEW_ITEM)
    if entry.new is None:
        return visible(f"{entry.path}: - {name} = {entry.old}")
    return visible(f"{entry.path}: {name} = {entry.new}")
