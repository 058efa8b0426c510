"""Web servers that are no API: a console, a captive portal, a firewall in front of one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from . import pages
from .messages import Answer, Handler, Request


class Site(StrEnum):
    """Which page comes at every path."""

    CONSOLE = "console"
    CAPTIVE = "captive"
    WAF = "waf"


@dataclass(frozen=True, slots=True)
class Console:
    """The same page for every method and path.

    A console answers 200 text/html to a POST too (facts: new-api router/web-router.go); so
    does a captive portal (facts: gateway-clients.md 2.3).
    """

    site: Site = Site.CONSOLE
    title: str = "New API"

    async def __call__(self, request: Request) -> Answer:
        match self.site:
            case Site.CAPTIVE:
                return pages.captive_portal()
            case Site.WAF:
                return pages.waf_block()
            case Site.CONSOLE:
                no_cache = (("cache-control", "no-cache"),)
                return pages.html(200, pages.spa(self.title), no_cache)


@dataclass(frozen=True, slots=True)
class Firewall:
    """Refuses clients by User-Agent and lets the others through to ``behind``.

    Facts: gateway-clients.md 2.2: a WAF that blocks ``OpenAI/Python`` but not curl is visible
    only by comparing the two.
    """

    behind: Handler
    blocked: tuple[str, ...] = ("OpenAI/Python",)

    async def __call__(self, request: Request) -> Answer:
        if (request.header("user-agent") or "").startswith(self.blocked):
            return pages.waf_block()
        return await self.behind(request)
