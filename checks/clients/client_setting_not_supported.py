"""KVD408: a setting that its program refuses or does not read."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    FileEntry,
    Finding,
    Lasting,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    problem,
    visible,
)
from doctor.clients import profile
from doctor.facts.settings import Unsupported

CODE = "KVD408"


@check(
    code=CODE,
    slug="client-setting-not-supported",
    severity=Severity.WARNING,
    needs=(facts.SETTINGS,),
    explains=("KVD101", "KVD109", "KVD214"),
)
async def client_setting_not_supported(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A settings file holds something that its program refuses, or passes over without a word.

    ## What it checks
    The examined client's own files against the names that its present version reads: settings
    that were removed (`wire_api = "chat"` and `profile = "x"` in Codex), variables that it never
    read (`OPENAI_BASE_URL` in Codex), blocks that belong to no program (`"llm": {…}` in Claude
    Code's settings.json); and, where its files say nothing, a file that lies where it does not look
    (`~/.local/share/opencode/opencode.json`).

    ## Why it matters
    A removed setting may keep the program from starting. One that is passed over is worse: the
    program runs, with other values than the file shows.

    ## How to fix
    Write what the finding says in its place, or take the line out.

    ## Fix safety
    Where one value is all that changes, it is offered as an edit; it is not proved by a request,
    since kvdoctor's request does not depend on it.

    ## References
    https://developers.openai.com/codex/config-reference
    """
    settings = await f.get(facts.SETTINGS)
    client = f.connection.client
    own = [one for one in settings.unsupported if one.client == client]
    if not own:
        raise NotApplicable(_("nothing of that kind stands in the settings of this client"))
    for one in sorted(own, key=lambda one: not one.fatal):
        yield problem(
            _title(one),
            joined(_sentence(one.reason), _instead(one)),
            evidence=(
                Evidence(_("setting"), str(one.origin), visible(one.value or one.name, 100)),
            ),
            severity=Severity.ERROR if one.fatal or one.whole else None,
            clients=(client,),
            lasting=_lasting(one),
        )


def _sentence(text: str) -> str:
    """With its capital and its full stop."""
    said = text[:1].upper() + text[1:]
    return said if not said or said.endswith((".", "!", "…")) else f"{said}."


def _instead(one: Unsupported) -> str:
    """A sentence stays one; anything else is what to write."""
    if not one.instead or one.instead.endswith("."):
        return one.instead
    return _("Write {text}.", text=one.instead)


def _title(one: Unsupported) -> str:
    client = profile(one.client).label
    if one.title:
        return one.title if isinstance(one.title, Text) else visible(one.title, 200)
    if one.fatal:
        return _("{client} does not start with {name}", client=client, name=_name(one))
    return _("{client} does not read {name}", client=client, name=_name(one))


def _name(one: Unsupported) -> str:
    name = visible(one.name, 100)
    return f'{name} = "{visible(one.value, 60)}"' if one.value is not None else name


def _lasting(one: Unsupported) -> tuple[Lasting, ...]:
    if one.value is None or one.replacement is None or one.origin.path is None:
        return ()
    new = one.replacement or None
    title = (
        _("take {name} out", name=visible(one.name, 100))
        if new is None
        else _("set {name} to {value}", name=visible(one.name, 100), value=visible(new, 100))
    )
    entry = FileEntry(one.origin.path, (one.origin.name,), new, old=one.value)
    return (Lasting("setting", title, entries=(entry,)),)
