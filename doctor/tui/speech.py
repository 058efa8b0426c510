"""What is shown, and how: translated, harmless, redacted. No text reaches a widget otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from doctor.secrets import Redactor
from doctor.text import Translator
from doctor.untrusted import harmless, visible

_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class Speech:
    translate: Translator
    redact: Redactor

    def line(self, text: str) -> str:
        """``text`` on one line, every unusual character spelled out."""
        return self.redact(visible(self.translate(text)))

    def block(self, text: str) -> str:
        """``text`` with its line breaks."""
        return self.redact(harmless(self.translate(text), _LIMIT))
