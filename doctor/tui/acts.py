"""The one sentence that matters now, and the keys that act on it."""

from __future__ import annotations

from dataclasses import dataclass

from doctor.models import Finding
from doctor.text import Text, _
from doctor.tui.runview import TargetView
from doctor.tui.state import State, Verdict
from doctor.tui.words import changes, proof_of, repair, trying


@dataclass(frozen=True, slots=True)
class BannerText:
    """``kind`` is good, bad, doubt or empty; ``key`` and ``does`` name the key that acts on it,
    ``action`` what it does. ``shorter`` is for where ``text`` takes more than a line."""

    kind: str
    head: Text | str
    text: Text | str
    key: str = ""
    does: Text | str = ""
    action: str = ""
    shorter: tuple[Text, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The longest first."""
        return (self.text, *self.shorter)


def banner(state: State) -> BannerText:
    """The one sentence that matters now."""
    target = state.target
    if state.trouble:
        return BannerText("bad", _("Cannot run"), state.trouble, "r", _("try again"), "run")
    if state.verdict is not None:
        return _verdict(state, state.verdict)
    if target is None:
        if state.view.active or state.prepared is None:
            return BannerText("", _("Starting"), _("Looking for settings…"))
        return BannerText("doubt", _("Nothing to examine"), _nothing(state))
    if target.examining or target.report is None:
        return BannerText("", _("Running"), trying(target))
    return _result(state, target)


def _nothing(state: State) -> Text | str:
    assert state.prepared is not None
    return state.prepared.nothing


def _verdict(state: State, verdict: Verdict) -> BannerText:
    if verdict.good is None:
        return BannerText("", _("Verifying"), verdict.text)
    kind, head = ("good", _("Done")) if verdict.good else ("bad", _("Not yet"))
    if state.undoable and state.fixes_allowed:
        return BannerText(kind, head, verdict.text, "u", _("undo"), "undo")
    return BannerText(kind, head, verdict.text)


def _result(state: State, target: TargetView) -> BannerText:
    assert target.report is not None
    diagnosis = target.report.diagnosis
    text = repair(target)
    if diagnosis.before is None:
        return BannerText("doubt", _("Not proved"), text)
    if diagnosis.before.answered:
        return BannerText("good", _("All well") if state.well else _("Works"), text)
    if not diagnosis.proved:
        return BannerText("bad", _("Broken"), text)
    proof = proof_of(diagnosis)
    shorter: tuple[Text, ...] = ()
    if proof is not None:
        count = changes(len(diagnosis.changes))
        shorter = (_("{changes}, {proof}", changes=count, proof=proof), proof)
    if not state.fixes_allowed:
        return BannerText("good", _("Repair"), text, "c", _("copy"), "copy", shorter)
    does = _("apply all") if len(diagnosis.changes) > 1 else _("apply")
    return BannerText("good", _("Repair"), text, "a", does, "apply", shorter)


@dataclass(frozen=True, slots=True)
class Possible:
    """A key that does something now."""

    key: str
    does: Text
    action: str
    rank: int


# How the palette names the acts.
COMMANDS = {
    "apply": _("Apply the fix"),
    "diff": _("Show the diff"),
    "undo": _("Undo what was applied"),
    "why": _("Why this is a fault"),
    "copy": _("Copy the finding, a command or the request"),
    "ignore": _("Ignore this finding, with a reason"),
    "export": _("Export the report"),
    "targets": _("Show another target"),
    "first_run": _("Set a client up, from a key in hand to the first answer"),
    "explain": _("Explain an error text"),
    "settings": _("Settings: base URL, key, model"),
    "checks": _("All checks"),
    "engine": _("The live engine"),
    "bench": _("Benchmark: how fast it answers under load, and what limits it"),
}


def starts_from_nothing(state: State) -> bool:
    """Whether it was looked for settings, and none were found."""
    looked = state.prepared is not None and not state.view.active
    return looked and state.target is None and state.fixes_allowed


def possible(state: State, finding: Finding | None) -> list[Possible]:
    """The keys for the selected finding and the state at hand."""
    keys: list[Possible] = []
    if state.fixes_allowed and state.repairable(finding):
        keys.append(Possible("a", _("apply"), "apply", 0))
        keys.append(Possible("d", _("diff"), "diff", 4))
    if state.fixes_allowed and state.undoable:
        keys.append(Possible("u", _("undo"), "undo", 0))
    if finding is not None:
        keys.append(Possible("w", _("why"), "why", 4))
        keys.append(Possible("c", _("copy"), "copy", 3))
        if state.fixes_allowed:
            keys.append(Possible("i", _("ignore"), "ignore", 4))
    if state.view.report is not None:
        keys.append(Possible("x", _("export"), "export", 3))
    if len(state.view.targets) > 1:
        keys.append(Possible("t", _("target"), "targets", 1))
    if starts_from_nothing(state):
        keys.append(Possible("n", _("set a client up"), "first_run", 0))
    keys.append(Possible("e", _("explain an error"), "explain", 2))
    if state.target is not None:
        keys.append(Possible("s", _("settings"), "settings", 2))
        keys.append(Possible("v", _("checks"), "checks", 3))
    if state.has_engine:
        keys.append(Possible("l", _("live engine"), "engine", 2))
    if state.target is not None:
        keys.append(Possible("b", _("bench"), "bench", 3))
    return keys
