"""What a reply says about the place it came from: is there an API, or nothing of the kind?"""

from __future__ import annotations

import enum
import re
import urllib.parse

from doctor.facts.answers import OutcomeKind, Reply
from doctor.patterns import Pattern
from doctor.urls import Base, read

K = OutcomeKind

# An API spoke below this base, so its path is right. Refusals of the key are not among them: many
# servers ask for a key before they look at the path.
_REACHED = frozenset(
    {
        K.ANSWERED,
        K.PERMISSION,
        K.QUOTA,
        K.MODEL_UNKNOWN,
        K.MODEL_MISSING,
        K.NO_CHANNEL,
        K.MAX_TOKENS_REFUSED,
        K.MAX_TOKENS_NOT_POSITIVE,
        K.THINKING_REFUSED,
        K.PROMPT_TOO_LONG,
        K.PARAMETER_REFUSED,
        K.UPSTREAM_UNREACHABLE,
        K.CONTENT_EMPTY,
        K.STREAM_BROKEN,
    }
)
_ELSEWHERE = frozenset({K.NOT_FOUND, K.REDIRECTED})
# A page that comes with another status is a firewall's or a maintenance page.
_PAGE_STATUSES = frozenset({200, 301, 302, 303, 307, 308, 404, 405, 410})
# Kinds behind which "there is no such route" may hide, in the server's own words.
_MAYBE = frozenset(
    {K.ERROR_IN_SUCCESS, K.NO_CHOICES, K.BAD_REQUEST, K.NOT_JSON, K.EMPTY_BODY, K.SERVER_ERROR}
)
_NO_ROUTE = Pattern(
    r"invalid url|unexpected endpoint|unknown (?:endpoint|path|route|request url)"
    r"|no (?:such )?(?:route|endpoint)|route .{0,80}not found|page not found|url not found"
    r"|(?:endpoint|path|resource) .{0,40}not found|cannot (?:post|get) /|method not allowed"
    r"|接口不存在|路径不存在|无效的 ?url",
    re.IGNORECASE,
)
_FIRST_WORDS = 2_000


def reached_api(reply: Reply) -> bool:
    """The base is right, whatever else fails."""
    return reply.outcome.kind in _REACHED


def nothing_there(reply: Reply) -> bool:
    """The server answered that it has nothing of an API at this path."""
    kind, status = reply.outcome.kind, reply.exchange.status
    if kind in _ELSEWHERE:
        return True
    if kind is K.WEB_PAGE:
        return status in _PAGE_STATUSES
    if kind not in _MAYBE:
        return False
    if status in (404, 405, 410):
        return True
    said = f"{reply.outcome.message} {reply.exchange.body[:_FIRST_WORDS]}"
    return _NO_ROUTE.search(said) is not None


def redirect_target(reply: Reply) -> Base | None:
    """Where a redirect leads, None without one that can be read."""
    redirect = reply.exchange.redirect
    if redirect is None:
        return None
    try:
        target = urllib.parse.urljoin(reply.exchange.url, redirect.location)
    except ValueError:
        return None
    return read(target).base


class Leads(enum.Enum):
    """Where a redirect leads, seen from the address that was asked."""

    TO_HTTPS = enum.auto()
    TO_A_SLASH = enum.auto()
    TO_ANOTHER_PATH = enum.auto()
    TO_ANOTHER_HOST = enum.auto()


def leads(reply: Reply) -> Leads | None:
    """None without a redirect that can be read and was the last word: one that was followed on the
    same server is not."""
    status = reply.exchange.status or 0
    if not 300 <= status < 400:
        return None
    target, asked = redirect_target(reply), read(reply.exchange.url).base
    if target is None or asked is None:
        return None
    if target.host != asked.host:
        return Leads.TO_ANOTHER_HOST
    if (asked.scheme, target.scheme) == ("http", "https"):
        return Leads.TO_HTTPS
    if target.origin != asked.origin:
        return Leads.TO_ANOTHER_HOST
    return Leads.TO_A_SLASH if target.segments == asked.segments else Leads.TO_ANOTHER_PATH


def turns_post_into_get(reply: Reply) -> bool:
    """Clients follow these redirects with GET, whatever the method was."""
    redirect = reply.exchange.redirect
    return redirect is not None and redirect.status in (301, 302, 303)
