"""How the path of a file is shown, and whether it belongs to the working folder."""

from __future__ import annotations

import os
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from doctor.facts.machine import Environment
from doctor.records import dataclass
from doctor.untrusted import visible


@dataclass(frozen=True, slots=True)
class Places:
    """The folders that decide. ``project`` is the git root above ``cwd``, else ``cwd`` itself."""

    home: PurePath
    cwd: PurePath
    project: PurePath

    @classmethod
    def of(cls, environment: Environment, project: str | None = None) -> Places:
        flavour = PureWindowsPath if environment.platform == "win32" else PurePosixPath
        cwd = flavour(environment.cwd)
        return cls(flavour(environment.home), cwd, flavour(project) if project else cwd)

    def shown(self, path: str) -> str:
        """``path`` as people know it: relative within the working folder, with ``~`` within home.

        ``path`` is absolute.
        """
        pure = type(self.cwd)(path)
        if pure.is_relative_to(self.cwd):
            pure = pure.relative_to(self.cwd)
        elif pure.is_relative_to(self.home):
            pure = type(self.cwd)("~") / pure.relative_to(self.home)
        return visible(str(pure))

    def in_project(self, path: str) -> bool:
        """Whether the file came with the working folder, so that others may have written it.

        Everything lies below a home folder that is the working folder; that is no project.
        """
        flavour = type(self.cwd)
        if isinstance(Path(), flavour):
            # A link in the project that leads out of it does not make the user's file a project's.
            root = os.path.realpath(self.project)
            inside = Path(os.path.realpath(path)).is_relative_to(root)
            return inside and root != os.path.realpath(self.home)
        return self.project != self.home and flavour(path).is_relative_to(self.project)
