"""GPUs by name, as far as a launch line must suit them.

Memory and capability come from the planner's table. Cards that it leaves out, and names that
stand for cards of several sizes, have a compute capability here (NVIDIA's own list) and no size.
"""

from __future__ import annotations

from doctor.launch.model import Gpu
from doctor.patterns import Pattern

_COUNT = Pattern(r"\s*(\d{1,3})\s*[x×*]\s*(?=\D)")
_CARDS: tuple[tuple[str, int], ...] = (
    (r"A100|A800", 80),
    (r"RTX 30\d\d|3080|3070", 86),
    (r"RTX (?:8000|6000|5000|20\d\d)|TITAN RTX|(?:GTX )?16\d\d|2080|2070|2060", 75),
    (r"V100S?|TITAN V", 70),
    (r"P40|P4|P6|(?:GTX )?10[5-8]0(?: ?TI)?|TITAN XP?", 61),
    (r"P100", 60),
    (r"M40|M60|M4|(?:GTX )?9[5-8]0(?: ?TI)?", 52),
    (r"K80|K40|K20X?", 37),
)


def named(text: str) -> Gpu | None:
    """``2x A100 80GB``, ``Tesla T4``, ``h100``; None for a card that is not known."""
    from doctor.memory import gpus
    from doctor.memory.errors import OptionError

    try:
        found = gpus.named(text)
    except OptionError:
        return _older(text)
    return Gpu(found.name, found.count, found.total, found.capability or None)


def _older(text: str) -> Gpu | None:
    match = _COUNT.match(text)
    count = int(match.group(1)) if match else None
    name = text[match.end() :] if match else text
    upper = name.upper().replace("_", " ").replace("-", " ")
    for pattern, capability in _CARDS:
        if Pattern(rf"(?<![A-Z0-9])(?:{pattern})(?![A-Z0-9])").search(upper):
            return Gpu(name.strip(), count, None, capability)
    return None


def written(capability: int) -> str:
    """75 → ``7.5``."""
    return f"{capability // 10}.{capability % 10}"
