"""Everything that one diagnosis writes, in every format and wherever it goes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .machine import Machine

SHEETS = ("junit", "sarif", "github", "markdown", "html")
FORMATS = ("plain", "rich", "json", "jsonl", *SHEETS)
# So much of a secret in a row is a leak; four characters at its end are shown on purpose.
_WINDOW = 9


def outputs_of(machine: Machine, *typed: str) -> dict[str, str]:
    """``kvdoctor check TYPED`` in all formats, a saved run and its replay, and what ``explain``
    makes of all that. The keys say which output it is."""
    found: dict[str, str] = {}
    folder = machine.root / "written"
    folder.mkdir(exist_ok=True)
    outs = [f"--out={name}={folder / name}" for name in FORMATS]
    bundle = ["--save-bundle", str(folder / "bundle")]
    ran = machine.run("check", *typed, "--plain", *outs, *bundle)
    found |= {"stdout": ran.out, "stderr": ran.err}
    found |= {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir())}
    machine.variables["FORCE_COLOR"] = "1"
    found["coloured"] = machine.run("check", *typed, "--format", "rich").out
    del machine.variables["FORCE_COLOR"]
    if (folder / "bundle").exists():
        for name in ("plain", "json"):
            again = machine.run("replay", str(folder / "bundle"), "--format", name)
            found |= {f"replayed {name}": again.out, f"replay {name} errors": again.err}
        told = machine.run("report", "--from-bundle", str(folder / "bundle"))
        found |= {"report": told.out, "report errors": told.err}
    return found


def explained(machine: Machine, *texts: str) -> dict[str, str]:
    """What ``explain`` says of each text, for people and for programs."""
    found: dict[str, str] = {}
    for number, text in enumerate(texts):
        machine.stdin = text.encode("utf-8", "surrogatepass")
        outs = [f"--out={name}={machine.root / name}" for name in ("json", *SHEETS)]
        ran = machine.run("explain", "-", *outs)
        found |= {f"explain plain {number}": ran.out, f"explain errors {number}": ran.err}
        for name in ("json", *SHEETS):
            text = (machine.root / name).read_text("utf-8") if ran.code in (0, 1) else ""
            found[f"explain {name} {number}"] = text
    machine.stdin = b""
    return found


def leaked(outputs: dict[str, str], secrets: Iterable[str]) -> list[str]:
    """Where a part of a secret stands that would help a thief, blanks and line breaks aside."""
    found: list[str] = []
    windows = {
        secret[start : start + _WINDOW]
        for secret in map(_dense, secrets)
        for start in range(max(1, len(secret) - _WINDOW + 1))
    }
    for name, text in outputs.items():
        dense = _dense(text)
        for window in windows:
            place = dense.find(window)
            if place >= 0:
                found.append(f"{name}: …{dense[max(0, place - 60) : place + 60]}…")
                break
    return found


def _dense(text: str) -> str:
    return re.sub(r"[\s⏎␍⇥]+", "", text)
