"""Anthropic's words for a login that it no longer takes (facts/gateway-clients.md §3.1)."""

from __future__ import annotations

from doctor.patterns import Pattern

EXPIRED = r"oauth token (?:has |is |was )?(?:been )?(?:expired|revoked)"
EXPIRED_LOGIN = Pattern(EXPIRED, flags=2)  # re.IGNORECASE
