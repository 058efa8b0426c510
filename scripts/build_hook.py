"""Puts the completion scripts and the manual page into a wheel, written from the grammar.

hatchling runs this (``tool.hatch.build.targets.wheel.hooks.custom`` of pyproject.toml). What it
imports needs the standard library alone, for a build has no other packages.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Hook(BuildHookInterface):
    """An editable install gets no such files: it would keep those of the day it was made."""

    PLUGIN_NAME = "custom"
    _folder: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        folder = self._folder = tempfile.mkdtemp(prefix="kvdoctor-build-")
        sys.path.insert(0, self.root)
        try:
            from doctor.completions.files import PLACES, text_of
            from doctor.completions.grammar import grammar

            found = grammar()
            texts = {kind: text_of(kind, found) for kind in PLACES}
        finally:
            sys.path.remove(self.root)
        for kind, text in texts.items():
            path = Path(folder, kind)
            path.write_text(text, "utf-8", newline="\n")
            build_data["shared_data"][str(path)] = PLACES[kind]

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder)
