"""KVD924."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    launched,
    problem,
    visible,
)

if TYPE_CHECKING:
    from doctor.launch.model import Launch

_LOOPBACK = ("127.", "localhost", "::1", "[::1]")


@check(
    code="KVD924",
    slug="container-port-unreachable",
    severity=Severity.WARNING,
    hop=Hop.TCP,
    needs=(facts.LAUNCH,),
)
async def container_port_unreachable(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A container publishes a port on which nothing in it can be reached.

    What it checks: the container's side of the published ports against `--port` (8000 where it is
    not given), and `--host` against the loopback address, which inside a container is the
    container's own.

    Why it matters: vLLM starts and says that it listens, and every client gets "connection
    refused", "connection reset" or an empty reply.

    How to fix: publish the port that vLLM listens on, and leave `--host` out inside a container;
    whom the port is open to is decided where it is published.

    Fix safety: `-p 127.0.0.1:8000:8000` keeps the port to this machine.

    References: docker's documentation of published ports; facts/vllm.md §1.3.
    """
    launch = await launched(f)
    container = launch.container
    if container is None or not container.published or container.network == "host":
        raise NotApplicable("the line publishes no port")
    if container.runtime in ("kubernetes", "build") or launch.open_ended or launch.has("--uds"):
        raise NotApplicable("where the server listens is not told")
    finding = _address(launch) or _port(launch)
    if finding is not None:
        yield finding


def _address(launch: Launch) -> Finding | None:
    host, argument = launch.value("--host"), launch.last("--host")
    if argument is None or host is None or not host.startswith(_LOOPBACK):
        return None
    from doctor.launch.edits import removed

    why = _("Inside a container vLLM must listen on the container's own address.")
    return problem(
        _("vLLM listens inside the container only"),
        _(
            "--host {host} is the container's own loopback address, which no published port leads"
            " to. Leave it out, and publish the port to 127.0.0.1 instead.",
            host=visible(host),
        ),
        evidence=(Evidence(_("launch line"), launch.where(argument.first), f"--host {host}"),),
        edits=(removed(argument, why),),
    )


def _port(launch: Launch) -> Finding | None:
    argument = launch.last("--port")
    listening = launch.number("--port") if argument is not None else 8000
    if listening is None:
        return None
    assert launch.container is not None
    inner = sorted({port.inner for port in launch.container.published})
    if listening in inner:
        return None
    told = ", ".join(map(str, inner))
    return problem(
        _("Port {inner} is published, vLLM listens on {port}", inner=told, port=listening),
        _(
            "Nothing in the container answers on {inner}. Publish {port}, as in -p {outer}:{port}.",
            inner=told,
            port=listening,
            outer=launch.container.published[0].outer or listening,
        ),
        evidence=(
            Evidence(
                _("launch line"),
                launch.where(argument.first) if argument is not None else launch.place,
                f"--port {listening}" if argument is not None else _("no --port"),
            ),
        ),
    )
