"""One sitting: exchanges come in, are read beside the relay, counted, kept and shown."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import IO

from doctor.facts.answers import OutcomeKind
from doctor.facts.prefixlog import PrefixLog
from doctor.prefix.analyse import Analyser
from doctor.prefix.answer import fact_of
from doctor.prefix.player import Engine
from doctor.prefix.prompts import NoPrompt
from doctor.prefix.result import Analysis
from doctor.secrets import Redactor
from doctor.tap.preparing import Place
from doctor.tap.reading import read
from doctor.tap.record import Record, document
from doctor.tap.seen import Seen

# Fewer prompts say nothing about what they share.
_PROMPTS = 2


class Sitting:
    """``show`` is called in the loop's thread with each record. ``out`` gets a line for each; with
    ``prompts`` the requests' bodies are in it.

    Prompts are looked at for what they share and then forgotten, whether they are kept or not.
    """

    def __init__(
        self,
        places: Iterable[Place],
        redactor: Redactor,
        *,
        show: Callable[[Record], None] = lambda record: None,
        out: IO[str] | None = None,
        prompts: bool = False,
    ) -> None:
        self._upstreams = {place.lead.id: place.upstream for place in places}
        self._redactor = redactor
        self._show = show
        self._out = out
        self._prompts = prompts
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="tap")
        self._loop = asyncio.get_running_loop()
        self._reading: set[Future[None]] = set()
        self._failed: dict[str, int] = {}
        self._telling: dict[tuple[str, OutcomeKind, int | None], Record] = {}
        self._analyser = Analyser(Engine())
        self.records: list[Record] = []
        self.trouble = ""

    def done(self, seen: Seen) -> None:
        """Takes an exchange that is over."""
        reading = self._reader.submit(self._take, seen)
        self._reading.add(reading)
        reading.add_done_callback(self._reading.discard)

    def _take(self, seen: Seen) -> None:
        record = read(seen, self._upstreams[seen.place], self._redactor)
        self._count(record)
        self._share(record)
        try:
            self._keep(record)
        except OSError as error:
            self._out = None
            self.trouble = f"{error.filename or '--record'}: {error.strerror}"
        record.body = None
        self._lighten(record)
        self.records.append(record)
        with contextlib.suppress(RuntimeError):  # the loop is closed already
            self._loop.call_soon_threadsafe(self._show, record)

    def _count(self, record: Record) -> None:
        """Tell a retry: the same request again after it failed or was given up."""
        record.retry_of = self._failed.pop(record.digest, None)
        if record.asks_model and (record.failed or record.given_up):
            self._failed[record.digest] = record.number

    def _lighten(self, record: Record) -> None:
        """Of answers that mean the same the last one is judged by; the others need no body."""
        if record.reply is None:
            return
        key = (record.place, record.reply.outcome.kind, record.status)
        before, self._telling[key] = self._telling.get(key), record
        if before is not None and before.reply is not None:
            bare = replace(before.reply.exchange, body="", events=())
            before.reply = replace(before.reply, exchange=bare)

    def _share(self, record: Record) -> None:
        """One prompt more to compare; a retry is the same once more."""
        if not record.asks_model or record.body is None or record.retry_of is not None:
            return
        whole = {"request": {"body": record.body}, **_usage(record)}
        with contextlib.suppress(NoPrompt):
            self._analyser.add(self._analyser.reader.prompt(whole))

    def _keep(self, record: Record) -> None:
        if self._out is not None:
            line = json.dumps(document(record, prompts=self._prompts), ensure_ascii=False)
            self._out.write(self._redactor(line) + "\n")
            self._out.flush()

    async def finish(self) -> tuple[PrefixLog | None, Analysis | None]:
        """Wait until all is read. What the prompts share, None where there are too few."""
        reading = [asyncio.wrap_future(one) for one in list(self._reading)]
        for outcome in await asyncio.gather(*reading, return_exceptions=True):
            if isinstance(outcome, Exception):
                self.trouble = f"{type(outcome).__name__}: {outcome}"
        self._reader.shutdown()
        self.records.sort(key=lambda record: record.number)
        analysis = await asyncio.to_thread(self._analyser.finish)
        if analysis.requests < _PROMPTS:
            return None, None
        return fact_of(analysis, "tap"), analysis


def _usage(record: Record) -> Mapping[str, object]:
    told = document(record)["response"]["usage"]
    return {} if told is None else {"response": {"usage": told}}


def opened(path: Path) -> IO[str]:
    """The file for the record, for its owner alone. Raises ``OSError``.

    Half a character, as a prompt that was cut may hold, is written as JSON spells it.
    """

    def private(name: str, flags: int) -> int:
        return os.open(name, flags, 0o600)

    return open(
        path, "w", encoding="utf-8", errors="backslashreplace", newline="\n", opener=private
    )
