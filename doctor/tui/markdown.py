"""A finding as Markdown, for an issue or a chat."""

from __future__ import annotations

import re

from doctor.models import Finding
from doctor.text import _
from doctor.tui.speech import Speech

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_FENCE = "```"


def finding_markdown(finding: Finding, speech: Speech) -> str:
    """Title, evidence, explanation and fixes; text of others is escaped."""
    lines = [f"**{finding.code} {_plain(speech.line(finding.title))}**", ""]
    for one in finding.evidence:
        value = speech.line(one.value)
        place = f" ({_plain(speech.line(one.location))})" if one.location else ""
        lines.append(f"- {_plain(speech.line(one.source))}{place}: {_code(value)}")
    if finding.evidence:
        lines.append("")
    lines.append(_plain(speech.block(finding.explanation)))
    for fix in finding.fixes:
        word = speech.line(_("Fix, proved:") if fix.proved else _("Fix:"))
        preview = speech.block(fix.preview).replace(_FENCE, "'''")
        lines += ["", f"{word} {_plain(speech.line(fix.title))}", "", _FENCE, preview, _FENCE]
    return "\n".join(lines)


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _code(text: str) -> str:
    """As code, whatever backticks it holds."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {text} {ticks}" if longest else f"`{text}`"
