"""Which texts there are, and where a system looks for them once they are installed."""

from __future__ import annotations

from doctor.completions import bash, fish, manual, powershell, zsh
from doctor.completions.grammar import Grammar, grammar

_WRITERS = {
    "bash": bash.script,
    "zsh": zsh.script,
    "fish": fish.script,
    "powershell": powershell.script,
    "man": manual.page,
}
# Below the prefix of an installation, which pipx and distributions link to.
PLACES = {
    "bash": "share/bash-completion/completions/kvdoctor",
    "zsh": "share/zsh/site-functions/_kvdoctor",
    "fish": "share/fish/vendor_completions.d/kvdoctor.fish",
    "man": "share/man/man1/kvdoctor.1",
}


def text_of(kind: str, of: Grammar | None = None) -> str:
    """The script for a shell, or with ``man`` the manual page. Raises ``KeyError``."""
    return _WRITERS[kind](of or grammar())
