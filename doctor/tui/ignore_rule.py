"""An ``[[ignore]]`` rule at the end of the kvdoctor.toml of the working folder."""

from __future__ import annotations

import os
from pathlib import Path

from doctor.facts.machine import Environment
from doctor.fixes import files
from doctor.fixes.prepare import FileChange
from doctor.fixes.refusal import RefusedEdit
from doctor.settings.errors import ConfigError
from doctor.settings.kvdoctor_toml import parse
from doctor.text import _

_NAME = "kvdoctor.toml"
_FIRST = "# kvdoctor: targets to examine, and findings to leave out.\n"


def ignore_file(environment: Environment, code: str, target: str, reason: str) -> FileChange:
    """The change that adds the rule. A file that is not there is made first, with a comment only:
    that is what an undo leaves.

    Raises ``RefusedEdit``.
    """
    path = Path(environment.cwd) / _NAME
    _make(path)
    held = files.read(str(path))
    files.check_writable(held, _NAME)
    try:
        text = held.data.decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedEdit(_("bytes that are not UTF-8"), path=_NAME) from None
    after = text + _rule(text, code, target, reason)
    _check(text, after, path, code, target, reason)
    return FileChange(held, str(path), _NAME, after.encode(), ())


def _make(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return
    except OSError as error:
        raise RefusedEdit(error.strerror or str(error), path=_NAME) from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.write(_FIRST)


def _rule(text: str, code: str, target: str, reason: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [
        "" if not text or text.endswith("\n") else newline,
        newline if text.strip() else "",
        f"[[ignore]]{newline}",
        f"code = {_quoted(code)}{newline}",
        f"subject = {_quoted(target)}{newline}",
        f"reason = {_quoted(reason)}{newline}",
    ]
    return "".join(lines)


def _quoted(text: str) -> str:
    """A basic string of TOML 1.0."""
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif ord(char) < 0x20 or ord(char) == 0x7F:
            out.append(f"\\u{ord(char):04X}")
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def _check(before: str, after: str, path: Path, code: str, target: str, reason: str) -> None:
    """The file says one thing more than it did, and nothing else has changed."""
    try:
        old = parse(before, path.parent, _NAME, project=True)
        new = parse(after, path.parent, _NAME, project=True)
    except ConfigError as error:
        raise RefusedEdit(str(error)) from None
    added = new.ignores[len(old.ignores) :]
    kept = new.ignores[: len(old.ignores)] == old.ignores and new.targets == old.targets
    rule = [(one.code, one.subject, one.reason) for one in added]
    if not kept or rule != [(code, target, reason)]:
        raise RefusedEdit(_("the rule cannot be added without changing more"), path=_NAME)
