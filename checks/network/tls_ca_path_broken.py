"""KVD321: a variable names CA certificates where there are none, or of the wrong runtime."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from doctor.checkapi import (
    Change,
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    SettingName,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.machine import CaPath, CaState
from doctor.facts.network import TlsAnswer, TransportFault

from ._tls_words import (
    ADDS,
    VARIABLES,
    evidence_of_tls,
    own_store_accepts,
    variables_of,
)
from ._way import READS, Way, way
from ._words import outcome_of, paragraph

CODE = "KVD321"
_EXPLAINS = ("KVD320", "KVD324")
# The store that the client takes by itself, whatever the variables say.
_OWN_STORE = ""
_READERS = {
    "SSL_CERT_FILE": _("Python SDKs, curl and Go"),
    "SSL_CERT_DIR": _("Python SDKs, curl and Go"),
    "REQUESTS_CA_BUNDLE": "requests",
    "CURL_CA_BUNDLE": _("curl and requests"),
    "NODE_EXTRA_CA_CERTS": _("Node programs"),
    "CODEX_CA_CERTIFICATE": "Codex",
}


@check(
    code=CODE,
    slug="tls-ca-path-broken",
    severity=Severity.ERROR,
    hop=Hop.TLS,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.CA_PATHS, facts.TLS),
)
async def tls_ca_path_broken(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A variable for CA certificates points nowhere, at the wrong thing, or is another runtime's.

    ## What it checks
    The variable that the client's runtime reads: whether its path exists and holds PEM
    certificates. Where the server is not trusted: whether the client's own store would accept it,
    and whether the certificate is named in a variable that only other runtimes read.

    ## Why it matters
    The Python SDKs fail at construction with `FileNotFoundError`, for http targets too; conda is
    known to set SSL_CERT_FILE to a file that does not exist. A company's certificate in
    REQUESTS_CA_BUNDLE does nothing for Node, and one in NODE_EXTRA_CA_CERTS nothing for Python.

    ## How to fix
    Unset the variable, correct its path, or set the one that the runtime reads.

    ## Fix safety
    Only stores that are already configured on this machine are tried.

    ## References
    https://www.python-httpx.org/environment_variables/#ssl_cert_file
    """
    w = await way(f)
    paths = await f.find(facts.CA_PATHS) or ()
    tls = await f.find(facts.TLS)
    used = _in_effect(w, paths)
    adds = w.mine.stack in ADDS
    fails_on_setting = w.fault is TransportFault.TLS_SETTING
    untrusted = w.fault is TransportFault.TLS_UNTRUSTED or (
        w.reply is None and tls is not None and tls.error == "untrusted"
    )
    if used is not None and used.state is not CaState.OK and not w.reached:
        if adds and w.target.scheme == "http":
            return
        sure = fails_on_setting or untrusted or (w.reply is None and not adds)
        yield _broken(w, used, tls, sure)
    elif fails_on_setting:
        yield _refused(w)
    elif (
        untrusted and used is not None and tls is not None and own_store_accepts(w.mine.stack, tls)
    ):
        yield _replaces(w, used, tls)
    elif untrusted:
        for finding in _of_another_runtime(w, paths, tls):
            yield finding


def _in_effect(w: Way, paths: tuple[CaPath, ...]) -> CaPath | None:
    """The variable that the client's runtime takes; None where a setting of its own comes first."""
    if w.connection.ca_bundle is not None:
        return None
    by_name = {path.variable: path for path in paths}
    return next((by_name[n] for n in variables_of(w.mine.stack) if n in by_name), None)


def _broken(w: Way, path: CaPath, tls: TlsAnswer | None, sure: bool) -> Finding:
    return problem(
        _state(path),
        paragraph(
            _consequence(w, path),
            _use(w, path),
        ),
        evidence=(
            Evidence(_("environment"), path.variable, visible(path.path, 300)),
            *evidence_of_tls(tls),
            *outcome_of(w),
        ),
        changes=(_without(path.variable),) if sure else (),
        severity=Severity.ERROR if sure else Severity.WARNING,
        explains=_EXPLAINS if sure else (),
    )


