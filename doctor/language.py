"""Which language the user reads."""

from __future__ import annotations

import os

from doctor.text import LOCALE_DIR

# Traditional script is another catalogue, which there is not.
_ALIASES = dict.fromkeys(("zh", "zh_cn", "zh_sg", "zh_hans", "zh_hans_cn", "zh_hans_sg"), "zh_CN")


def available() -> tuple[str, ...]:
    """English, which needs no catalogue, and every catalogue that is installed."""
    found = sorted(p.parent.parent.name for p in LOCALE_DIR.glob("*/LC_MESSAGES/kvdoctor.mo"))
    return ("en", *found)


def chosen(flag: str | None) -> str:
    """``--lang``, else the locale of the environment, else English.

    A language is named as a locale (``zh_CN.UTF-8``), as web pages do (``zh-CN``, ``zh-Hans``) or
    by its first part alone (``zh``). One without a catalogue is English.
    """
    if flag:
        return _known(flag)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            return _known(value)
    return "en"


def _known(name: str) -> str:
    name = name.split(".")[0].split("@")[0].replace("-", "_")
    here = available()
    if name in here:
        return name
    name = _ALIASES.get(name.lower(), name)
    return name if name in here else "en"
