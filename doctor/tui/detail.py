"""The selected finding as text: what was seen, what it means, the fix and its proof."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.content import Content

from doctor.models import Confidence, Diagnosis, Evidence, Finding, Fix
from doctor.text import Text, _
from doctor.tui import signs
from doctor.tui.speech import Speech
from doctor.tui.strays import with_strays
from doctor.tui.words import proof_of
from doctor.tui.wrapping import hung

_LABEL = 16
_FIX = 5
_CONFIDENCE = {
    Confidence.LOW: _("a guess"),
    Confidence.MEDIUM: _("likely"),
    Confidence.HIGH: _("certain"),
}


@dataclass(frozen=True, slots=True)
class Detail:
    """Builds the text of one finding for a width in columns."""

    speech: Speech
    width: int

    def of(self, finding: Finding, diagnosis: Diagnosis | None) -> Content:
        """The whole text. ``diagnosis`` is that of the finding's target, None while it runs."""
        root = diagnosis is not None and finding.code in diagnosis.root_causes
        lines: list[Content] = [
            *self._wrap(self.speech.line(finding.title), signs.STRONG),
            self._kind(finding, root),
        ]
        if finding.evidence:
            lines += [Content(), *self._evidence(finding.evidence)]
        if finding.explanation:
            lines.append(Content())
            for paragraph in self.speech.block(finding.explanation).split("\n"):
                lines += self._wrap(paragraph)
        if finding.clients:
            who = self.speech.line(_("Hits: {clients}", clients=", ".join(finding.clients)))
            lines += [Content(), *self._wrap(who, signs.QUIET)]
        for fix in finding.fixes:
            lines += [Content(), *self._fix(fix, diagnosis)]
        return Content("\n").join(lines)

    def _wrap(self, text: str, style: str = "", indent: int = 0) -> list[Content]:
        return hung(with_strays(text, style), self.width, indent)

    def _kind(self, finding: Finding, root: bool) -> Content:
        sign = signs.SEVERITIES[finding.severity]
        say = self.speech.line
        parts: list[Content | str | tuple[str, str]] = [
            (finding.code, signs.KEY),
            ("  ", ""),
            (f"{sign.symbol} {say(sign.word)}", sign.style),
            (f"  {say(_CONFIDENCE[finding.confidence])}", signs.QUIET),
        ]
        if root:
            parts.append((f"  {say(_('root cause'))}", signs.STRONG))
        elif finding.explained_by:
            follows = say(_("follows from {code}", code=finding.explained_by))
            parts.append((f"  {follows}", signs.QUIET))
        return Content.assemble(*parts)

    def _evidence(self, evidence: Iterable[Evidence]) -> list[Content]:
        lines: list[Content] = []
        for one in evidence:
            source = self.speech.line(one.source)
            value = with_strays(self.speech.line(one.value))
            place = Content(self.speech.line(one.location)).stylize(signs.QUIET)
            label = Content(source).stylize("$accent")
            if label.cell_length > _LABEL - 2:
                lines += hung(label, self.width)
                label = Content()
            lines += hung(value, self.width, _LABEL, label)
            if place:
                lines += self._place(lines, place)
        return lines

    def _place(self, lines: list[Content], place: Content) -> list[Content]:
        """Behind the value where there is room, else below it."""
        if lines[-1].cell_length + 3 + place.cell_length <= self.width:
            lines[-1] = Content.assemble(lines[-1], "   ", place)
            return []
        return hung(place, self.width, _LABEL)

    def _fix(self, fix: Fix, diagnosis: Diagnosis | None) -> list[Content]:
        say = self.speech.line
        lead = Content(say(_("Fix"))).stylize(signs.KEY)
        title = Content(say(fix.title)).stylize(signs.STRONG)
        lines = hung(title, self.width, _FIX, lead)
        proof = proof_of(diagnosis) if fix.proved and diagnosis is not None else None
        if proof is not None:
            lines += self._wrap(f"✓ {say(self._with_others(proof, diagnosis))}", signs.GOOD, _FIX)
        else:
            state = _("not proved by a request") if diagnosis else _("to be tried by a request")
            lines += self._wrap(f"? {say(state)}", signs.DOUBT, _FIX)
        return lines + diff_lines(self.speech, fix.preview, self.width, _FIX)

    def _with_others(self, proof: Text, diagnosis: Diagnosis | None) -> Text:
        others = 0 if diagnosis is None else len(diagnosis.changes) - 1
        if others < 1:
            return proof
        if others == 1:
            return _("{proof}, together with the other change", proof=proof)
        return _("{proof}, together with the {n} other changes", proof=proof, n=others)


def diff_lines(speech: Speech, text: str, width: int, indent: int = 0) -> list[Content]:
    """A diff or lines to run. Signs and colours: + green, - red, places quiet."""
    lines: list[Content] = []
    for line in speech.block(text).split("\n"):
        if line.startswith(("+++", "---", "@@")):
            style = signs.QUIET
        elif line.startswith("+"):
            style = signs.GOOD
        elif line.startswith("-"):
            style = signs.BROKEN
        else:
            style = ""
        lines += hung(with_strays(line, style), width, indent)
    return lines
