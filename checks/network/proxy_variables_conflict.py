"""KVD305: proxy variables that contradict one another for this target."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Finding,
    Hop,
    ProxyMode,
    SettingName,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
)
from doctor.proxyrules import values
from doctor.proxyrules.variables import Chosen

from . import _owner
from ._conflict import Conflict, conflict_that_hides_exclusion, conflicts
from ._way import READS, Way, way
from ._words import evidence_of_variables, outcome_of, paragraph, shown_proxy

CODE = _owner.CONFLICT


@check(
    code=CODE,
    slug="proxy-variables-conflict",
    severity=Severity.WARNING,
    hop=Hop.PROXY,
    needs=(facts.PROXY_ROUTES,),
    wants=READS,
)
async def proxy_variables_conflict(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Two variables contradict one another, so that programs take different ways to this target.

    ## What it checks
    Upper and lower case of HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY as far as they bear on
    this target: different values, an empty lower-case one that deletes the other; HTTP_PROXY in
    capitals only, which curl never reads; OPENAI_PROXY, which LangChain alone reads.

    ## Why it matters
    Python, Node and curl look at lower case first, Codex at upper case. Whoever corrects the one
    that his program does not read changes nothing.

    ## How to fix
    Give both cases the same value, or unset one.

    ## Fix safety
    The change only takes what the other variable already says.

    ## References
    https://everything.curl.dev/usingcurl/proxies/env.html
    """
    w = await way(f)
    if not w.by_environment:
        return
    mine = _owner.owner(w) == CODE
    hiding = conflict_that_hides_exclusion(w)
    for conflict in conflicts(w):
        if mine and conflict == hiding:
            yield _hides_exclusion(w, conflict)
        elif conflict.winner.value or not w.reached:
            # An empty variable in front of a command that works was put there on purpose.
            yield _differ(w, conflict)
    if not w.fails:
        return  # what only other programs would notice is no fault of this connection
    upper_only = _read_by_all_but_curl(w)
    if upper_only is not None:
        yield _curl_ignores(w, upper_only)
    of_langchain = _langchain_only(w)
    if of_langchain is not None:
        yield _openai_proxy(w, of_langchain)


def _explains() -> tuple[str, ...]:
    return (*(code for code in _owner.ALL if code != CODE), *_owner.CONSEQUENCES)


def _hides_exclusion(w: Way, conflict: Conflict) -> Finding:
    winner, loser = conflict.winner, conflict.loser
    return problem(
        _("{winner} hides {loser}, which excludes {host}", **_names(w, conflict)),
        paragraph(
            _who_wins(conflict),
            _(
                "So the request to {host} goes through the proxy {proxy}.",
                host=w.target.host,
                proxy=shown_proxy(w.proxy or ""),
            ),
            _("Use the same list in both: `{line}`.", line=f"export {winner.name}={loser.value}"),
        ),
        evidence=(
            *evidence_of_variables(w, winner.name, loser.name, w.mine.variable or ""),
            *outcome_of(w),
        ),
        changes=(
            Change(
                CODE,
                SettingName.PROXY,
                ProxyMode.DIRECT.value,
                _("give {winner} the value of {loser}", winner=winner.name, loser=loser.name),
            ),
        ),
        severity=Severity.ERROR,
        explains=_explains(),
    )


def _differ(w: Way, conflict: Conflict) -> Finding:
    winner, loser = conflict.winner, conflict.loser
    return problem(
        _("{winner} and {loser} differ", winner=winner.name, loser=loser.name),
        paragraph(
            _who_wins(conflict),
            _(
                "Programs that read {loser} first go {way}.",
                loser=loser.name,
                way=_way_of(conflict),
            ),
            _("Give both the same value, or unset one."),
        ),
        evidence=evidence_of_variables(w, winner.name, loser.name),
    )


def _names(w: Way, conflict: Conflict) -> dict[str, str]:
    return {
        "winner": conflict.winner.name,
        "loser": conflict.loser.name,
        "host": w.target.host,
    }


def _who_wins(conflict: Conflict) -> Text:
    winner, loser = conflict.winner, conflict.loser
    if not winner.value:
        return _(
            "{winner} is set and empty, which deletes {loser} for this client.",
            winner=winner.name,
            loser=loser.name,
        )
    return _("This client reads {winner} and not {loser}.", winner=winner.name, loser=loser.name)


def _way_of(conflict: Conflict) -> str:
    proxy = conflict.otherwise.proxy
    if proxy is None:
        return _("direct")
    return _("through {proxy}", proxy=shown_proxy(proxy))


def _read_by_all_but_curl(w: Way) -> Chosen | None:
    """HTTP_PROXY in capitals alone, and it decides for this target."""
    if w.target.scheme != "http" or w.environment.platform == "win32":
        return None
    if w.mine.variable != "HTTP_PROXY" or w.proxy is None:
        return None
    curl = next((route for route in w.others if route.stack == "curl"), None)
    went_elsewhere = curl is not None and curl.error is None and curl.proxy is None
    return w.variables.find("HTTP_PROXY") if went_elsewhere else None


def _curl_ignores(w: Way, chosen: Chosen) -> Finding:
    return problem(
        _("curl does not read HTTP_PROXY in capitals"),
        paragraph(
            _(
                "This client goes to {host} through {proxy}, curl goes direct: it reads http_proxy "
                "in lower case only.",
                host=w.target.host,
                proxy=shown_proxy(chosen.value),
            ),
            _("A test with curl therefore tells nothing about this client."),
            _("Use `{line}`.", line=f"export http_proxy={values.shown(chosen.value)}")
            if _owner.owner(w) is None
            else "",
        ),
        evidence=evidence_of_variables(w, "HTTP_PROXY", "http_proxy"),
    )


def _langchain_only(w: Way) -> Chosen | None:
    chosen = w.variables.find("OPENAI_PROXY")
    if chosen is None or not chosen.value or w.connection.client != "openai-sdk":
        return None
    return None if values.same_proxy(chosen.value, w.proxy) else chosen


def _openai_proxy(w: Way, chosen: Chosen) -> Finding:
    return problem(
        _("OPENAI_PROXY has no effect on the OpenAI SDK"),
        paragraph(
            _("LangChain reads it; the SDK reads HTTPS_PROXY, HTTP_PROXY and ALL_PROXY."),
            _(
                "Use `{line}`.",
                line=f"export {w.target.scheme.upper()}_PROXY={values.shown(chosen.value)}",
            ),
        ),
        evidence=(*evidence_of_variables(w, "OPENAI_PROXY"), *outcome_of(w)),
        changes=(
            Change(
                CODE,
                SettingName.PROXY,
                chosen.value,
                _("use {proxy} as the proxy", proxy=shown_proxy(chosen.value)),
                guess=True,
                rank=5,
            ),
        )
        if w.fails and w.target.scheme == "https" and not values.flaws(chosen.value)
        else (),
    )
