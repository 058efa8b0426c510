"""Which renderer writes which format, and how the terminal at hand is treated."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from typing import IO

from doctor.render.base import Look, Renderer, Sink
from doctor.secrets import Redactor
from doctor.text import Translator

# Written by ``doctor.render.paper``, for every command that has findings.
SHEET_FORMATS = ("junit", "sarif", "github", "markdown", "html")

Make = Callable[[IO[str], Redactor, Look], Renderer]


def _plain(stream: IO[str], redactor: Redactor, look: Look) -> Renderer:
    from doctor.render.plain import PlainRenderer

    return PlainRenderer(Sink(stream, redactor), look)


def _rich(stream: IO[str], redactor: Redactor, look: Look) -> Renderer:
    from doctor.render.rich import RichRenderer

    return RichRenderer(stream, redactor, look)


def _json(stream: IO[str], redactor: Redactor, look: Look) -> Renderer:
    from doctor.render.json import JsonRenderer

    return JsonRenderer(Sink(stream, redactor))


def _jsonl(stream: IO[str], redactor: Redactor, look: Look) -> Renderer:
    from doctor.render.jsonl import JsonLinesRenderer

    return JsonLinesRenderer(Sink(stream, redactor))


def _sheet(name: str) -> Make:
    def make(stream: IO[str], redactor: Redactor, look: Look) -> Renderer:
        from doctor.render.paper import SheetRenderer

        return SheetRenderer(name, Sink(stream, redactor), look)

    return make


FORMATS: Mapping[str, Make] = {
    "plain": _plain,
    "rich": _rich,
    "json": _json,
    "jsonl": _jsonl,
    **{name: _sheet(name) for name in SHEET_FORMATS},
}


def default_format(stream: IO[str], plain: bool) -> str:
    """Rich on a terminal that can show it, plain everywhere else."""
    dumb = os.environ.get("TERM", "") in ("", "dumb") and os.name != "nt"
    return "plain" if plain or dumb or not stream.isatty() else "rich"


def look_for(
    stream: IO[str],
    language: str,
    no_color: bool,
    verbose: bool = False,
    fail_on: str = "error",
) -> Look:
    """Width and colour by the terminal, NO_COLOR and FORCE_COLOR (https://no-color.org)."""
    terminal = stream.isatty()
    forced = bool(os.environ.get("FORCE_COLOR"))
    off = no_color or bool(os.environ.get("NO_COLOR"))
    columns = shutil.get_terminal_size((100, 24)).columns if terminal else 100
    return Look(
        translate=Translator(language),
        width=max(40, min(columns, 120)),
        color=(terminal or forced) and not off,
        verbose=verbose,
        fail_on=fail_on,
    )
