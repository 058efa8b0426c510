"""Everything a check's author imports.

A check is one module under ``checks/``: an async generator that reads the facts it declared and
yields what ``problem`` makes. It need not know how facts are gathered, who shows the findings or
which other checks exist. Its docstring is the only source of its documentation.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from doctor import facts
from doctor.connection import AuthHeader, Change, ProxyMode, SettingName
from doctor.facts.store import DeclaredFacts, Fact, Unavailable
from doctor.models import (
    Confidence,
    Evidence,
    FileEntry,
    Finding,
    Hop,
    Lasting,
    Severity,
)
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.text import Text, _, joined, listed, message
from doctor.untrusted import character_name, visible

if TYPE_CHECKING:
    from doctor.launch.edits import Edit
    from doctor.launch.model import Launch
    from doctor.memory.case import MemoryCase

__all__ = [
    "AuthHeader",
    "Change",
    "Check",
    "Confidence",
    "DeclaredFacts",
    "Evidence",
    "FileEntry",
    "Finding",
    "Hop",
    "Lasting",
    "NotApplicable",
    "ProxyMode",
    "Secret",
    "SettingName",
    "Severity",
    "Text",
    "Unavailable",
    "_",
    "character_name",
    "check",
    "facts",
    "joined",
    "launched",
    "listed",
    "planned",
    "problem",
    "visible",
]

CheckFunction = Callable[[DeclaredFacts], AsyncIterator[Finding]]

_CODE = Pattern(r"[A-Z]{2,8}[0-9]{3}")
_SLUG = Pattern(r"[a-z0-9]+(-[a-z0-9]+)*")

AREAS = {
    "1": "credentials",
    "2": "endpoint",
    "3": "network",
    "4": "clients",
    "5": "response",
    "6": "tokens",
    "7": "prefix",
    "8": "memory",
    "9": "launch",
}


class NotApplicable(Exception):
    """Raised by a check that has nothing to examine here; the text says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(message(reason))


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check. ``needs`` must be there, else the check is UNKNOWN; ``wants`` may be.

    ``hop`` is the layer that its findings speak of. ``explains`` are codes whose findings on the
    same target are consequences of this one's. A check that is not ``blocking`` finds what ought
    to be mended but cannot make a request fail, so it is never a root cause.
    """

    code: str
    slug: str
    severity: Severity
    hop: Hop
    needs: tuple[Fact[Any], ...]
    wants: tuple[Fact[Any], ...]
    explains: tuple[str, ...]
    blocking: bool
    timeout: float | None
    run: CheckFunction
    doc: str
    module: str

    @property
    def area(self) -> str:
        """The area's name for built-in codes, else the code's letters."""
        if self.code.startswith("KVD"):
            return AREAS.get(self.code[3], "other")
        return self.code.rstrip("0123456789").lower()


def check(
    *,
    code: str,
    slug: str,
    severity: Severity,
    hop: Hop = Hop.CONFIGURATION,
    needs: tuple[Fact[Any], ...] = (),
    wants: tuple[Fact[Any], ...] = (),
    explains: tuple[str, ...] = (),
    blocking: bool = True,
    timeout: float | None = None,
) -> Callable[[CheckFunction], Check]:
    """Register an async generator as a check.

    ``timeout`` is in seconds; None gives a minute, and more where the run has patience for slow
    answers. Raises ``ValueError`` for a malformed code or slug, or a missing docstring.
    """

    def register(function: CheckFunction) -> Check:
        if not _CODE.fullmatch(code):
            raise ValueError(f"{code!r} is not a code: two to eight capitals and three digits")
        if not _SLUG.fullmatch(slug):
            raise ValueError(f"{slug!r} is not a slug: lower-case words joined by hyphens")
        if not function.__doc__:
            raise ValueError(f"{code} has no docstring; it is the check's documentation")
        return Check(
            code=code,
            slug=slug,
            severity=severity,
            hop=hop,
            needs=needs,
            wants=wants,
            explains=explains,
            blocking=blocking,
            timeout=timeout,
            run=function,
            doc=function.__doc__,
            module=function.__module__,
        )

    return register


def problem(
    title: str,
    explanation: str,
    *,
    evidence: tuple[Evidence, ...] = (),
    changes: tuple[Change, ...] = (),
    severity: Severity | None = None,
    confidence: Confidence = Confidence.HIGH,
    explains: tuple[str, ...] = (),
    clients: tuple[str, ...] = (),
    hop: Hop | None = None,
    proved_title: str = "",
    advice: str = "",
    lasting: tuple[Lasting, ...] = (),
    edits: tuple[Edit, ...] = (),
) -> Finding:
    """A finding as a check makes it: what was seen, what it means, what would repair it.

    Code, slug and target are filled in by the engine; ``severity`` and ``hop`` only where they
    differ from the check's own. A finding that is a guess says so in its title and puts what
    would follow into ``advice``; once a change is proved, ``proved_title`` and the proof replace
    them. ``lasting`` are fixes by entries of files, ``edits`` those of a launch line.
    """
    return Finding(
        title=title,
        explanation=explanation,
        evidence=evidence,
        changes=changes,
        severity=_UNSET_SEVERITY if severity is None else severity,
        confidence=confidence,
        explains=explains,
        clients=clients,
        hop=_UNSET_HOP if hop is None else hop,
        proved_title=proved_title,
        advice=advice,
        lasting=lasting,
        edits=edits,
    )


def sign(finding: Finding, by: Check, target: str) -> Finding:
    """The finding with what only the engine knows: code, slug, target and the check's defaults."""
    from dataclasses import replace

    return replace(
        finding,
        code=by.code,
        slug=by.slug,
        target=target,
        severity=by.severity if finding.severity is _UNSET_SEVERITY else finding.severity,
        hop=by.hop if finding.hop is _UNSET_HOP else finding.hop,
        explains=tuple(dict.fromkeys((*by.explains, *finding.explains))),
        blocking=by.blocking,
    )


async def launched(f: DeclaredFacts) -> Launch:
    """The launch line that is examined. Raises ``NotApplicable`` where none is, which is so in
    every run but that of ``kvdoctor launch``."""
    launch = await f.get(facts.LAUNCH)
    if launch is None:
        raise NotApplicable(_("no launch line is examined: 'kvdoctor launch' does that"))
    return launch


async def planned(f: DeclaredFacts) -> MemoryCase:
    """The memory plan that is examined. Raises ``NotApplicable`` where none is, which is so in
    every run but that of ``kvdoctor memory``."""
    case = await f.get(facts.MEMORY)
    if case is None:
        raise NotApplicable(_("no memory plan is examined: 'kvdoctor memory' makes one"))
    return case


# Stand for "as the check declares"; never leave the engine.
_UNSET_SEVERITY: Any = None
_UNSET_HOP: Any = None
