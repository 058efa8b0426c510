"""One HTTP request as a probe asks for it."""

from __future__ import annotations

from dataclasses import field
from urllib.parse import urlsplit

from doctor.probes.trust import Trust
from doctor.records import dataclass

KEPT = 64 * 1024


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """What to send. Two equal requests are one: whoever asks second gets the first's answer.

    ``headers`` may hold the key, so neither they nor the URL are in the repr. ``body`` is JSON
    text. ``max_tokens`` and ``model`` are what the body asks for. ``proxy`` is the URL of the
    proxy, None for a direct connection. ``follow`` says that the examined client follows
    redirects. ``cancel_at_first`` ends a stream at its first content. ``limit`` is how many bytes
    of the body are read.
    """

    purpose: str = field(compare=False)
    method: str
    url: str = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: str | None = field(default=None, repr=False)
    stream: bool = False
    max_tokens: int | None = field(default=None, compare=False)
    model: str | None = field(default=None, compare=False)
    proxy: str | None = field(default=None, repr=False)
    trust: Trust = field(default_factory=Trust)
    billable: bool = False
    follow: bool = True
    cancel_at_first: bool = False
    limit: int = KEPT

    @property
    def is_tls(self) -> bool:
        return self.url[:6].lower() == "https:"

    @property
    def proxy_is_tls(self) -> bool:
        return self.proxy is not None and self.proxy[:6].lower() == "https:"

    @property
    def needs_trust(self) -> bool:
        # A Python client reads its bundle when it starts, for a target in clear text as well.
        reads_bundle = self.trust.bundle is not None and not self.trust.adds
        return self.is_tls or self.proxy_is_tls or reads_bundle


def origin_of(url: str) -> tuple[str, str, int] | None:
    """Scheme, host and port; None where the URL has none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or not parts.hostname:
        return None
    return scheme, parts.hostname.lower(), port or (443 if scheme == "https" else 80)
