"""Texts that name the URL that was asked."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

_NO_VERSION = Cause("KVD201", 0.6, _("does the base URL end in /v1?"))
_NO_PREFIX = Cause("KVD202", 0.2, _("does this gateway serve under /api?"))


def _not_found_path(match: re.Match[str]) -> tuple[Cause, ...]:
    """What is wrong with the path of a request that got 404."""
    path = match.group("path") or match.groupdict()["asked"]
    if re.search(r"\?(?!beta=)", path):
        return (Cause("KVD205", 0.9, _("a query in the base URL swallows the path")), _NO_PREFIX)
    if re.search(r"/v\d(?:beta)?/v1\b", path):
        return ()  # the doubled version is a symptom of its own
    if "/chat/completions" in path or path.rstrip("/").endswith("/models"):
        if "/v1/" not in path and not re.search(r"/v\d", path):
            return (_NO_VERSION, _NO_PREFIX)
        return (
            Cause("KVD202", 0.35, _("a prefix such as /api may be missing before /v1")),
            Cause("KVD216", 0.25, _("this product may serve no such version")),
            Cause("KVD501", 0.2, _("some servers answer 404 for an unknown model")),
            Cause("KVD217", 0.2, _("a doubled or trailing slash")),
        )
    if "/responses" in path or "/messages" in path:
        versioned = re.search(r"/v\d", path) is not None
        return (
            Cause("KVD214", 0.7 if versioned else 0.3, _("the server may lack this API")),
            Cause("KVD201", 0.1 if versioned else 0.5, _("does the base URL end in /v1?")),
            Cause("KVD202", 0.2, _("does this gateway serve under /api?")),
        )
    return (Cause("KVD205", 0.5, _("a query in the base URL swallows the path")), _NO_VERSION)


SYMPTOMS = (
    symptom(
        r"/(?P<end>chat/completions|completions|messages|responses)/(?:v1/)?(?:chat/)?"
        r"(?:completions|messages|responses)\b",
        _("the endpoint is in the base URL and the client adds it again"),
        Cause("KVD204", 0.95, _("cut the base URL back to before the endpoint")),
    ),
    symptom(
        r"/v1/v1/messages",
        _("an Anthropic client adds /v1/messages to a base that already has /v1"),
        Cause("KVD209", 0.7, _("its base URL is the one without /v1")),
        Cause("KVD203", 0.3, _("or the base itself holds /v1 twice")),
    ),
    symptom(
        r"/v\d(?:beta)?/v1\b(?!/messages)",
        _("the version stands twice in the path"),
        Cause("KVD203", 0.9, _("the client adds /v1, or the base holds it twice")),
        Cause("KVD211", 0.1, _("this provider's version may not be v1 at all")),
    ),
    symptom(
        r"(?:https?://[^\s'\"]*?[^:/\s]|\((?:post|get) |\"(?:post|get) )//"
        r"(?:v\d|chat/|models\b|messages\b|responses\b)",
        _("the path holds two slashes in a row"),
        Cause("KVD217", 0.9, _("the base URL ends in a slash, and the client adds its own")),
        Cause("KVD206", 0.1, _("or do two slashes stand inside the base URL?")),
    ),
    symptom(
        r"route /v1/messages\S* not found",
        _("the relay knows no /v1/messages at its root"),
        Cause("KVD202", 0.8, _("its base URL usually ends in /api")),
        Cause("KVD214", 0.2, _("or it lacks the Anthropic API")),
    ),
    symptom(
        r"invalid url \((?:get|post) (?P<path>/[^)\s]*)\)",
        _("the gateway answers, but knows no such path"),
        _not_found_path,
    ),
    symptom(
        r"(?:status 404|404 (?:page )?not found|405 method not allowed|40[45] client error)\D.*"
        r"https?://[^/\s]+(?P<path>/[^\s'\"]*)",
        _("the server answers, but knows no such path"),
        _not_found_path,
    ),
    symptom(
        r"\"(?:POST|GET) (?P<path>/\S*) HTTP/[\d.]+\" 40[45]"
        r"|(?:POST|GET) \"?https?://[^/\s]+(?P<asked>/[^\s'\"]*)\"?:? (?:- )?40[45]\b",
        _("the server answers, but knows no such path"),
        _not_found_path,
    ),
    symptom(
        r"request url is missing an 'http://'|(?<!:)unsupported protocol\b|no schem[ae] supplied"
        r"|no connection adapters were found for"
        r"|relative url without a base|invalid non-printable ascii character in url"
        r"|invalid idna hostname|invalid uri character|failed to parse url|invalid url: "
        r"|typeerror: invalid url|nonetype.*base_url",
        _("the base URL cannot be read as a URL"),
        Cause("KVD206", 0.85, _("kvdoctor check names the character and its position")),
        Cause("KVD112", 0.1, _("key and URL may be in each other's place")),
        Cause("KVD304", 0.05, _("or is it a proxy variable that has no http://?")),
    ),
    symptom(
        r"there's an issue with the selected model \((?P<model>[^)]*)\)",
        _("Claude Code says this for every 404, a wrong base URL included"),
        Cause("KVD209", 0.35, _("does the base URL end in /v1? Claude Code adds it")),
        Cause("KVD501", 0.35, _("is the model in the models list?")),
        Cause("KVD202", 0.3, _("does this gateway serve under /api?")),
    ),
    symptom(
        r"404 status code \(no body\)|404 page not found",
        _("the server answers, but knows no such path"),
        Cause("KVD201", 0.4, _("does the base URL end in /v1?")),
        Cause("KVD217", 0.2, _("a trailing slash that the client doubles")),
        Cause("KVD211", 0.2, _("the version or path of another provider")),
        Cause("KVD202", 0.2, _("does this gateway serve under /api?")),
    ),
)