def _state(path: CaPath) -> Text:
    values = {"name": path.variable, "path": visible(path.path, 120)}
    if path.state is CaState.MISSING:
        return _("{name} points at {path}, which does not exist", **values)
    if path.state is CaState.DIRECTORY:
        return _("{name} points at {path}, which is a directory", **values)
    if path.state is CaState.FILE:
        return _("{name} points at {path}, which is a file and not a directory", **values)
    if path.state is CaState.NOT_PEM:
        return _("{name} points at {path}, which holds no PEM certificate", **values)
    return _("{name} points at {path}, which cannot be read", **values)


def _consequence(w: Way, path: CaPath) -> Text:
    if w.fault is TransportFault.TLS_SETTING and w.reply is not None:
        return _(
            "The client does not get as far as a request: {error}.",
            error=visible(w.reply.exchange.fault_text.rstrip("."), 300),
        )
    if w.mine.stack in ADDS:
        return _("Node leaves it out with a warning, so what it should add is not trusted.")
    if path.variable == "SSL_CERT_DIR":
        return _("It takes the place of the system's store, so nothing at all is trusted.")
    return _("The client reads it when it starts, and fails there.")


def _use(w: Way, path: CaPath) -> Text:
    line = (
        f"set {path.variable}=" if w.environment.platform == "win32" else f"unset {path.variable}"
    )
    if path.state is CaState.DIRECTORY and path.variable == "SSL_CERT_FILE":
        return _(
            "Use `{line}`, or `SSL_CERT_DIR={path}` if it is a directory of hashed certificates.",
            line=line,
            path=visible(path.path, 120),
        )
    return _("Use `{line}`.", line=line)


def _without(name: str) -> Change:
    return Change(
        CODE,
        SettingName.CA_BUNDLE,
        _OWN_STORE,
        _("unset {name} and trust the client's own store", name=name),
    )


def _refused(w: Way) -> Finding:
    """The client stops at its certificates, and no variable is to blame."""
    own = w.connection.ca_bundle
    said = "" if w.reply is None else visible(w.reply.exchange.fault_text, 300)
    place = str(own.origin) if own is not None else _("the certificates that it is to trust")
    return problem(
        _("The client cannot use {place}", place=place),
        _("It does not get as far as a request: {error}.", error=said.rstrip(".")),
        evidence=outcome_of(w),
        changes=(_without(own.origin.name),) if own is not None and own.value else (),
        explains=_EXPLAINS,
    )


def _replaces(w: Way, path: CaPath, tls: TlsAnswer) -> Finding:
    """The bundle takes the place of a store which does know the issuer."""
    return problem(
        _("{name} leaves out the issuer that the client's own store knows", name=path.variable),
        paragraph(
            _(
                "{path} takes the place of the client's store and holds {count} certificates; "
                "{issuer} is not among them.",
                path=visible(path.path, 120),
                count=path.certificates,
                issuer=visible(tls.issuer, 100) or _("the issuer"),
            ),
            _use(w, path),
        ),
        evidence=(
            Evidence(_("environment"), path.variable, visible(path.path, 300)),
            *evidence_of_tls(tls),
            *outcome_of(w),
        ),
        changes=(_without(path.variable),),
        explains=_EXPLAINS,
    )


def _of_another_runtime(
    w: Way, paths: tuple[CaPath, ...], tls: TlsAnswer | None
) -> Iterator[Finding]:
    """Certificates that are configured, in a variable that this client does not read."""
    own = variables_of(w.mine.stack)
    others = [p for p in paths if p.variable not in own and p.state is CaState.OK]
    if not others:
        return
    first = others[0]
    right = "SSL_CERT_FILE" if w.mine.stack not in VARIABLES else own[0]
    distinct = {path.path: path for path in others}
    yield problem(
        _(
            "{name} is set, which this client does not read",
            name=first.variable,
        ),
        paragraph(
            _(
                "{name} is for {readers}; this client's library reads {right}.",
                name=first.variable,
                readers=_READERS.get(first.variable, ""),
                right=right,
            ),
        ),
        evidence=(
            *(Evidence(_("environment"), p.variable, visible(p.path, 300)) for p in others),
            *evidence_of_tls(tls),
            *outcome_of(w),
        ),
        changes=tuple(
            Change(
                CODE,
                SettingName.CA_BUNDLE,
                path,
                _("set {line}", line=f"{right}={visible(path, 200)}"),
                guess=True,
                rank=rank,
            )
            for rank, path in enumerate(distinct)
        ),
        confidence=Confidence.MEDIUM,
        explains=_EXPLAINS,
        advice=_("Likely `{line}`.", line=f"{right}={visible(first.path, 200)}"),
    )
