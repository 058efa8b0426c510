"""KVD206: the base is no clean URL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from doctor.bases import Fault
from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Severity,
    Text,
    _,
    character_name,
    check,
    facts,
    joined,
    listed,
    problem,
    visible,
)
from doctor.facts.answers import OutcomeKind
from doctor.facts.settings import Role, Sighting
from doctor.urls import Defect, is_blank, is_full_width, is_invisible, is_quote, shown

from ._gathering import READS, situation
from ._situation import Situation, Spoken
from ._words import came_back, changes

CODE = "KVD206"


@check(
    code=CODE,
    slug="url-malformed",
    severity=Severity.ERROR,
    wants=(*READS, facts.SETTINGS),
    explains=("KVD210", "KVD310", "KVD311", "KVD312", "KVD510", "KVD511", "KVD515"),
)
async def url_malformed(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL is no clean http URL: blanks, quotes, full-width characters, no scheme, a bad
    port, doubled slashes, a placeholder.

    ## What it checks
    The text of the base URL, character by character, and whether the variables that it is
    written with are set.

    ## Why it matters
    Clients differ: Node trims a blank or a line break, Python refuses it or sends `%20`. Most
    show no more than "Connection error.", with the cause hidden in the exception's cause.

    ## How to fix
    Type the URL anew: `http://` or `https://`, host, port, path, all in ASCII, with nothing
    around it.

    ## Fix safety
    What is taken off cannot be part of a URL, and the host stays. Where the text does not say
    which server is meant there is no repair. A missing scheme becomes https; for a private host
    http is tried first.

    ## References
    https://www.rfc-editor.org/rfc/rfc3986
    """
    s = await situation(f)
    spoken = s.of(Fault.MALFORMED)
    if not spoken:
        return
    unset = await _unset_variables(f)
    if unset:
        yield _made_of(unset, s)
        return
    first = spoken[0]
    yield problem(
        _title(s),
        joined(
            _stray(s),
            _refusal(s),
            came_back(s),
            _missing(s),
            _meant(first),
        ),
        evidence=_evidence(s),
        changes=changes(CODE, spoken),
        severity=Severity.WARNING if s.path_is_meant else None,
    )


async def _unset_variables(f: DeclaredFacts) -> list[Sighting]:
    """Those that the base is written with. Where some are not set, its text is nobody's."""
    settings = await f.find(facts.SETTINGS)
    return [
        seen
        for seen in (() if settings is None else settings.sightings)
        if seen.role is Role.BASE_VARIABLE
        and f.target in seen.in_effect_for
        and seen.origin == f.connection.base_url.origin
    ]


def _made_of(unset: list[Sighting], s: Situation) -> Finding:
    names = list(dict.fromkeys(visible(str(seen.raw), 60) for seen in unset))
    title = _("The base URL is written with {name}, which is not set", name=names[0])
    if len(names) > 1:
        title = _(
            "The base URL is written with variables that are not set: {names}", names=listed(names)
        )
    return problem(
        title,
        _(
            "{client} puts nothing there, so that the base URL becomes “{base}”. Set what is "
            "missing where the program is started; a variable of a shell's start file reaches "
            "only programs started from that shell.",
            client=s.client.label,
            base=shown(s.given),
        ),
        evidence=_evidence(s),
    )


def _title(s: Situation) -> Text:
    named = _named(s)
    return _("The base URL is malformed") if named is None else dict(_TITLES)[named]


def _named(s: Situation) -> Defect | None:
    """The defect that the title speaks of."""
    found = frozenset(s.reading.defects)
    return next((defect for defect, _title in _TITLES if defect in found), None)


# The first that applies names the fault; what follows is mentioned in the explanation.
_TITLES: tuple[tuple[Defect, Text], ...] = (
    (Defect.EMPTY, _("The base URL is empty")),
    (Defect.PLACEHOLDER, _("The base URL is a placeholder: its host was never filled in")),
    (Defect.SCHEME_OTHER, _("The base URL has another scheme than http or https")),
    (Defect.PORT, _("The base URL has a port that does not exist")),
    (Defect.HOST, _("The base URL has no host that a name can be")),
    (Defect.SPLIT_HOST, _("The host of the base URL is split by a blank")),
    (Defect.SCHEME_MISSING, _("The base URL lacks https:// or http://")),
    (Defect.SCHEME_DOUBLED, _("The base URL has its scheme twice")),
    (Defect.SCHEME_MISSPELT, _("The scheme of the base URL is misspelt")),
    (Defect.QUOTES, _("Quotation marks are part of the base URL")),
    (Defect.FULL_WIDTH, _("The base URL holds full-width characters")),
    (Defect.INVISIBLE, _("The base URL holds an invisible character")),
    (Defect.BLANK, _("The base URL holds a blank or a line break")),
    (Defect.BACKSLASH, _("The base URL holds backslashes")),
    (Defect.LEADING_JUNK, _("Something that is no URL stands ahead of the base URL")),
    (Defect.TRAILING_JUNK, _("Something that is no URL stands behind the base URL")),
    (Defect.EMPTY_SEGMENT, _("The path of the base URL holds a double slash")),
)


def _stray(s: Situation) -> str:
    """Which character stands where, for faults that the eye may miss."""
    marks = _MARKS.get(_named(s) or Defect.HOST)
    for position, char in enumerate(s.given, 1):
        if marks is not None and marks(char):
            return _(
                "Character {position} of {count} is {name}.",
                position=position,
                count=len(s.given),
                name=character_name(char),
            )
    return ""


_MARKS: dict[Defect, Callable[[str], bool]] = {
    Defect.BLANK: is_blank,
    Defect.INVISIBLE: is_invisible,
    Defect.QUOTES: is_quote,
    Defect.FULL_WIDTH: is_full_width,
}


def _refusal(s: Situation) -> str:
    endpoint = s.endpoint
    if s.path_is_meant:
        return _("{client} puts up with it, other clients do not.", client=s.client.label)
    if endpoint is None or endpoint.refusal is None:
        return ""
    if s.completion is not None and s.completion.outcome.kind is not OutcomeKind.TRANSPORT:
        return ""
    return _(
        "{client} refuses it before anything is sent: {refusal}",
        client=s.client.label,
        refusal=visible(endpoint.refusal),
    )


def _missing(s: Situation) -> str:
    """What only the user can know."""
    if s.reading.base is not None:
        return ""
    defects = s.reading.defects
    if Defect.EMPTY in defects:
        return _(
            "Python's SDKs take the empty text for the address, Node's fall back to the provider's "
            "own host and send the key there. Set the base URL, or unset the variable."
        )
    if Defect.PORT in defects:
        return _("A port is a number from 1 to 65535.")
    if Defect.SPLIT_HOST in defects:
        return _("Whether the blank or a character is missing there, the text does not tell.")
    return _("{url} does not say which server is meant.", url=shown(s.given))


def _meant(spoken: Spoken) -> str:
    if spoken.base is None:
        return ""
    if spoken.guess:
        return _("The base URL is likely {base}.", base=shown(spoken.base))
    return _("The base URL is {base}.", base=shown(spoken.base))


def _evidence(s: Situation) -> tuple[Evidence, ...]:
    origin = s.connection.base_url.origin
    return (Evidence(_("base URL"), str(origin), f"“{shown(s.given)}”"),)
