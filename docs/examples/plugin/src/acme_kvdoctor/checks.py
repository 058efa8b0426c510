"""What Acme asks of a connection."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Severity,
    check,
    problem,
    visible,
)

APPROVED = ("llm.acme.example", "taotoken.net", "localhost", "127.0.0.1", "::1")


@check(
    code="ACME001",
    slug="gateway-not-approved",
    severity=Severity.WARNING,
    blocking=False,
)
async def gateway_not_approved(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Requests go to a gateway that Acme has not approved.

    ## What it checks
    The host of the base URL against the list of approved gateways.

    ## Why it matters
    Prompts hold Acme's code. Only approved gateways have a contract about what is kept.

    ## How to fix
    Use https://llm.acme.example/v1.
    """
    base = f.connection.base_url
    try:
        host = urlsplit(base.value).hostname or ""
    except ValueError:
        raise NotApplicable("the base URL has no host that could be read") from None
    if host and host not in APPROVED:
        yield problem(
            f"The gateway {visible(host)} is not approved",
            "Acme allows llm.acme.example and taotoken.net. Set the base URL to "
            "https://llm.acme.example/v1.",
            evidence=(Evidence(source="base URL", location=str(base.origin), value=visible(host)),),
        )
