"""Texts that name the URL that was asked."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.explain.texts.paths import causes_of
from doctor.patterns import Pattern
from doctor.text import _

# The path of a request that is never a GET.
_POSTED = r"/\S*?(?:chat/completions|completions|messages|responses|embeddings)\b"
_POST = Pattern(r"\bpost[ :]", re.IGNORECASE)
_ENDS = r"(?:chat/completions|completions|messages|responses|embeddings|models)"
_ENDPOINT = Pattern(rf"/{_ENDS}\b", re.IGNORECASE)
_LINE_URL = Pattern(r"https?://[^\s'\"<>)]+")


def _not_found_path(match: re.Match[str]) -> tuple[Cause, ...]:
    """What is wrong with the path of a request that got 404."""
    groups = match.groupdict()
    found = groups["path"] or groups.get("asked") or groups.get("route") or ""
    path = found.rstrip(").,;:]")
    named = _LINE_URL.search(match.group())
    posted = _POST.search(match.group()) is not None
    return causes_of(path, named.group() if named is not None else None, posted=posted)


def _validated(match: re.Match[str]) -> tuple[Cause, ...]:
    """By the status alone, which is all that Dify tells."""
    status = int(match.group("status"))
    if status in (401, 403):
        return (
            Cause("KVD111", 0.6 if status == 401 else 0.3, _("does the key work with curl?")),
            Cause("KVD115", 0.1 if status == 401 else 0.5, _("may this key, from here, ask it?")),
            Cause("KVD210", 0.15, _("or does a firewall refuse the address that Dify runs at?")),
        )
    if status in (404, 405):
        return (
            Cause("KVD201", 0.55, _("does the endpoint's URL end in /v1?")),
            Cause("KVD501", 0.3, _("vLLM answers 404 for a model that it does not serve, too")),
            Cause("KVD204", 0.1, _("does it end in /chat/completions? Dify adds that")),
        )
    if status in (402, 429):
        return (
            Cause(
                "KVD331" if status == 429 else "KVD115", 0.6, _("does curl get the same status?")
            ),
            Cause("KVD115" if status == 429 else "KVD331", 0.4, _("is the balance used up?")),
        )
    if status >= 500:
        return (
            Cause("KVD330", 0.6, _("does the backend answer when asked directly?")),
            Cause("KVD302", 0.15, _("is the target local, and does a proxy take its traffic?")),
        )
    return (
        Cause("KVD516", 0.5, _("ask with curl and look at the body")),
        Cause("KVD501", 0.3, _("is the model's name the one that the server lists?")),
    )


def _not_found_route(match: re.Match[str]) -> tuple[Cause, ...]:
    path = match["path"].rstrip(").,;:")
    if _ENDPOINT.search(path):
        return causes_of(path)
    return (
        Cause(
            "KVD209",
            0.8,
            _("the client adds nothing, so it wants the whole endpoint: BASE/v1/messages"),
        ),
        Cause("KVD205", 0.15, _("or does a # in the base URL cut off what the client adds?")),
    )


SYMPTOMS = (
    symptom(
        r"/(?P<end>chat/completions|completions|messages|responses|images/generations|embeddings"
        r"|models|audio/\w+)/(?:v1/)?(?:chat/)?(?:completions|messages|responses)\b",
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
        r"/v\d+(?:beta|alpha)?\d*/(?:openai/)?v\d+(?:beta|alpha)?\d*\b(?!/messages)"
        r"|/v\d+(?:beta|alpha)?\d*/openai/v\d+/messages\b",
        _("the version stands twice in the path"),
        Cause("KVD203", 0.9, _("the client adds /v1, or the base holds it twice")),
        Cause("KVD211", 0.1, _("this provider's version may not be v1 at all")),
    ),
    symptom(
        r"(?:https?://(?!huggingface\.co/)[^\s'\"]*?[^:/\s]|[(\"](?:post|get) (?:/[\w./-]*?\w)?)//"
        r"(?:v\d|chat/|models\b|messages\b|responses\b)"
        r"|^two slashes in the path of ",
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
        # Express's usual words (claude-relay-service, src/app.js) name the path and not the method:
        # in the words of a program it was a request to a model, alone it may be a browser's.
        r"^(?=[^{\n]*(?:error|fail|exception|错误|失败|\b40[45]\b))"
        r".*\broute (?!/v1/messages)(?P<path>/[^\s'\"<\\]*) not found",
        _("the server answers, but knows no such path"),
        _not_found_route,
    ),
    symptom(
        # new-api and one-api, of a channel: they add /v1 to its address themselves.
        r"bad response status code 40[45], body: ?\s*<",
        _("the gateway's channel leads to a page in place of the API"),
        Cause("KVD203", 0.5, _("does the channel's address end in /v1? The gateway adds it")),
        Cause("KVD202", 0.3, _("does the provider serve below a prefix, such as /api?")),
        Cause("KVD210", 0.2, _("or is it the address of a website?")),
    ),
    symptom(
        rf"(?:invalid url|unexpected endpoint or method\.?) \(get {_POSTED}\)"
        rf"|cannot get {_POSTED}",
        _("the request arrived as GET: a redirect on the way turned the POST into one"),
        Cause("KVD207", 0.5, _("does the base URL say http where https is served?")),
        Cause("KVD217", 0.45, _("does the base URL end in a slash? Two in a row are redirected")),
        Cause("KVD204", 0.05, _("or was the address opened in a browser?")),
    ),
    symptom(
        r"(?:invalid url|unexpected endpoint or method\.?)"
        rf" \((?:post|get(?! {_POSTED})) (?P<path>/[^)\s]*)\)"
        # Groq, Express, Fastify.
        r"|(?:unknown request url:|\bcannot) post (?P<asked>/[^\s'\"<\\]*)"
        r"|\broute post:(?P<route>/[^\s'\"<\\]*) not found",
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
        r" (?:- )?(?:\"?HTTP/[\d.]+ )?40[45]\b"
        # The status behind the address, in a browser's console and in programs' own words.
        rf"|https?://[^/\s]+(?P<route>/(?:[\w.-]+/){{0,6}}{_ENDS}(?:\?[^\s'\"),]*)?)"
        r"(?![\w/])(?![^\n]{0,160}\bmodel\b)[^\n]{0,120}?"
        r"(?:\bstatus(?: ?code)?:? ?(?:of )?|\breturned |\bfailed with |\bgot |\banswered |: |\()"
        r"40[45]\b",
        _("the server answers, but knows no such path"),
        _not_found_path,
    ),
    symptom(
        # Azure OpenAI, of a path; of a deployment it says DeploymentNotFound.
        r"['\"]code['\"]: ?['\"]404['\"], ?['\"]message['\"]: ?['\"]resource not found['\"]",
        _("Azure knows no such path"),
        Cause("KVD202", 0.4, _("a client of the OpenAI API wants the base with /openai/v1")),
        Cause("KVD204", 0.25, _("or does the base URL hold the path of a request already?")),
        Cause("KVD217", 0.2, _("does it end in a slash, and the client adds its own?")),
        Cause("KVD216", 0.15, _("does the API version have this API?")),
    ),
    symptom(
        r"['\"]\S{1,300}['\"] cannot be parsed as a url",
        _("an address cannot be read as a URL"),
        Cause("KVD206", 0.5, _("is it the base URL? kvdoctor check names the character")),
        Cause("KVD304", 0.45, _("is it a proxy variable? Write http:// in front")),
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
        r"|(?:enotfound|resolve host:?|resolve) '?https?'?(?:$|[\s(,]|:(?!//))|invalid uri\b"
        r"|(?:接口|api|请求) ?(?:地址|url)(?:格式)?(?:错误|不正确|无效)",
        _("the base URL cannot be read as a URL"),
        Cause("KVD206", 0.85, _("kvdoctor check names the character and its position")),
        Cause("KVD112", 0.1, _("key and URL may be in each other's place")),
        Cause("KVD304", 0.05, _("or is it a proxy variable that has no http://?")),
    ),
    symptom(
        # LobeChat's test of a connection, which names what it suspects.
        r"测试返回为空。?请确认|test return is empty\. please confirm",
        _("LobeChat's test got an answer without text"),
        Cause("KVD201", 0.6, _("does the address end in /v1? LobeChat does not add it")),
        Cause("KVD210", 0.2, _("the address may be the website's, not the API's")),
        Cause("KVD513", 0.15, _("or is the answer itself empty?")),
    ),
    symptom(
        r"credentials validation failed: (?:invalid response|json decode error|expecting value)",
        _("Dify asked the model once, and what came back is no completion"),
        Cause("KVD201", 0.45, _("does the endpoint's URL end in /v1?")),
        Cause("KVD510", 0.4, _("ask with curl and look at the body")),
        Cause("KVD511", 0.15, _("does the body hold an error?")),
    ),
    symptom(
        r"credentials validation failed with status code (?P<status>\d{3})",
        _("Dify asked the model once, and the server refused"),
        _validated,
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
