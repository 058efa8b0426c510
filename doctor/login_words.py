"""Anthropic's words for a login or key that it does not take (facts/gateway-clients.md §3.1)."""

from __future__ import annotations

from doctor.patterns import Pattern

EXPIRED = r"oauth token (?:has |is |was )?(?:been )?(?:expired|revoked)"
EXPIRED_LOGIN = Pattern(EXPIRED, flags=2)  # re.IGNORECASE
# What came in Authorization: Bearer is neither a login's token nor a key that belongs there.
BEARER = r"invalid bearer token"
BEARER_REFUSED = Pattern(BEARER, flags=2)  # re.IGNORECASE
# Of a key whose account has no credits left; a subscription has no such balance.
LOW_CREDIT = r"credit balance is too low"
CREDIT_IS_LOW = Pattern(LOW_CREDIT, flags=2)  # re.IGNORECASE
# How Claude Code begins, or ends, what it tells of a refusal.
CLAUDE_CODE = r"(?:\bapi error: ?40|failed to authenticate|/login\b|claude[ -]code|\bclaude -)"
