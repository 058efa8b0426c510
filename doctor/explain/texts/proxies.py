"""Texts about proxies: settings that cannot be read, proxies that are gone or refuse."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

LOOPBACK = r"(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?)"
_PRIVATE = (
    rf"(?:{LOOPBACK}|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+)"
)

_FOLLOWS = _("no variable has to be set for that: programs follow the system")
_WITHOUT = _("does it work with NO_PROXY=127.0.0.1,localhost, or the proxy off?")


def _taken(match: re.Match[str]) -> tuple[Cause, ...]:
    """httpx, for one, does not read the system's list of exceptions (gateway-clients.md §2.5)."""
    if match["excepted"] is None:
        return (Cause("KVD302", 0.8, _WITHOUT), Cause("KVD306", 0.35, _FOLLOWS))
    behind = Cause("KVD330", 0.4, _("or does the local gateway's backend not answer?"))
    return (Cause("KVD302", 0.5, _WITHOUT), behind, Cause("KVD306", 0.3, _FOLLOWS))


SYMPTOMS = (
    symptom(
        r"unexpected keyword argument '?\\?'?proxies",
        _("an old openai or anthropic package with httpx 0.28, which dropped this argument"),
        Cause("KVD408", 0.9, _("pip install -U openai anthropic; or pip install 'httpx<0.28'")),
    ),
    symptom(
        r"using socks proxy, but the 'socksio' package is not installed"
        r"|missing dependencies for socks support|unsupportedproxyprotocol"
        r"|proxies with the socks5?h? scheme|socks proxies (?:are )?not supported"
        r"|(?:unsupported|unknown|unsupport) proxy (?:scheme|protocol|type):? ?['\"]?socks"
        r"|only https? proxies are supported|curl: \(97\)"
        r"|(?<!to )(?:install|requires?|needs?) [`'\"]?(?:pysocks|python-socks|aiohttp-socks"
        r"|httpx\[socks)",
        _("a proxy variable names a SOCKS proxy, which this program cannot use"),
        Cause("KVD303", 0.95, _("is ALL_PROXY or HTTPS_PROXY socks5://…?")),
    ),
    symptom(
        r"unknown scheme for proxy url|no scheme included in url|invalid proxy url in \w+_proxy"
        r"|proxy url had no scheme|invalid proxy address|error parsing proxy url"
        r"|invalid proxy url|please check proxy url|proxy urls? must (?:have|be|start)"
        r"|proxy must be (?:http|socks)|proxy scheme .{1,40} (?:is )?not supported"
        r"|unable to determine socks version|invalid url protocol: the url must start with `http"
        r"|unsupported proxy syntax|curl: \(5\) unsupported proxy",
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
        r"proxy authentication (?:is )?required|http code 407 from proxy"
        r"|tunnel connection failed: 407|(?:status code|statuscode|error code)\W{1,3}407\b"
        r"|connect tunnel failed, response 407|代理.{0,6}(?:认证|身份验证)"
        # okhttp, hyper, undici, the JDK; PySocks and Node's socks.
        r"|failed to authenticate with proxy(?!\s\w)|proxy authorization required"
        r"|proxy response \(407\)|tunnel failed, got: 407"
        r"|socks5 authentication failed|offered socks5 authentication methods were rejected",
        _("the proxy wants a name and a password"),
        Cause("KVD307", 0.95, _("put them into the proxy's URL")),
    ),
    symptom(
        # reqwest's debug log (Codex and other programs in Rust).
        rf"proxy\(\S{{1,200}}\) intercepts ['\"]https?://{_PRIVATE}"
        # urllib3's: a whole address behind GET is asked of a proxy alone.
        rf"|https?://\S{{1,200}} \"(?:GET|POST) https?://{_PRIVATE}"
        # Squid's page, which names what it was asked for.
        rf"|trying to retrieve the url:.{{0,60}}https?://{_PRIVATE}",
        _("a request to a near address went to the proxy"),
        Cause("KVD302", 0.9, _("is NO_PROXY missing this address?")),
        Cause("KVD306", 0.1, _("or does the proxy come from the system's settings?")),
    ),
    symptom(
        r"<!-- err_(?:access_denied|cache_access_denied|cannot_forward|connect_fail|dns_fail"
        r"|too_big)|the requested url could not be retrieved",
        _("the page is the proxy's own: it did not pass the request on"),
        Cause("KVD307", 0.9, _("does the proxy allow this host and port?")),
        Cause("KVD302", 0.1, _("or is the address near? Then NO_PROXY has to name it")),
        generic=True,
    ),
    symptom(
        r"tunnel connection failed: (?!407)\d{3}|http code (?!407)\d{3} from proxy"
        r"|connect tunnel failed, response (?!407)\d{3}|proxy connect aborted"
        r"|tunneling socket could not be established, statuscode=(?!407)\d{3}"
        r"|proxy response \((?!407)\d{3}\)|proxy responded with (?:non 200 code|status)"
        r"|unexpected response code for connect: (?!407)\d{3}|tunnel failed, got: (?!407)\d{3}"
        r"|socks5 (?:proxy|error)[^\n]{0,60}(?:not allowed|general|refused|unreachable)"
        r"|proxyerror: 0x0[1-8]",
        _("the proxy answers, and opens no way to the target"),
        Cause("KVD307", 0.9, _("does the proxy allow this host and port?")),
        Cause("KVD310", 0.1, _("or does the proxy not know the host?")),
    ),
    symptom(
        # hyper, below Codex and other programs in Rust: it never got as far as the target.
        r"(?:tunnel|socks) error: failed to create underlying connection",
        _("the proxy that the program uses does not answer"),
        Cause("KVD301", 0.85, _("is the proxy's program running, and on this port?")),
        Cause("KVD306", 0.15, _("or does the proxy come from the system's settings?")),
    ),
    symptom(
        r"^system proxy \S+: refused$",
        _("a proxy is on in the system's settings, and a connection was refused"),
        Cause("KVD301", 0.8, _("is the proxy's program running, and on this port?")),
        Cause("KVD306", 0.35, _FOLLOWS),
    ),
    symptom(
        r"^system proxy \S+: took \S+ \(50[234]\)(?P<excepted>, excepted)?$",
        _("a proxy is on in the system's settings, and seems to answer requests to this machine"),
        _taken,
    ),
    symptom(
        r"^system proxy \S+$",
        _("a proxy is on in the system's settings"),
        Cause("KVD306", 0.3, _FOLLOWS),
        generic=True,
    ),
    symptom(
        r"(?:(?:unable to|cannot|can't|failed to|could not) connect to (?:the )?(?:\w+ )?proxy\b"
        r"|clientproxyconnectionerror|proxyerror\(|could not resolve proxy|proxyconnecterror"
        r"|proxyconnect tcp|proxyconnectionerror|err_proxy_connection_failed"
        r"|tunneling socket could not be established, cause="
        r"|socks(?:https?)?connectionpool|curl: \(5\) could not|proxy tcp connect failed"
        r"|(?:连接|无法连接).{0,6}代理(?:服务器)?(?:失败|被拒绝)?)"
        # urllib3 says so of a proxy that answered, too.
        r"(?!.{0,200}tunnel connection failed: \d)",
        _("the proxy that a variable names does not answer"),
        Cause("KVD301", 0.9, _("unset the variable, or start the proxy")),
        Cause("KVD307", 0.1, _("or does it answer and refuse?")),
    ),
    symptom(
        rf"50[234]\b.{{0,60}}for url:? '?https?://{_PRIVATE}"
        rf"|https?://{_PRIVATE}[^\s'\"]*['\"]? ['\"]?(?:HTTP/[\d.]+ )?50[234]\b",
        _("a request to a near address was answered by something in between"),
        Cause("KVD302", 0.75, _("is NO_PROXY missing this address?")),
        Cause("KVD330", 0.25, _("or does the local gateway's backend not answer?")),
    ),
    symptom(
        # Codex's words, with no text of the answer: gateways give one, mihomo (Clash) as a proxy
        # none (listener/http/proxy.go).
        rf"unexpected status 50[234] [a-z ]{{3,30}}: (?:unknown error)?, url: https?://{_PRIVATE}",
        _("a request to a near address was answered without a word, likely by a proxy"),
        Cause("KVD302", 0.5, _WITHOUT),
        Cause("KVD306", 0.45, _FOLLOWS),
        Cause("KVD330", 0.4, _("or does the local gateway's backend not answer?")),
    ),
    symptom(
        rf"\b403\b.{{0,60}}for url:? '?https?://{_PRIVATE}",
        _("a request to a near address was refused, likely by something in between"),
        Cause("KVD302", 0.5, _("is NO_PROXY missing this address? httpx follows the system's too")),
        Cause("KVD115", 0.25, _("or does the local server itself refuse?")),
        Cause("KVD306", 0.15, _("is a proxy set in the system's settings?")),
    ),
    symptom(
        r"ssleoferror|eof occurred in violation of protocol|unexpected_eof_while_reading"
        r"|ssl_error_syscall",
        _("the connection ended in the middle of the TLS handshake"),
        Cause("KVD307", 0.4, _("does a proxy or firewall cut connections to this host?")),
        Cause("KVD304", 0.35, _("is HTTPS_PROXY an https:// address? Write http://HOST:PORT")),
        Cause("KVD207", 0.15, _("or does the port speak no TLS?")),
    ),
)
