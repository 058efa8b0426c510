"""The engine's prefix cache, played prompt by prompt (facts/vllm.md §6).

Requests come one after the other, as they stand in the log. A request hits the longest run of its
first blocks that are there, but never its last token; it then takes blocks for the rest, the least
recently used going first; when it ends its blocks are free again, the last one to go first.

So no block is there without those before it, and what one request was the last to use stands
together in the order in which it goes. That is why the cache is a tree of runs of blocks, each with
its text: a prompt costs a few comparisons of text, not a look-up for each of its blocks.
"""

from __future__ import annotations

from collections import OrderedDict

from doctor.prefix.blocks import Blocks
from doctor.prefix.spots import common_prefix

# Blocks of a run: its text is copied when it is parted or becomes longer.
_LONGEST = 256


class _Run:
    """``text`` is that of its blocks, but for ``gone`` blocks at the end. It stands in ``among``
    under the text of its first block, and ``behind`` are the runs that were seen behind it."""

    __slots__ = ("among", "behind", "gone", "seed", "text", "unit")

    def __init__(self, text: str, unit: int, seed: int, among: _Runs) -> None:
        self.text = text
        self.gone = 0
        self.unit = unit
        self.seed = seed
        self.among = among
        self.behind: _Runs | None = None
        among[text[:unit]] = self

    def runs_behind(self) -> _Runs:
        if self.behind is None:
            self.behind = {}
        return self.behind

    def let_go(self) -> None:
        """Shorten the text by what is gone."""
        self.text = self.text[: -self.gone * self.unit]
        self.gone = 0


_Runs = dict[str, _Run]


class PrefixCache:
    """``capacity`` is in blocks; ``align`` is how many blocks a hit must be a multiple of
    (hybrid models hit whole scheduler blocks only)."""

    def __init__(self, capacity: int, align: int = 1) -> None:
        self.capacity = max(capacity, 1)
        self.align = align
        # By seed: the runs with which prompts begin.
        self._first: dict[int, _Runs] = {}
        # The first is the next to go; each run stands before the one that it is behind.
        self._free: OrderedDict[_Run, None] = OrderedDict()
        self._held = 0
        self._full = False

    def copy(self) -> PrefixCache:
        """Another one that holds the same."""
        made = PrefixCache(self.capacity, self.align)
        made._held, made._full = self._held, self._full
        copies: dict[int, _Runs] = {}
        for seed, runs in self._first.items():
            copies[id(runs)] = made._first[seed] = {}
        for run in reversed(self._free):
            if run.gone:
                run.let_go()
            one = _Run(run.text, run.unit, run.seed, copies[id(run.among)])
            if run.behind is not None:
                copies[id(run.behind)] = one.runs_behind()
            made._free[one] = None
            made._free.move_to_end(one, last=False)
        return made

    @property
    def missing(self) -> int:
        """Blocks for which there was room all the time: once a cache gave something away, what it
        holds follows from the latest requests alone."""
        return 0 if self._full else self.capacity - self._held

    def play(self, prompt: Blocks, length: int, size: int) -> int:
        """Play one prompt of ``length`` tokens in blocks of ``size``; the value is the number of
        blocks that hit."""
        free, unit = self._free, prompt.unit
        end = len(prompt.text) // unit * unit
        usable = min(end, (length - 1) // size * unit)
        path: list[_Run] = []
        at = self._there(prompt, path, 0, usable, self.align)
        hits = at // unit
        for run in path:
            del free[run]
        spare = self.capacity - self._held + hits - -(-length // size)
        if spare < 0:
            self._full = True
            self._give(-spare)
        if at < end:
            if at >= usable or self.align > 1:
                at = self._rest(prompt, path, at, end)
            self._add(prompt, path, at, end)
        for run in reversed(path):
            free[run] = None
        if self._held > self.capacity:
            self._give(self._held - self.capacity)
        return hits

    def _there(self, prompt: Blocks, path: list[_Run], at: int, end: int, align: int = 1) -> int:
        """Add to ``path``, which reaches to ``at``, what is there of the prompt before ``end``. The
        value is how far it reaches now, by whole ``align`` blocks."""
        text, unit = prompt.text, prompt.unit
        runs = path[-1].behind if path else self._first.get(prompt.seed)
        reach = at
        while runs and reach < end:
            run = runs.get(text[reach : reach + unit])
            if run is None:
                break
            if run.gone:
                run.let_go()
            path.append(run)
            at, reach = reach, reach + len(run.text)
            if reach > end or not text.startswith(run.text, at):
                at += common_prefix(run.text, text[at:end]) // unit * unit
                break
            at, runs = reach, run.behind
        at -= at // unit % align * unit
        if at < reach:
            self._shorten(path, reach - at)
        return at

    def _shorten(self, path: list[_Run], over: int) -> None:
        """Take the last ``over`` characters off the path, if need be within a run."""
        while over and over >= len(path[-1].text):
            over -= len(path.pop().text)
        if over:
            path[-1] = self._split(path[-1], len(path[-1].text) - over)

    def _split(self, run: _Run, length: int) -> _Run:
        """The first ``length`` characters as a run of their own, which is used now; the rest stays
        where it is among those that may go."""
        begin = _Run(run.text[:length], run.unit, run.seed, run.among)
        run.text = run.text[length:]
        run.among = begin.behind = {run.text[: run.unit]: run}
        self._free[begin] = None
        return begin

    def _rest(self, prompt: Blocks, path: list[_Run], at: int, end: int) -> int:
        """Lengthen the path by the blocks that are no hit, but there still."""
        used = len(path)
        at = self._there(prompt, path, at, end)
        for run in path[used:]:
            del self._free[run]
        return at

    def _add(self, prompt: Blocks, path: list[_Run], at: int, end: int) -> None:
        """Lengthen the path from ``at`` to ``end`` by new blocks."""
        unit, seed = prompt.unit, prompt.seed
        self._held += (end - at) // unit
        step = _LONGEST * unit
        if path and not path[-1].behind and len(path[-1].text) + end - at <= step:
            path[-1].text += prompt.text[at:end]
            return
        among = path[-1].runs_behind() if path else self._first.setdefault(seed, {})
        while at < end:
            run = _Run(prompt.text[at : min(at + step, end)], unit, seed, among)
            path.append(run)
            at += step
            if at < end:
                among = run.runs_behind()

    def _give(self, blocks: int) -> None:
        """Let so many of the least recently used blocks go, or all that nobody uses."""
        free = self._free
        while blocks and free:
            run = next(iter(free))
            has = len(run.text) // run.unit - run.gone
            if has > blocks:
                run.gone += blocks
                self._held -= blocks
                return
            del free[run]
            among = run.among
            del among[run.text[: run.unit]]
            if not among and self._first.get(run.seed) is among:
                del self._first[run.seed]
            self._held -= has
            blocks -= has
