"""Services of a compose file that start a server."""

from __future__ import annotations

from typing import Any

from doctor.launch.model import Container, Published, Slip, Span, Variable, Word
from doctor.launch.reading.containers import listed_gpus, ports
from doctor.launch.reading.found import Found, Groups
from doctor.launch.reading.sizes import size_of
from doctor.launch.reading.yamltext import (
    Fill,
    Node,
    command_words,
    end,
    find,
    get,
    is_mapping,
    is_scalar,
    is_sequence,
    items,
    line,
    list_words,
    pairs,
    start,
    text_of,
)


def read(text: str, roots: list[Node], groups: Groups) -> list[Found]:
    """One for each service that has a command or an image."""
    found = []
    for root in roots:
        for name, service in pairs(get(root, "services")):
            if is_mapping(service):
                found.append(_service(text, name, service, groups))
    taken: list[tuple[str, int]] = []
    for one in found:
        one.neighbours = list(taken)
        taken += [(one.name, port) for port in _outer(one.container)]
    return found


def _outer(container: Container | None) -> list[int]:
    return [p.outer for p in container.published if p.outer] if container else []


def _service(text: str, name: str, service: Node, groups: Groups) -> Found:
    variables = _environment(text, find(service, "environment"))
    # References are filled in from the shell and .env, not from the service's own variables.
    fill = Fill({}, pod=False)
    words: list[Word] = []
    slips: list[Slip] = []
    entrypoint = find(service, "entrypoint")
    for node in (entrypoint, find(service, "command")):
        if is_sequence(node):
            words += list_words(text, node, groups, fill)
        elif is_scalar(node) and text_of(node):
            more, trouble = command_words(text, node, groups, fill)
            words += more
            slips += trouble
    container = Container(
        "compose",
        fill(text_of(find(service, "image")) or "")[0],
        shm=size_of(text_of(find(service, "shm_size")) or ""),
        ipc=text_of(find(service, "ipc")) or "",
        network=text_of(find(service, "network_mode")) or "",
        published=_published(find(service, "ports"), fill),
        gpus=_gpus(service, variables),
        more_shm=_more_shm(text, service),
        mounts=_mounts(find(service, "volumes")),
    )
    command = find(service, "command")
    place = line(command) if command is not None else line(service)
    return (
        Found(
            words,
            name,
            place,
            slips,
            variables,
            container,
            neighbours=[],
            own_program=entrypoint is not None,
        )
        if (entrypoint is None or words)
        else Found([], name, place)
    )


def _environment(text: str, node: Node | None) -> list[Variable]:
    found = []
    fill = Fill({}, pod=False)
    if is_mapping(node):
        for key, value in pairs(node):
            told, known = fill(text_of(value) or "")
            found.append(Variable(key, told, _line(text, start(value), end(value)), known))
    elif is_sequence(node):
        assert node is not None
        for item in node.value:
            key, equals, value = (text_of(item) or "").partition("=")
            told, known = fill(value)
            cut = None if node.flow_style else _line(text, start(item), end(item))
            if equals:
                found.append(Variable(key.strip(), told, cut, known))
    return found


def _line(text: str, begin: int, stop: int) -> Span:
    first = text.rfind("\n", 0, begin) + 1
    last = text.find("\n", stop)
    return Span(first, len(text) if last < 0 else last + 1, "")


def _published(node: Node | None, fill: Fill) -> tuple[Published, ...]:
    found: list[Published] = []
    for item in items(node):
        if is_scalar(item):
            told, known = fill(text_of(item) or "")
            found += ports(told) if known else ()
        else:
            inner, outer = text_of(find(item, "target")), text_of(find(item, "published"))
            if inner and inner.isdigit():
                host = text_of(find(item, "host_ip")) or ""
                number = int(outer) if outer and outer.isdigit() else None
                found.append(Published(host, number, int(inner)))
    return tuple(found)


def _gpus(service: Node, variables: list[Variable]) -> int | None:
    if text_of(find(service, "privileged")) == "true":
        return None
    devices = items(get(service, "deploy", "resources", "reservations", "devices"))
    for device in devices:
        ids = items(find(device, "device_ids"))
        if ids:
            return len(ids)
        count = text_of(find(device, "count"))
        if count and count.isdigit():
            return int(count)
    return None if devices or find(service, "gpus") is not None else listed_gpus(variables)


def _mounts(node: Node | None) -> tuple[str, ...]:
    return tuple(text_of(item) or "" for item in items(node) if is_scalar(item))


def _more_shm(text: str, service: Node) -> Span | None:
    """``ipc: host`` ahead of the service's first key."""
    if service.flow_style or not service.value or find(service, "ipc") is not None:
        return None
    first: Any = service.value[0][0]
    begin = start(first)
    indent = text[text.rfind("\n", 0, begin) + 1 : begin]
    if indent.strip():
        return None
    return Span(begin, begin, f"ipc: host\n{indent}")
