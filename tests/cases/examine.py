"""Puts one case to the program and collects what it found."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trustme

from .case import Case
from .client import client_by_files, client_of
from .configured import Configured, configured
from .engines import is_about_an_engine, launched, log_of
from .places import assigned_in, vendors_base
from .program import NOTHING_TO_EXAMINE, Ran, run
from .prompts import compared
from .proxied import goes_through_proxy, proxies
from .server import LOOPBACK, Ports, serving
from .stub import STAND_IN_KEY, Stub, stub_of
from .told import key_of_engine_sent_otherwise
from .world import World, world_of

# The report names no server: one on this machine, and one elsewhere, that nobody asks.
_SERVER_HERE = "http://127.0.0.1:8000"
_SERVER_ELSEWHERE = "https://gateway.example"
_CLIENTS_OWN = {
    "OPENAI_API_KEY": "https://api.openai.com/v1",
    "ANTHROPIC_API_KEY": "https://api.anthropic.com",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """``roots`` and ``others`` are codes of ``check``, ``explained`` those of ``explain``,
    ``launched`` those of ``launch``, ``compared`` those of ``prefix``; each in the program's
    order. ``possible`` are all causes that the text may have, unlikely ones as well.
    ``proved`` says that the repaired request answered. ``troubles`` are runs that ended badly,
    ``contacts`` what was to be reached beyond loopback."""

    roots: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()
    launched: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    proved: bool = False
    summary: str = ""
    asked: bool = False
    troubles: tuple[str, ...] = ()
    contacts: tuple[str, ...] = ()

    @property
    def codes(self) -> tuple[str, ...]:
        """The verdict: what the requests show, the roots of ``check``, what the text says, then the
        rest. Of what the text may mean, that comes first which ``check`` or ``launch`` has seen as
        well."""
        both = tuple(c for c in self.possible if c in self.others or c in self.launched)
        told = (*self.compared, *self.roots, *both, *self.explained, *self.launched, *self.others)
        return tuple(dict.fromkeys(told))


def examine(case: Case, authority: trustme.CA) -> Seen:
    """Every command that ``case`` has something for."""
    known = _completed(configured(case), case)
    with world_of(case, known.env) as world:
        checked, asked = None, False
        if not is_about_an_engine(case):
            checked, asked = _checked(case, known, world, authority)
        explained, text = None, log_of(case)
        if not text.strip() and checked is not None and checked.code == NOTHING_TO_EXAMINE:
            # What its user saw of it is all that is left to ask about.
            text = "" if case.response is None else case.response.body
        if text.strip():
            explained = run(world, ["explain", "--format", "json", "-"], stdin=text)
        return _seen(checked, explained, launched(case, world), compared(case, world), asked, world)


def _completed(known: Configured, case: Case) -> Configured:
    """With the server that the report leaves out, if the program is to ask one."""
    if known.base_url is not None:
        return known
    for variable, base in _CLIENTS_OWN.items():
        if variable in known.env:
            return dataclasses.replace(known, base_url=base)
    if not _is_served(case, known):
        return known
    names = (*known.env, *assigned_in(case.files.get(".env", "")))
    vendors = {of for name in names if (of := vendors_base(name)) is not None}
    if len(vendors) == 1 and known.protocol == "openai-chat":
        return dataclasses.replace(known, base_url=vendors.pop())
    base = _SERVER_HERE + _version(known)
    return dataclasses.replace(known, base_url=base, base_flag=base)


def _version(known: Configured) -> str:
    """What the base URL of a server that speaks this protocol ends in."""
    return "" if known.protocol == "anthropic-messages" else "/v1"


def _is_served(case: Case, known: Configured) -> bool:
    """Whether the report tells enough to reconstruct a server."""
    return case.response is not None or (known.engine is not None and bool(case.requests))


def _checked(
    case: Case, known: Configured, world: World, authority: trustme.CA
) -> tuple[Ran, bool]:
    # Files that leave out where requests go are those of a login that the report does not show.
    client = client_by_files(case) if known.base_url is not None or not case.log else None
    if not _is_served(case, known):
        lent_key = _lent_key(case, known)
        arguments, stdin = _arguments(known, lent_key, client=client, lend_model=False)
        ran = run(world, ["check", "--offline", *arguments], stdin)
        if client is None and not case.log and not _codes(_document(ran)):
            # Nothing is wrong with what was found, and there is no text to ask about: its user
            # would name the program that fails.
            client = client_of(case)
            if client is not None:
                arguments, stdin = _arguments(known, lent_key, client=client, lend_model=False)
                ran = run(world, ["check", "--offline", *arguments], stdin)
        if ran.code == NOTHING_TO_EXAMINE:
            # The settings around the connection can still be judged: here is one.
            lent = dataclasses.replace(known, base_flag=_SERVER_ELSEWHERE + _version(known))
            arguments, stdin = _arguments(lent, STAND_IN_KEY, lend_model=False)
            ran = run(world, ["check", "--offline", *arguments], stdin)
        return ran, False
    lent_key = _lent_key(case, known)
    stub = stub_of(
        case,
        known,
        proxied=goes_through_proxy(known, case),
        key=known.key if known.tells_key else lent_key,
    )
    with _answering(stub, known, proxies(known, case), authority) as flags:
        arguments, stdin = _arguments(known, lent_key, client=client, stub=stub)
        return run(world, ["check", "--trust-project", *flags, *arguments], stdin), True


def _lent_key(case: Case, known: Configured) -> str | None:
    """A key for a report that leaves it out because it is not about one, and the one that its
    author has where only the server's command line tells it."""
    sent = key_of_engine_sent_otherwise(case)
    if sent is not None:
        return sent
    if known.tells_key or known.base_url is None or known.is_near:
        return None
    refused = case.response is not None and case.response.status in (401, 403)
    return None if refused else STAND_IN_KEY


