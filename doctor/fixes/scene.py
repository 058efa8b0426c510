"""What a plan of fixes stands on: the environment, what was found in it, whose a file is."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.fixes.startup import Startup


@dataclass(frozen=True, slots=True)
class Scene:
    """``environment`` is that of the examined client; ``settings`` what was found."""

    environment: Environment
    settings: Settings
    startup: Startup = field(init=False, repr=False, compare=False)
    _tracked: dict[str, bool] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "startup", Startup(self.environment))

    def absolute(self, shown: str) -> str:
        """The real path of a path as people know it."""
        if shown == "~" or shown.startswith(("~/", "~\\")):
            return os.path.join(self.environment.home, shown[2:])
        return os.path.normpath(os.path.join(self.environment.cwd, shown))

    def owned(self, path: str) -> bool:
        """Whether a file lies in the user's home or in the working folder, links followed."""
        real = Path(os.path.realpath(path))
        places = (self.environment.home, self.environment.cwd)
        return any(real.is_relative_to(os.path.realpath(place)) for place in places if place)

    def tracked(self, path: str, shown: str) -> bool:
        """Whether git tracks the file, so that others get it; not known counts as tracked."""
        known = {file.path: file.tracked_by_git for file in self.settings.env_files}
        known |= {file.path: file.tracked_by_git for file in self.settings.secret_files}
        told = known.get(shown)
        if told is not None:
            return told
        real = os.path.realpath(path)
        if real not in self._tracked:
            from doctor.settings.secret_files import tracked_by_git

            self._tracked[real] = tracked_by_git([real]).get(real, True)
        return self._tracked[real]


def scene_of(environment: Environment, settings: Settings) -> Scene | None:
    """None for a replay, whose files are another machine's."""
    return Scene(environment, settings) if environment.home else None
