"""What ``kvdoctor fix`` and ``kvdoctor undo`` say: as text with questions, or as one document."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from doctor.commands.output import translator
from doctor.fixes.choice import Offer
from doctor.fixes.diff import FileDiff, diff
from doctor.fixes.journal import Entry, State
from doctor.fixes.prepare import Prepared
from doctor.fixes.steps import RunText, Shell, step_document
from doctor.fixes.verify import Verdict
from doctor.models import Applicability, Report
from doctor.render import words
from doctor.render.base import Look, Sink
from doctor.render.choose import look_for
from doctor.render.document import answer_document, tool
from doctor.render.lines import Lines
from doctor.secrets import Redactor
from doctor.text import Text, _
from doctor.untrusted import harmless, visible

FIX_SCHEMA = "kvdoctor.fix/1"
UNDO_SCHEMA = "kvdoctor.undo/1"
_SHELL_NAMES = {Shell.POWERSHELL: "PowerShell", Shell.CMD: "cmd"}


class FixOutput(Protocol):
    """Told of every stage of ``kvdoctor fix``, in order; questions only if ``interactive``."""

    interactive: bool

    def report(self, report: Report) -> None: ...
    def nothing(self, report: Report) -> None: ...
    def offers(self, offers: Sequence[Offer]) -> None: ...
    def diffs(self, prepared: Prepared) -> None: ...
    def needs_yes(self) -> None: ...
    def ask(self, offer: Offer) -> bool: ...
    def applied(self, entry: Entry) -> None: ...
    def verdicts(self, verdicts: Sequence[Verdict]) -> None: ...
    def left(self, offers: Sequence[Offer]) -> None: ...
    def texts(self, prepared: Prepared) -> None: ...
    def ask_undo(self) -> bool: ...
    def undo_hint(self, entry: Entry) -> None: ...
    def undone(self, entry: Entry) -> None: ...
    def finish(self) -> None: ...


@contextlib.contextmanager
def output_for(options: argparse.Namespace, redactor: Redactor) -> Iterator[FixOutput]:
    """The output that ``--format`` asks for, on stdout."""
    sink = Sink(sys.stdout, redactor)
    if options.format == "json":
        yield JsonFixOutput(sink, redactor)
        return
    look = look_for(sys.stdout, translator(options).language, options.no_color or options.plain)
    yield PlainFixOutput(sink, look, redactor)


class PlainFixOutput:
    """Linear text; questions where both ends are a terminal."""

    def __init__(self, sink: Sink, look: Look, redactor: Redactor) -> None:
        self._sink = sink
        self._out = Lines(sink, look)
        self._redact = redactor
        self._all = False
        self.interactive = sink.is_terminal and sys.stdin.isatty()

    def report(self, report: Report) -> None:
        for target in report.targets:
            self._out.wrap(words.headline(target))
            before = target.diagnosis.before
            self._out.wrap(target.diagnosis.summary if before is None else words.failure(before))
            proof = words.proof(target, report.spending)
            if proof is not None:
                self._out.wrap(proof)
        self._out.line("")

    def nothing(self, report: Report) -> None:
        self._out.wrap(_("There is no proved fix. 'kvdoctor check' says what was found."))

    def offers(self, offers: Sequence[Offer]) -> None:
        for number, offer in enumerate(offers, 1):
            head = _(
                "{number}. {id}  {title} ({state})",
                number=number,
                id=offer.fix.id,
                title=offer.fix.title,
                state=state_words(offer),
            )
            self._out.wrap(head, hang=4)
        self._out.line("")

    def diffs(self, prepared: Prepared) -> None:
        for change in prepared.files:
            for line in diff(change, self._redact).lines():
                self._out.line(line)
        if prepared.files:
            self._out.line("")

    def needs_yes(self) -> None:
        self._out.wrap(_("Nothing was written. --yes applies what is safe and proved."))

    def ask(self, offer: Offer) -> bool:
        if self._all and offer.fix.applicability is Applicability.SAFE:
            return True
        question = _(
            "Apply {id}, {title} ({state})? [y/N/a]",
            id=offer.fix.id,
            title=offer.fix.title,
            state=state_words(offer),
        )
        answer = self._answer(question)
        self._all = self._all or answer == "a"
        return answer in ("y", "a")

    def applied(self, entry: Entry) -> None:
        places = ", ".join(record.shown for record in entry.files)
        text = _(
            "Written: {places}. 'kvdoctor undo {id}' takes it back.", places=places, id=entry.id
        )
        self._out.wrap(text)

    def verdicts(self, verdicts: Sequence[Verdict]) -> None:
        for verdict in verdicts:
            self._out.wrap(verdict_text(verdict))

    def left(self, offers: Sequence[Offer]) -> None:
        for offer in offers:
            self._out.line("")
            text = _("Not applied: {id} ({state})", id=offer.fix.id, state=state_words(offer))
            self._out.wrap(text)
            for line in self._out.say(offer.fix.preview).split("\n"):
                self._out.line(f"  {line}")

    def texts(self, prepared: Prepared) -> None:
        now = [text for text in prepared.texts if text.now]
        rest = [text for text in prepared.texts if not text.now]
        if rest:
            self._out.line("")
            self._out.wrap(_("What no file takes is left to you:"))
        for text in rest:
            self._out.line(f"  {run_line(text)}")
        if not prepared.exports:
            return
        self._out.line("")
        if now:
            self._out.wrap(_("The running shell keeps its old values. Run in it:"))
        else:
            self._out.wrap(_("The running shell keeps its old values. Open a new one."))
        for text in now:
            self._out.line(f"  {run_line(text)}")

    def ask_undo(self) -> bool:
        return self._answer(_("Take it back? [y/N]")) == "y"

    def undo_hint(self, entry: Entry) -> None:
        self._out.wrap(
            _("What was written stays. 'kvdoctor undo {id}' takes it back.", id=entry.id)
        )

    def undone(self, entry: Entry) -> None:
        self._out.wrap(_("Taken back: every file is as it was."))

    def finish(self) -> None:
        self._sink.flush()

    def _answer(self, question: Text) -> str:
        self._sink.write(f"{self._out.say(question)} ")
        self._sink.flush()
        return sys.stdin.readline().strip().lower()[:1]


class JsonFixOutput:
    """One document at the end."""

    interactive = False

    def __init__(self, sink: Sink, redactor: Redactor) -> None:
        self._sink = sink
        self._redact = redactor
        self._document: dict[str, Any] = {
            "schema": FIX_SCHEMA,
            "tool": tool(),
            "root_causes": [],
            "fixes": [],
            "files": [],
            "applied": None,
            "verdicts": [],
            "left": [],
            "run": [],
        }

    def report(self, report: Report) -> None:
        codes = dict.fromkeys(c for t in report.targets for c in t.diagnosis.root_causes)
        self._document["root_causes"] = list(codes)

    def nothing(self, report: Report) -> None:
        self.finish()

    def offers(self, offers: Sequence[Offer]) -> None:
        self._document["fixes"] = [offer_document(offer) for offer in offers]

    def diffs(self, prepared: Prepared) -> None:
        self._document["files"] = [
            diff_document(diff(change, self._redact)) for change in prepared.files
        ]

    def needs_yes(self) -> None:
        """The empty ``applied`` says it."""

    def ask(self, offer: Offer) -> bool:
        return False

    def applied(self, entry: Entry) -> None:
        self._document["applied"] = entry.id

    def verdicts(self, verdicts: Sequence[Verdict]) -> None:
        self._document["verdicts"] = [
            {
                "target": verdict.target,
                "verified": verdict.verified if verdict.answer is not None else None,
                "answer": answer_document(verdict.answer),
            }
            for verdict in verdicts
        ]

    def left(self, offers: Sequence[Offer]) -> None:
        self._document["left"] = [offer.fix.id for offer in offers]

    def texts(self, prepared: Prepared) -> None:
        self._document["run"] = [step_document(text) for text in prepared.texts]

    def ask_undo(self) -> bool:
        return False

    def undo_hint(self, entry: Entry) -> None:
        """``applied`` is the id to undo."""

    def undone(self, entry: Entry) -> None:
        self._document["applied"] = None

    def finish(self) -> None:
        text = json.dumps(self._document, ensure_ascii=False, indent=2)
        self._sink.write(text + "\n")


def state_words(offer: Offer) -> Text:
    """``safe, proved``."""
    proof = _("proved") if offer.fix.proved else _("not proved")
    if offer.fix.applicability is Applicability.SAFE:
        return _("safe, {proof}", proof=proof)
    if offer.fix.applicability is Applicability.UNSAFE:
        return _("unsafe, {proof}", proof=proof)
    return _("by hand, {proof}", proof=proof)


def verdict_text(verdict: Verdict) -> Text:
    """How the repeated request ended."""
    if verdict.answer is None:
        return _("{target}: not verified, no request was made.", target=verdict.target)
    if verdict.answer.answered:
        return _(
            "{target}: verified, the request answers now ({status}, {ms}).",
            target=verdict.target,
            status=verdict.answer.status,
            ms=words.milliseconds(verdict.answer.ms),
        )
    told = verdict.answer.error or ""
    if verdict.answer.status is not None:
        told = f"{verdict.answer.status} {told}".strip()
    return _(
        "{target}: the request still fails: {error}", target=verdict.target, error=visible(told)
    )


def run_line(text: RunText) -> str:
    """The line, with its shell where that is not plain from the place."""
    shell = _SHELL_NAMES.get(text.shell) if text.shell else None
    return f"{shell}: {text.text}" if shell else text.text


def offer_document(offer: Offer) -> dict[str, Any]:
    return {
        "id": offer.fix.id,
        "code": offer.finding.code,
        "target": offer.target,
        "title": visible(offer.fix.title),
        "applicability": offer.fix.applicability.value,
        "proved": offer.fix.proved,
        "preview": harmless(offer.fix.preview),
        "steps": [step_document(step) for step in offer.fix.steps],
    }


def diff_document(shown: FileDiff) -> dict[str, Any]:
    return {
        "path": visible(shown.shown),
        "target": None if shown.target is None else visible(shown.target),
        "diff": shown.lines(),
    }


def entry_document(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": entry.at,
        "state": entry.state.value,
        "titles": [visible(title) for title in entry.titles],
        "files": [diff_document(record.diff) for record in entry.files],
    }


def state_text(state: State) -> Text:
    """What became of an entry."""
    if state is State.APPLIED:
        return _("applied")
    if state is State.UNDONE:
        return _("undone")
    return _("cut off; 'kvdoctor undo' puts it right")
