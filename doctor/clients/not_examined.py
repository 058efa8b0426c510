"""What is told of a client whose own files lead to a provider that kvdoctor does not examine."""

from __future__ import annotations

from doctor.connection import Origin
from doctor.text import Text, _
from doctor.untrusted import visible


def goes_to(client: str, provider: str, origin: Origin) -> Text:
    """``client`` is its label. It is set up, so that nothing is to be set up for it."""
    return _(
        "{client} goes to {provider} ({place}), which is not examined. Another server is with"
        " --base-url URL.",
        client=client,
        provider=visible(provider, 60),
        place=str(origin),
    )
