"""What a client finds on the machine that it runs on: folders, variables, files of the system."""

from __future__ import annotations

from pathlib import Path

from doctor.facts.machine import Environment
from doctor.records import dataclass
from doctor.settings.places import Places
from doctor.settings.variables import Held, Space, environment_layer


@dataclass(frozen=True, slots=True)
class Machine:
    """``shell`` holds the variables of the process alone, without any ``.env``.

    ``keychain`` and ``helpers`` say that the user asked to look into the keychain and to run the
    commands that print a key; without that nothing found on disk is run (DESIGN §6.4).
    ``trusts_project`` lets a file of the working folder bring such a command.
    """

    environment: Environment
    places: Places
    shell: Space
    keychain: bool = False
    helpers: bool = False
    trusts_project: bool = False

    @classmethod
    def of(
        cls,
        environment: Environment,
        places: Places,
        *,
        keychain: bool = False,
        helpers: bool = False,
        trusts_project: bool = False,
    ) -> Machine:
        shell = Space((environment_layer(environment.variables),))
        return cls(environment, places, shell, keychain, helpers, trusts_project)

    @property
    def home(self) -> Path:
        return Path(self.environment.home)

    @property
    def cwd(self) -> Path:
        return Path(self.environment.cwd)

    @property
    def windows(self) -> bool:
        return self.environment.platform == "win32"

    @property
    def mac(self) -> bool:
        return self.environment.platform == "darwin"

    def variable(self, name: str) -> Held | None:
        """A variable of the process, None where it is unset or empty."""
        held = self.shell.get(name)
        return held if held is not None and held.value else None

    def folder(self, variable: str, default: Path) -> Path:
        """The folder that ``variable`` names, else ``default``."""
        held = self.variable(variable)
        if held is None:
            return default
        named = Path(held.value)
        parts = named.parts
        return self.home.joinpath(*parts[1:]) if parts[:1] == ("~",) else self.cwd / named

    @property
    def config(self) -> Path:
        """``$XDG_CONFIG_HOME``, else ``~/.config``, on every platform."""
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")

    @property
    def data(self) -> Path:
        """``$XDG_DATA_HOME``, else ``~/.local/share``."""
        return self.folder("XDG_DATA_HOME", self.home / ".local" / "share")

    @property
    def appdata(self) -> Path:
        """Where desktop programs keep their settings."""
        if self.windows:
            return self.folder("APPDATA", self.home / "AppData" / "Roaming")
        if self.mac:
            return self.home / "Library" / "Application Support"
        return self.config

    def system(self, path: str) -> Path:
        """A file of the system by its absolute path."""
        return Path(self.environment.root + path)

    def upward(self) -> tuple[Path, ...]:
        """The working folder and those above it up to the root of the project, nearest first.

        The home folder is no project; where the working folder lies in none, it is alone.
        """
        cwd, project = self.cwd, Path(self.places.project)
        if not cwd.is_relative_to(project):
            return (cwd,)
        above = [cwd, *cwd.parents]
        return tuple(above[: above.index(project) + 1])
