"""Texts that name the URL that was asked."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.explain.texts.paths import causes_of
from doctor.patterns import Pattern
from doctor.text import _

_LINE_URL = Pattern(r"https?://[^\s'\"<>)]+")


def _not_found_path(match: re.Match[str]) -> tuple[Cause, ...]:
    """What is wrong with the path of a request that got 404."""
    path = match.group("path") or match.groupdict().get("asked") or ""
    named = _LINE_URL.search(match.group())
    return causes_of(path, named.group() if named is not None else None)


SYMPTOMS = (
    symptom(
        r"/(?P<end>chat/completions|completions|messages|responses)/(?:v1/)?(?:chat/)?"
        r"(?:completions|messages|responses)\b",
        _("the endpoint is in the base URL and the client adds it again"),
        Cause("KVD204", 0.95, _("cut the base URL back to before the endpoint")),
    ),
    symptom(
        r"/v1/v1/messages\b",
        _("an Anthropic client adds /v1/messages to a base that already has /v1"),
        Cause("KVD209", 0.7, _("its base URL is the one without /v1")),
        Cause("KVD203", 0.3, _("or the base itself holds /v1 twice")),
    ),
    symptom(
        r"/compatible-mode/v\d+/api/v\d+/",
        _("a client of DashScope's own API adds its path to the base of the compatible one"),
        Cause("KVD209", 0.85, _("its base URL is the bare host")),
        Cause("KVD203", 0.15, _("or take a client that speaks the OpenAI API")),
    ),
    symptom(
        r"/v\d+(?:beta|alpha)?\d*/(?:openai/)?v\d+(?:beta|alpha)?\d*\b(?!/messages)",
        _("the version stands twice in the path"),
        Cause("KVD203", 0.9, _("the client adds /v1, or the base holds it twice")),
        Cause("KVD211", 0.1, _("this provider's version may not be v1 at all")),
    ),
    symptom(
        r"(?:https?://[^\s'\"]*?[^:/\s]|[(\"](?:post|get) (?:/[\w./-]*?\w)?)//"
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
        r"(?:invalid url|unexpected endpoint or method\.?) \((?:get|post) (?P<path>/[^)\s]*)\)",
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
        r"|(?:POST|GET) \"?https?://[^/\s]+(?P<asked>/[^\s'\"]*)\"?:?"
        r" (?:- )?(?:\"?HTTP/[\d.]+ )?40[45]\b",
        _("the server answers, but knows no such path"),
        _not_found_path,
    ),
    symptom(
        r"request url is missing an 'http://'|(?<!:)unsupported protocol\b|no schem[ae] supplied"
        r"|no connection adapters were found for"
        r"|relative url without a base|invalid non-printable ascii character in url"
        r"|invalid idna hostname|invalid uri character|failed to parse url|invalid url: "
        r"|(?:typeerror|api error|error): invalid url\b(?! \()|nonetype.*base_url"
        r"|only (?:http\(s\)|absolute urls|https?) (?:protocols )?(?:are|is) supported"
        r"|expected url scheme 'http' or 'https'|unsupported protocol scheme"
        r"|no host in request url|first path segment in url cannot contain colon"
        r"|invalid url escape|invalid character .{1,12} in host name|uri is not absolute"
        r"|illegal character in (?:scheme|authority|path|query|opaque)|no protocol: "
        r"|an invalid request uri was provided|the format of the uri could not be determined"
        r"|url using bad/illegal format|url rejected|curl error 3\b|url can't contain control"
        r"|port could not be cast to integer|failed to construct 'url'|url scheme .{1,12} is not"
        r"|(?:enotfound|resolve host:?|resolve) '?https?'?(?:$|[\s:(,])|invalid uri\b"
        r"|(?:接口|api|请求) ?(?:地址|url)(?:格式)?(?:错误|不正确|无效)",
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
        r"404 status code \(no body\)|404 page not found|405 (?:method )?not allowed"
        r"|invalid response object from api: '?404|http response code was 404",
        _("the server answers, but knows no such path"),
        Cause("KVD201", 0.4, _("does the base URL end in /v1?")),
        Cause("KVD217", 0.2, _("a trailing slash that the client doubles")),
        Cause("KVD211", 0.2, _("the version or path of another provider")),
        Cause("KVD202", 0.2, _("does this gateway serve under /api?")),
    ),
)
