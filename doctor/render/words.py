"""The sentences that plain and rich output share."""

from __future__ import annotations

from doctor.models import Answer, Finding, Report, Spending, Status, TargetReport
from doctor.text import Text, _, listed


def milliseconds(ms: int) -> str:
    """``412 ms`` below a second, ``1.3 s`` from there."""
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def where(finding: Finding) -> str:
    """The place that the finding's first located evidence names."""
    return next((e.location for e in finding.evidence if e.location), "")


def failure(answer: Answer) -> Text:
    """How the request as configured ended."""
    if answer.answered and answer.request == "models":
        return _("The models list answers; no completion was asked for.")
    if answer.answered:
        return _("The request answers ({status}, {ms}).", status=answer.status, ms=_ms(answer))
    if answer.status is None:
        return _("The request fails before an answer comes: {error}", error=answer.error or "")
    if answer.status < 400:
        return _("The request gets {status}, but no answer: {error}", **_told(answer))
    return _("The request is answered {status}: {error}", **_told(answer))


def _told(answer: Answer) -> dict[str, object]:
    return {"status": answer.status, "error": answer.error or ""}


def _ms(answer: Answer) -> str:
    return milliseconds(answer.ms)


def proof(target: TargetReport, spending: Spending) -> Text | None:
    """The repair in one sentence, None where nothing was proved."""
    after, count = target.diagnosis.after, len(target.diagnosis.changes)
    if not target.diagnosis.proved or after is None:
        return None
    values = {"status": after.status, "ms": _ms(after), "proof": target.diagnosis.proof}
    if count == 1:
        return _("With one change it answers ({status}, {ms}): {proof}.", **values)
    return _("With {count} changes it answers ({status}, {ms}): {proof}.", count=count, **values)


def spent(spending: Spending) -> Text:
    """What the run asked of the servers."""
    return _(
        "{free} free and {billable} billable requests, at most {tokens} tokens",
        free=spending.free,
        billable=spending.billable,
        tokens=f"{spending.tokens:,}",
    )


def counts(report: Report) -> list[Text]:
    """``41 checks passed``, ``6 not applicable``, …: one text per status that occurs."""
    results = [result for target in report.targets for result in target.checks]
    number = {status: sum(r.status is status for r in results) for status in Status}
    texts = {
        Status.PASS: _("{n} checks passed", n=number[Status.PASS]),
        Status.FINDINGS: _("{n} with findings", n=number[Status.FINDINGS]),
        Status.SKIPPED: _("{n} not applicable", n=number[Status.SKIPPED]),
        Status.UNKNOWN: _("{n} without evidence", n=number[Status.UNKNOWN]),
        Status.TIMEOUT: _("{n} timed out", n=number[Status.TIMEOUT]),
        Status.CRASHED: _("{n} crashed", n=number[Status.CRASHED]),
    }
    return [texts[status] for status in Status if number[status]]


def totals(report: Report) -> Text:
    """What became of the checks, what was asked, and how long it took."""
    return _(
        "{counts}. {spent}. {time}.",
        counts=listed(counts(report)),
        spent=spent(report.spending),
        time=milliseconds(report.duration_ms),
    )


def ignored(target: TargetReport) -> Text | None:
    """How many findings the user left out, None if none."""
    if not target.ignored:
        return None
    codes = ", ".join(f"{one.code} ({one.reason})" for one in target.ignored)
    return _("Ignored as kvdoctor.toml says: {codes}.", codes=codes)


def headline(target: TargetReport) -> Text:
    """The target and where its base URL points."""
    base = target.connection.base_url.value
    return _("{label} at {base}", label=target.label, base=base or _("(no address)"))


def figures(target: TargetReport) -> list[Text]:
    """What was measured by the way on a target that answers."""
    texts: list[Text] = []
    ttft, window = target.facts.get("ttft_ms"), target.facts.get("window")
    if ttft is not None:
        texts.append(_("{time} to the first token.", time=milliseconds(int(ttft))))
    direct = target.facts.get("engine_ttft_ms")
    if direct is not None:
        time = milliseconds(int(direct))
        texts.append(_("Asked directly, the engine takes {time}.", time=time))
    own = target.connection.max_tokens
    if window is not None and own is not None:
        texts.append(
            _(
                "Window {window}; your max_tokens {own} leaves {rest} for the prompt.",
                window=f"{int(window):,}",
                own=f"{own.value:,}",
                rest=f"{int(window) - own.value:,}",
            )
        )
    return texts
