"""A benchmark in words: the sentence that matters now, and everything that its figures come to."""

from __future__ import annotations

import io
from dataclasses import dataclass

from textual.content import Content

from doctor.bench.compare import BETTER, WORSE, Comparison
from doctor.bench.progress import Progress
from doctor.bench.running import Run
from doctor.bench.stop import Stop
from doctor.bench.told import VERDICTS, knee_told, limit_told, rate, tell_in_words
from doctor.render.base import Look, Sink
from doctor.render.lines import Lines
from doctor.render.samples import span
from doctor.text import Text, _, joined, listed
from doctor.tui.bench_view import BenchView
from doctor.tui.speech import Speech


@dataclass(frozen=True, slots=True)
class Sentence:
    """``kind`` as a banner has it; of ``texts`` the first that fits is shown, else the last."""

    kind: str
    head: Text
    texts: tuple[str, ...]


def sentence(view: BenchView, stop: Stop, trouble: str, comparison: Comparison | None) -> Sentence:
    """The one that matters now."""
    if trouble:
        return Sentence("bad", _("Not measured"), (trouble,))
    if view.run is None:
        return _under_way(view.now, stop)
    if comparison is not None:
        return _against(comparison)
    return _result(view.run)


def _under_way(now: Progress | None, stop: Stop) -> Sentence:
    if stop.asked:
        text = _("the requests under way are waited for; Esc drops them")
        return Sentence("doubt", _("Stopping"), (text,))
    if now is None:
        text = _("the server, and how long its tokens are")
        return Sentence("", _("Asking"), (text,))
    text = _("load {load}: {done} of {of} requests", load=now.load.name, done=f"{now.done:,}",
             of=f"{now.of:,}")  # fmt: skip
    more: list[str] = [text]
    if now.repeats > 1:
        more.append(_("repeat {n} of {all}", n=now.repeat, all=now.repeats))
    if now.failed:
        more.append(_("{n} failed", n=f"{now.failed:,}"))
    return Sentence("", _("Measuring"), (listed(more), text))


def _against(comparison: Comparison) -> Sentence:
    verdict = comparison.verdict
    kind = {BETTER: "good", WORSE: "bad"}.get(verdict, "")
    text = _("{verdict} than {name}", verdict=VERDICTS[verdict], name=comparison.name)
    if verdict not in (BETTER, WORSE):
        text = _("against {name}: {verdict}", verdict=VERDICTS[verdict], name=comparison.name)
    return Sentence(kind, _("Compared"), (text,))


def _result(run: Run) -> Sentence:
    if not run.answered:
        errors = ", ".join(dict.fromkeys(name for level in run.levels for name in level.errors))
        text = _("no request was answered: {errors}", errors=errors or "–")
        return Sentence("bad", _("No answer"), (text,))
    failed = sum(level.failures for level in run.levels)
    kind = "doubt" if failed else "good"
    if run.knee is None:
        level = run.levels[0]
        text = _(
            "{rate} output tokens/s at {load}, first token {ttft}, per token {tpot} (p50)",
            rate=rate(level.output_rate),
            load=level.load.name,
            ttft=span(level.median("ttft")),
            tpot=span(level.median("tpot")),
        )
        return Sentence(kind, _("Measured"), (text,))
    head = _("Knee") if run.knee.reached else _("No limit")
    told = knee_told(run.knee)
    if run.knee.limit is None:
        return Sentence(kind, head, (told,))
    limit = limit_told(run.knee.limit)
    short = _("at {load}. {limit}", load=run.knee.load, limit=limit)
    return Sentence(kind, head, (joined(told, limit), short))


def told(speech: Speech, width: int, run: Run, comparison: Comparison | None) -> Content:
    """What ``kvdoctor bench`` says below its table."""
    out = io.StringIO()
    look = Look(translate=speech.translate, width=width)
    tell_in_words(Lines(Sink(out, speech.redact), look), run, comparison)
    return Content(out.getvalue().rstrip("\n"))
