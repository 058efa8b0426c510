"""KVD110: two sources hold different keys."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Secret,
    SettingName,
    Severity,
    _,
    check,
    facts,
    problem,
)
from doctor.connection import Connection, Origin, OriginKind, Shadowed
from doctor.facts.settings import Role, Settings

from ._key_text import body
from ._placeholder import is_placeholder, stands_for_no_key
from ._show import place
from ._sources import configured, is_at_its_vendor, key_beside_base_url
from ._verdict import WANTS, key_verdict

CODE = "KVD110"


@check(
    code=CODE,
    slug="key-sources-disagree",
    severity=Severity.WARNING,
    blocking=False,
    wants=(facts.SETTINGS, *WANTS),
)
async def key_sources_disagree(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Two sources hold different keys under one name, and the client uses one of them.

    What it checks: the key in effect against those that it shadows. Keys that differ only in
    blanks, quotes or `Bearer` are the same; placeholders do not count, nor does a key given on
    the command line.

    Why it matters: which one wins differs per program: settings.json beats the shell in Claude
    Code, the shell beats `.env` with python-dotenv, `.env` beats the shell in Aider. So a
    renewed key seems not to work: the old one still wins somewhere.

    How to fix: keep one, and remove the other.

    Fix safety: where the winner is refused, the other key is tried only if it stands in the
    same file as the base URL, or if no source sets one and both are the same variable.

    References: facts/gateway-clients.md on precedence per client
    """
    setting = f.connection.key
    if setting is None:
        raise NotApplicable("there is no key")
    held = configured(setting)
    if not held or held[0].origin.kind is OriginKind.FLAG:
        return
    now = body(setting.value.reveal())
    losers = _others(held, now)
    if not losers or not now or is_placeholder(now) or stands_for_no_key(now):
        return
    verdict = await key_verdict(f)
    beside = key_beside_base_url(f.connection) if verdict.turned_away else None
    winner = held[0].origin
    alike = [loser for loser in losers if _variable(loser.origin) == _variable(winner)]
    if not alike and beside is None:
        return
    settings = await f.find(facts.SETTINGS)
    yield problem(
        _("{n} sources hold different keys", n=len(losers) + 1),
        _explain(winner, losers[0].origin, f.connection, beside is not None),
        evidence=(
            Evidence(_("wins"), str(winner), _used(Secret(now), now, settings)),
            *(
                Evidence(
                    _("loses"),
                    str(loser.origin),
                    _used(loser.value, body(loser.value.reveal()), settings),
                )
                for loser in losers
            ),
        ),
        changes=_changes(beside),
        severity=Severity.ERROR if beside is not None else None,
        confidence=Confidence.MEDIUM if beside is not None else Confidence.HIGH,
    )


def _others(held: tuple[Shadowed[Secret], ...], now: str) -> list[Shadowed[Secret]]:
    """Real keys that lost and differ, each once."""
    found: dict[str, Shadowed[Secret]] = {}
    for loser in held[1:]:
        text = body(loser.value.reveal())
        if loser.origin.kind in (OriginKind.DEFAULT, OriginKind.PROVIDER):
            continue
        if text and text != now and not is_placeholder(text) and not stands_for_no_key(text):
            found.setdefault(text, loser)
    return list(found.values())


def _variable(origin: Origin) -> str:
    return origin.name.rpartition(".")[2]


def _used(secret: Secret, text: str, settings: Settings | None) -> str:
    """The key masked, and the targets that use it."""
    users = {
        target
        for sighting in (settings.sightings if settings else ())
        if sighting.role is Role.KEY and isinstance(sighting.value, Secret)
        if body(sighting.value.reveal()) == text
        for target in sighting.in_effect_for
    }
    if not users:
        return secret.described
    return _("{key}, used by {targets}", key=secret.described, targets=", ".join(sorted(users)))


def _explain(winner: Origin, loser: Origin, connection: Connection, refused: bool) -> str:
    wins = _(
        "{winner} wins over {loser}{why}.",
        winner=place(winner),
        loser=place(loser),
        why=_why(winner, connection.client),
    )
    if refused and is_at_its_vendor(connection):
        return _("{wins} The server refuses the key that wins: is the other one newer?", wins=wins)
    if refused:
        return _(
            "{wins} The server refuses the key that wins; likely the other one, which stands "
            "beside the base URL, is meant.",
            wins=wins,
        )
    return _("{wins} Keep the one that is meant and remove the other.", wins=wins)


def _why(winner: Origin, client: str) -> str:
    """The rule by which it wins, where it is known for this client."""
    if client == "claude-code" and winner.path is not None:
        return _(": `env` of its settings beats the shell")
    if client == "aider" and winner.path is not None:
        return _(": Aider lets .env beat the shell")
    if client in ("qwen-code", "gemini-cli") and winner.kind is OriginKind.ENVIRONMENT:
        return _(": there the shell beats .env and settings.json")
    if client == "codex" and winner.path is not None:
        return _(": Codex reads its own files and the variable that they name, no other")
    if winner.kind is OriginKind.ENVIRONMENT:
        return _(": what is set in the environment is not replaced by a file")
    return ""


def _changes(beside: Shadowed[Secret] | None) -> tuple[Change, ...]:
    if beside is None:
        return ()
    title = _("use the key of {place}", place=place(beside.origin))
    return (Change(CODE, SettingName.KEY, beside.value, title, guess=True),)
