"""A user's machine in a temporary folder, and the fixes that are proposed there."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from doctor.checkapi import problem
from doctor.connection import Change, Connection, SettingName
from doctor.facts.machine import Environment
from doctor.fixes.proposal import propose
from doctor.fixes.scene import Scene
from doctor.models import Finding, Fix
from doctor.secrets import Secret
from doctor.settings.discover import Discovery, TargetRequest, discover
from doctor.text import _


@dataclass(slots=True)
class World:
    """``home/app`` is the working folder; names of files that begin with ``~/`` lie in the home."""

    home: Path
    variables: dict[str, str] = field(default_factory=dict)
    request: TargetRequest = field(default_factory=TargetRequest)
    platform: str = "linux"

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            path.chmod(0o600)

    def path(self, name: str) -> Path:
        return self.home / name[2:] if name.startswith("~/") else self.home / "app" / name

    def read(self, name: str) -> str:
        return self.path(name).read_bytes().decode()

    @property
    def environment(self) -> Environment:
        (self.home / "app").mkdir(parents=True, exist_ok=True)
        return Environment(
            variables={"HOME": str(self.home), **self.variables},
            platform=self.platform,
            home=str(self.home),
            cwd=str(self.home / "app"),
        )

    def discovered(self) -> Discovery:
        return discover(self.request, self.environment)

    def connection(self) -> Connection:
        return self.discovered().targets[0].connection

    def scene(self) -> Scene:
        return Scene(self.environment, self.discovered().settings)

    def fixes(self, *changes: Change, proved: bool = True) -> tuple[Fix, ...]:
        """What is proposed if ``changes`` are the repair."""
        scene, connection = self.scene(), self.connection()
        found: list[Fix] = []
        for code in dict.fromkeys(change.code for change in changes):
            own = tuple(change for change in changes if change.code == code)
            finding = finding_of(code, own)
            needed = changes if proved else ()
            found += propose(finding, needed, proved, connection, scene)
        return tuple(found)

    def fix(self, change: Change, proved: bool = True) -> Fix:
        return self.fixes(change, proved=proved)[0]


def finding_of(code: str, changes: tuple[Change, ...]) -> Finding:
    from dataclasses import replace

    return replace(problem(_("made up"), _("made up"), changes=changes), code=code)


def change(code: str, setting: SettingName, value: object) -> Change:
    """A change with a title of its own; keys become secrets."""
    held = Secret(str(value)) if setting is SettingName.KEY else value
    return Change(code, setting, held, _("a change"))
