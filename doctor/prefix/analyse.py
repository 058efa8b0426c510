"""The whole way of a log: lines → prompts → lineages → blocks → the two caches → causes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from doctor.facts.prefixlog import TURNS
from doctor.prefix.blocks import Blocks, of_tokens
from doctor.prefix.causes import Causes
from doctor.prefix.history import Conversations
from doctor.prefix.lineage import SALT, Lineages, Place
from doctor.prefix.marked import Marks
from doctor.prefix.player import Engine, Places, Player, Totals
from doctor.prefix.prompts import NoPrompt, Prompt, Reader
from doctor.prefix.result import Analysis, Unread
from doctor.prefix.rewrite import rewritten
from doctor.prefix.stream import Line
from doctor.prefix.textlog import TextLog
from doctor.prefix.trace import in_blocks

_DECODER = json.JSONDecoder()
_LINE_ENDS = ("\n", "", "\r\n")
_AHEAD = 64  # prompts whose tokens are asked for together
# What changes is learnt from the first requests before any is played: up to so many, and so many
# characters of them.
_FIRST = 2_000
_FIRST_CHARACTERS = 16 * 1024 * 1024
_MOST_SHORT = 10_000  # prompts of less than a block that are remembered
_ROUNDS = 4  # of learning, where too much was learnt


class Tokens(Protocol):
    """The prompt of a request as the engine's own token ids."""

    def of(self, body: Mapping[str, Any]) -> Sequence[int]:
        """Raises ``NoPrompt``."""
        ...

    def ahead(self, bodies: Sequence[Mapping[str, Any]]) -> None:
        """These will be asked for, each once, and stay alive until then."""
        ...


@dataclass(slots=True)
class _Sums:
    requests: int = 0
    tokens: int = 0
    cached: int = 0
    reported: int = 0
    answers: int = 0
    blind: int = 0
    unread: Unread = field(default_factory=Unread)
    marks: Marks = field(default_factory=Marks)


