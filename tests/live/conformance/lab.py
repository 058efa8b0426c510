"""Runs a client in a throw-away home against the recorder."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from doctor.clients.prediction import Prediction, predict
from doctor.connection import Connection
from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.settings.discover import TargetRequest, discover
from tests.live.servers import refusing_port
from tests.live.setup_clients import installed_folder

from .case import Case, Program, Scene
from .comparing import mismatches
from .recorder import Recorded, Recorder

_POLL_S = 0.05
_TAIL = 3000
# What a request that should not come gets as time to come after all.
_REFUSAL_PATIENCE_S = 6.0


@dataclass(frozen=True)
class Outcome:
    """What a run sent: the request that was awaited, all of them, and what the program printed."""

    request: Recorded | None
    requests: tuple[Recorded, ...]
    printed: str
    code: int | None


class Lab:
    """A folder, a recorder and a dead port. The fixture ``lab`` gives one."""

    def __init__(self, folder: Path, recorder: Recorder, dead: int) -> None:
        self.folder = folder
        self.recorder = recorder
        self.dead = dead

    def agree(self, program: Program, case: Case) -> Outcome:
        """Run, compare, and fail the test with every difference."""
        scene = self.scene(case)
        connection, prediction = self.predicted(program, case, scene)
        outcome = self.run(program, case, scene)
        wrong = list(mismatches(case, scene, prediction, outcome.request))
        if case.no_request and outcome.request is not None:
            wrong.append(f"expected no request, sent {outcome.request}")
        if not case.no_request and outcome.request is None:
            wrong.append("expected a request, nothing was sent")
        if wrong:
            seen = [str(request) for request in outcome.requests]
            lines = [
                f"{program.client}, {case.name}:",
                *wrong,
                f"connection: {connection}",
                f"all requests: {seen}",
                f"exit code {outcome.code}; printed: {outcome.printed[-_TAIL:]}",
            ]
            pytest.fail("\n  ".join(lines), pytrace=False)
        return outcome

    def scene(self, case: Case) -> Scene:
        """The folders of a case with its files written."""
        home = self.folder / "home"
        cwd = home / case.cwd
        cwd.mkdir(parents=True, exist_ok=True)
        values = {
            "base": self.recorder.base,
            "port": str(self.recorder.port),
            "proxy": self.recorder.proxy,
            "dead": f"http://127.0.0.1:{self.dead}",
            "far": "http://gateway.invalid",
            "home": str(home),
            "cwd": str(cwd),
        }
        scene = Scene(home, cwd, self.folder / "system", values)
        scene.write(case.files)
        return scene

    def environment(self, program: Program, case: Case, scene: Scene) -> dict[str, str]:
        """Everything that the program finds in its environment."""
        own = {name: scene.fill(value) for name, value in case.variables.items()}
        quiet = {name: scene.fill(value) for name, value in program.variables.items()}
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(scene.home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TMPDIR": str(self.folder),
            "DO_NOT_TRACK": "1",
            **quiet,
            **own,
        }

    def predicted(
        self, program: Program, case: Case, scene: Scene
    ) -> tuple[Connection, Prediction]:
        """What kvdoctor says of the same home, as if the user had named the client."""
        environment = Environment(
            self.environment(program, case, scene),
            "linux",
            home=str(scene.home),
            cwd=str(scene.cwd),
            root=str(scene.system) if case.of_system else "",
        )
        targets = discover(TargetRequest(names=(program.client,)), environment).targets
        connection = targets[0].connection
        assert connection.client == program.client, targets
        return connection, predict(connection, environment)

    def settings(self, program: Program, case: Case) -> Settings:
        """What kvdoctor says of the settings in the case's home."""
        scene = self.scene(case)
        environment = Environment(
            self.environment(program, case, scene),
            "linux",
            home=str(scene.home),
            cwd=str(scene.cwd),
        )
        return discover(TargetRequest(names=(program.client,)), environment).settings

    def run(self, program: Program, case: Case, scene: Scene | None = None) -> Outcome:
        """Run the program until its awaited request has come (or it ended)."""
        scene = self.scene(case) if scene is None else scene
        self.recorder.clear()
        output = self.folder / "printed.out"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [*_over(case, scene), *command(program), *map(scene.fill, case.argv)],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=scene.cwd,
                env=self.environment(program, case, scene),
                start_new_session=True,
            )
            try:
                request = self._await(process, program, case)
                if request is not None and program.finish:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(program.finish)
                code = process.poll()
            finally:
                _end(process)
        printed = output.read_text(encoding="utf-8", errors="replace")
        return Outcome(request, tuple(self.recorder.requests), printed, code)

    def _await(
        self, process: subprocess.Popen[bytes], program: Program, case: Case
    ) -> Recorded | None:
        patience = _REFUSAL_PATIENCE_S if case.no_request else program.patience
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            found = self.recorder.wait(case.awaited, _POLL_S)
            if found is not None or process.poll() is not None:
                return found or self.recorder.first(case.awaited)
        return None


def _over(case: Case, scene: Scene) -> list[str]:
    """What runs a program with the case's files laid over those of the system; skips the test
    where that is not allowed."""
    if not case.of_system:
        return []
    apart = ["unshare", "--mount"]
    with contextlib.suppress(OSError):
        if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode == 0:
            mounts = [
                f'mount -t overlay overlay -o "lowerdir={scene.system}{folder}:{folder}" {folder}'
                for folder in sorted(case.of_system)
            ]
            return [*apart, "sh", "-ec", "; ".join([*mounts, 'exec "$@"']), "sh"]
    pytest.skip("laying files over those of the system needs a mount namespace")


def command(program: Program) -> list[str]:
    """The command line as it is on this machine; skips the test where the client is missing."""
    folder = installed_folder(program.folder)
    if folder is None:
        pytest.skip(f"{program.folder} is not installed; what is known is from documentation")
    first, *rest = program.command
    start = first if first == "node" else str(_one(folder, first))
    return [start, *(part.replace("{installed}", str(folder)) for part in rest)]


def _one(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if not found:
        raise AssertionError(f"{folder} holds no {pattern}")
    return found[0]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and what it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


@contextlib.contextmanager
def laboratory(folder: Path, recorder: Recorder) -> Iterator[Lab]:
    """A lab whose dead port stays dead."""
    with refusing_port() as dead:
        yield Lab(folder, recorder, dead)
