"""Verdicts as a table for people, as data, and as a page of the documentation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from .verdict import Verdict, score

_HEADER = ("id", "kind", "codes found", "expected", "")


def table(verdicts: Sequence[Verdict], *, verbose: bool = False) -> str:
    """One line per report, then the score per kind and over all."""
    rows = [_HEADER, *(_row(verdict) for verdict in verdicts)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER))]
    lines = []
    for row, verdict in zip(rows, (None, *verdicts), strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
        if verdict is not None:
            lines += _notes(verdict, verbose)
    return "\n".join((*lines, "", *_scores(verdicts)))


def _row(verdict: Verdict) -> tuple[str, ...]:
    found = _short(verdict.seen.codes) or "-"
    mark = "ok" if verdict.ok else "named" if verdict.named else "MISSED"
    expected = verdict.expected.shown.replace("KVD", "")
    return (verdict.case.id, verdict.case.kind, found, expected, mark)


def _short(codes: Iterable[str]) -> str:
    return " ".join(code.removeprefix("KVD") for code in codes)


def _notes(verdict: Verdict, verbose: bool) -> Iterator[str]:
    seen = verdict.seen
    for trouble in seen.troubles:
        yield f"    trouble: {trouble}"
    for contact in seen.contacts:
        yield f"    LEFT LOOPBACK: {contact}"
    if verbose:
        proved = "proved" if seen.proved else "unproved"
        how = f"asked, {proved}" if seen.asked else "offline"
        yield f"    {verdict.case.subkind}: {verdict.expected.why or 'judged by its kind'}"
        yield f"    check ({how}): {_short(seen.roots) or '-'} | {seen.summary}"
        yield f"    explain: {_short(seen.explained) or '-'}"
        yield f"    launch: {_short(seen.launched) or '-'}"
        yield f"    prefix: {_short(seen.compared) or '-'}"


def _scores(verdicts: Sequence[Verdict]) -> Iterator[str]:
    by_kind = sorted(verdicts, key=lambda verdict: verdict.case.kind)
    for kind, group in groupby(by_kind, key=lambda verdict: verdict.case.kind):
        yield _score_line(kind, list(group))
    yield _score_line("all", verdicts)


def _score_line(name: str, verdicts: Sequence[Verdict]) -> str:
    right, of = score(verdicts)
    share = f"{100 * right / of:.0f} %" if of else "-"
    named = sum(verdict.named for verdict in verdicts)
    return f"{name:<14} {right}/{of} ({share}), named {named}"


def as_data(verdicts: Sequence[Verdict]) -> str:
    """Everything as JSON."""
    right, of = score(verdicts)
    rows = [_data(verdict) for verdict in verdicts]
    document = {"right": right, "of": of, "cases": rows}
    return json.dumps(document, ensure_ascii=False, indent=2)


def _data(verdict: Verdict) -> dict[str, Any]:
    seen = verdict.seen
    return {
        "id": verdict.case.id,
        "kind": verdict.case.kind,
        "found": list(seen.codes),
        "roots": list(seen.roots),
        "explained": list(seen.explained),
        "launched": list(seen.launched),
        "compared": list(seen.compared),
        "proved": seen.proved,
        "expected": verdict.expected.shown.split(),
        "by_kind": verdict.expected.by_kind,
        "ok": verdict.ok,
        "named": verdict.named,
        "summary": seen.summary,
        "troubles": list(seen.troubles),
        "contacts": list(seen.contacts),
    }


def page(verdicts: Sequence[Verdict], kinds: Sequence[str], reasons: Mapping[str, str]) -> str:
    """``docs/reports.md``: the table, the score of ``kinds``, what is missed and why."""
    judged = [verdict for verdict in verdicts if verdict.case.kind in kinds]
    right, of = score(judged)
    lines = [
        "# Real reports",
        "",
        "Written by `python -m tests.cases --write-docs`; do not edit it by hand.",
        "",
        "Each report is reduced to what its author had: environment, files, a server's answer, a"
        " log, a launch",
        "line, requests. `check`, `explain`, `launch` and `prefix` are run on that, and the first"
        " code is compared",
        "with the cause that the report settled on",
        "(`tests/cases/expected.toml`). *named*: the right code is there, but not first. *later*:"
        " what it takes",
        "is not there yet.",
        "",
        f"{right} of {of} reports ({100 * right / of:.0f} %) about {', '.join(kinds[:-1])} and"
        f" {kinds[-1]} are right.",
        "",
        "| report | kind | expected | found | |",
        "|---|---|---|---|---|",
        *(_markdown(verdict, verdict.case.kind in kinds) for verdict in verdicts),
        "",
        "## What is missed, and why",
        "",
    ]
    for verdict in judged:
        if not verdict.ok:
            lines.append(
                f"- **{verdict.case.id}** ({verdict.expected.why}): {_why(verdict, reasons)}"
            )
    return "\n".join(lines) + "\n"


def _markdown(verdict: Verdict, judged: bool) -> str:
    identity, kind, found, expected, mark = _row(verdict)
    if not judged and not verdict.ok:
        mark = "later"
    return f"| [{identity}]({verdict.case.source}) | {kind} | {expected} | {found} | {mark} |"


def _why(verdict: Verdict, reasons: Mapping[str, str]) -> str:
    return reasons.get(verdict.case.id, "not explained yet.")
