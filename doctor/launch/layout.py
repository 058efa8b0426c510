"""Edits of words written into the text, so that everything else of it stays as it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from doctor.launch.edits import Edit
from doctor.launch.model import Span, Word
from doctor.patterns import Pattern

_PLAIN = Pattern(r"[A-Za-z0-9_@%+=:,./-]+")
_YAML_PLAIN = Pattern(
    r"(?![-?:,\[\]{}#&*!|>'\"%@`]+(?:\s|$))[^\s:#\[\]{},&*!|>'\"%@`][^:#\n\[\]{},]*"
)
_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "~", ""})
_NUMBER = Pattern(r"[-+]?[0-9][0-9_.eExXoO]*")


class NotWritable(Exception):
    """The words stand nowhere in the text, or where they cannot be edited."""


def spans_of(
    text: str, words: Sequence[Word], kinds: Sequence[str], edit: Edit
) -> tuple[Span, ...]:
    """``edit`` as characters to be replaced. Raises ``NotWritable``."""
    if edit.first < 0:
        return edit.spans
    if edit.last < edit.first:
        return (*edit.spans, _inserted(text, words, kinds, edit))
    run = words[edit.first : edit.last + 1]
    if any(word.start < 0 or kinds[word.group] == "fixed" for word in run):
        raise NotWritable
    kind = kinds[run[0].group]
    if not edit.words:
        return (*edit.spans, *_cut(text, words, kinds, edit.first, edit.last))
    if kind == "key":
        if any(word.group != run[0].group for word in run):
            raise NotWritable
        new_text = _setting(edit.words) if edit.words[0].startswith("--") else edit.words[0]
        return (*edit.spans, Span(run[0].start, run[-1].end, new_text))
    if len(edit.words) == len(run):
        changed = [
            Span(word.start, word.end, quoted(kinds[word.group], new))
            for word, new in zip(run, edit.words, strict=True)
            if word.text != new
        ]
        return (*edit.spans, *changed)
    if any(word.group != run[0].group for word in run):
        raise NotWritable
    if kind == "item":
        return (*edit.spans, *_items(text, words, kinds, edit))
    between = ", " if kind == "json" else " "
    new_text = between.join(quoted(kind, new) for new in edit.words)
    return (*edit.spans, Span(run[0].start, run[-1].end, new_text))


def _setting(words: Sequence[str]) -> str:
    """``key: value`` of vLLM's YAML file for a flag and its values."""
    name, values = words[0].removeprefix("--"), words[1:]
    if not values:
        off = name.startswith("no-")
        return f"{name[3:]}: false" if off else f"{name}: true"
    told = [quoted("key", value) for value in values]
    return f"{name}: {told[0]}" if len(told) == 1 else f"{name}: [{', '.join(told)}]"


def _items(text: str, words: Sequence[Word], kinds: Sequence[str], edit: Edit) -> tuple[Span, ...]:
    first = words[edit.first]
    line = text[text.rfind("\n", 0, first.start) + 1 : first.start]
    break_ = f"\n{line}"
    new = break_.join(quoted("item", word) for word in edit.words)
    spans = [Span(first.start, first.end, new)]
    if edit.last > edit.first:
        spans += _cut(text, words, kinds, edit.first + 1, edit.last)
    return tuple(spans)


def _cut(
    text: str, words: Sequence[Word], kinds: Sequence[str], first: int, last: int
) -> list[Span]:
    spans: list[Span] = []
    begun = first
    for index in range(first, last + 1):
        if index == last or words[index + 1].group != words[index].group:
            spans.append(_cut_run(text, words, kinds, begun, index))
            begun = index + 1
    return spans


def _cut_run(text: str, words: Sequence[Word], kinds: Sequence[str], first: int, last: int) -> Span:
    """Words of one group, with the separator that is then too many."""
    group = words[first].group
    kind = kinds[group]
    start, end = words[first].start, words[last].end
    if kind in ("item", "key"):
        return Span(text.rfind("\n", 0, start) + 1, _line_end(text, end), "")
    before = _neighbour(words, first, -1, group)
    after = _neighbour(words, last, 1, group)
    if before is None:
        return Span(start, after.start if after is not None else end, "")
    gap = text[before.end : start]
    if "#" in gap:
        line = text.rfind("\n", 0, start) + 1
        if not text[line:start].strip():
            return Span(line, _line_end(text, end), "")
        return Span(start, after.start if after is not None else end, "")
    return Span(before.end, end, "")


def _neighbour(words: Sequence[Word], index: int, step: int, group: int) -> Word | None:
    index += step
    if 0 <= index < len(words) and words[index].group == group:
        return words[index]
    return None


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def _inserted(text: str, words: Sequence[Word], kinds: Sequence[str], edit: Edit) -> Span:
    """New words behind the word ahead of ``edit.first``, set apart as that one is."""
    ahead = words[edit.first - 1] if edit.first > 0 else None
    if ahead is None or ahead.start < 0 or kinds[ahead.group] in ("fixed", "key"):
        raise NotWritable
    kind = kinds[ahead.group]
    if kind == "json":
        return Span(ahead.end, ahead.end, "".join(f", {quoted(kind, w)}" for w in edit.words))
    if kind == "item":
        line = text[text.rfind("\n", 0, ahead.start) + 1 : ahead.start]
        return Span(ahead.end, ahead.end, "".join(f"\n{line}{quoted(kind, w)}" for w in edit.words))
    gap = " "
    for index in range(edit.first - 1, 0, -1):
        near, far = words[index], words[index - 1]
        if near.group != ahead.group or far.group != ahead.group:
            break
        between = text[far.end : near.start]
        if near.text.startswith("-"):
            gap = between if "\n" in between and not between.strip(" \t\r\n\\^`") else " "
            break
    return Span(ahead.end, ahead.end, gap + " ".join(quoted(kind, w) for w in edit.words))


def quoted(kind: str, word: str) -> str:
    """``word`` as it is written in a group of ``kind``."""
    if kind == "json":
        return json.dumps(word, ensure_ascii=False)
    if kind in ("item", "key"):
        plain = (
            _YAML_PLAIN.fullmatch(word)
            or (word.startswith("--") and _PLAIN.fullmatch(word) and not word.endswith(":"))
        ) and not word.endswith(" ")
        if plain and word.lower() not in _YAML_WORDS and not _NUMBER.fullmatch(word):
            return word
        return json.dumps(word, ensure_ascii=False)
    if _PLAIN.fullmatch(word):
        return word
    if "'" not in word:
        return f"'{word}'"
    return "'" + word.replace("'", "'\"'\"'") + "'"


def applied(text: str, spans: Iterable[Span]) -> str:
    """``text`` with ``spans`` put in. Of two that overlap the larger one counts."""
    kept: list[Span] = []
    # In the order in which they were asked for: two may be put in at one place.
    for span in sorted(dict.fromkeys(spans), key=lambda s: s.start - s.end):
        if all(span.end <= k.start or span.start >= k.end for k in kept):
            kept.append(span)
    for span in sorted(kept, key=lambda s: (s.start, s.end))[::-1]:
        text = text[: span.start] + span.text + text[span.end :]
    return text
