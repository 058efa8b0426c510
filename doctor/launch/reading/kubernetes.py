"""Containers of Kubernetes manifests: pods, deployments and whatever else holds pod templates."""

from __future__ import annotations

from doctor.launch.model import Container, Variable
from doctor.launch.reading.compose import _line
from doctor.launch.reading.found import Found, Groups
from doctor.launch.reading.sizes import size_of
from doctor.launch.reading.yamltext import (
    Fill,
    Node,
    end,
    find,
    get,
    is_mapping,
    is_sequence,
    line,
    list_words,
    pairs,
    start,
    text_of,
    walk,
)

# What runs containers as they stand. Operators of other kinds (KServe, Ray, …) give them arguments
# or a whole command of their own.
_PLAIN = frozenset(
    {"Pod", "PodTemplate", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob"}
    | {"ReplicationController", "List", "LeaderWorkerSet"}
)
_GPU = ("nvidia.com/gpu", "amd.com/gpu")


def read(text: str, roots: list[Node], groups: Groups) -> list[Found]:
    """One for each container."""
    found = []
    for root in roots:
        added_to = (text_of(find(root, "kind")) or "") not in _PLAIN
        for node in walk(root):
            containers = find(node, "containers") if is_mapping(node) else None
            if is_sequence(containers):
                assert containers is not None
                for one in containers.value:
                    if is_mapping(one):
                        made = _container(text, node, one, groups)
                        made.added_to = added_to
                        if made.words or not added_to:
                            found.append(made)
    return found


def _container(text: str, pod: Node, node: Node, groups: Groups) -> Found:
    variables = _variables(text, find(node, "env"))
    fill = Fill({v.name: v.value for v in variables if v.known}, pod=True)
    words = []
    for key in ("command", "args"):
        part = find(node, key)
        if is_sequence(part):
            words += list_words(text, part, groups, fill)
    container = Container(
        "kubernetes",
        text_of(find(node, "image")) or "",
        shm=_shm(pod, node),
        ipc="host" if text_of(find(pod, "hostIPC")) == "true" else "",
        network="host" if text_of(find(pod, "hostNetwork")) == "true" else "",
        gpus=_gpus(node, variables),
    )
    name = text_of(find(node, "name")) or "container"
    first = find(node, "args") or find(node, "command") or node
    own = is_sequence(find(node, "command"))
    return Found(words, name, line(first), [], variables, container, own_program=own)


def _variables(text: str, node: Node | None) -> list[Variable]:
    found = []
    if is_sequence(node):
        assert node is not None
        for entry in node.value:
            name, value = text_of(find(entry, "name")), find(entry, "value")
            if name and value is not None:
                cut = _line(text, start(entry), end(value)) if not entry.flow_style else None
                found.append(Variable(name, text_of(value) or "", cut))
            elif name:
                found.append(Variable(name, "", None, known=False))
    return found


def _gpus(node: Node, variables: list[Variable]) -> int | None:
    """Unless it sees the node's other GPUs too: as a privileged one, or by NVIDIA's variable, that
    the device plugin sets otherwise."""
    privileged = text_of(get(node, "securityContext", "privileged")) == "true"
    if privileged or any(v.name == "NVIDIA_VISIBLE_DEVICES" for v in variables):
        return None
    for kind in ("limits", "requests"):
        for name, value in pairs(get(node, "resources", kind)):
            told = text_of(value) or ""
            if name in _GPU and told.isdigit():
                return int(told)
    return None


def _shm(pod: Node, node: Node) -> int | None:
    """The size of what is mounted at /dev/shm, None where nothing is (then it is 64 MiB). A
    volume in memory without a limit may use half of the node's."""
    mounts, volumes = find(node, "volumeMounts"), find(pod, "volumes")
    if not is_sequence(mounts) or not is_sequence(volumes):
        return None
    assert mounts is not None
    assert volumes is not None
    names = {
        text_of(find(m, "name"))
        for m in mounts.value
        if text_of(find(m, "mountPath")) == "/dev/shm"  # noqa: S108
    }
    for volume in volumes.value:
        if text_of(find(volume, "name")) in names:
            limit = text_of(get(volume, "emptyDir", "sizeLimit"))
            size = size_of(limit, decimal=True) if limit else None
            return size if size is not None else 1 << 40
    return None
