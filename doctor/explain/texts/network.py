"""Texts about the way there: names, addresses, connections."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.explain.texts.proxies import LOOPBACK
from doctor.patterns import Pattern
from doctor.private_words import PRIVATE_WORDS
from doctor.text import _

# facts/gateway-clients.md §5.3
_PROXY_PORTS = {
    7890,
    7891,
    7892,
    7893,
    7897,
    7898,
    1080,
    1081,
    1087,
    10808,
    10809,
    8888,
    8889,
    9090,
}
_CLIENT_PROXY_PORTS = {15721, 3456, 3458}
# Windows' own words: hardly a container.
_WINDOWS = Pattern(r"winerror|10061|actively refused|积极拒绝", re.IGNORECASE)
# Go, Node and aiohttp name the address first and what failed behind it.
_OTHERWISE = (
    r"(?!.{0,200}(?:timeout|timed out|etimedout|properly respond|no route|unreachable|certificate"
    r"|sslcert|reset by peer|wrong_version))"
)


# Go tries every address of a name and tells of the first only: by itself this text leaves open
# whether localhost has another here.
_GO = Pattern(r"dial tcp \[::1\]")
_OF_GO = (
    Cause("KVD213", 0.45, _("does 127.0.0.1 answer on the same port?")),
    Cause("KVD311", 0.4, _("or is nothing running there? Go names one of the addresses it tried")),
    Cause("KVD208", 0.15, _("does the program run in a container? There it is itself")),
)
# one-api, new-api and what is made of them, of a channel; they mostly run in a container.
_GATEWAY = Pattern(r"do[_ ]request[_ ]failed", re.IGNORECASE)
_OF_A_GATEWAY = (
    Cause("KVD208", 0.6, _("localhost in a channel's address is the gateway's own container")),
    Cause("KVD311", 0.35, _("is the server running, and on this port?")),
)


def _refused(match: re.Match[str]) -> tuple[Cause, ...]:
    """By the address that refused: a proxy's port, ::1, or the server itself."""
    address, port = match.group("address").strip("[]"), int(match.group("port"))
    if port in _PROXY_PORTS:
        return (
            Cause("KVD301", 0.85, _("port {port} is a proxy program's: is it running?", port=port)),
            Cause("KVD311", 0.15, _("or is that where the server should listen?")),
        )
    if port in _CLIENT_PROXY_PORTS:
        return (
            Cause("KVD308", 0.85, _("port {port} is a local router's: is it running?", port=port)),
            Cause("KVD311", 0.15, _("or is that where the server should listen?")),
        )
    if address == "::1" and _GO.search(match.string) and "//[::1]" not in match.string:
        return _OF_A_GATEWAY if _GATEWAY.search(match.string) else _OF_GO
    if address == "::1":
        return (
            Cause("KVD213", 0.85, _("does 127.0.0.1 answer on the same port?")),
            Cause("KVD311", 0.15, _("or does nothing listen at all?")),
        )
    return (
        Cause("KVD311", 0.65, _("is the server running, and on this port?")),
        Cause("KVD208", 0.25, _("does the program run in a container? There it is itself")),
        Cause("KVD301", 0.1, _("is the address that of a proxy variable?")),
    )


def _local_refused(match: re.Match[str]) -> tuple[Cause, ...]:
    if _WINDOWS.search(match.group()):
        return (
            Cause("KVD311", 0.65, _("is the server running, and on this port?")),
            Cause("KVD208", 0.25, _("does the program run in WSL or a container?")),
        )
    return (
        Cause("KVD208", 0.5, _("does the program run in a container? There it is itself")),
        Cause("KVD311", 0.45, _("is the server running, and on this port?")),
    )


