"""What holds for all checks of the way together: silence where all is well, one root per fault."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.facts.machine import Environment
from doctor.facts.network import TransportFault
from doctor.models import Severity, Status
from tests.checks.network.world import (
    PROXY,
    Given,
    broken,
    dead_proxy,
    dns,
    examine,
    page,
    reply,
    results_of,
    roots,
    tcp,
    tls,
    variables,
)
from tests.kit import connection, environment

F = TransportFault

WELL: Given = {
    facts.COMPLETION: reply(),
    facts.DNS: dns("gateway.example"),
    facts.TCP: (tcp("203.0.113.7"),),
    facts.TLS: tls(issuer="A public authority", system_ok=True, certifi_ok=True),
}
THROUGH: Given = {
    facts.COMPLETION: reply(via=PROXY),
    facts.PROXY_TCP: tcp("127.0.0.1", 7890),
    facts.TLS: tls(system_ok=True, certifi_ok=True),
}


@pytest.mark.parametrize(
    ("env", "given"),
    [
        (variables(), WELL),
        (variables(NO_PROXY="localhost,127.0.0.1"), WELL),
        (variables(HTTPS_PROXY=PROXY, NO_PROXY="gateway.example"), WELL),
        (variables(HTTPS_PROXY="socks5://127.0.0.1:1", NO_PROXY="*"), WELL),
        (variables(HTTP_PROXY=PROXY), WELL),
        (variables(OPENAI_PROXY=PROXY), WELL),
        (variables(HTTPS_PROXY=PROXY, https_proxy=PROXY + "/"), THROUGH),
        (variables(https_proxy="127.0.0.1:7890"), THROUGH),
        (variables(https_proxy=PROXY, no_proxy="localhost,127.0.0.0/8,*.corp.example"), THROUGH),
        (variables(SSL_CERT_FILE="/etc/ssl/certs/ca-certificates.crt"), WELL),
        (variables(NODE_EXTRA_CA_CERTS="/gone.pem", REQUESTS_CA_BUNDLE="/gone.pem"), WELL),
    ],
    ids=lambda value: str(value.variables) if isinstance(value, Environment) else "",
)
def test_a_healthy_way_gives_no_finding(env: Environment, given: Given) -> None:
    assert examine(env, given) == ()


def test_a_dead_proxy_that_this_target_does_not_use_is_silent() -> None:
    target = connection("http://127.0.0.1:8000/v1")
    env = variables(HTTPS_PROXY=PROXY, HTTP_PROXY="http://127.0.0.1:9", NO_PROXY="127.0.0.1")
    given: Given = {facts.COMPLETION: reply()}
    assert examine(env, given, target) == ()


def test_a_private_server_that_answers_through_the_proxy_is_no_fault() -> None:
    given: Given = {facts.COMPLETION: reply(via=PROXY), facts.PROXY_TCP: tcp("127.0.0.1", 7890)}
    env = variables(http_proxy=PROXY)
    assert examine(env, given, connection("http://10.1.2.3:8000/v1")) == ()


@pytest.mark.parametrize(
    "kind",
    [OutcomeKind.KEY_REFUSED, OutcomeKind.MODEL_UNKNOWN, OutcomeKind.NOT_FOUND, OutcomeKind.QUOTA],
)
def test_what_the_gateway_itself_refuses_is_no_fault_of_the_way(kind: OutcomeKind) -> None:
    answered = {**THROUGH, facts.COMPLETION: reply(kind, "no", status=401, via=PROXY)}
    assert examine(variables(https_proxy=PROXY), answered) == ()
    assert examine(variables(), {**WELL, facts.COMPLETION: reply(kind, "no", status=401)}) == ()


# Faults that belong to other areas (key, base URL) and are no business of these checks.
_ELSEWHERE = {F.ILLEGAL_HEADER, F.ENCODING, F.INVALID_URL, F.PLAIN_TO_TLS}
_DIRECT = {
    F.DNS: "KVD310",
    F.REFUSED: "KVD311",
    F.CONNECT_TIMEOUT: "KVD312",
    F.READ_TIMEOUT: "KVD312",
    F.RESET: "KVD313",
    F.PROTOCOL: "KVD313",
    F.OTHER: "KVD313",
    F.TLS_UNTRUSTED: "KVD320",
    F.TLS_SETTING: "KVD321",
    F.TLS_NAME_OR_DATE: "KVD322",
    F.TLS_TO_PLAIN: "KVD323",
    F.TLS_OTHER: "KVD324",
}
# A fault of the proxy alone cannot come about without one.
_PROXY_ONLY = {F.PROXY_SETTING, F.PROXY_UNREACHABLE, F.PROXY_REFUSES}


@pytest.mark.parametrize("fault", [f for f in F if f not in _ELSEWHERE | _PROXY_ONLY])
def test_every_fault_of_a_direct_way_ends_in_exactly_one_root(fault: F) -> None:
    findings = examine(variables(), {facts.COMPLETION: broken(fault, "it fails")})
    assert roots(findings) == [_DIRECT[fault]]


_THROUGH = {
    F.PROXY_SETTING: "KVD304",
    F.PROXY_UNREACHABLE: "KVD301",
    F.PROXY_REFUSES: "KVD307",
    F.DNS: "KVD307",
    F.REFUSED: "KVD307",
    F.CONNECT_TIMEOUT: "KVD307",
    F.READ_TIMEOUT: "KVD312",
    F.RESET: "KVD307",
    F.PROTOCOL: "KVD307",
    F.OTHER: "KVD307",
    F.TLS_UNTRUSTED: "KVD320",
    F.TLS_SETTING: "KVD321",
    F.TLS_NAME_OR_DATE: "KVD322",
    F.TLS_TO_PLAIN: "KVD323",
    F.TLS_OTHER: "KVD324",
}


@pytest.mark.parametrize("fault", [f for f in F if f not in _ELSEWHERE])
def test_every_fault_of_a_way_through_a_proxy_ends_in_exactly_one_root(fault: F) -> None:
    given: Given = {
        facts.COMPLETION: broken(fault, "it fails", PROXY),
        facts.PROXY_TCP: tcp("127.0.0.1", 7890),
    }
    findings = examine(variables(HTTPS_PROXY=PROXY), given)
    assert roots(findings) == [_THROUGH[fault]]


@pytest.mark.parametrize("fault", sorted(_ELSEWHERE))
def test_faults_of_other_areas_are_left_to_them(fault: F) -> None:
    assert examine(variables(), {facts.COMPLETION: broken(fault, "it fails")}) == ()


# One fault each, with whatever else it makes go wrong; the base URL where it is not https.
LOCAL = "http://127.0.0.1:8000/v1"
COMPANY = "http://proxy.corp.example:3128"
SINGLE = [
    ("dead", variables(HTTPS_PROXY=PROXY), None, dead_proxy(), "KVD301"),
    (
        "dead, all cases",
        variables(https_proxy=PROXY, ALL_PROXY=PROXY),
        None,
        dead_proxy(),
        "KVD301",
    ),
    ("left over, local", variables(HTTP_PROXY=PROXY), LOCAL, dead_proxy(), "KVD301"),
    ("no scheme, dead", variables(ALL_PROXY="127.0.0.1:7890"), None, dead_proxy(), "KVD301"),
    (
        "local, 503",
        variables(HTTP_PROXY=PROXY),
        "http://localhost:11434/v1",
        {facts.COMPLETION: page(503), facts.PROXY_TCP: tcp("127.0.0.1", 7890)},
        "KVD302",
    ),
    (
        "local, company proxy",
        variables(http_proxy=COMPANY),
        LOCAL,
        dead_proxy(COMPANY, "other"),
        "KVD302",
    ),
    (
        "one word",
        variables(http_proxy=PROXY),
        "http://litellm:4000/v1",
        {facts.COMPLETION: page(502), facts.PROXY_TCP: tcp("127.0.0.1", 7890)},
        "KVD302",
    ),
    (
        "lower case hides upper case",
        variables(no_proxy="169.254.169.254", NO_PROXY="localhost,127.0.0.1", http_proxy=COMPANY),
        LOCAL,
        dead_proxy(COMPANY, "other"),
        "KVD305",
    ),
    (
        "semicolons",
        variables(http_proxy=PROXY, no_proxy="localhost;127.0.0.1"),
        LOCAL,
        {facts.COMPLETION: page(502), facts.PROXY_TCP: tcp("127.0.0.1", 7890)},
        "KVD304",
    ),
    (
        "star",
        variables(http_proxy=PROXY, no_proxy="localhost,127.*"),
        LOCAL,
        dead_proxy(),
        "KVD304",
    ),
    (
        "socks",
        variables(
            https_proxy="http://127.0.0.1:7897",
            http_proxy="http://127.0.0.1:7897",
            all_proxy="socks5://127.0.0.1:7897",
        ),
        None,
        {facts.COMPLETION: broken(F.PROXY_SETTING, "Using SOCKS proxy, but …")},
        "KVD303",
    ),
    (
        "socks without version",
        variables(ALL_PROXY="socks://127.0.0.1:7890/"),
        None,
        {facts.COMPLETION: broken(F.PROXY_SETTING, "Unknown scheme for proxy URL")},
        "KVD304",
    ),
    (
        "quotes",
        variables(HTTPS_PROXY='"http://127.0.0.1:7890"'),
        None,
        {facts.COMPLETION: broken(F.PROXY_SETTING, "Unknown scheme for proxy URL")},
        "KVD304",
    ),
    (
        "tls to a plain proxy",
        variables(HTTPS_PROXY="https://127.0.0.1:7890"),
        None,
        {
            facts.COMPLETION: broken(
                F.PROXY_SETTING,
                "[SSL: WRONG_VERSION_NUMBER] wrong version number",
                "https://127.0.0.1:7890",
            ),
            facts.PROXY_TCP: tcp("127.0.0.1", 7890),
        },
        "KVD304",
    ),
    (
        "no such port",
        variables(HTTPS_PROXY="http://127.0.0.1:99999"),
        None,
        {facts.COMPLETION: broken(F.PROXY_UNREACHABLE, "refused", "http://127.0.0.1:99999")},
        "KVD304",
    ),
    (
        "password wanted",
        variables(https_proxy=COMPANY),
        None,
        {
            facts.COMPLETION: broken(F.PROXY_REFUSES, "407 Proxy Authentication Required", COMPANY),
            facts.PROXY_TCP: tcp("198.51.100.9", 3128),
        },
        "KVD307",
    ),
    (
        "system proxy, local",
        environment({}, platform="darwin", system_proxies={"http": PROXY}),
        "http://127.0.0.1:11434/v1",
        {facts.COMPLETION: page(503), facts.PROXY_TCP: tcp("127.0.0.1", 7890)},
        "KVD302",
    ),
    (
        "system proxy, drops",
        environment({}, platform="win32", system_proxies={"https": PROXY}),
        None,
        {
            facts.COMPLETION: broken(F.RESET, "reset", PROXY),
            facts.PROXY_TCP: tcp("127.0.0.1", 7890),
        },
        "KVD306",
    ),
    (
        "system proxy, dead",
        environment({}, platform="win32", system_proxies={"https": PROXY}),
        None,
        dead_proxy(),
        "KVD301",
    ),
]


@pytest.mark.parametrize(
    ("env", "base", "given", "code"), [row[1:] for row in SINGLE], ids=[row[0] for row in SINGLE]
)
def test_one_fault_of_the_proxy_has_one_root(
    env: Environment, base: str | None, given: Given, code: str
) -> None:
    target = connection(base) if base is not None else connection()
    findings = examine(env, given, target)
    assert roots(findings) == [code]
    with_changes = {finding.code for finding in findings if finding.changes}
    assert with_changes == {code}, "only the root may offer a change"
    consequences = [f for f in findings if f.code != code and f.severity >= Severity.WARNING]
    assert all(f.explained_by == code for f in consequences)


def test_what_was_not_tried_is_unknown_and_not_healthy() -> None:
    status = {result.code: result.status for result in results_of(variables())}
    for code in ("KVD310", "KVD311", "KVD312", "KVD313", "KVD320", "KVD322", "KVD324", "KVD330"):
        assert status[code] is Status.UNKNOWN, code
    dead = {result.code: result.status for result in results_of(variables(HTTPS_PROXY=PROXY))}
    assert dead["KVD301"] is Status.UNKNOWN


def test_without_a_request_the_hops_themselves_speak() -> None:
    refused = (tcp("203.0.113.7", error="refused"),)
    assert roots(examine(variables(), {facts.TCP: refused})) == ["KVD311"]
    lost = (tcp("203.0.113.7", error="timeout"),)
    assert roots(examine(variables(), {facts.TCP: lost})) == ["KVD312"]
    unknown = dns("gateway.example", "[Errno -2] Name or service not known")
    assert roots(examine(variables(), {facts.DNS: unknown})) == ["KVD310"]
    assert roots(examine(variables(), {facts.TLS: tls("date")})) == ["KVD322"]
    dead: Given = {facts.PROXY_TCP: tcp("127.0.0.1", 7890, "refused")}
    assert roots(examine(variables(HTTPS_PROXY=PROXY), dead)) == ["KVD301"]
