"""KVD102: blanks, tabs and line breaks in a key."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Secret,
    SettingName,
    Severity,
    _,
    check,
    problem,
)
from doctor.clients import profile
from doctor.connection import Origin, Setting
from doctor.patterns import Pattern

from ._key_text import (
    BLANKS,
    before_comment,
    begins_like_key,
    body,
    is_empty,
    is_url,
    looks_like_key,
    split_ends,
)
from ._placeholder import is_placeholder
from ._show import key_evidence, name_of, place, works_anyway
from ._sources import origin_of
from ._verdict import WANTS, key_verdict

CODE = "KVD102"
_PARTS = Pattern(f"[{re.escape(BLANKS)}]+")
_MOST_CANDIDATES = 4


@check(
    code=CODE,
    slug="key-surrounded-by-whitespace",
    severity=Severity.ERROR,
    wants=WANTS,
    explains=("KVD111", "KVD114"),
)
async def key_surrounded_by_whitespace(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The key has a blank, a tab, a line break or a control character ahead, behind or inside.

    What it checks: the characters of the key in effect, up to U+0020 and U+007F. Blanks beyond
    ASCII (no-break, zero-width) are KVD104's.

    Why it matters: clients differ: Python's refuse a key with a blank or a line break behind it
    before anything is sent ("Illegal header value"), Codex leaves the header out when the key
    ends in a line break, Node and Claude Code trim it. So the same key works in one program and
    fails in another. A blank inside reaches the server, which then knows no such key.

    How to fix: write the key without the characters named. A file with Windows line ends is
    best saved with LF.

    Fix safety: taking characters off the ends is safe: no key begins or ends with one. Where
    they stand inside it is not certain which part is the key, so each is tried with a request.

    References: facts/gateway-clients.md §2.4; RFC 9110 section 5.5
    """
    setting = f.connection.key
    if setting is None or is_empty(setting.value.reveal()):
        raise NotApplicable("there is no key")
    text = setting.value.reveal()
    if before_comment(text) is not None or is_url(text):
        return
    ahead, core, behind = split_ends(text)
    inside = None if is_placeholder(text) else _blanks_inside(core)
    if not (ahead or behind or inside):
        return
    verdict = await key_verdict(f)
    # Whatever else is wrong: where the client cuts the ends off itself, they are not the cause.
    client = profile(f.connection.client)
    trims = client.prepare_key(text) == core
    anyway = works_anyway(verdict.let_through)
    if trims and not verdict.let_through:
        anyway = _(" {client} cuts that off itself, so here it does no harm.", client=client.label)
    severity = Severity.WARNING if verdict.let_through or trims else None
    if ahead or behind:
        yield problem(
            _title_of_ends(ahead, behind),
            _(
                "{clients}{lines}{anyway}",
                clients=_clients(ahead, behind),
                lines=_line_ends(behind, origin_of(setting)),
                anyway=anyway,
            ),
            evidence=(key_evidence(setting), *_characters(setting, ahead, behind)),
            changes=(Change(CODE, SettingName.KEY, Secret(core), _("strip the key")),),
            severity=severity,
        )
    elif inside is not None and not verdict.let_through:
        position, run = inside
        at = _(
            "{name} at position {n} of {length}",
            name=name_of(run[0]),
            n=position + 1,
            length=len(core),
        )
        yield problem(
            _("The key has {what} inside", what=_run(run)),
            _explain_inside(run, core, origin_of(setting)),
            evidence=(key_evidence(setting), Evidence(_("inside"), str(origin_of(setting)), at)),
            changes=_candidates(core),
        )


def _blanks_inside(core: str) -> tuple[int, str] | None:
    """Where the first run of blanks within the key that was meant begins, and the run.

    None also where text beyond ASCII stands in the key: KVD104 cuts that off, note and all.
    """
    meant = body(core)
    match = _PARTS.search(meant)
    if match is None or not meant.isascii():
        return None
    return core.index(meant) + match.start(), match.group(0)


