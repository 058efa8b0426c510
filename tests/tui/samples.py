"""Reports and the events that lead to them, written down. The keys in them are made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from doctor import events as e
from doctor.connection import (
    Change,
    Connection,
    Origin,
    OriginKind,
    Protocol,
    Setting,
    SettingName,
    Shadowed,
)
from doctor.models import (
    Answer,
    Applicability,
    CheckResult,
    Confidence,
    Diagnosis,
    Evidence,
    Finding,
    Fix,
    Hop,
    HopStatus,
    PathHop,
    Report,
    Severity,
    Spending,
    Status,
    TargetReport,
    Trial,
    Verdicts,
)
from doctor.secrets import Secret
from doctor.target import Target
from doctor.text import _
from tests.kit import KEY

NAME = "shop-api"
BARE = "shop-api"
LABEL = "shop-api: OpenAI SDK (Python) → TaoToken"

_ZSHRC = "~/.zshrc"


def connection() -> Connection:
    """Three faults: the key ends in a line break, /v1 is missing, the proxy is dead."""
    file = Origin(OriginKind.FILE, "OPENAI_API_KEY", _ZSHRC, 41)
    dotenv = Origin(OriginKind.FILE, "OPENAI_API_KEY", ".env", 3, project=True)
    return Connection(
        client="openai-sdk",
        protocol=Protocol.OPENAI_CHAT,
        base_url=Setting(
            "https://taotoken.net/api", Origin(OriginKind.FILE, "OPENAI_BASE_URL", _ZSHRC, 42)
        ),
        key=Setting(Secret(KEY + "\n"), file, (Shadowed(Secret(KEY), dotenv),)),
        model=Setting("deepseek-v4-flash", Origin(OriginKind.ENVIRONMENT, "OPENAI_MODEL")),
    )


def target() -> Target:
    return Target(NAME, BARE, "gateway", connection())


# ------------------------------------------------------------------ findings

_REPAIR = (
    Change("KVD301", SettingName.PROXY, "direct", _("go to taotoken.net without the proxy")),
    Change("KVD102", SettingName.KEY, Secret(KEY), _("strip the key")),
    Change(
        "KVD201",
        SettingName.BASE_URL,
        "https://taotoken.net/api/v1",
        _("add /v1 to the base URL"),
        guess=True,
    ),
)


def _fix(change: Change, preview: str, applicability: Applicability) -> Fix:
    return Fix(change.id, change.title, applicability, True, preview)


PROXY = Finding(
    title=_("The proxy {proxy} is not running", proxy="127.0.0.1:7890"),
    explanation=_(
        "HTTPS_PROXY sends the request to taotoken.net through 127.0.0.1:7890, and nothing listens "
        "there: connection refused. Node's fetch ignores the variable; that is why one program "
        "works and another fails."
    ),
    evidence=(
        Evidence("HTTPS_PROXY", "~/.zshrc:12", "http://127.0.0.1:7890"),
        Evidence("TCP", "127.0.0.1:7890", "connection refused"),
    ),
    changes=_REPAIR[:1],
    fixes=(
        _fix(
            _REPAIR[0],
            "--- ~/.zshrc\n+++ ~/.zshrc\n@@ -12,1 +11,0 @@\n"
            "-export HTTPS_PROXY=http://127.0.0.1:7890",
            Applicability.SAFE,
        ),
    ),
    code="KVD301",
    slug="proxy-unreachable",
    target=NAME,
    hop=Hop.PROXY,
)
KEY_FAULT = Finding(
    title=_("The key ends in a line break"),
    explanation=_(
        "Python's client refuses it (“Illegal header value”), Codex drops the header without a "
        "word, Node trims it: that is why it works in one program and fails in another."
    ),
    evidence=(
        Evidence("key", "OPENAI_API_KEY, ~/.zshrc:41", "sk-…0up0⏎ (52 characters)"),
        Evidence("last character", "", "U+000A LINE FEED at position 52 of 52"),
        Evidence("shadows", ".env:3", "sk-…0up0 (51 characters)"),
    ),
    changes=_REPAIR[1:2],
    fixes=(
        _fix(
            _REPAIR[1],
            "--- ~/.zshrc\n+++ ~/.zshrc\n@@ -41,1 +40,1 @@\n"
            '-export OPENAI_API_KEY="sk-…0up0⏎"\n+export OPENAI_API_KEY="sk-…0up0"',
            Applicability.SAFE,
        ),
    ),
    code="KVD102",
    slug="key-surrounded-by-whitespace",
    target=NAME,
)
BASE = Finding(
    title=_("The base URL lacks /v1"),
    explanation=_(
        "POST https://taotoken.net/api/chat/completions answers 404. The OpenAI SDK appends "
        "/chat/completions to the base URL, and the gateway serves it under /api/v1."
    ),
    evidence=(Evidence("base URL", "OPENAI_BASE_URL, ~/.zshrc:42", "https://taotoken.net/api"),),
    changes=_REPAIR[2:],
    fixes=(
        _fix(
            _REPAIR[2],
            "--- ~/.zshrc\n+++ ~/.zshrc\n@@ -42,1 +41,1 @@\n"
            "-export OPENAI_BASE_URL=https://taotoken.net/api\n"
            "+export OPENAI_BASE_URL=https://taotoken.net/api/v1",
            Applicability.SAFE,
        ),
    ),
    confidence=Confidence.MEDIUM,
    code="KVD201",
    slug="url-without-version",
    target=NAME,
)
EXPOSED = Finding(
    title=_("The key file can be read by others"),
    explanation=_("~/.zshrc has mode 0644. Every user of this machine can read the key in it."),
    evidence=(Evidence("mode", "~/.zshrc", "0644"),),
    severity=Severity.WARNING,
    code="KVD113",
    slug="key-exposed",
    target=NAME,
    blocking=False,
)
_FOLDED = tuple(
    Finding(
        title=title,
        explanation=_("It is gone on the repaired connection."),
        code=code,
        slug=slug,
        target=NAME,
        hop=hop,
        explained_by="KVD301",
    )
    for code, slug, hop, title in (
        ("KVD302", "proxy-takes-local-traffic", Hop.PROXY, _("NO_PROXY misses taotoken.net")),
        ("KVD305", "proxy-variables-conflict", Hop.PROXY, _("http_proxy and HTTP_PROXY differ")),
        ("KVD311", "connection-refused", Hop.TCP, _("Nothing answers at 127.0.0.1:7890")),
        ("KVD510", "response-without-choices", Hop.ENGINE, _("The answer has no choices")),
    )
)
FINDINGS = (PROXY, KEY_FAULT, BASE, *_FOLDED, EXPOSED)

# ------------------------------------------------------------------ reports

_DURATIONS = {"KVD301": 31, "KVD102": 1, "KVD201": 240}


def _path(*hops: tuple[HopStatus, str, int | None]) -> tuple[PathHop, ...]:
    return tuple(PathHop(hop, *seen) for hop, seen in zip(Hop, hops, strict=True))


_OK, _BROKEN = HopStatus.OK, HopStatus.BROKEN
_UNKNOWN, _SKIPPED = HopStatus.UNKNOWN, HopStatus.SKIPPED
_NOT_REACHED = (_UNKNOWN, _("not reached"), None)
BROKEN_PATH = _path(
    (_BROKEN, _("{count} faults", count=2), None),
    (_BROKEN, "127.0.0.1:7890: connection refused", 1),
    (_OK, "203.0.113.7", 2),
    (_OK, "203.0.113.7:443", 11),
    (_OK, "Let's Encrypt", 14),
    _NOT_REACHED,
    _NOT_REACHED,
    _NOT_REACHED,
    (_UNKNOWN, _("no engine metrics are known"), None),
)
HEALTHY_PATH = _path(
    (_OK, "", None),
    (_SKIPPED, _("direct"), None),
    (_OK, "203.0.113.7", 2),
    (_OK, "203.0.113.7:443", 11),
    (_OK, "Let's Encrypt", 14),
    (_OK, "200", 31),
    (_OK, "deepseek-v4-flash", None),
    (_OK, _("answered"), 401),
    (_UNKNOWN, _("no engine metrics are known"), None),
)
UNREACHABLE_PATH = _path(
    (_OK, "", None),
    (_SKIPPED, _("direct"), None),
    (_BROKEN, "gateway.invalid: Name or service not known", 8),
    *([_NOT_REACHED] * 5),
    (_UNKNOWN, _("no engine metrics are known"), None),
)
_NOT_TESTED = (_("engine metrics (no vLLM address known)"),)
_SPENT = Spending(free=2, billable=2, tokens=32)


def _results(findings: Sequence[Finding], unknown: Sequence[str] = ()) -> tuple[CheckResult, ...]:
    """The results of all checks that a real run has, fixed for ever."""
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    results = []
    for code in sorted({*CODES, *by_code}):
        found = tuple(by_code.get(code, ()))
        status = Status.FINDINGS if found else Status.PASS
        reason = None
        if code in unknown:
            status, reason = Status.UNKNOWN, "the server was not reached"
        elif code in ("KVD103", "KVD116", "KVD303", "KVD304", "KVD603", "KVD605"):
            status, reason = Status.SKIPPED, "there is no env file"
        results.append(CheckResult(code, NAME, status, _DURATIONS.get(code, 3), found, reason))
    return tuple(results)


CODES = (
    *(f"KVD{n}" for n in range(101, 118)),
    *(f"KVD{n}" for n in range(201, 218)),
    *(f"KVD{n}" for n in range(301, 308)),
)


def broken_report() -> TargetReport:
    return TargetReport(
        id=NAME,
        label=LABEL,
        kind="gateway",
        product="taotoken",
        connection=connection(),
        path=BROKEN_PATH,
        verdicts=Verdicts(False, None, None, _("not tested")),
        diagnosis=Diagnosis(
            root_causes=("KVD301", "KVD102", "KVD201"),
            summary=_("Three faults."),
            proved=True,
            proof=_("proved by a completion"),
            repair=tuple(change.id for change in _REPAIR),
            changes=_REPAIR,
            before=Answer(None, "connection refused", 3, False),
            after=Answer(200, None, 412, True),
            tried=(
                Trial(("go to taotoken.net without the proxy",), Answer(401, "", 38, False)),
                Trial(("all three",), Answer(200, None, 412, True)),
            ),
        ),
        findings=FINDINGS,
        checks=_results(FINDINGS[:-1] + FINDINGS[-1:], ("KVD111", "KVD115")),
        not_tested=_NOT_TESTED,
    )


def healthy_report() -> TargetReport:
    good = replace(
        connection(),
        base_url=Setting(
            "https://taotoken.net/api/v1", Origin(OriginKind.ENVIRONMENT, "OPENAI_BASE_URL")
        ),
        key=Setting(Secret(KEY), Origin(OriginKind.ENVIRONMENT, "OPENAI_API_KEY")),
        max_tokens=Setting(4096, Origin(OriginKind.FILE, "max_tokens", "kvdoctor.toml", 6)),
    )
    return TargetReport(
        id=NAME,
        label=LABEL,
        kind="gateway",
        product="taotoken",
        connection=good,
        path=HEALTHY_PATH,
        verdicts=Verdicts(True, True, True, _("a made-up key is refused, this one is not")),
        diagnosis=Diagnosis(
            root_causes=(),
            summary=_("The request answers (200, 401 ms)."),
            before=Answer(200, None, 401, True),
        ),
        findings=(),
        checks=_results(()),
        facts={"ttft_ms": "401", "window": "32768"},
        not_tested=_NOT_TESTED,
    )


def unreachable_report() -> TargetReport:
    far = replace(
        connection(),
        base_url=Setting(
            "https://gateway.invalid/v1", Origin(OriginKind.ENVIRONMENT, "OPENAI_BASE_URL")
        ),
    )
    finding = Finding(
        title=_("The name gateway.invalid does not exist"),
        explanation=_(
            "No name server knows gateway.invalid, so no request can be sent. The name ends in "
            ".invalid, which is reserved and never exists."
        ),
        evidence=(
            Evidence("base URL", "OPENAI_BASE_URL, environment", "https://gateway.invalid/v1"),
            Evidence("DNS", "gateway.invalid", "Name or service not known"),
        ),
        code="KVD310",
        slug="dns-fails",
        target=NAME,
        hop=Hop.DNS,
    )
    unknown = tuple(code for code in CODES if code > "KVD201")
    return TargetReport(
        id=NAME,
        label="shop-api: OpenAI SDK (Python)",
        kind="gateway",
        product="unknown",
        connection=far,
        path=UNREACHABLE_PATH,
        verdicts=Verdicts(False, None, None, _("not tested")),
        diagnosis=Diagnosis(
            root_causes=("KVD310",),
            summary=_("The name gateway.invalid does not exist."),
            before=Answer(None, "Name or service not known", 8, False),
        ),
        findings=(finding,),
        checks=_results((finding,), unknown),
        not_tested=_NOT_TESTED,
    )


# ------------------------------------------------------------------ events


def events_of(report: TargetReport) -> tuple[e.Event, ...]:
    """A whole run that ends with ``report``."""
    return (
        e.RunStarted((report.id,), len(report.checks)),
        e.TargetStarted(report.id, BARE),
        *(e.CheckStarted(report.id, r.code, slug_of(r.code)) for r in report.checks),
        *(e.HopSeen(report.id, hop) for hop in report.path[1:]),
        *(e.CheckFinished(report.id, result) for result in report.checks),
        *(e.TrialFinished(report.id, trial) for trial in report.diagnosis.tried),
        e.TargetFinished(report),
        e.RunFinished(
            Report("2030-01-31T10:00:00+00:00", 640, (report,), _SPENT),
        ),
    )


def running_events() -> tuple[e.Event, ...]:
    """The broken run, half-way: TLS is being looked at, two findings have come in."""
    report = broken_report()
    done = [result for result in report.checks if result.code < "KVD301"]
    return (
        e.RunStarted((NAME,), len(report.checks)),
        e.TargetStarted(NAME, BARE),
        *(e.CheckStarted(NAME, r.code, slug_of(r.code)) for r in report.checks),
        *(e.HopSeen(NAME, hop) for hop in report.path[1:4]),
        *(e.CheckFinished(NAME, result) for result in done),
    )


def slug_of(code: str) -> str:
    from doctor.codes import SLUGS

    return SLUGS.get(code, code.lower())
