"""Runs the user's command, or waits for the user."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

_FORWARDED = tuple(
    number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)


async def run_command(
    command: Sequence[str], variables: Mapping[str, str], *, aside: bool = False
) -> int:
    """The command's exit code, 128 and the signal's number where one ended it.

    It has the terminal: Ctrl-C is for it. ``aside`` sends what it writes to stdout to stderr.
    Raises ``OSError`` where it cannot be started.
    """
    program = shutil.which(command[0], path=variables.get("PATH")) or command[0]
    process = await asyncio.create_subprocess_exec(
        program, *command[1:], env=dict(variables), stdout=sys.stderr if aside else None
    )

    def pass_on(number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)

    with _handling({signal.SIGINT: lambda _number: None, **dict.fromkeys(_FORWARDED, pass_on)}):
        code = await process.wait()
    return 128 - code if code < 0 else code


async def wait_for_user() -> None:
    """Until Ctrl-C, or a signal that ends programs."""
    over = asyncio.Event()
    numbers = (signal.SIGINT, *_FORWARDED)
    with _handling(dict.fromkeys(numbers, lambda _number: over.set())):
        await over.wait()


@contextlib.contextmanager
def _handling(handlers: Mapping[int, Callable[[int], None]]) -> Iterator[None]:
    """Signals go to ``handlers`` for as long as the context lasts."""
    loop = asyncio.get_running_loop()
    before = {}
    for number, handler in handlers.items():

        def handle(got: int, _frame: object, handler: Callable[[int], None] = handler) -> None:
            loop.call_soon_threadsafe(handler, got)

        before[number] = signal.signal(number, handle)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
