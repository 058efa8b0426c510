"""The message catalogues: what is to be translated, and whether it is.

    python scripts/messages.py          # takes the messages from the sources into each .po,
                                        # writes each .mo, and names what is not translated
    python scripts/messages.py check    # names it alone; exit code 1 if anything is

Messages are: every literal in ``_("…")``, the reasons of ``NotApplicable`` and ``Unavailable``, the
texts of the checks' docstrings without headings and references (``doctor/docpages.py``), the help
of ``doctor/cli.py`` and ``doctor/grammar/``, the slugs of ``doctor/codes.py`` as words, and the
texts of the built-in checklists. The .mo files are kept in the repository, so that neither a wheel
nor a checkout has to build anything.
"""

from __future__ import annotations

import ast
import struct
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

LOCALES = ROOT / "doctor" / "locale"
_HEADER = (
    "Project-Id-Version: kvdoctor\nMIME-Version: 1.0\n"
    "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"
    "Language: {language}\n"
)


def messages() -> dict[str, list[str]]:
    """Every message id, with the files that it stands in, in the order of the sources."""
    from doctor.codes import SLUGS

    found: dict[str, list[str]] = {}
    for folder in ("doctor", "checks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for message in _of(tree, place):
                places = found.setdefault(message, [])
                if place not in places:
                    places.append(place)
    for path in sorted((ROOT / "doctor/checklists/data").glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        for table in (document, *document["item"]):
            for key in ("title", "about", "question"):
                found.setdefault(table.get(key, ""), []).append(path.relative_to(ROOT).as_posix())
    for slug in SLUGS.values():
        found.setdefault(slug.replace("-", " "), []).append("doctor/codes.py")
    found.pop("", None)
    return found


def _of(tree: ast.Module, place: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name in ("_", "NotApplicable", "Unavailable") and node.args:
                yield from _literal(node.args[0])
            elif _is_grammar(place):
                yield from _help(node)
        elif isinstance(node, ast.AsyncFunctionDef) and place.startswith("checks/"):
            yield from _documentation(node)
        elif isinstance(node, ast.Assign) and _is_grammar(place):
            target = node.targets[0]
            if (isinstance(target, ast.Attribute) and target.attr == "description") or (
                isinstance(target, ast.Name) and target.id == "text"
            ):
                yield from _literal(node.value)


def _is_grammar(place: str) -> bool:
    return place == "doctor/cli.py" or place.startswith("doctor/grammar/")


def _help(node: ast.Call) -> Iterator[str]:
    for keyword in node.keywords:
        if keyword.arg in ("help", "description", "epilog"):
            yield from _literal(keyword.value)
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if method == "command":
        yield from _literal(node.args[2])
    elif method == "add_argument_group":
        yield from _literal(node.args[0])


def _documentation(node: ast.AsyncFunctionDef) -> Iterator[str]:
    from doctor.docpages import sections

    marks = (getattr(mark, "func", mark) for mark in node.decorator_list)
    if any(isinstance(mark, ast.Name) and mark.id == "check" for mark in marks):
        for section in sections(ast.get_docstring(node) or ""):
            if section.heading != "References":
                yield section.text


def _literal(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def read_po(path: Path) -> dict[str, str]:
    """Message ids with their translations, which are empty where there is none.

    Raises ``ValueError`` with the line that is neither blank, a comment nor part of a message.
    """
    entries: dict[str, str] = {}
    message, field = "", ""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        word, quote, rest = line.strip().partition('"')
        if not line.strip() or line.startswith("#"):
            continue
        if not quote or word.strip() not in ("", "msgid", "msgstr"):
            raise ValueError(f"{path.name}, line {number}: {line}")
        field = word.strip() or field
        text: str = ast.literal_eval(quote + rest)
        if word.strip() == "msgid":
            message = text
        elif field == "msgid":
            message += text
        else:
            entries[message] = entries.get(message, "") + text
    return entries


def write_po(path: Path, language: str, translations: dict[str, str]) -> None:
    """Every message of the sources with its translation; what is no message any more goes."""
    blocks = ['msgid ""\nmsgstr ""\n' + _quoted_lines(_HEADER.format(language=language))]
    for message, places in messages().items():
        comment = "".join(f"#: {place}\n" for place in places)
        told = translations.get(message, "")
        blocks.append(f"{comment}msgid {_quoted(message)}\nmsgstr {_quoted(told)}\n")
    path.write_text("\n".join(blocks), encoding="utf-8")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + escaped.replace("\t", "\\t") + '"'


def _quoted_lines(text: str) -> str:
    return "".join(_quoted(line + "\n") + "\n" for line in text.rstrip("\n").split("\n"))


def mo_bytes(translations: dict[str, str]) -> bytes:
    """The catalogue as GNU gettext lays it out: sorted ids, then texts, each with its offset."""
    told = {key.encode(): text.encode() for key, text in translations.items() if text}
    keys = sorted(told)
    start = 28 + 16 * len(keys)
    table, offset = [], start
    for key in keys:
        table += [len(key), offset]
        offset += len(key) + 1
    for key in keys:
        table += [len(told[key]), offset]
        offset += len(told[key]) + 1
    head = struct.pack("<7I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, start)
    texts = [*keys, *(told[key] for key in keys)]
    return head + struct.pack(f"<{len(table)}I", *table) + b"".join(text + b"\0" for text in texts)


def catalogues() -> list[Path]:
    return sorted(LOCALES.glob("*/LC_MESSAGES/kvdoctor.po"))


def main(argv: list[str]) -> int:
    if argv not in ([], ["check"]):
        print(__doc__, file=sys.stderr)
        return 2
    missing = 0
    for path in catalogues():
        told = read_po(path)
        if not argv:
            write_po(path, path.parents[1].name, told)
            path.with_suffix(".mo").write_bytes(mo_bytes(read_po(path)))
        for message, places in messages().items():
            if not told.get(message):
                print(f"{path.parents[1].name}: {places[0]}: {message}")
                missing += 1
    return 1 if missing and argv else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