def _arguments(
    known: Configured,
    key: str | None,
    *,
    client: str | None = None,
    stub: Stub | None = None,
    lend_model: bool = True,
) -> tuple[list[str], str]:
    """``client`` is named where the report shows its files: they say the rest."""
    arguments = ["--format", "json", "--timeout", "8", *((client,) if client else ())]
    if known.base_flag is not None and client is None:
        arguments += ["--base-url", known.base_flag]
        if known.protocol != "openai-chat":
            arguments += ["--protocol", known.protocol]
    model = known.model_flag if client is None or known.model_of_client else None
    if model is None and known.model is None and lend_model and stub is not None:
        model = stub.served.ids[0]
    if model is not None:
        arguments += ["--model", model]
    if known.max_tokens is not None:
        arguments += ["--max-tokens", str(known.max_tokens)]
    for path in known.command.docker_env_files:
        arguments += ["--env-file", path, "--env-reader", "docker"]
    if client is None and known.env_file_of_app is not None:
        arguments += ["--env-file", known.env_file_of_app]
    key = known.key_flag if known.key_flag is not None else key
    if key is not None:
        arguments.append("--key-stdin")
    return arguments, key or ""


@contextlib.contextmanager
def _answering(
    stub: Stub,
    known: Configured,
    between: Iterable[tuple[str, int]],
    authority: trustme.CA,
) -> Iterator[list[str]]:
    """The stub on loopback, and the flags that lead the program to it."""
    names = (known.host,) if known.host and not known.is_near else ()
    with tempfile.TemporaryDirectory(prefix="case-ca-") as folder:
        bundle = Path(folder, "authority.pem")
        authority.cert_pem.write_to_path(str(bundle))
        with serving(stub, authority, names) as ports:
            flags = ["--ca-bundle", str(bundle)]
            for (host, port), target in _mapped(known, between, ports).items():
                bracketed = f"[{host}]" if ":" in host else host
                flags += ["--connect-to", f"{bracketed}:{port}={LOOPBACK}:{target}"]
            yield flags


def _mapped(
    known: Configured, between: Iterable[tuple[str, int]], ports: Ports
) -> dict[tuple[str, int], int]:
    served = ports.tls if known.scheme == "https" else ports.plain
    mapped = {(known.host, 443): ports.tls, (known.host, 80): ports.plain}
    if known.port not in (80, 443):
        # With a port of its own, nothing else is known to listen on that host.
        mapped = dict.fromkeys(mapped, ports.refused)
        for name in _names(known.host):
            mapped[name, known.port] = served
    mapped.update(dict.fromkeys(between, ports.proxy))
    return mapped


def _names(host: str) -> tuple[str, ...]:
    """This machine under all its names; another host under its own."""
    here = ("localhost", LOOPBACK, "::1")
    return here if host in here else (host,)


def _seen(
    checked: Ran | None,
    explained: Ran | None,
    launch: Ran | None,
    prefix: Ran | None,
    asked: bool,
    world: World,
) -> Seen:
    runs = {"check": checked, "explain": explained, "launch": launch, "prefix": prefix}
    troubles = [
        f"{name}: {ran.trouble}"
        for name, ran in runs.items()
        if ran is not None and ran.trouble is not None and ran.code != NOTHING_TO_EXAMINE
    ]
    report = _document(checked)
    diagnosis = report.get("diagnosis") or {}
    troubles += [
        f"check {one['code']} {one['status']}: {one['reason']}"
        for one in report.get("checks", ())
        if one["status"] in ("crashed", "timeout")
    ]
    return Seen(
        roots=tuple(diagnosis.get("root_causes", ())),
        explained=_codes(_document(explained)),
        launched=_codes(_document(launch)),
        compared=_codes(_document(prefix)),
        others=_codes(report),
        possible=_possible(_document(explained)),
        proved=bool(diagnosis.get("proved")),
        summary=str(diagnosis.get("summary", "")),
        asked=asked,
        troubles=tuple(troubles),
        contacts=world.contacts,
    )


def _document(ran: Ran | None) -> dict[str, Any]:
    return {} if ran is None or ran.document is None else ran.document


def _codes(document: dict[str, Any]) -> tuple[str, ...]:
    return tuple(finding["code"] for finding in document.get("findings", ()))


def _possible(document: dict[str, Any]) -> tuple[str, ...]:
    causes = (cause for symptom in document.get("symptoms", ()) for cause in symptom["causes"])
    likeliest = sorted(causes, key=lambda cause: -cause["likelihood"])
    return tuple(dict.fromkeys(str(cause["code"]) for cause in likeliest))
