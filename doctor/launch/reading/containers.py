"""``docker run`` and its like: what the container is given, and where its own command begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from doctor.launch.model import Container, Published, Span, Variable, Word
from doctor.launch.reading.sizes import size_of
from doctor.patterns import Pattern
from doctor.records import dataclass

RUNTIMES = frozenset({"docker", "podman", "nerdctl"})
_ALONE = frozenset(
    {"--rm", "--detach", "--interactive", "--tty", "--privileged", "--init", "--read-only"}
    | {"--publish-all", "--no-healthcheck", "--oom-kill-disable", "--sig-proxy", "--quiet"}
    | {"--disable-content-trust", "--replace", "--no-hosts", "--tls-verify"}
)
_LETTERS_ALONE = frozenset("ditqP")
_CDI = "nvidia.com/gpu="
_LISTED = "NVIDIA_VISIBLE_DEVICES"
# An index or a UUID; of MIG instances several are one GPU.
_DEVICE = Pattern(r"\d+|GPU-[\w-]+")
_DEVICES = Pattern(r"\"?'?device=([^\"']+)\"?'?")


@dataclass(frozen=True, slots=True)
class Run:
    """``image`` is the index of the image's word, None where there is none. ``entrypoint`` is
    that of the option, None where the image's own counts."""

    container: Container
    variables: tuple[Variable, ...]
    image: int | None
    entrypoint: str | None


def run_at(words: Sequence[Word]) -> int | None:
    """The index of ``run`` in ``docker run``, None where there is no such command."""
    for index, word in enumerate(words):
        if word.text.rpartition("/")[2] in RUNTIMES:
            for ahead in range(index + 1, min(index + 4, len(words))):
                if words[ahead].text in ("run", "create"):
                    return ahead
            return None
    return None


def read_run(words: Sequence[Word], run: int) -> Run:
    """The options behind ``run``."""
    taken: list[tuple[str, str, int, int]] = []
    position, image = run + 1, None
    while position < len(words):
        text = words[position].text
        if not text.startswith("-") or text == "-":
            image = position
            break
        name, value, last = _option(words, position)
        taken.append((name, value, position, last))
        position = last + 1
    runtime = next(w.text for w in words if w.text.rpartition("/")[2] in RUNTIMES)
    container = Container(
        runtime.rpartition("/")[2],
        words[image].text if image is not None else "",
        published=tuple(p for n, v, _, _ in taken if n in ("-p", "--publish") for p in ports(v)),
        mounts=tuple(v for n, v, _, _ in taken if n in ("-v", "--volume", "--mount")),
    )
    variables: list[Variable] = []
    entrypoint: str | None = None
    for name, value, first, last in taken:
        if name == "--shm-size":
            container = replace(container, shm=size_of(value))
        elif name == "--ipc":
            container = replace(container, ipc=value)
        elif name in ("--network", "--net"):
            container = replace(container, network=value)
        elif name == "--gpus":
            container = replace(container, gpus=_gpus(value))
        elif name == "--entrypoint":
            entrypoint = value
        elif name in ("-e", "--env"):
            key, equals, text = value.partition("=")
            cut = _cut(words, first, last)
            if equals:
                variables.append(Variable(key, text, cut, words[last].known))
    container = _with_gpus(container, variables, taken)
    if container.shm is None and not container.ipc and words[run].end >= 0:
        more = Span(words[run].end, words[run].end, " --ipc=host")
        container = replace(container, more_shm=more)
    return Run(container, tuple(variables), image, entrypoint)


def _option(words: Sequence[Word], position: int) -> tuple[str, str, int]:
    text = words[position].text
    name, equals, value = text.partition("=")
    if text.startswith("--"):
        if equals:
            return name, value, position
        if name in _ALONE:
            return name, "", position
        return name, words[position + 1].text if position + 1 < len(words) else "", position + 1
    letters = text[1:]
    for index, letter in enumerate(letters):
        if letter in _LETTERS_ALONE:
            continue
        rest = letters[index + 1 :].removeprefix("=")
        if rest:
            return f"-{letter}", rest, position
        following = words[position + 1].text if position + 1 < len(words) else ""
        return f"-{letter}", following, position + 1
    return text, "", position


def _cut(words: Sequence[Word], first: int, last: int) -> Span | None:
    start, end = words[first].start, words[min(last, len(words) - 1)].end
    if start < 0 or first == 0:
        return None
    return Span(words[first - 1].end, end, "")


def _gpus(text: str) -> int | None:
    match = _DEVICES.fullmatch(text)
    if match:
        return len([part for part in match.group(1).split(",") if part.strip()])
    if text.isdigit() and int(text) > 0:
        return int(text)
    return None


def _with_gpus(
    container: Container, variables: Sequence[Variable], taken: Sequence[tuple[str, str, int, int]]
) -> Container:
    """A privileged container sees the host's, whatever it is given
    (NVIDIA/nvidia-container-toolkit issue 73)."""
    given = {name: value for name, value, _, _ in taken}
    if given.get("--privileged", "false") not in ("false", "0"):
        return replace(container, gpus=None)
    by_name = {value for name, value, _, _ in taken if name == "--device" and _CDI in value}
    if by_name and not any(value.endswith("=all") for value in by_name):
        return replace(container, gpus=len(by_name))
    if "--gpus" in given or by_name:
        return container
    return replace(container, gpus=listed_gpus(variables))


def listed_gpus(variables: Sequence[Variable]) -> int | None:
    """How many GPUs NVIDIA's variable gives a container for which no option does: an option sets
    the variable anew (moby/daemon/nvidia_linux.go)."""
    told = next((v for v in reversed(variables) if v.name == _LISTED), None)
    if told is None or not told.known:
        return None
    listed = {part.strip() for part in told.value.split(",") if part.strip()}
    return len(listed) if listed and all(map(_DEVICE.fullmatch, listed)) else None


def ports(text: str) -> tuple[Published, ...]:
    """``127.0.0.1:8000:8000/tcp``; without an outer port the runtime chooses one."""
    body = text.partition("/")[0]
    host = ""
    if body.startswith("["):
        host, _, body = body[1:].partition("]:")
    parts = body.split(":")
    if len(parts) == 3:
        host, *parts = parts
    numbers = [int(part) for part in parts if part.isdigit()]
    if len(numbers) != len(parts) or not numbers:
        return ()
    return (Published(host, numbers[0] if len(numbers) == 2 else None, numbers[-1]),)
