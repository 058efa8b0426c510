"""Makes a changed base URL, key, model, budget or header last, in the source that wins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from doctor.connection import Connection, Origin, OriginKind, Setting, SettingName
from doctor.facts.settings import EnvReader
from doctor.fixes import files
from doctor.fixes.auth_header import renamed_draft
from doctor.fixes.cleaning import is_cleaned
from doctor.fixes.client_files import listed_beside, placed_in_own_file
from doctor.fixes.documents import edit_at
from doctor.fixes.draft import Draft, joined
from doctor.fixes.quoting import set_line
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scene import Scene
from doctor.fixes.steps import EditFile, Format, Operation, RunText, Value
from doctor.fixes.variables import change_variable
from doctor.secrets import Redactor, Secret
from doctor.settings.names import looks_like_key
from doctor.text import _
from doctor.untrusted import visible

# What the SDKs read where nothing names another variable.
_VARIABLES = {
    ("openai-sdk", SettingName.BASE_URL): "OPENAI_BASE_URL",
    ("openai-sdk", SettingName.KEY): "OPENAI_API_KEY",
    ("anthropic-sdk", SettingName.BASE_URL): "ANTHROPIC_BASE_URL",
    ("anthropic-sdk", SettingName.KEY): "ANTHROPIC_API_KEY",
}
# What a reader may take for a part of the name.
_NAME = re.compile(r"^(?:\ufeff|\$env:)", re.IGNORECASE)
_FLAGS = {
    SettingName.BASE_URL: "--base-url",
    SettingName.MODEL: "--model",
    SettingName.MAX_TOKENS: "--max-tokens",
    SettingName.PROXY: "--proxy",
    SettingName.CA_BUNDLE: "--ca-bundle",
}


def setting_draft(name: SettingName, new: Value, connection: Connection, scene: Scene) -> Draft:
    """What makes ``new`` the value of ``name``; ``connection`` is the one as configured."""
    if name is SettingName.AUTH:
        renamed = renamed_draft(new, connection, scene)
        if renamed is not None:
            return renamed
    current: Setting[Value] | None = getattr(connection, name.value)
    if current is not None and isinstance(current.value, str) and looks_like_key(current.value):
        # A key in the place of something else is a key all the same.
        current = Setting(Secret(current.value), current.origin)
    if current is None or current.origin.kind in (OriginKind.DEFAULT, OriginKind.PROVIDER):
        return _unset(name, new, connection, scene)
    if isinstance(new, Secret):
        return _key(new, current, connection, scene)
    draft = _at(current.origin, current.value, new, scene)
    # What is written over would be a key.
    loses_key = isinstance(current.value, Secret)
    more = listed_beside(name, new, connection, scene) if draft.edits else ()
    return Draft((*draft.steps, *more), draft.risky or loses_key, draft.notes)


def _at(origin: Origin, old: Value, new: Value | None, scene: Scene) -> Draft:
    """Change the value of one source, or take it out."""
    if origin.kind is OriginKind.ENVIRONMENT:
        return change_variable(scene, origin.name, old, new)
    if origin.kind is OriginKind.FLAG and origin.path is None:
        return _flag(origin, new)
    if origin.path is None:
        return Draft()
    try:
        edit = edit_at(origin, old, new, scene)
    except RefusedEdit as refused:
        return Draft(notes=(_("It has to be changed by hand: {why}.", why=str(refused)),))
    return Draft((edit,), risky=new is None)


def _flag(origin: Origin, new: Value | None) -> Draft:
    if new is None or isinstance(new, Secret):
        text = _("Leave {flag} out.", flag=origin.name) if new is None else None
        return Draft(notes=() if text is None else (text,))
    if not origin.name.startswith("-"):
        return Draft((RunText(visible(str(new))),))
    return Draft((RunText(f"{origin.name} {visible(str(new))}"),))


def _unset(name: SettingName, new: Value, connection: Connection, scene: Scene) -> Draft:
    """No source holds a value yet, so none can be edited: say what to set."""
    if isinstance(new, Secret) and not _is_placeholder(new):
        return _lost_line(new, scene)
    if name is SettingName.AUTH:
        return Draft((RunText(_other_header(new, connection)),))
    placed = placed_in_own_file(name, new, connection, scene)
    if placed is not None:
        return Draft((placed,))
    text = new.reveal() if isinstance(new, Secret) else str(new)
    variable = _VARIABLES.get((connection.client, name))
    shell = scene.startup.shell
    line = None if variable is None else set_line(shell, variable, text)
    if line is not None:
        return Draft((RunText(line, shell),))
    flag = _FLAGS.get(name)
    shown = visible(text)
    return Draft((RunText(f"{flag} {shown}" if flag else f"{name.value}: {shown}"),))


def _other_header(new: Value, connection: Connection) -> str:
    """How the key gets into that header: in Claude Code by the name of its variable."""
    variables = {"authorization": "ANTHROPIC_AUTH_TOKEN", "x-api-key": "ANTHROPIC_API_KEY"}
    variable = variables.get(str(new))
    key = connection.key
    if connection.client not in ("claude-code", "anthropic-sdk") or variable is None or key is None:
        return f"{SettingName.AUTH.value}: {visible(str(new))}"
    now = key.origin.name.rpartition(".")[2]
    return _(
        "Rename {now} to {variable}: {place}", now=now, variable=variable, place=str(key.origin)
    )


def _is_placeholder(key: Secret) -> bool:
    return len(key.reveal().strip()) < Redactor.MINIMUM


# ------------------------------------------------------------------ keys


def _key(new: Secret, current: Setting[Value], connection: Connection, scene: Scene) -> Draft:
    """A key is written only where it stands already; another source's key wins by taking out
    what hides it."""
    old = current.value if isinstance(current.value, Secret) else Secret(str(current.value))
    if is_cleaned(old.reveal(), new.reveal()) or _is_placeholder(new):
        return _at(current.origin, old, new, scene)
    base = connection.base_url
    if new.reveal() == base.value and base.origin.path == current.origin.path:
        # The two were exchanged, so the key stands in that file, or that environment, already.
        draft = _at(current.origin, old, new, scene)
        if all(_stands_in(new, edit.path) for edit in draft.edits):
            return Draft(draft.steps, True, draft.notes)
    hiding = _hiding(current, new)
    if hiding:
        return joined(tuple(_at(origin, value, None, scene) for value, origin in hiding))
    return _lost_line(new, scene)


def _stands_in(key: Secret, path: str) -> bool:
    try:
        return key.reveal().encode() in files.read(path).data
    except RefusedEdit:
        return False


def _lost_line(new: Secret, scene: Scene) -> Draft:
    """The key stands in an env file, in a line that its reader does not understand."""
    for file in scene.settings.env_files:
        reader = file.readers[0] if file.readers else EnvReader.DOTENV
        for line in file.lines:
            raw = line.raw.reveal() if isinstance(line.raw, Secret) else line.raw
            if new.reveal() not in raw:
                continue
            edit = EditFile(
                path=scene.absolute(file.path),
                shown=file.path,
                format=Format.ENV,
                at=(_NAME.sub("", line.name),),
                line=line.number,
                old=new,
                new=new,
                operation=Operation.RESPELL,
                reader=reader,
            )
            # Another reader may have needed the line as it was.
            return Draft((edit,), risky=True)
    return Draft(notes=(_("Put the key there yourself: kvdoctor copies no key."),))


def _hiding(current: Setting[Value], new: Secret) -> Sequence[tuple[Value, Origin]]:
    """The sources that win over the one that holds ``new``; empty where none holds it."""
    before: list[tuple[Value, Origin]] = [(current.value, current.origin)]
    for shadowed in current.shadows:
        if shadowed.value == new:
            return before
        before.append((shadowed.value, shadowed.origin))
    return ()
