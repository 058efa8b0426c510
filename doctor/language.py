"""Which language the user reads."""

from __future__ import annotations

import os

from doctor.text import LOCALE_DIR


def available() -> tuple[str, ...]:
    """English, which needs no catalogue, and every catalogue that is installed."""
    found = sorted(p.parent.parent.name for p in LOCALE_DIR.glob("*/LC_MESSAGES/kvdoctor.mo"))
    return ("en", *found)


def chosen(flag: str | None) -> str:
    """``--lang``, else the locale of the environment, else English."""
    if flag:
        return flag
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "").split(".")[0]
        if value:
            return value if value in available() else "en"
    return "en"
