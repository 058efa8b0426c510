"""KVD914."""

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
)

if TYPE_CHECKING:
    from doctor.launch.model import Launch

_EVERYWHERE = frozenset({"0.0.0.0", "::", "[::]", "*"})  # noqa: S104 - looked for, not bound


@check(
    code="KVD914",
    slug="engine-open-to-the-network",
    severity=Severity.WARNING,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
    blocking=False,
)
async def engine_open_to_the_network(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Whoever reaches the machine can use the engine: it asks for no key.

    What it checks: the address that vLLM listens on, and for a container the address that its
    port is published on, when neither `--api-key` nor `VLLM_API_KEY` is set. Only an address that
    was written out is a finding; where it is the default that is open, a note tells so. Pods are
    left alone: who reaches them is decided elsewhere.

    Why it matters: without a key every request is served. Published ports pass by many firewalls.
    Some routes answer without a key even when one is set: /metrics, /tokenize, and /invocations,
    which runs the model.

    How to fix: `--host 127.0.0.1` where a gateway on the same machine is in front (in a container:
    `-p 127.0.0.1:8000:8000`), or a key: `VLLM_API_KEY` in the environment, not on the line, where
    every account of the machine can read it.

    Fix safety: clients elsewhere then need the key, or a way through the gateway.

    References: facts/vllm.md §§1.3, 2.1.
    """
    launch = await launched(f)
    from doctor.launch.reach import has_key

    if has_key(launch):
        raise NotApplicable("a key is asked for, or may be")
    if launch.container is not None and launch.container.runtime in ("kubernetes", "build"):
        raise NotApplicable("who reaches the container is decided elsewhere")
    finding = _published(launch) if launch.container is not None else _bound(launch)
    if finding is not None:
        yield finding


def _bound(launch: Launch) -> Finding | None:
    host = launch.value("--host")
    argument = launch.last("--host")
    if argument is None or host is None or host not in _EVERYWHERE:
        return None
    return problem(
        _(
            "Port {port} is open to the network, without a key",
            port=launch.number("--port") or 8000,
        ),
        _(
            "vLLM listens on every address of the machine, as --host {host} says. Whoever reaches"
            " it can use it. Behind a gateway on this machine --host 127.0.0.1 does; otherwise set"
            " VLLM_API_KEY.",
            host=host,
        ),
        evidence=(Evidence(_("launch line"), launch.where(argument.first), f"--host {host}"),),
    )


def _published(launch: Launch) -> Finding | None:
    container = launch.container
    assert container is not None
    if container.network == "host":
        return _bound(launch)
    listening = launch.number("--port") or 8000
    for port in container.published:
        if port.inner != listening or port.host not in _EVERYWHERE:
            continue
        return problem(
            _("Port {port} is published to the network, without a key", port=port.outer or "?"),
            _(
                "The container's port {inner} is bound to every address of the host, and published"
                " ports pass by many firewalls. Write 127.0.0.1:{outer}:{inner} if only this"
                " machine needs it; otherwise set VLLM_API_KEY.",
                inner=port.inner,
                outer=port.outer or port.inner,
            ),
            evidence=(Evidence(_("published port"), launch.place, f"{port.host}:{port.outer}"),),
        )
    return None
