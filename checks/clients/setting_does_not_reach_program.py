"""KVD410: the variable is set in a start-up file, and this process does not have it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from checks.credentials._client_variables import key_variables
from checks.credentials._key_text import is_empty
from checks.credentials._placeholder import is_placeholder
from checks.credentials._verdict import WANTS, key_verdict
from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    SettingName,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    problem,
)
from doctor.connection import Connection, OriginKind
from doctor.facts.machine import Environment
from doctor.facts.settings import Role, Settings
from doctor.secrets import Secret

if TYPE_CHECKING:
    # The readers of start-up files are of no use to a run whose key is there.
    from doctor.fixes.startup import Export, Startup

CODE = "KVD410"


@check(
    code=CODE,
    slug="setting-does-not-reach-program",
    severity=Severity.ERROR,
    needs=(facts.ENVIRONMENT, facts.SETTINGS),
    wants=WANTS,
    explains=("KVD101", "KVD109", "KVD111"),
)
async def setting_does_not_reach_program(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The key's variable is set in a start-up file of the shell, but not in this process.

    ## What it checks
    Only where no key was found, and the server does not do without one: whether a start-up file
    of the user's own shell (`~/.zshrc`, `~/.bashrc`, `~/.config/fish/config.fish`, …) sets the
    variable from which the client takes its key, in a line that holds the value itself. The file
    is read, never run.

    ## Why it matters
    A variable reaches a program only through the process that starts it. A terminal that was open
    when the line was added does not have it, nor does a program that the desktop, an editor, a
    service, cron or a container starts. A line without `export` sets it for the shell alone.

    ## How to fix
    Open a new terminal, or run the file once (`source ~/.zshrc`). For an editor or a desktop
    program: start it from such a terminal, or write the key into its own settings.

    ## Fix safety
    The value of that line is tried with the request; nothing is written.

    ## References
    https://www.gnu.org/software/bash/manual/html_node/Bash-Startup-Files.html
    """
    connection = f.connection
    if connection.key is not None and not is_empty(connection.key.value.reveal()):
        raise NotApplicable(_("a key was found"))
    if connection.unsent is not None:
        raise NotApplicable(_("the client sends a login"))
    environment = await f.get(facts.ENVIRONMENT)
    names = _wanted(connection, await f.get(facts.SETTINGS), f.target, environment)
    if not environment.home or not names:
        raise NotApplicable(_("no variable is known to hold the key"))
    from doctor.fixes.startup import Startup

    startup = Startup(environment)
    found = next(_set_there(startup, names), None)
    if found is None:
        return
    name, export = found
    if (await key_verdict(f)).let_through:
        return
    yield _told(connection, name, export)


def _wanted(
    connection: Connection, settings: Settings, target: str, environment: Environment
) -> list[str]:
    """The variables from which this client would take its key, and which are not set here."""
    named = [
        str(sighting.value)
        for sighting in settings.sightings
        if sighting.role is Role.KEY_VARIABLE
        and target in sighting.in_effect_for
        and not isinstance(sighting.value, Secret)
    ]
    usual = key_variables(connection.client)
    return [name for name in (*named, *usual) if not environment.variables.get(name)]


def _set_there(startup: Startup, names: list[str]) -> Iterator[tuple[str, Export]]:
    from doctor.fixes.scan.base import Nesting

    for name in names:
        for export in (*reversed(startup.exports(name)), *startup.unexported(name)):
            value = export.assignment.value
            sure = export.assignment.nesting is Nesting.TOP and startup.read_by_mine(export)
            if sure and export.file.own and value and not is_empty(value):
                yield name, export


def _told(connection: Connection, name: str, export: Export) -> Finding:
    exported = export.assignment.exported
    value = Secret(export.assignment.value or "")
    return problem(
        _("{name} is set in {place}, but not in this process", name=name, place=export.place)
        if exported
        else _("{place} sets {name} without export", name=name, place=export.place),
        joined(_why(exported), _what_to_do(name, export, exported)),
        evidence=(Evidence(name, export.place, value.described),),
        changes=_change(connection, name, value, export),
    )


def _why(exported: bool) -> Text:
    if not exported:
        return _("Without export the variable stays in the shell, and no program gets it.")
    return _(
        "The shell, or whatever started this program, has not read that line: it was open before "
        "the line was added, or it is no terminal."
    )


def _what_to_do(name: str, export: Export, exported: bool) -> Text:
    if not exported:
        return _("Write export ahead of {name} there, and open a new terminal.", name=name)
    return _(
        "Open a new terminal, or run: source {file}. An editor, a service or a container needs the "
        "variable in its own settings.",
        file=export.file.shown,
    )


def _change(connection: Connection, name: str, value: Secret, export: Export) -> tuple[Change, ...]:
    """To be tried where the address is the user's own choice or the client's default."""
    base = connection.base_url.origin
    if base.project or base.kind is OriginKind.CHANGE or is_placeholder(value.reveal()):
        return ()
    title = _("use the value of {name} in {place}", name=name, place=export.place)
    return (Change(CODE, SettingName.KEY, value, title, guess=True),)