def _title_of_ends(ahead: str, behind: str) -> str:
    if ahead and behind:
        return _(
            "The key starts with {ahead} and ends in {behind}",
            ahead=_run(ahead),
            behind=_run(behind),
        )
    if ahead:
        return _("The key starts with {ahead}", ahead=_run(ahead))
    return _("The key ends in {behind}", behind=_run(behind))


def _run(chars: str) -> str:
    """A run of blanks in words."""
    if chars == "\r\n":
        return _("a Windows line break (CR LF)")
    if set(chars) == {" "}:
        return _("a blank") if len(chars) == 1 else _("{n} blanks", n=len(chars))
    if set(chars) == {"\n"}:
        return _("a line break") if len(chars) == 1 else _("{n} line breaks", n=len(chars))
    if set(chars) == {"\t"}:
        return _("a tab") if len(chars) == 1 else _("{n} tabs", n=len(chars))
    if chars == "\r":
        return _("a carriage return (CR)")
    if set(chars) <= set(" \t\r\n"):
        return _("blanks and line breaks") if set(chars) & set("\r\n") else _("blanks and tabs")
    return _("{n} control characters", n=len(chars)) if len(chars) > 1 else name_of(chars)


def _clients(ahead: str, behind: str) -> str:
    """What each client does with such a key (observed)."""
    both = ahead + behind
    if "\n" in behind or "\r" in behind:
        return _(
            "Python's clients refuse such a key before anything is sent (\"Illegal header "
            'value"), Codex drops the header without a word, Node and Claude Code trim it: so it '
            "works in one program and fails in another."
        )
    if any(char in both for char in BLANKS if char not in " \t"):
        return _("No header can carry it, so most clients refuse the key before anything is sent.")
    if behind:
        return _(
            "Python's clients refuse such a key before anything is sent (\"Illegal header "
            'value"), Codex sends it as it is, Node and Claude Code trim it: so it works in one '
            "program and fails in another."
        )
    return _(
        'Most clients send it, so that two blanks stand behind "Bearer"; Claude Code trims it. '
        "Some servers take that, others know no such key."
    )


def _line_ends(behind: str, origin: Origin) -> str:
    if "\r" not in behind or origin.path is None:
        return ""
    return _(
        " {path} was likely saved with Windows line ends (CR LF); with LF the key ends where it "
        "should.",
        path=origin.path,
    )


def _characters(setting: Setting[Secret], ahead: str, behind: str) -> Iterable[Evidence]:
    length = len(setting.value)
    where = str(origin_of(setting))
    if ahead:
        yield Evidence(_("first character"), where, name_of(ahead[0]))
    if behind:
        shown = _(
            "{name} at position {n} of {length}", name=name_of(behind[-1]), n=length, length=length
        )
        yield Evidence(_("last character"), where, shown)


def _explain_inside(inside: str, core: str, origin: Origin) -> str:
    keys = [part for part in _PARTS.split(body(core)) if begins_like_key(part)]
    if len(keys) > 1:
        return _(
            "{n} keys stand in {place}, one behind the other; a request carries one. Each is "
            "tried.",
            n=len(keys),
            place=place(origin),
        )
    if "\n" in inside or "\r" in inside:
        return _(
            "The value in {place} goes on in another line: the key was likely wrapped when it "
            "was copied, or more than the key was copied. No header can carry a line break.",
            place=place(origin),
        )
    return _(
        "The server gets the blank and what follows it as part of the key, and knows no such "
        "key. Likely more than the key was copied to {place}.",
        place=place(origin),
    )


def _candidates(core: str) -> tuple[Change, ...]:
    """What the key may be: its parts that look like one, and all parts joined."""
    parts = _PARTS.split(body(core))
    keys = [part for part in parts if looks_like_key(part)]
    joined = "".join(parts)
    wrapped = any(char in core for char in "\r\n") and not any(map(begins_like_key, parts[1:]))
    ordered = [joined, *keys] if wrapped else [*keys, joined]
    titles = {joined: _("join the parts of the key")}
    return tuple(
        Change(
            CODE,
            SettingName.KEY,
            Secret(text),
            titles.get(text, _("keep one part of the key")),
            guess=True,
            rank=rank,
        )
        for rank, text in enumerate(dict.fromkeys(ordered))
        if rank < _MOST_CANDIDATES
    )