SYMPTOMS = (
    symptom(
        r"^docker run: (?!proxy )(?P<told>\S+) is the container's own$",
        _("the container is given an address of localhost, which in it is the container itself"),
        Cause(
            "KVD208",
            0.95,
            _("write host.docker.internal for a server on the host, a name for one beside it"),
        ),
    ),
    symptom(
        r"^docker run: proxy (?P<told>\S+) is the container's own$",
        _("the container is given a proxy at localhost, which in it is the container itself"),
        Cause(
            "KVD301",
            0.9,
            _("write host.docker.internal if the proxy runs on the host, else leave it out"),
        ),
    ),
    symptom(
        PRIVATE_WORDS,
        _("the service that makes the request does not connect to private addresses"),
        Cause(
            "KVD208",
            0.85,
            _("is the base URL this machine's or this network's? A service needs a public one"),
        ),
        Cause("KVD310", 0.1, _("or does a public name lead to a private address here?")),
    ),
    symptom(
        r"(?:connection ?refused|econnrefused|connect failed|failed to connect"
        r"|actively refused it|积极拒绝)(?:[^\d\[:l\n]{0,60}?|[^\n]{0,40}?[ (/])"
        r"(?P<address>\[::1\]|::1|\d+\.\d+\.\d+\.\d+|localhost)(?::| port )(?P<port>\d+)"
        + _OTHERWISE,
        _("nothing listens at that address"),
        _refused,
    ),
    symptom(
        r"(?:dial tcp |cannot connect to host |connect call failed \('|connect to )"
        r"(?P<address>\[?::1\]?|\d+\.\d+\.\d+\.\d+|localhost)(?::|', )(?P<port>\d+)" + _OTHERWISE,
        _("nothing listens at that address"),
        _refused,
    ),
    symptom(
        r"(?:error sending request for url \(|(?:unable|failed) to connect to )['\"(]*https?://"
        r"(?P<address>localhost|127\.\d+\.\d+\.\d+|\[::1\]):(?P<port>\d+)" + _OTHERWISE,
        _("nothing listens at that address"),
        _refused,
    ),
    symptom(
        rf"host='{LOOPBACK}'.*(?:connection refused|actively refused|winerror 10061|积极拒绝)"
        rf"|(?:couldn't|could not|unable to|failed to) connect to [^\n]{{0,40}}https?://{LOOPBACK}"
        rf"|请求 ?https?://{LOOPBACK}\S* ?(?:失败|被拒绝)|无法连接(?:到)? ?https?://{LOOPBACK}",
        _("nothing listens on this machine's own address, as the program sees it"),
        _local_refused,
    ),
    symptom(
        r"could not connect to ollama|ollama (?:is not running|server not responding)"
        r"|is ollama running|is (?:the )?(?:vllm|lm ?studio|llama\.cpp|server) running\?",
        _("nothing answers where the local server should listen"),
        Cause("KVD311", 0.6, _("is the server running, and on this port?")),
        Cause("KVD208", 0.2, _("does the program run in a container? There it is itself")),
        Cause("KVD302", 0.2, _("is a proxy variable set, and NO_PROXY without this address?")),
    ),
    symptom(
        r"name or service not known|getaddrinfo|\benotfound\b|eai_again|nodename nor servname"
        r"|temporary failure in name resolution|no such host|failed to lookup address"
        r"|unknownhostexception|could not resolve host|couldn't resolve host|name resolution"
        r"|err_name_not_resolved|curl error 6\b|unresolvedaddressexception|不知道这样的主机"
        r"|unable to resolve host|getaddrinfo enotfound|域名解析失败",
        _("the host name has no address here"),
        Cause("KVD310", 0.75, _("is the name spelled right, and does this network resolve it?")),
        Cause("KVD305", 0.15, _("does only another program reach it through a proxy?")),
    ),
    symptom(
        r"^(?!.*attempting to bind on address .{0,80}in use).*(?:eaddrinuse|address already in use"
        r"|winerror 100(?:13|48|49)"
        r"|cannot assign requested address|eaddrnotavail|only one usage of each socket address)",
        _("a local address is taken, reserved or not this machine's"),
        Cause("KVD332", 0.9, _("which program holds the port?")),
    ),
    symptom(
        r"und_err_connect_timeout|connecttimeouterror|etimedout|connect(?:ion)? timed? ?out(?!s)"
        r"|i/o timeout|winerror 10060|connecttimeout|did not properly respond after a period"
        r"|没有正确答复|err_connection_timed_out|curl error 28|no route to host|ehostunreach"
        r"|network is unreachable|enetunreach|连接超时",
        _("no connection came about in time"),
        Cause("KVD312", 0.8, _("does a proxy have to be used from this network?")),
        Cause("KVD305", 0.15, _("Node's fetch reads no proxy variable: does curl get through?")),
        Cause("KVD301", 0.2, _("or does the proxy itself not answer?")),
    ),
    symptom(
        r"request timed out|apitimeouterror|read ?timeout|读取超时|请求超时|timed out waiting"
        r"|timeout (?:was reached|of \d+ ?ms exceeded)|sockettimeoutexception"
        r"|request was canceled due to the configured httpclient\.timeout|deadline exceeded",
        _("the connection stood, but no answer came in time"),
        Cause("KVD312", 0.6, _("does a short prompt answer?")),
        Cause("KVD515", 0.4, _("does the stream start?")),
        generic=True,
    ),
    symptom(
        r"errno 111|winerror 10061|os error (?:61|111|10061)|econnrefused|connection ?refused"
        r"|actively refused|err_connection_refused|curl error 7\b|积极拒绝|拒绝连接|连接被拒绝",
        _("nothing listens where the program connected to"),
        Cause("KVD311", 0.45, _("is the server running, and on this port?")),
        Cause("KVD301", 0.3, _("is a proxy variable set? Python does not name the proxy")),
        Cause("KVD208", 0.25, _("does the program run in a container?")),
        Cause("KVD308", 0.05, _("is it the address of a local router such as CC Switch?")),
        generic=True,
    ),
    symptom(
        r"upstream (?:is )?(?:unreachable|unavailable|not reachable)",
        _("a gateway or local proxy says that what stands behind it does not answer"),
        Cause("KVD330", 0.7, _("does the backend answer when asked directly?")),
        Cause("KVD308", 0.3, _("is it the client's own local proxy that says so?")),
    ),
    symptom(
        r"econnreset|connection reset|socket hang up|remoteprotocolerror|connection aborted"
        r"|强迫关闭|winerror 10054|unexpected end of stream|failed to respond|os error 10054"
        r"|other side closed|und_err_socket|curl: \(52\)|empty reply from server",
        _("the other side closed the connection"),
        Cause("KVD313", 0.4, _("does it happen before any answer? A firewall or proxy may cut it")),
        Cause("KVD515", 0.35, _("does it happen in the middle of an answer?")),
        Cause("KVD307", 0.25, _("is a proxy set, and does it let this host through?")),
        Cause("KVD207", 0.2, _("http may be spoken to an https port")),
        generic=True,
    ),
    symptom(
        r"\bconnection error\b|is the computer able to access the url|fetch failed"
        r"|waiting for network|unable to connect to"
        r"|network error|failed to fetch|error sending request for url|an error occurred while"
        r" sending the request|网络(?:错误|异常)|连接失败",
        _("no connection came about; the cause is hidden behind this text"),
        Cause("KVD301", 0.3, _("is a proxy variable set, and does it answer?")),
        Cause("KVD102", 0.25, _("in Python a line break in the key gives this text as well")),
        Cause("KVD310", 0.2, _("does the host name resolve?")),
        Cause("KVD320", 0.15, _("print the exception's __cause__: is it a certificate?")),
        Cause("KVD308", 0.05, _("is it the address of a local router such as CC Switch?")),
        generic=True,
    ),
    symptom(
        r"filenotfounderror: \[errno 2\] no such file or directory$",
        _("while a client is made, this is often a certificate file that is not there"),
        Cause("KVD321", 0.6, _("is SSL_CERT_FILE set, and does its path exist?")),
        generic=True,
    ),
)