class Analyser:
    """Reads records one by one; ``finish`` gives the result.

    With ``tokens`` blocks are the engine's own; else they are estimated from characters. ``seen``
    is called with each prompt and its place, by whoever rewrites the log.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        field_path: str | None = None,
        tokens: Tokens | None = None,
        seen: Callable[[Prompt, Place], None] | None = None,
    ) -> None:
        self.engine = engine
        self.tokens = tokens
        self._seen = seen
        self.reader = Reader(field_path)
        self.lineages = Lineages()
        self.conversations = Conversations()
        self.causes = Causes()
        self.player = Player(engine)
        self._sums = _Sums()
        self._text = TextLog()
        self._first: list[Prompt] | None = []
        self._first_characters = 0
        self._short: set[int] = set()

    def lines(self, lines: Iterable[Line]) -> None:
        """Read lines of JSON; those without a prompt are counted."""
        prompts = self._prompts(lines)
        if self.tokens is None:
            for prompt in prompts:
                self.add(prompt)
            return
        while some := list(itertools.islice(prompts, _AHEAD)):
            self.tokens.ahead([prompt.body for prompt in some if prompt.characters])
            for prompt in some:
                self.add(prompt)

    def _prompts(self, lines: Iterable[Line]) -> Iterator[Prompt]:
        for line in lines:
            try:
                if line.data is None:
                    raise NoPrompt("the line is too long")
                prompt = self.reader.prompt(self._record(line.data))
            except (ValueError, RecursionError) as error:
                self._pass_by(f"{line.source}:{line.number}: ", error)
                continue
            yield prompt

    def _record(self, data: bytes) -> Any:
        """Raises ``ValueError``."""
        if data.startswith(b'{"'):
            return _loaded(data)
        if data.lstrip().startswith(b"{") or self.reader.field is not None:
            return json.loads(data)
        record = self._text.record(data.decode("utf-8", "replace"))
        if record is None:
            raise NoPrompt("neither a JSON object nor a line that holds one")
        return record

    def add(self, prompt: Prompt) -> None:
        """Take in one prompt."""
        sums = self._sums
        sums.requests += 1
        sums.blind += (prompt.ids or prompt.blocks) is not None and not prompt.characters
        sums.marks.add(prompt)
        if prompt.tells_cached:
            sums.cached += prompt.cached or 0
            sums.reported += prompt.prompt_tokens or 0
            sums.answers += 1
        if self._first is None:
            self._play(prompt)
            return
        self.lineages.place(prompt)
        self._first.append(prompt)
        self._first_characters += prompt.characters
        if len(self._first) >= _FIRST or self._first_characters >= _FIRST_CHARACTERS:
            self._begin()

    def _begin(self) -> None:
        """Play what was kept back to learn from it."""
        first, self._first = self._first or [], None
        for _again in range(_ROUNDS):
            if (other := self.lineages.learnt_too_much()) is None:
                break
            self.lineages = other
            for prompt in first:
                self.lineages.place(prompt)
        self.lineages.forget_counts()
        for prompt in first:
            self._play(prompt)

    def _play(self, prompt: Prompt) -> None:
        try:
            self._place_and_play(prompt)
        except NoPrompt as error:
            self._sums.requests -= 1
            self._pass_by("", error)

    def count_from_here(self) -> None:
        """What was read so far has only filled the cache and taught what changes."""
        if self._first:
            self._begin()
        self.player.totals = Totals()
        self.lineages.forget_counts()
        self.causes.forget_counts()
        self._sums = _Sums()

    def finish(self) -> Analysis:
        if self._first is not None:
            self._begin()
        totals = self.player.totals
        for number, blocks in totals.lost.items():
            self.causes.all[number].lost = blocks
        self._salts()
        sums = self._sums
        return Analysis(
            requests=sums.requests,
            prompt_tokens=totals.tokens,
            engine=self.engine,
            totals=totals,
            causes=self.causes.all,
            lineages=sum(one.requests > 0 for one in self.lineages.all),
            heads=frozenset(
                hash((one.model, one.system.latest, one.tools.latest))
                for one in self.lineages.all
                if one.requests
            ),
            unread=sums.unread,
            exact=self.tokens is not None or 0 < sums.requests == sums.blind,
            blind=sums.blind,
            reported=(sums.cached, sums.reported) if sums.reported else None,
            answers=sums.answers,
            marks=sums.marks,
        )

    def _place_and_play(self, prompt: Prompt) -> None:
        """Raises ``NoPrompt``."""
        place = self.lineages.place(prompt)
        number = place.lineage.number
        kept, broken = self.conversations.follow(number, prompt.turns)
        if self._seen is not None:
            self._seen(prompt, place)
        unit = self.engine.unit
        places = self._places(prompt, place)
        if broken is not None:
            cause = self.causes.of(broken.kind, TURNS, "", 0, broken.examples)
            cause.requests += 1
            cause.values.update(map(hash, broken.examples))
            at = len(place.system.text) + len(place.tools.text)
            at += sum(map(len, kept[: broken.turn]))
            places.append((cause.number, at // unit))
        # Of prompts with another salt or another model no block is shared.
        seed = hash((prompt.model, prompt.salt))
        told = prompt.tells_cached
        untold = prompt.untold
        if prompt.blocks is not None:
            ids, size, length = prompt.blocks
            self.player.play(length, in_blocks(ids, size, length, self.engine.block_size, seed))
        elif prompt.ids is not None and not prompt.characters:
            blocks = of_tokens(prompt.ids, self.engine.block_size, seed)
            self.player.play(len(prompt.ids), blocks, told=told, untold=untold)
        elif self.tokens is not None:
            self._play_tokens(prompt, place, places, seed, self.tokens, told=told)
        else:
            sent = Blocks(
                "".join((*prompt.head(prompt.system, prompt.tools), *prompt.turns)), unit, seed
            )
            fixed = None
            if places:
                better = "".join((*prompt.head(place.system.text, place.tools.text), *kept))
                fixed = Blocks(better, unit, seed)
            length = -(-len(sent.text) // self.engine.per_token)
            again = len(sent.text) < unit and self._is_short_again(sent.text, seed)
            # What a template adds is not in the text: the answer says how long the prompt was.
            hit = again and (prompt.prompt_tokens or 0) > self.engine.block_size
            self.player.play(length, sent, fixed, places, told=told, untold=untold, hit=hit)

    def _is_short_again(self, text: str, seed: int) -> bool:
        """Whether a prompt of less than a block was sent before."""
        key = hash((text, seed))
        if key in self._short:
            return True
        if len(self._short) < _MOST_SHORT:
            self._short.add(key)
        return False

    def _play_tokens(
        self,
        prompt: Prompt,
        place: Place,
        places: Places,
        seed: int,
        tokens: Tokens,
        *,
        told: bool,
    ) -> None:
        size = self.engine.block_size
        ids = tokens.of(prompt.body)
        sent = of_tokens(ids, size, seed)
        if not places:
            self.player.play(len(ids), sent, told=told, untold=prompt.untold)
            return
        better = of_tokens(tokens.of(rewritten(prompt.body, place)), size, seed)
        # Where a cause stands is known in characters.
        share = len(ids) / max(prompt.characters, 1)
        located = [(cause, int(at * share)) for cause, at in places]
        self.player.play(len(ids), sent, better, located, told=told, untold=prompt.untold)

    def _places(self, prompt: Prompt, place: Place) -> Places:
        unit = self.engine.unit
        lineage = place.lineage
        found: Places = []
        before = 0
        texts = ((lineage.system, place.system), (lineage.tools, place.tools))
        for text, made in prompt.head(*texts):
            for index, offset in made.at:
                cause = self.causes.of_spot(text.path, text.spots[index])
                cause.requests += 1
                found.append((cause.number, (before + offset) // unit))
            if made.drift is not None:
                kind, offset, examples = made.drift
                cause = self.causes.of(kind, text.path, "", offset, examples)
                cause.requests += 1
                cause.values.update(map(hash, examples))
                found.append((cause.number, (before + offset) // unit))
            before += len(made.text)
        return found

    def _salts(self) -> None:
        for lineage in self.lineages.all:
            if len(lineage.salts) > 1:
                first, second, *_more = sorted(lineage.salts)
                cause = self.causes.of(SALT, "cache_salt", "", 0, (first, second))
                cause.requests += lineage.requests
                cause.values.update(map(hash, lineage.salts))

    def _pass_by(self, place: str, error: Exception) -> None:
        unread = self._sums.unread
        unread.lines += 1
        if not unread.first:
            unread.first = f"{place}{error}"


def _loaded(data: bytes) -> Any:
    """As ``json.loads``, which would first look for another encoding. Raises ``ValueError``."""
    text = data.decode("utf-8", "surrogatepass")
    record, end = _DECODER.raw_decode(text)
    return record if text[end:] in _LINE_ENDS else json.loads(text)


def analyse(
    lines: Iterable[Line],
    engine: Engine,
    *,
    field_path: str | None = None,
    tokens: Tokens | None = None,
) -> Analysis:
    """Read a whole log."""
    analyser = Analyser(engine, field_path=field_path, tokens=tokens)
    analyser.lines(lines)
    return analyser.finish()
