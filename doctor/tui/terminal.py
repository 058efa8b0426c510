"""What the terminal can show, judged by the environment alone: before textual is imported."""

from __future__ import annotations

import os
from collections.abc import Mapping

_TRUE_COLOR = ("truecolor", "24bit")


def theme_for(environ: Mapping[str, str]) -> str:
    """The name of the theme to begin with.

    COLORTERM tells of true colour, TEXTUAL_COLOR_SYSTEM does so in a browser; without them the
    terminal's own palette is safe anywhere.
    COLORFGBG ("15;0": foreground; background) tells light from dark where the terminal sets it
    (rxvt, Konsole).
    """
    told = (environ.get("COLORTERM", ""), environ.get("TEXTUAL_COLOR_SYSTEM", ""))
    full = any(name.lower() in _TRUE_COLOR for name in told)
    shade = "light" if _is_light(environ.get("COLORFGBG", "")) else "dark"
    return f"kvdoctor-{shade}" if full else f"terminal-{shade}"


def _is_light(colors: str) -> bool:
    background = colors.rpartition(";")[2]
    return background in ("7", "15")


def settle_animations(over_ssh: bool) -> None:
    """No animation over SSH, unless the user asked for some. textual reads this when imported."""
    if over_ssh:
        os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
