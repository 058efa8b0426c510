"""KVD409: a settings file of the client cannot be read."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    joined,
    problem,
    visible,
)
from doctor.clients import profile
from doctor.facts.settings import SourceProblem

CODE = "KVD409"


@check(
    code=CODE,
    slug="client-setting-unreadable",
    severity=Severity.ERROR,
    needs=(facts.SETTINGS,),
    explains=("KVD101", "KVD109", "KVD404"),
)
async def client_setting_unreadable(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A settings file of the examined client does not parse, so it is without effect.

    ## What it checks
    The files of the client in the form that it insists on: strict JSON without comments or
    trailing commas for Claude Code, TOML for Codex, JSON with comments for opencode, YAML for
    Continue.

    ## Why it matters
    Claude Code passes over the whole file ("These settings did not load, so nothing in them is in
    effect"): it goes on with the shell's variables, a stored login, or another server. Codex does
    not start.

    ## How to fix
    Mend the place that is named. Comments and the comma ahead of a closing bracket are what JSON
    has not got.

    ## Fix safety
    None is made: a file that cannot be read cannot be edited without a guess.

    ## References
    https://docs.claude.com/en/docs/claude-code/settings
    """
    settings = await f.get(facts.SETTINGS)
    client = f.connection.client
    own = [one for one in settings.problems if one.client == client]
    if not own:
        raise NotApplicable(_("every file of this client could be read"))
    for one in own:
        yield problem(
            _("{client} cannot read {place}", client=profile(client).label, place=_place(one)),
            joined(
                _("{what}.", what=_sentence(one.message)),
                visible(one.consequence, 300),
            ),
            evidence=(Evidence(_("file"), _place(one), visible(one.message, 200)),),
            clients=(client,),
        )


def _sentence(message: str) -> str:
    text = visible(message, 200).rstrip(".")
    return text[:1].upper() + text[1:]


def _place(one: SourceProblem) -> str:
    return f"{one.path}:{one.line}" if one.line else one.path
