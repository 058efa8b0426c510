"""For which version of vLLM a line is judged, and who told so."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from doctor.launch.model import Version
from doctor.launch.tables import at_or_below, newest, number_of
from doctor.patterns import Pattern
from doctor.text import _
from doctor.untrusted import visible

_TAG = Pattern(r":v?(\d+\.\d+(?:\.\d+)?(?:\.?post\d+|rc\d+)?)(?:[-+@].*)?$")
_INSTALL = Pattern(r"\bvllm(?:-cpu)?(?:\[[^\]\s]*\])?\s*==\s*(\d+\.\d+(?:\.\d+)?(?:\.post\d+)?)")
_INFO = Pattern(r"vllm(?:_cpu)?-(\d+\.\d+\.\d+)")


def told(text: str, origin: str) -> Version:
    """A version that somebody named. Raises ``ValueError`` for what is none."""
    text = text.strip().removeprefix("v")
    number = number_of(text)
    if number is None:
        raise ValueError(text)
    known = number_of(newest()) or number
    return Version(
        text,
        at_or_below(text),
        origin,
        newer=number[:2] > known[:2],
        between=number[:2] <= known[:2]
        and number[:3] != (number_of(at_or_below(text)) or number)[:3],
    )


def of_image(image: str) -> Version | None:
    """``vllm/vllm-openai:v0.9.1`` names one; ``latest`` does not."""
    match = _TAG.search(image)
    if match is None or "vllm" not in image:
        return None
    try:
        return told(match.group(1), _("image {image}", image=visible(image)))
    except ValueError:
        return None


def of_text(text: str) -> Version | None:
    """``pip install vllm==0.6.3`` beside the command, if it names one version only."""
    found = set(_INSTALL.findall(text))
    if len(found) != 1:
        return None
    version = found.pop()
    try:
        return told(version, _("vllm=={version} in the same text", version=version))
    except ValueError:
        return None


def installed(program: str) -> Version | None:
    """Of the environment that ``program`` (``vllm``, ``python``) belongs to."""
    path = shutil.which(program) if os.sep not in program else program
    folders: list[Path] = []
    if path:
        # Not resolved: the interpreter of a virtual environment is a link out of it.
        root = Path(path).parent.parent
        folders = [*root.glob("lib/python3*/site-packages"), root / "Lib" / "site-packages"]
    for folder in folders:
        for name in _names(folder):
            match = _INFO.match(name)
            if match and name.endswith((".dist-info", ".egg-info")):
                return told(match.group(1), _("installed beside {path}", path=visible(path or "")))
    return None


def _names(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.startswith("vllm"))
    except OSError:
        return []


def assumed() -> Version:
    """The newest known one, since nobody told any."""
    version = newest()
    return Version(version, version, _("the newest known; none was told"), assumed=True)
