"""Whether the ranks of a line are spread over several machines."""

from __future__ import annotations

from doctor.launch.model import Launch
from doctor.patterns import Pattern

# A Ray cluster that the same text starts or joins: vLLM then takes Ray by itself where one machine
# has too few GPUs (vllm/config/parallel.py@0.32.0). LWS_… are a LeaderWorkerSet's own variables.
_CLUSTER = Pattern(
    r"\bray[ ]start\b|\bRAY_ADDRESS\b|--ray[-_]address\b|multi-node-serving\.sh|\bLWS_[A-Z]"
    r"|(?m:^[ \t]*kind:[ \t]*(?:LeaderWorkerSet|RayCluster|RayService|RayJob)\b)"
)


def several_machines(launch: Launch) -> bool:
    """Told by the line, or by what stands around it."""
    if launch.value("--distributed-executor-backend") == "ray":
        return True
    if (launch.number("--nnodes") or 1) > 1 or launch.has("--node-rank", "--headless"):
        return True
    return _CLUSTER.search(launch.text) is not None
