"""Benchmarks of real servers, for the app.

The load runs in a thread with an event loop of its own: what the app draws meanwhile would
otherwise be part of every time that is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from doctor.bench.progress import Event, Tell
from doctor.bench.running import Run, benched
from doctor.bench.saved import check_name, kept, save
from doctor.bench.scenario import Scenario
from doctor.bench.side import Asked
from doctor.bench.stop import Stop
from doctor.commands.bench_asked import require_spending, source_of, to_consent
from doctor.commands.check import run_options
from doctor.commands.output import UsageError
from doctor.facts.machine import Environment
from doctor.facts.store import Unavailable
from doctor.secrets import Redactor
from doctor.settings.discover import Discovery
from doctor.settings.request import TargetRequest
from doctor.text import Text, _
from doctor.tui.bench_form import flags
from doctor.tui.benching import Heard, Wanted, Whom
from doctor.tui.session import Trouble
from doctor.urls import shown

# While the app draws, the thread of the load gets the interpreter this often, in seconds.
_TURN = 0.0005
# And this often, in seconds, what was measured is asked for.
_LOOK = 0.25


class LiveBench:
    """Of the target ``target``. ``options`` are those of ``kvdoctor check``; ``look`` discovers;
    and says by what request; ``where`` is the folder of kept runs."""

    def __init__(
        self,
        target: str,
        options: argparse.Namespace,
        environment: Environment,
        redactor: Redactor,
        look: Callable[[], tuple[TargetRequest, Discovery]],
        where: Path,
    ) -> None:
        self._target = target
        self._options = options
        self._environment = environment
        self._redactor = redactor
        self._look = look
        self._where = where
        self._asked: Asked | None = None

    async def whom(self) -> Whom:
        request, found = await asyncio.to_thread(self._look)
        target = next((each for each in found.targets if each.id == self._target), None)
        if target is None:
            raise Trouble(_("There is no target to examine."))
        try:
            options = run_options(self._options, found)
        except UsageError as error:
            raise Trouble(str(error)) from None
        # The whole of a long answer has to fit in, as it has for the command.
        options = replace(options, timeout=max(options.timeout, flags().timeout))
        self._asked = Asked(target, options, self._environment, found.settings, self._redactor)
        connection = target.connection
        return Whom(
            label=target.label,
            url=shown(connection.base_url.value),
            model=connection.model.value if connection.model is not None else "",
            words=_words(request, self._target, self._options.connect_to),
            refused=self._refused(),
        )

    def _refused(self) -> str:
        try:
            require_spending(self._options)
        except UsageError as error:
            return str(error)
        return ""

    def question(self, scenario: Scenario) -> Text | None:
        return to_consent([self._known.target.connection.base_url.value], scenario)

    @property
    def _known(self) -> Asked:
        assert self._asked is not None, "whom() comes first"
        return self._asked

    async def run(self, wanted: Wanted, stop: Stop) -> AsyncIterator[Heard]:
        asked = replace(self._known, model=wanted.model or None)
        try:
            protocol = asked.target.connection.protocol
            source = source_of(flags(), wanted.scenario, protocol)
            load = _Load(lambda tell: benched(asked, None, wanted.scenario, source, tell, stop))
            async for heard in load.heard():
                yield heard
        except (UsageError, Unavailable) as reason:
            raise Trouble(str(reason)) from None

    # ------------------------------------------------------------------ kept runs

    async def kept(self) -> list[tuple[str, Run]]:
        return await asyncio.to_thread(kept, self._where)

    async def keep(self, run: Run, name: str, *, replace: bool) -> None:
        check_name(name, self._where, replace=replace)
        await asyncio.to_thread(save, run, name, self._where, self._redactor)


_FLAGS = (
    "base_url",
    "model",
    "client",
    "protocol",
    "key_env",
    "key_file",
    "env_file",
    "env_reader",
    "proxy",
    "ca_bundle",
)
_SWITCHES = ("key_stdin", "keychain", "run_key_helper", "trust_project")


def _words(request: TargetRequest, target: str, connect_to: Sequence[str]) -> tuple[str, ...]:
    """What leads a command to the target that ``request`` led to."""
    words = list(request.names) if len(request.names) == 1 else []
    if not words and not request.base_url:
        words = [target]
    for name in _FLAGS:
        value = getattr(request, name)
        if value:
            words += [_flag(name), str(value)]
    words += [_flag(name) for name in _SWITCHES if getattr(request, name)]
    for one in connect_to:
        words += ["--connect-to", one]
    return tuple(words)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


class _Load:
    """Runs ``work`` in a thread; what it tells is heard in the loop of whoever listens."""

    def __init__(self, work: Callable[[Tell], Coroutine[Any, Any, Run]]) -> None:
        self._work = work
        self._at: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self._over = False

    async def heard(self) -> AsyncIterator[Heard]:
        """Everything that is told, and then the run; who stops to listen ends it."""
        told: deque[Event] = deque()
        thread = asyncio.ensure_future(
            asyncio.to_thread(lambda: asyncio.run(self._main(told.append)))
        )
        try:
            with _undisturbed():
                while not thread.done():
                    # To be woken up by each request would take time from the next one.
                    await asyncio.wait((thread,), timeout=_LOOK)
                    while told:
                        yield told.popleft()
                yield thread.result()
        finally:
            self._end()
            await asyncio.gather(thread, return_exceptions=True)

    async def _main(self, tell: Tell) -> Run:
        task = asyncio.current_task()
        assert task is not None
        self._at = (asyncio.get_running_loop(), task)
        if self._over:
            raise asyncio.CancelledError
        return await self._work(tell)

    def _end(self) -> None:
        self._over = True
        if self._at is not None:
            loop, task = self._at
            # A loop that is closed has ended by itself.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """What the app does meanwhile is not to be seen in the times of the load."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    # All that is there by now is not looked through for garbage again and again.
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        sys.setswitchinterval(before)
