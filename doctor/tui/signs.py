"""How a state is told: always a symbol, a word and a colour, so that no single one decides.

Styles are those of textual's content; names with ``$`` are variables of the theme.
"""

from __future__ import annotations

from dataclasses import dataclass

from doctor.models import HopStatus, Severity, Status
from doctor.text import Text, _

BROKEN = "bold $error"
GOOD = "$success"
DOUBT = "$warning"
QUIET = "$quiet"
STRONG = "bold"
KEY = "bold $accent"
# The stray characters that are made visible, and the first broken hop.
LOUD = "bold $loud-foreground on $loud-background"


@dataclass(frozen=True, slots=True)
class Sign:
    symbol: str
    word: Text
    style: str


HOPS = {
    HopStatus.OK: Sign("✓", _("ok"), GOOD),
    HopStatus.BROKEN: Sign("✗", _("broken"), BROKEN),
    HopStatus.UNKNOWN: Sign("?", _("not tested"), DOUBT),
    HopStatus.SKIPPED: Sign("–", _("skipped"), QUIET),
}
WAITING = Sign("·", _("waiting"), QUIET)

SEVERITIES = {
    Severity.INFO: Sign("i", _("info"), "$accent"),
    Severity.WARNING: Sign("!", _("warning"), DOUBT),
    Severity.ERROR: Sign("✗", _("error"), BROKEN),
    Severity.CRITICAL: Sign("✗", _("critical"), BROKEN),
}

STATUSES = {
    Status.PASS: Sign("✓", _("passed"), GOOD),
    Status.FINDINGS: Sign("✗", _("found something"), BROKEN),
    Status.SKIPPED: Sign("–", _("not applicable"), QUIET),
    Status.UNKNOWN: Sign("?", _("no evidence"), DOUBT),
    Status.TIMEOUT: Sign("?", _("timed out"), DOUBT),
    Status.CRASHED: Sign("?", _("crashed"), DOUBT),
}
RUNNING = Sign("…", _("running"), "$accent")

VERDICTS = {
    True: Sign("✓", _("yes"), GOOD),
    False: Sign("✗", _("no"), BROKEN),
    None: Sign("?", _("not tested"), DOUBT),
}
