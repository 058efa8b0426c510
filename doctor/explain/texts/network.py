"""Texts about the way there: proxies, names, connections, certificates."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
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
    return (
        Cause("KVD208", 0.5, _("does the program run in a container? There it is itself")),
        Cause("KVD311", 0.45, _("is the server running, and on this port?")),
    )


_LOOPBACK = r"(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)"

SYMPTOMS = (
    symptom(
        r"using socks proxy, but the 'socksio' package is not installed"
        r"|missing dependencies for socks support|unsupportedproxyprotocol",
        _("a proxy variable names a SOCKS proxy, which this program cannot use"),
        Cause("KVD303", 0.95, _("is ALL_PROXY or HTTPS_PROXY socks5://…?")),
    ),
    symptom(
        r"unknown scheme for proxy url|no scheme included in url|invalid proxy url in \w+_proxy"
        r"|proxy url had no scheme",
        _("a proxy variable cannot be read"),
        Cause("KVD304", 0.95, _("write http://HOST:PORT or socks5://HOST:PORT")),
    ),
    symptom(
        r"invalid port: '(?P<rest>[^']*:[^']*|)'",
        _("an IPv6 range in NO_PROXY breaks this HTTP library"),
        Cause("KVD304", 0.9, _("take entries such as fe80::/10 out of NO_PROXY")),
        Cause("KVD206", 0.1, _("or does the base URL hold a bad port?")),
    ),
    symptom(
        r"invalid port: '",
        _("an address holds something else where its port should stand"),
        Cause("KVD206", 0.5, _("is it the port of the base URL?")),
        Cause("KVD304", 0.5, _("is it the port of a proxy variable?")),
    ),
    symptom(
        r"check_hostname requires server_hostname",
        _("an old urllib3 speaks TLS to a proxy that has an https:// address"),
        Cause("KVD304", 0.8, _("write http://HOST:PORT in HTTPS_PROXY as well")),
        Cause("KVD306", 0.2, _("or does the proxy come from the system's settings?")),
    ),
    symptom(
        r"proxy authentication required|http code 407 from proxy|tunnel connection failed: 407",
        _("the proxy wants a name and a password"),
        Cause("KVD307", 0.95, _("put them into the proxy's URL")),
    ),
    symptom(
        r"tunnel connection failed: (?!407)\d{3}|http code (?!407)\d{3} from proxy",
        _("the proxy answers, and opens no way to the target"),
        Cause("KVD307", 0.9, _("does the proxy allow this host and port?")),
        Cause("KVD310", 0.1, _("or does the proxy not know the host?")),
    ),
    symptom(
        r"(?:unable to|cannot) connect to proxy|clientproxyconnectionerror|proxyerror\("
        r"|could not resolve proxy|proxyconnecterror",
        _("the proxy that a variable names does not answer"),
        Cause("KVD301", 0.9, _("unset the variable, or start the proxy")),
        Cause("KVD307", 0.1, _("or does it answer and refuse?")),
    ),
    symptom(
        r"(?:connection ?refused|econnrefused|connect failed|failed to connect)\D{0,40}?"
        r"(?P<address>\[::1\]|::1|\d+\.\d+\.\d+\.\d+|localhost)(?::| port )(?P<port>\d+)",
        _("nothing listens at that address"),
        _refused,
    ),
    symptom(
        r"(?:dial tcp |cannot connect to host |connect call failed \(')"
        r"(?P<address>\[?::1\]?|\d+\.\d+\.\d+\.\d+|localhost)(?::|', )(?P<port>\d+)",
        _("nothing listens at that address"),
        _refused,
    ),
    symptom(
        rf"host='{_LOOPBACK}'.*connection refused",
        _("nothing listens on this machine's own address, as the program sees it"),
        _local_refused,
    ),
    symptom(
        rf"50[23]\b.{{0,60}}for url:? '?https?://{_LOOPBACK}",
        _("a request to this machine was answered by something in between"),
        Cause("KVD302", 0.75, _("is NO_PROXY missing localhost and 127.0.0.1?")),
        Cause("KVD330", 0.25, _("or does the local gateway's backend not answer?")),
    ),
    symptom(
        r"wrong[_ ]version[_ ]number|server gave http response to https client"
        r"|first record does not look like a tls handshake|unrecognized ssl message"
        r"|invalidcontenttype|rx_record_too_long|packet length too long|record layer failure",
        _("https is spoken to a port that speaks plain http"),
        Cause("KVD207", 0.7, _("does http:// on the same port answer?")),
        Cause("KVD304", 0.2, _("or is a proxy variable https:// where the proxy is plain?")),
        Cause("KVD323", 0.1, _("or is the port another service's?")),
    ),
    symptom(
        r"plain http request was sent to https port|http request to an https server",
        _("http is spoken to a port that wants https"),
        Cause("KVD207", 0.95, _("write https:// in the base URL")),
    ),
    symptom(
        r"certificate has expired|cert_has_expired|certificate is not yet valid"
        r"|hostname mismatch|altname_invalid|certificate is valid for|not valid for name"
        r"|does not match certificate's altnames|remotecertificatenamemismatch|nottimevalid",
        _("the certificate is for another name or another time"),
        Cause("KVD322", 0.95, _("check the host name and this machine's clock")),
    ),
    symptom(
        r"invalid path: .*(?:pem|crt|cert)|suitable tls ca certificate bundle|load_verify_locations"
        r"|ignoring extra certs from|\[x509\] pem lib|no certificate or crl found|no start line",
        _("a variable names a certificate file that cannot be read"),
        Cause("KVD321", 0.9, _("does the path of SSL_CERT_FILE or REQUESTS_CA_BUNDLE exist?")),
    ),
    symptom(
        r"certificate_verify_failed|self[-_ ]signed[-_ ]cert|unable_to_(?:verify|get_issuer)"
        r"|unknown authority|pkix path building failed|unknownissuer|unable to get local issuer"
        r"|untrustedroot|partialchain",
        _("the certificate's issuer is not trusted by this program"),
        Cause("KVD320", 0.8, _("who is the issuer? A company's proxy signs with its own")),
        Cause("KVD321", 0.2, _("is the variable that names the CA the one of this runtime?")),
    ),
    symptom(
        r"name or service not known|getaddrinfo|\benotfound\b|eai_again|nodename nor servname"
        r"|temporary failure in name resolution|no such host|failed to lookup address"
        r"|unknownhostexception|could not resolve host|name resolution",
        _("the host name has no address here"),
        Cause("KVD310", 0.75, _("is the name spelled right, and does this network resolve it?")),
        Cause("KVD305", 0.15, _("does only another program reach it through a proxy?")),
    ),
    symptom(
        r"eaddrinuse|address already in use|winerror 100(?:13|48|49)"
        r"|cannot assign requested address|eaddrnotavail",
        _("a local address is taken, reserved or not this machine's"),
        Cause("KVD332", 0.9, _("which program holds the port?")),
    ),
    symptom(
        r"und_err_connect_timeout|etimedout|connect(?:ion)? timed? ?out|i/o timeout"
        r"|winerror 10060|connecttimeout",
        _("no connection came about in time"),
        Cause("KVD312", 0.8, _("does a proxy have to be used from this network?")),
        Cause("KVD301", 0.2, _("or does the proxy itself not answer?")),
    ),
    symptom(
        r"request timed out|apitimeouterror|read ?timeout|读取超时|请求超时",
        _("the connection stood, but no answer came in time"),
        Cause("KVD312", 0.6, _("does a short prompt answer?")),
        Cause("KVD515", 0.4, _("does the stream start?")),
        generic=True,
    ),
    symptom(
        r"errno 111|winerror 10061|os error (?:61|111)|econnrefused|connection ?refused",
        _("nothing listens where the program connected to"),
        Cause("KVD311", 0.45, _("is the server running, and on this port?")),
        Cause("KVD301", 0.3, _("is a proxy variable set? Python does not name the proxy")),
        Cause("KVD208", 0.25, _("does the program run in a container?")),
        Cause("KVD308", 0.05, _("is it the address of a local router such as CC Switch?")),
        generic=True,
    ),
    symptom(
        r"econnreset|connection reset|socket hang up|remoteprotocolerror",
        _("the other side closed the connection"),
        Cause("KVD515", 0.4, _("does it happen in the middle of an answer?")),
        Cause("KVD307", 0.3, _("a proxy or firewall may cut it")),
        Cause("KVD207", 0.3, _("http may be spoken to an https port")),
        generic=True,
    ),
    symptom(
        r"connection error\.|fetch failed|waiting for network|unable to connect to",
        _("no connection came about; the cause is hidden behind this text"),
        Cause("KVD301", 0.3, _("is a proxy variable set, and does it answer?")),
        Cause("KVD102", 0.25, _("in Python a line break in the key gives this text as well")),
        Cause("KVD310", 0.2, _("does the host name resolve?")),
        Cause("KVD320", 0.15, _("print the exception's __cause__: is it a certificate?")),
        generic=True,
    ),
    symptom(
        r"filenotfounderror: \[errno 2\] no such file or directory$",
        _("while a client is made, this is often a certificate file that is not there"),
        Cause("KVD321", 0.6, _("is SSL_CERT_FILE set, and does its path exist?")),
        generic=True,
    ),
)
