"""One sitting at the clinic: the case that is open, with its servers, and what is done about it."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from doctor.clinic.cases import Case, hints
from doctor.clinic.judge import Verdict, judge, named
from doctor.clinic.progress import Progress, Standing
from doctor.clinic.sandbox import Sandbox, opened, prepare, serving
from doctor.secrets import Redactor
from doctor.text import Text


class Sitting:
    """At most one case is open; its servers are up until another is opened, or ``close``.

    Every method may raise ``SandboxError`` or ``OSError``.
    """

    def __init__(self, root: Path, redactor: Redactor) -> None:
        self._root = root
        self._redactor = redactor
        self._progress = Progress(root)
        self._stack = contextlib.AsyncExitStack()
        self._one_at_a_time = asyncio.Lock()
        self.sandbox: Sandbox | None = None
        self.verdict: Verdict | None = None

    @property
    def case(self) -> Case | None:
        """The open one."""
        return self.sandbox.case if self.sandbox is not None else None

    def standing(self, case: Case) -> Standing:
        return self._progress.of(case.name)

    def hints(self, case: Case) -> tuple[Text, ...]:
        """Those that were asked for. The settings of a case are known once it was opened."""
        if self.sandbox is None or self.sandbox.case != case:
            return ()
        return hints(case, self.sandbox.settings)[: self.standing(case).hints]

    async def open(self, case: Case, *, anew: bool = False) -> Verdict:
        """Open ``case`` as it was left, or laid ``anew``; what its user notices."""
        async with self._one_at_a_time:
            await self._close()
            sandbox = None if anew else opened(case, self._root)
            if sandbox is None:
                sandbox = await prepare(case, self._root)
            await self._stack.enter_async_context(serving(sandbox))
            self.sandbox = sandbox
            self.verdict = await judge(sandbox, self._redactor)
            return self.verdict

    async def check(self) -> Verdict:
        """Judge the open case. Raises ``LookupError`` where none is."""
        async with self._one_at_a_time:
            sandbox = self._open
            self.verdict = await judge(sandbox, self._redactor)
            self._progress.judged(sandbox.case.name, self.verdict.solved)
            return self.verdict

    def answer(self, word: str) -> Verdict:
        """Judge a name for the open case. Raises ``LookupError`` where none is."""
        verdict = named(self._open.case, word)
        self._progress.judged(self._open.case.name, verdict.solved)
        return verdict

    def hint(self) -> None:
        """One hint more for the open case. Raises ``LookupError`` where none is."""
        sandbox = self._open
        self._progress.hinted(sandbox.case.name, len(hints(sandbox.case, sandbox.settings)))

    async def close(self) -> None:
        """End the servers; the files stay."""
        async with self._one_at_a_time:
            await self._close()

    @property
    def _open(self) -> Sandbox:
        if self.sandbox is None:
            raise LookupError("no case is open")
        return self.sandbox

    async def _close(self) -> None:
        self.sandbox = self.verdict = None
        stack, self._stack = self._stack, contextlib.AsyncExitStack()
        await stack.aclose()
