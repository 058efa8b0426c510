"""What a sitting came to, for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from doctor.render.findings import tell_findings
from doctor.render.lines import Lines
from doctor.tap.outcome import Outcome, figures_of
from doctor.tap.preparing import Place
from doctor.tap.record import Record
from doctor.tap.rows import duration, line_of, row_of
from doctor.tap.steering import Launch
from doctor.text import Text, _, joined
from doctor.untrusted import visible

# Of more requests the first, the last and those that failed are shown.
_FIRST, _LAST = 5, 15
# A silence within a stream that a user notices (ms).
_STILL = 3_000
_WORTH = 0.001
_AS_SENT = ("authorization", "x-api-key", "x-goog-api-key")


def tell_addresses(out: Lines, places: Sequence[Place], ports: Mapping[str, int]) -> None:
    """Which listener leads where."""
    for place in places:
        out.wrap(
            _(
                "{address} leads to {server}",
                address=f"http://127.0.0.1:{ports[place.lead.id]}",
                server=place.upstream.origin.url,
            )
        )


def tell_how_to_use(out: Lines, launch: Launch, sets: Iterable[str]) -> None:
    """What a user has to set for programs to go through the tap. ``sets`` are lines for the
    user's shell."""
    lines = list(sets)
    if lines:
        out.wrap(_("Set in the shell of the program:"))
    for line in lines:
        out.line(f"  {visible(line, 8_000)}")
    if launch.arguments:
        out.wrap(_("Give it these arguments:"))
        out.line("  " + " ".join(visible(word, 8_000) for word in launch.arguments))


def tell(out: Lines, outcome: Outcome) -> None:
    """The requests, what was sent, how it differs from what was expected, and the findings."""
    for note in outcome.notes:
        out.wrap(note)
    tell_course(out, outcome)
    if outcome.records and outcome.findings:
        out.line("")
    tell_findings(out, outcome.findings)
    tell_end(out, outcome)


def tell_course(out: Lines, outcome: Outcome) -> None:
    """What came, as it came."""
    if not outcome.records:
        out.wrap(
            _(
                "No request came through. What follows may be why; if not, the program has its "
                "address elsewhere: in its own code, or in a file that stands before the variables."
            )
            if outcome.findings
            else _(
                "No request came through. The program has its address elsewhere: in its own code, "
                "in a file that stands before the variables, or it asked nobody."
            )
        )
        return
    _figures(out, outcome)
    _requests(out, outcome.records)
    _as_sent(out, outcome)
    _differences(out, outcome)
    _prompts(out, outcome)


def tell_end(out: Lines, outcome: Outcome) -> None:
    """The verdict where nothing is found, else what proves the repair."""
    if not outcome.records:
        return
    if outcome.findings:
        names = [place.target for place in outcome.places if place.target]
        if any(finding.changes for finding in outcome.findings) and names:
            out.wrap(_("'kvdoctor check {target}' proves what repairs it.", target=names[0]))
    else:
        out.wrap(_verdict(outcome))


def _verdict(outcome: Outcome) -> Text:
    """Where no check finds anything."""
    figures = figures_of(outcome.records)
    if figures.given_up:
        return _(
            "{n} requests were given up by the program before an answer came: its timeout is too "
            "short, or the server too slow.",
            n=f"{figures.given_up:,}",
        )
    if figures.failed > figures.repeated:
        return _("No check knows what is wrong with what failed.")
    return _("Nothing is wrong with what was sent and answered.")


def _figures(out: Lines, outcome: Outcome) -> None:
    figures = figures_of(outcome.records)
    out.wrap(
        _(
            "Requests: {requests} ({asked} to a model), failed: {failed}, given up: {left}, "
            "repeated: {repeated}.",
            requests=f"{figures.requests:,}",
            asked=f"{figures.asked:,}",
            failed=f"{figures.failed:,}",
            left=f"{figures.given_up:,}",
            repeated=f"{figures.repeated:,}",
        )
    )
    if figures.first_token_p50 is not None:
        out.wrap(
            _(
                "First token after {p50} (median), {p99} (99 %).",
                p50=duration(figures.first_token_p50),
                p99=duration(figures.first_token_p99),
            )
        )
    if figures.longest_gap is not None and figures.longest_gap >= _STILL:
        out.wrap(
            _(
                "A stream stood still for {time} between two events.",
                time=duration(figures.longest_gap),
            )
        )


def _requests(out: Lines, records: Sequence[Record]) -> None:
    shown = set(range(_FIRST)) | set(range(len(records) - _LAST, len(records)))
    left_out = 0
    for number, record in enumerate(records):
        if number in shown or record.failed:
            out.line(f"  {line_of(row_of(record, out.say), out.say)}")
            if record.trouble:
                out.wrap(record.trouble, indent=11)
        else:
            left_out += 1
    if left_out:
        out.wrap(_("{n} more that were answered.", n=f"{left_out:,}"), indent=2)


def _as_sent(out: Lines, outcome: Outcome) -> None:
    for place in outcome.places:
        asked = [r for r in outcome.records if r.place == place.lead.id and r.asks_model]
        if not asked:
            continue
        first = asked[0]
        out.wrap(_("As sent by {program}:", program=place.lead.id))
        out.wrap(f"{first.method} {first.url}", indent=2, hang=2)
        fields = [pair for pair in first.headers if pair[0].lower() in _AS_SENT]
        for name, value in fields:
            out.wrap(joined(f"{name}:", value), indent=2, hang=2)
        if not fields:
            out.wrap(_("no credential"), indent=2)
        limit = "-" if first.max_tokens is None else f"{first.max_tokens:,}"
        out.wrap(f"model {first.model or '-'}, max_tokens {limit}", indent=2)


def _differences(out: Lines, outcome: Outcome) -> None:
    for one in outcome.differences:
        out.wrap(
            _(
                "{program}: {what} was expected to be {predicted}, sent was {sent}.",
                program=one.place,
                what=one.what,
                predicted=one.predicted or "-",
                sent=one.sent or "-",
            )
        )


def _prompts(out: Lines, outcome: Outcome) -> None:
    log = outcome.prompts
    if log is None:
        return
    out.wrap(
        _(
            "Prompts: {n}, ~{tokens} tokens; a prefix cache could give {rate} of them.",
            n=f"{log.requests:,}",
            tokens=f"{log.prompt_tokens:,}",
            rate=f"{log.hit_rate:.1%}",
        )
    )
    if log.hit_rate_after - log.hit_rate >= _WORTH:
        rate = f"{log.hit_rate_after:.1%}"
        out.wrap(_("With what changes moved to the end: {rate}.", rate=rate))
    if log.reported_rate is not None:
        out.wrap(_("The server reports {rate} cached.", rate=f"{log.reported_rate:.1%}"))
