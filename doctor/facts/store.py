"""Facts: gathered lazily, once per run, within a time limit.

A ``Fact`` names a thing that can be observed and how. ``Facts`` is the store of one connection:
whoever asks first starts the gathering, all others wait for the same task. Facts of scope RUN
live in the root store and are shared by every connection of the run, those that the repair
search tries included. What the facts of several connections ask of the network in the same words
is asked once as well (``Facts.once``).
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from doctor.connection import Connection
from doctor.records import dataclass
from doctor.text import _, message

if TYPE_CHECKING:
    from doctor.context import RunContext

T = TypeVar("T")


class Unavailable(Exception):
    """A fact could not be had. The text is the reason, for the reader of the report."""

    def __init__(self, reason: str) -> None:
        super().__init__(message(reason))


class Scope(enum.StrEnum):
    RUN = "run"
    CONNECTION = "connection"


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """``timeout`` is in seconds, None for the run's own; ``type`` is the class of the value,
    with which a saved run is read back."""

    key: str
    type: Any
    gather: Callable[[Facts], Awaitable[T]]
    scope: Scope = Scope.CONNECTION
    timeout: float | None = None

    def __hash__(self) -> int:
        return hash(self.key)


class Recorder(Protocol):
    """Keeps what was gathered (to save it) or answers from what was kept (to replay it)."""

    def recall(self, scope: str, fact: Fact[T]) -> T | Unavailable | None: ...

    def keep(self, scope: str, fact: Fact[Any], value: object) -> None: ...


class Facts:
    """The facts of one connection. ``changes`` are the ids of the changes tried on it.

    ``behind`` are the facts of the engine behind it, where the user named one; ``origin`` those of
    the connection before any change. ``launch_file`` is the file that the user names as the one
    that starts the engine.
    """

    def __init__(
        self,
        run: RunContext,
        target: str,
        connection: Connection | None,
        root: Facts | None = None,
        changes: tuple[str, ...] = (),
        behind: Facts | None = None,
        origin: Facts | None = None,
        launch_file: str | None = None,
    ) -> None:
        self.run = run
        self.target = target
        self.changes = changes
        self.behind = behind
        self.origin = origin or self
        self.launch_file = launch_file
        self._connection = connection
        self._root = root or self
        self._tasks: dict[str, asyncio.Task[Any]] = {}
        self._asked: dict[Hashable, asyncio.Task[Any]] = {}

    @property
    def connection(self) -> Connection:
        if self._connection is None:
            raise Unavailable("no connection is examined")
        return self._connection

    @property
    def scope_key(self) -> str:
        return "|".join((self.target, *self.changes))

    def at(self, connection: Connection, changes: tuple[str, ...]) -> Facts:
        """The facts of a changed connection; those of the run are shared."""
        return Facts(
            self.run,
            self.target,
            connection,
            self._root,
            changes,
            behind=self.behind,
            origin=self.origin,
            launch_file=self.launch_file,
        )

    async def get(self, fact: Fact[T]) -> T:
        """The value of ``fact``; raises ``Unavailable`` with the reason."""
        if fact.scope is Scope.RUN and self._root is not self:
            return await self._root.get(fact)
        task = self._tasks.get(fact.key)
        if task is None:
            task = asyncio.create_task(self._gather(fact), name=f"fact {fact.key}")
            self._tasks[fact.key] = task
        value: T
        if task.done():
            value = task.result()
            return value
        # A caller that is cancelled must not take the fact away from the others.
        value = await asyncio.shield(task)
        await self.run.turns.take()
        return value

    async def find(self, fact: Fact[T]) -> T | None:
        """The value, or None where it cannot be had."""
        try:
            return await self.get(fact)
        except Unavailable:
            return None

    async def once(self, what: Hashable, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What ``ask`` gives or raises, asked once per run: whichever connection asks for the same
        ``what`` later gets the first one's answer.

        ``what`` names the question and holds all that bears on the answer.
        """
        asked = self._root._asked
        task = asked.get(what)
        if task is None:
            task = asyncio.create_task(ask(), name="asked once")
            asked[what] = task
        value: T = await asyncio.shield(task)
        return value

    async def _gather(self, fact: Fact[T]) -> T:
        scope = "run" if fact.scope is Scope.RUN else self.scope_key
        recalled = self.run.recorder.recall(scope, fact)
        if isinstance(recalled, Unavailable):
            raise recalled
        if recalled is not None:
            return recalled
        limit = fact.timeout if fact.timeout is not None else self.run.options.deadline
        try:
            async with asyncio.timeout(limit):
                value = await fact.gather(self)
        except TimeoutError:
            error = Unavailable(_("no answer within {limit}", limit=f"{limit:g} s"))
            self.run.recorder.keep(scope, fact, error)
            raise error from None
        except Unavailable as unavailable:
            self.run.recorder.keep(scope, fact, unavailable)
            raise
        self.run.recorder.keep(scope, fact, value)
        return value

    def close(self) -> None:
        """Stop whatever is still being gathered."""
        for task in (*self._tasks.values(), *self._asked.values()):
            task.cancel()
        if self.behind is not None:
            self.behind.close()


class DeclaredFacts:
    """The store as one check sees it: only the facts that it declared."""

    def __init__(self, facts: Facts, declared: Iterable[Fact[Any]]) -> None:
        self._facts = facts
        self._declared = frozenset(declared)

    @property
    def connection(self) -> Connection:
        return self._facts.connection

    @property
    def target(self) -> str:
        """The id of the target; sightings name it in ``in_effect_for``."""
        return self._facts.target

    def _require(self, fact: Fact[Any]) -> None:
        if fact not in self._declared:
            raise LookupError(f"the check reads {fact.key} without declaring it")

    async def get(self, fact: Fact[T]) -> T:
        self._require(fact)
        return await self._facts.get(fact)

    async def find(self, fact: Fact[T]) -> T | None:
        self._require(fact)
        return await self._facts.find(fact)
