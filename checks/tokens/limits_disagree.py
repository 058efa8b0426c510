"""KVD603."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    problem,
)
from doctor.connection import Connection
from doctor.declared import files_of, tokens_in
from doctor.facts.engine import Engine
from doctor.facts.settings import Role, Settings, Sighting
from doctor.records import dataclass
from doctor.token_budget import fitting, served_window


@dataclass(frozen=True, slots=True)
class _Declared:
    """A number of tokens that a file declares."""

    sighting: Sighting
    tokens: int

    @property
    def place(self) -> str:
        return str(self.sighting.origin)


@check(
    code="KVD603",
    slug="limits-disagree",
    severity=Severity.WARNING,
    hop=Hop.CONFIGURATION,
    needs=(facts.SETTINGS,),
    wants=(facts.MODELS, facts.ENGINE),
)
async def limits_disagree(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Files of one deployment and the running engine hold different token limits for one model.

    What it checks: `max_model_len` as settings.json, config.toml and the like declare it, against
    each other and against the window that the models list tells; `max_tokens` of a route or of
    another client in those files against the same window. Only files that this connection uses
    or that name its model are looked at. Where kvdoctor.toml names the engine behind a gateway, the
    window that the gateway tells is compared with the engine's.

    Why it matters: whichever layer has the smaller number refuses or cuts requests that the other
    was set up for, and the layer that is looked at first looks right.

    How to fix: write the window that the engine serves into every file, and keep each max_tokens
    low enough to leave room for the prompt.

    Fix safety: the engine's own number decides; changing a file changes no engine.

    References: facts/gateway-clients.md §§4.1, 4.2, 4.3 rows 13 and 14.
    """
    settings = await f.get(facts.SETTINGS)
    model = f.connection.model.value if f.connection.model else None
    paths = files_of(f.connection, settings)
    windows = _declared(settings, paths, Role.WINDOW)
    budgets = [b for b in _declared(settings, paths, Role.MAX_TOKENS) if _is_other(f.connection, b)]
    listing = await f.find(facts.MODELS)
    live = served_window(listing.models if listing is not None else None, model)
    engine = await f.find(facts.ENGINE)
    finding = _of_layers(engine, live)
    if finding is not None:
        yield finding
        return
    if not windows and not budgets:
        raise NotApplicable("no file of this connection declares a limit")
    finding = _disagreement(windows, budgets, live)
    if finding is not None:
        yield finding


def _declared(settings: Settings, paths: frozenset[str], role: Role) -> list[_Declared]:
    found = []
    for sighting in settings.sightings:
        if sighting.role is role and sighting.origin.path in paths:
            tokens = tokens_in(sighting.value)
            if tokens is not None:
                found.append(_Declared(sighting, tokens))
    return found


def _is_other(connection: Connection, budget: _Declared) -> bool:
    """The connection's own max_tokens, in effect or replaced by a repair, is KVD601's."""
    own = connection.max_tokens
    if own is None:
        return True
    origins = (own.origin, *(shadowed.origin for shadowed in own.shadows))
    return budget.sighting.origin not in origins


def _disagreement(
    windows: list[_Declared], budgets: list[_Declared], live: int | None
) -> Finding | None:
    if live is not None:
        wrong = [w for w in windows if w.tokens != live]
        over = [b for b in budgets if b.tokens > live]
        if wrong:
            return _against_engine(wrong, over, live)
        if over:
            return _budget_over(over, live, running=True)
        return None
    if len({w.tokens for w in windows}) > 1:
        return _among_files(windows)
    over = [b for b in budgets if windows and b.tokens > windows[0].tokens]
    return _budget_over(over, windows[0].tokens, running=False) if over else None


def _against_engine(wrong: list[_Declared], over: list[_Declared], live: int) -> Finding:
    first = wrong[0]
    return problem(
        _(
            "Declared window {declared}, served window {live}",
            declared=f"{first.tokens:,}",
            live=f"{live:,}",
        ),
        _(
            "{name} is {declared}; the models list tells {live}. {meaning} Write {live} into:"
            " {places}.",
            name=first.sighting.name,
            declared=f"{first.tokens:,}",
            live=f"{live:,}",
            meaning=_meaning(first.tokens, live),
            places=", ".join(entry.place for entry in wrong),
        ),
        evidence=_evidence([*wrong, *over], live),
    )


def _of_layers(engine: Engine | None, listed: int | None) -> Finding | None:
    """The window that the gateway tells against that of the engine behind it."""
    windows = {each.window for each in (engine.models if engine is not None else None) or ()}
    own = windows.pop() if len(windows) == 1 else None
    if engine is None or listed is None or own is None or own == listed:
        return None
    return problem(
        _(
            "The gateway tells a window of {listed}, the engine behind it serves {own}",
            listed=f"{listed:,}",
            own=f"{own:,}",
        ),
        joined(
            _meaning(listed, own),
            _("Correct it at the gateway: the engine's own number decides."),
        ),
        evidence=(
            Evidence(_("models list"), "max_model_len", f"{listed:,}"),
            Evidence(_("engine, asked directly"), f"{engine.root}", f"{own:,}"),
        ),
        hop=Hop.ROUTE,
    )


def _meaning(declared: int, live: int) -> Text:
    if declared > live:
        return _("Requests of the declared length are refused.")
    return _("What is above the declared length is served but never used.")


def _among_files(windows: list[_Declared]) -> Finding:
    numbers = ", ".join(f"{entry.tokens:,} ({entry.place})" for entry in windows)
    return problem(
        _("The files declare different windows for one model"),
        _(
            "max_model_len is {numbers}. The engine serves one of them at most; no models list told"
            " which.",
            numbers=numbers,
        ),
        evidence=_evidence(windows, None),
        confidence=Confidence.MEDIUM,
    )


def _budget_over(over: list[_Declared], window: int, *, running: bool) -> Finding:
    first = over[0]
    which = _("served window") if running else _("declared window")
    return problem(
        _(
            "{name} {tokens} is over the {which} of {window}",
            name=first.sighting.name,
            tokens=f"{first.tokens:,}",
            which=which,
            window=f"{window:,}",
        ),
        _(
            "A request with it is refused. Window {window}; max_tokens {n} leaves {rest} for the"
            " prompt. In: {places}.",
            window=f"{window:,}",
            n=f"{fitting(window):,}",
            rest=f"{window - fitting(window):,}",
            places=", ".join(entry.place for entry in over),
        ),
        evidence=_evidence(over, window if running else None),
        confidence=Confidence.HIGH if running else Confidence.MEDIUM,
    )


def _evidence(entries: Iterable[_Declared], live: int | None) -> tuple[Evidence, ...]:
    seen = [Evidence(_("setting"), entry.place, f"{entry.tokens:,}") for entry in entries]
    if live is not None:
        seen.append(Evidence(_("models list"), "max_model_len", f"{live:,}"))
    return tuple(seen)
