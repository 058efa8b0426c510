"""A run kept in one file: every fact, redacted, so that the same checks run again offline.

A key leaves only its shape behind: letters and digits are replaced class by class, everything
that a check judges by (prefix, blanks, quotes, invisible characters, length) stays.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar

from doctor import __version__
from doctor.facts.machine import Environment
from doctor.facts.store import Fact, Unavailable
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.render.outlet import inert
from doctor.secrets import Redactor, Secret
from doctor.shareable import shareable
from doctor.target import Target

T = TypeVar("T")

SCHEMA = "kvdoctor.bundle/1"
_PREFIX = Pattern(
    r"^\W*(?:Bearer\s+)*(?:sk|cr|gsk|hf|xai)[-_](?:or-v1-|ant-[a-z]+\d*-|proj-)?", re.I
)
_SHAPE_KEPT = frozenset("-_.")
_SHAPE = "secret_shape"
_STRAYS = 4
_FULL_WIDTH = 0xFEE0  # from a character of ASCII to its full-width form
# As it stands in the bundle's own text; in a text of others the quotes would be escaped.
_MARKED = Pattern(rf'("{_SHAPE}": )"@([0-9]+)@"')


class BundleError(ValueError):
    """The file is not a bundle, or one of another kind; the text says which and where."""


class Live:
    """The recorder of an ordinary run: nothing is recalled, everything is kept for a bundle."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, object]] = {}

    def recall(self, scope: str, fact: Fact[T]) -> T | Unavailable | None:
        return None

    def keep(self, scope: str, fact: Fact[Any], value: object) -> None:
        self.kept.setdefault(scope, {})[fact.key] = (fact, value)


@dataclass(slots=True)
class Replay:
    """The recorder of a replay: what the bundle lacks is unavailable, never gathered."""

    facts: dict[str, dict[str, Any]]
    converter: Any = field(default=None)

    def recall(self, scope: str, fact: Fact[T]) -> T | Unavailable | None:
        entry = self.facts.get(scope, {}).get(fact.key)
        if entry is None:
            return Unavailable("not in the bundle")
        try:
            if "unavailable" in entry:
                return Unavailable(str(entry["unavailable"]))
            value: T = self.converter.structure(entry["value"], fact.type)
        except Exception:  # as in ``load``
            return Unavailable("damaged in the bundle")
        return value

    def keep(self, scope: str, fact: Fact[Any], value: object) -> None:
        """A replay gathers nothing new."""


def converter(pseudonyms: Pseudonyms | None = None) -> Any:
    """cattrs, taught what a Secret leaves behind."""
    import cattrs
    import cattrs.preconf.json

    names = pseudonyms or Pseudonyms()
    conv = cattrs.preconf.json.make_converter()
    conv.register_unstructure_hook(Secret, lambda s: {_SHAPE: names(s)})
    conv.register_structure_hook(Secret, lambda v, _type: Secret(v[_SHAPE]))
    conv.register_unstructure_hook(str, str)

    def structure_either(value: Any, _type: Any) -> Any:
        return Secret(value[_SHAPE]) if isinstance(value, dict) else value

    conv.register_structure_hook(str | Secret, structure_either)
    conv.register_unstructure_hook(
        str | Secret, lambda v: conv.unstructure(v) if isinstance(v, Secret) else v
    )
    return conv


class Pseudonyms:
    """Shapes of keys: equal keys get equal shapes, different keys different ones."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, secret: Secret) -> str:
        value = secret.reveal()
        if len(value.strip()) < Redactor.MINIMUM:
            return value
        core = value.strip()
        number = self._numbers.setdefault(core, len(self._numbers) + 1)
        prefix = _PREFIX.match(value)
        kept = prefix.end() if prefix else 0
        shaped = [*value[:kept], *_classes_of(value[kept:])]
        places = [i for i in range(len(shaped) - 1, kept - 1, -1) if shaped[i] in "xX0"]
        for place, digit in zip(places, reversed(f"{number:04d}"), strict=False):
            shaped[place] = digit
        return "".join(shaped)


def _classes_of(text: str) -> Iterator[str]:
    """A stray letter of another script is the fault and stays; a key made of such is a key."""
    foreign = 0
    for char in text:
        shown = _class_of(char)
        if shown == char and not char.isascii() and unicodedata.category(char) in ("Ll", "Lu"):
            foreign += 1
            if foreign > _STRAYS:
                shown = "Я" if char.isupper() else "я"
        yield shown


def _class_of(char: str) -> str:
    plain = unicodedata.normalize("NFKC", char)
    if plain != char and len(plain) == 1 and plain.isascii() and plain.isalnum():
        return chr(ord(_class_of(plain)) + _FULL_WIDTH)
    if not char.isascii() or not char.isalnum():
        return char
    if char.isdigit():
        return "0"
    return "X" if char.isupper() else "x"


def dump(kept: dict[str, dict[str, Any]], targets: tuple[Target, ...], redactor: Redactor) -> str:
    """The bundle's text.

    Shapes are put in after the redaction, which would take them for the keys that they stand for.
    """
    names, shapes = Pseudonyms(), []

    def marked(secret: Secret) -> dict[str, str]:
        shapes.append(names(secret))
        return {_SHAPE: f"@{len(shapes) - 1}@"}

    conv = converter()
    conv.register_unstructure_hook(Secret, marked)
    scopes: dict[str, dict[str, Any]] = {}
    for scope, entries in kept.items():
        scopes[scope] = {}
        for key, (fact, value) in entries.items():
            if isinstance(value, Environment):
                value = shareable(value)
            if isinstance(value, Unavailable):
                scopes[scope][key] = {"unavailable": str(value)}
            else:
                scopes[scope][key] = {"value": conv.unstructure(value, unstructure_as=fact.type)}
    document = {
        "schema": SCHEMA,
        "tool": {"name": "kvdoctor", "version": __version__},
        "targets": [conv.unstructure(target) for target in targets],
        "facts": scopes,
    }
    text = redactor(_plain(document, indent=1))

    def shape(match: re.Match[str]) -> str:
        return match.group(1) + _plain(shapes[int(match.group(2))])

    return inert(_MARKED.sub(shape, text))


def _plain(value: object, indent: int | None = None) -> str:
    """JSON in printable ASCII: what a stranger's text holds must not steer who looks at it."""
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")


def load(path: Path) -> tuple[tuple[Target, ...], Replay]:
    """Read a bundle. Raises ``BundleError`` and ``OSError``."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{path}: not JSON: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise BundleError(f"{path}: not a bundle of schema {SCHEMA}")
    conv = converter()
    try:
        targets = tuple(conv.structure(entry, Target) for entry in document["targets"])
        facts = {str(scope): dict(entries) for scope, entries in document["facts"].items()}
    except Exception as error:  # whatever cattrs makes of what a stranger wrote
        raise BundleError(f"{path}: damaged: {type(error).__name__}") from None
    return targets, Replay(facts, conv)


__all__ = ["BundleError", "Live", "Pseudonyms", "Replay", "dump", "load"]
