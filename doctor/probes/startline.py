"""The line that starts the engine, where it is known: of the file that the user named, of the
process that listens, or of the compose file in the working folder.

Only what the engine tells of itself as well is kept of it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from doctor.facts import ENGINE
from doctor.facts.engine import StartLine, Stated
from doctor.facts.store import Facts, Unavailable
from doctor.launch import versions
from doctor.launch.lines import Wanted, launches
from doctor.launch.model import Argument, Entry, Launch, Version
from doctor.launch.models import model_of
from doctor.launch.reading.detect import read_argv, read_text
from doctor.launch.reading.found import NothingFound
from doctor.probes.starting import listening_on, port_of, serves
from doctor.settings import textfile
from doctor.text import _
from doctor.untrusted import visible

_PORT = 8000
_LIMIT = 1024 * 1024
_COMPOSE = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
# Laid over the other by compose: what runs is in neither of the two.
_OVERRIDE = tuple(name.replace(".y", ".override.y") for name in _COMPOSE)
_STARTS = (Entry.SERVE, Entry.API_SERVER, Entry.IMAGE)


async def start_line(facts: Facts) -> StartLine:
    """Raises ``Unavailable`` where nothing tells how the engine was started."""
    engine = await facts.get(ENGINE)
    if engine.root is None:
        raise Unavailable(engine.detail)
    parts = urlsplit(engine.root)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    file = facts.launch_file
    if file is not None:
        return await asyncio.to_thread(of_file, file, port)
    if not engine.local:
        raise Unavailable(_("the engine is on another machine, and no file says how it starts"))
    folder = facts.run.environment.cwd
    return await facts.once(("start line", port), lambda: asyncio.to_thread(_here, port, folder))


def of_file(file: str, port: int) -> StartLine:
    """The only line of ``file``, or the one for ``port``. Raises ``Unavailable``."""
    try:
        text = textfile.read(Path(file), _LIMIT).text
    except textfile.Unreadable as error:
        raise Unavailable(f"{visible(file, 300)}: {error}") from None
    found = _lines(text, visible(os.path.basename(file), 200), os.path.dirname(file))
    mine = found if len(found) == 1 else [one for one in found if _listens(one, port)]
    if len(mine) != 1:
        raise Unavailable(
            _("{file} does not tell which of its lines starts this engine", file=visible(file, 300))
        )
    return _told(mine[0], given=True)


def _here(port: int, folder: str) -> StartLine:
    found = _of_process(port) or _of_compose(port, folder)
    if found is None:
        raise Unavailable(_("nothing tells how the engine was started"))
    return found


def _of_process(port: int) -> StartLine | None:
    from doctor.launch.reading.process import of_pid

    for pid in listening_on(port):
        try:
            found, folder = of_pid(pid)
            words = [word.text for word in found.words]
            if not serves(words) or port_of(words) != port:
                continue
            wanted = Wanted(here=True, folder=folder)
            made = [one for one, _kinds in launches(read_argv(words), f"pid {pid}", wanted)]
        except NothingFound:
            continue
        if len(made) == 1 and not made[0].open_ended:
            return _told(made[0], running=True)
    return None


def _of_compose(port: int, folder: str) -> StartLine | None:
    """The one service that is published on ``port``."""
    if any(os.path.exists(os.path.join(folder, name)) for name in _OVERRIDE):
        return None
    for name in _COMPOSE:
        path = Path(folder, name)
        if not path.is_file():
            continue
        try:
            text = textfile.read(path, _LIMIT).text
        except textfile.Unreadable:
            return None
        mine = [one for one in _lines(text, name, folder) if _published(one, port)]
        return _told(mine[0]) if len(mine) == 1 else None
    return None


def _lines(text: str, place: str, folder: str) -> list[Launch]:
    """Those that start vLLM and are known to their end."""
    try:
        made = launches(read_text(text), place, Wanted(folder=folder))
    except NothingFound:
        return []
    return [one for one, _kinds in made if one.entry in _STARTS and not one.open_ended]


def _listens(launch: Launch, port: int) -> bool:
    if launch.container is not None and launch.container.network != "host":
        return _published(launch, port)
    return (launch.number("--port") or _PORT) == port


def _published(launch: Launch, port: int) -> bool:
    container = launch.container
    if container is None:
        return False
    inner = launch.number("--port") or _PORT
    if container.network == "host":
        return inner == port
    return any(p.outer == port and p.inner == inner for p in container.published)


def _told(launch: Launch, *, running: bool = False, given: bool = False) -> StartLine:
    return StartLine(launch.place, running, given, tuple(_stated(launch, running)))


def _stated(launch: Launch, running: bool) -> Iterator[Stated]:
    for name in ("max_model_len", "block_size"):
        number, found = launch.number(_flag(name)), _literal(launch, _flag(name))
        if found is not None and number is not None and number > 0:
            yield _one(launch, name, found, (str(number),))
    name = "gpu_memory_utilization"
    share, found = launch.fraction(_flag(name)), _literal(launch, _flag(name))
    if found is not None and share is not None and not launch.has("--kv-cache-memory-bytes"):
        yield _one(launch, name, found, (repr(share),))
    name = "enable_prefix_caching"
    on, found = launch.on(_flag(name)), _literal(launch, _flag(name))
    if found is not None and on is not None:
        yield _one(launch, name, found, (str(on),))
    yield from _names(launch)
    version = _version(launch, running)
    if version is not None:
        written = visible(f"vLLM {version.text} ({version.origin})", 300)
        yield Stated("version", (version.text,), written, launch.place)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _literal(launch: Launch, flag: str) -> Argument | None:
    """The argument that counts, where its value stands in the text. What a variable gives may be
    another value wherever the line is run."""
    found = launch.last(flag)
    return None if found is None or _filled_in(launch, found) else found


def _filled_in(launch: Launch, found: Argument) -> bool:
    words = launch.words[found.first : found.last + 1]
    return not found.known or any(
        word.start >= 0 and "$" in launch.text[word.start : word.end] for word in words
    )


def _names(launch: Launch) -> Iterator[Stated]:
    if launch.has("--served-model-name"):
        found = _literal(launch, "--served-model-name")
        if found is not None and found.values:
            yield _one(launch, "served_model_name", found, found.values)
        return
    model, argument = model_of(launch), launch.model or launch.last("--model")
    if model and argument is not None and not _filled_in(launch, argument):
        shown = visible(model, 300)
        yield Stated("model", (shown,), shown, launch.where(argument.first))


def _one(launch: Launch, name: str, found: Argument, values: Sequence[str]) -> Stated:
    words = launch.words[found.first : found.last + 1]
    written = visible(" ".join(word.text for word in words), 200)
    return Stated(
        name, tuple(visible(value, 300) for value in values), written, launch.where(found.first)
    )


def _version(launch: Launch, running: bool) -> Version | None:
    """Of the image, or of what is installed where the process runs; what a text only mentions is
    no part of the line."""
    image = launch.container.image if launch.container is not None else ""
    if image:
        return versions.of_image(image) if image in launch.text else None
    return launch.version if running and not launch.version.assumed else None
