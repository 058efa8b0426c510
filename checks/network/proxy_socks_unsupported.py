"""KVD303: a SOCKS proxy is set, and the client's library cannot speak SOCKS."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Severity,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.machine import PythonHome
from doctor.proxyrules import values
from doctor.proxyrules.stacks import PYSOCKS_MISSING, SOCKSIO_MISSING

from . import _owner
from ._repairs import instead_of, way_without_bad_ones
from ._way import READS, Way, way
from ._words import evidence_of_variables, paragraph, source, who_is_not, who_stops

CODE = _owner.SOCKS
_PACKAGES = {SOCKSIO_MISSING: "socksio", PYSOCKS_MISSING: "PySocks"}
_SDKS = ("openai", "anthropic", "litellm", "langchain-openai", "requests")


@check(
    code=CODE,
    slug="proxy-socks-unsupported",
    severity=Severity.ERROR,
    hop=Hop.PROXY,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.PYTHON_HOMES),
)
async def proxy_socks_unsupported(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A SOCKS proxy is set and the client's library has no support for it.

    ## What it checks
    Whether a proxy variable that the client reads holds a SOCKS URL, and whether the add-on for
    it (socksio for httpx, PySocks for requests) is installed in the Python environments that the
    program may run in: the activated one, those of the working folder, the user's, the system's.
    Only folder names are read, nothing is executed.

    ## Why it matters
    httpx makes a transport for every variable when the client is constructed, so
    `ALL_PROXY=socks5://…` stops `OpenAI()` itself, also for hosts that NO_PROXY excludes and where
    HTTPS_PROXY holds an http proxy.

    ## How to fix
    Install the add-on, or use the http port of the same proxy program.

    ## Fix safety
    The alternatives keep the proxy's host and port, or go straight to the configured host.

    ## References
    https://www.python-httpx.org/advanced/proxies/#socks
    """
    w = await way(f)
    if w.mine.error is None or not _owner.is_socks_error(w):
        return
    homes = await f.find(facts.PYTHON_HOMES) or ()
    package = _PACKAGES.get(w.mine.error)
    name = source(w)
    yield problem(
        _("{name} is a SOCKS proxy, which this client cannot use", name=name),
        paragraph(
            _(
                "The client does not get as far as a request: {error}",
                error=visible(w.mine.error, 300),
            ),
            _where(package, homes),
            _("It reads the variable for every host, those in NO_PROXY too.")
            if package == "socksio"
            else "",
            _use(w, package),
            _or_leave_it_out(w),
            who_is_not(w),
        ),
        evidence=(
            *evidence_of_variables(w, *_names(w)),
            *(
                Evidence(
                    _("Python environment"),
                    home.path,
                    ", ".join(f"{n} {v}" for n, v in sorted(home.packages.items())),
                )
                for home in homes
            ),
        ),
        changes=instead_of(CODE, w),
        confidence=_confidence(package, homes),
        clients=who_stops(w),
        explains=_explains(),
    )


def _explains() -> tuple[str, ...]:
    return (*(code for code in _owner.ALL if code != CODE), *_owner.CONSEQUENCES)


def _names(w: Way) -> tuple[str, ...]:
    keys = (w.target.scheme, "all", "no")
    return tuple(name for key in keys for name in (f"{key}_proxy", f"{key.upper()}_PROXY"))


def _confidence(package: str | None, homes: tuple[PythonHome, ...]) -> Confidence:
    """Sure where an environment with an SDK but without the add-on was seen."""
    if package is None or any(sdk in home.packages for home in homes for sdk in _SDKS):
        return Confidence.HIGH
    return Confidence.MEDIUM


def _where(package: str | None, homes: tuple[PythonHome, ...]) -> str:
    if package is None:
        return ""
    if homes:
        return _(
            "{package} is not installed in {places}.",
            package=package,
            places=", ".join(home.path for home in homes),
        )
    return _(
        "{package} is likely missing: no Python environment of the program was found to look in.",
        package=package,
    )


def _use(w: Way, package: str | None) -> str:
    chosen = w.variables.find(w.mine.variable or "")
    address = None if chosen is None else values.address(chosen.value)
    http = "" if address is None else f"http://{address}"
    if package is not None:
        return _(
            "Use `pip install {package}`; or `{name}={value}` if the proxy program takes http on "
            "this port, as Clash does.",
            package=package,
            name=w.mine.variable or "",
            value=http,
        )
    return _(
        "No setting teaches it SOCKS. Use `{name}={value}` if the proxy program takes http on this "
        "port, as Clash does.",
        name=w.mine.variable or "",
        value=http,
    )


def _or_leave_it_out(w: Way) -> str:
    rest = way_without_bad_ones(w) if w.by_environment else None
    if rest is None or rest.chosen is None:
        return ""
    return _(
        "Or leave it out, `unset {name}`: {other} then decides.",
        name=w.mine.variable or "",
        other=rest.chosen.name,
    )
