"""Writes docs/rules/: one page for each built-in check, from its docstring, and an index.

    python scripts/rule_pages.py

The docstrings are the only source; tests/hygiene/test_rule_pages.py says whether the pages are up
to date. Nothing is asked of anybody.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from doctor import registry  # noqa: E402
from doctor.checkapi import AREAS, Check  # noqa: E402

FOLDER = ROOT / "docs" / "rules"
_SECTION = re.compile(r"^([A-Z][A-Za-z ]{2,40}):(?:\s+|$)")
_NOTICE = "<!-- Written by scripts/rule_pages.py from the check's docstring. Edit that. -->"


def pages() -> dict[str, str]:
    """Every file below docs/rules by its name."""
    checks = [check for check in registry.load().checks if check.code.startswith("KVD")]
    codes = {check.code for check in checks}
    found = {f"{check.code}.md": page(check, codes) for check in checks}
    found["README.md"] = index(checks)
    return found


def page(check: Check, known: set[str]) -> str:
    """Title, facts and the sections of the docstring. ``known`` are the codes with a page."""
    first, *rest = inspect.cleandoc(check.doc).split("\n\n")
    facts = f"`{check.slug}` · {check.area} · {check.severity.word} · {check.hop.value}"
    blocks = [_NOTICE, f"# {check.code}: {escaped(joined(first))}", facts]
    for block in rest:
        match = _SECTION.match(block)
        if match is None:
            blocks.append(body(block))
        else:
            told = block[match.end() :]
            blocks += [f"## {match[1]}", body(told[:1].upper() + told[1:])]
    related = sorted({*check.explains})
    if related:
        links = ", ".join(f"[{code}]({code}.md)" if code in known else code for code in related)
        blocks.append(f"Findings of these follow from it: {links}.")
    return "\n\n".join(block for block in blocks if block) + "\n"


def body(block: str) -> str:
    """A paragraph; what is indented stays as it is written."""
    lines = block.split("\n")
    if any(line.startswith("    ") for line in lines):
        return "```text\n" + inspect.cleandoc(block) + "\n```"
    return escaped(block.strip())


def joined(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def escaped(text: str) -> str:
    """Angle brackets, stars and underscores outside of code as they are meant."""
    parts = re.split(r"(`+[^`]*`+)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([<>*_|])", r"\\\1", part) for part in parts
    )


def index(checks: Iterable[Check]) -> str:
    """All checks by area."""
    blocks = [_NOTICE, "# Checks"]
    by_area: dict[str, list[Check]] = {}
    for check in checks:
        by_area.setdefault(check.area, []).append(check)
    for area in AREAS.values():
        rows = [
            f"| [{check.code}]({check.code}.md) | {check.slug} | {check.severity.word} "
            f"| {escaped(joined(inspect.cleandoc(check.doc).split(chr(10) * 2)[0]))} |"
            for check in by_area.get(area, [])
        ]
        if rows:
            head = ("| code | slug | severity | |", "|---|---|---|---|")
            blocks += [f"## {area}", "\n".join((*head, *rows))]
    return "\n\n".join(blocks) + "\n"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, "utf-8")
    print(f"{len(wanted)} files in {FOLDER.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
