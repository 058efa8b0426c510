"""KVD912."""

from __future__ import annotations

from collections.abc import AsyncIterator

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


@check(
    code="KVD912",
    slug="port-taken",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def port_taken(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The server's port belongs to another program.

    What it checks: the ports that the services of one compose file publish, against each other.
    Whether something on this machine listens on the port now is not asked: it may be the very
    server. A log that says "address already in use" is read by `kvdoctor explain`.

    Why it matters: vLLM loads the model for minutes and then stops with "address already in use";
    a container with a published port that is taken does not start at all.

    How to fix: give each service a port of its own on the host.

    Fix safety: clients have to be told the new port.

    References: facts/vllm.md §5.4 row 59.
    """
    launch = await launched(f)
    if launch.container is None or not launch.neighbours:
        raise NotApplicable("the line publishes no port beside others")
    for published in launch.container.published:
        others = [name for name, port in launch.neighbours if port == published.outer]
        if published.outer is not None and others:
            yield problem(
                _("Port {port} is published twice", port=published.outer),
                _(
                    "{service} and {other} both want port {port} of the host; the second one does"
                    " not start. Publish another, such as {free}:{inner}.",
                    service=visible(launch.id),
                    other=visible(others[0]),
                    port=published.outer,
                    free=published.outer + 1,
                    inner=published.inner,
                ),
                evidence=(
                    Evidence(_("ports"), launch.place, visible(f"{launch.id}, {others[0]}")),
                ),
            )
