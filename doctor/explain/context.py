"""What the settings of this machine show that could be the cause of a text.

The same checks as ``kvdoctor check --offline``, and signs that are no fault by themselves: a
quoted value in an env file is healthy for one reader and a fault for another, and only the text
says that something is wrong.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor import registry
from doctor.bundle import Live
from doctor.context import Options
from doctor.events import Event, RunFinished
from doctor.facts.observed import Environment, EnvReader
from doctor.models import Severity
from doctor.run import Plan, run
from doctor.secrets import REDACTOR, Secret
from doctor.settings.discover import Discovery, TargetRequest, discover


async def seen_here(environment: Environment) -> dict[str, str]:
    """Code → the place that shows it."""
    found = discover(TargetRequest(), environment)
    for secret in found.secrets:
        REDACTOR.learn(secret)
    here = _signs(found)
    if found.targets:
        here.update(await _faults(found, environment))
    return here


async def _faults(found: Discovery, environment: Environment) -> dict[str, str]:
    plan = Plan(
        targets=found.targets,
        checks=registry.load().checks,
        options=Options(offline=True),
        environment=environment,
        settings=found.settings,
        recorder=Live(),
        redactor=REDACTOR,
    )
    report = None
    events: AsyncIterator[Event] = run(plan)
    async for event in events:
        if isinstance(event, RunFinished):
            report = event.report
    if report is None:
        return {}
    return {
        finding.code: next((e.location for e in finding.evidence if e.location), finding.title)
        for finding in report.findings
        if finding.severity >= Severity.WARNING
    }


def _signs(found: Discovery) -> dict[str, str]:
    signs: dict[str, str] = {}
    for file in found.settings.env_files:
        for line in file.lines:
            read = {
                reader: _text(value[1])
                for reader, value in line.values.items()
                if value is not None
            }
            plain = read.get(EnvReader.DOTENV)
            docker = read.get(EnvReader.DOCKER)
            if docker and plain and docker != plain and docker.strip("\"'") == plain:
                signs.setdefault("KVD103", f"{file.path}:{line.number}")
    for target in found.targets:
        base = target.connection.base_url
        if base.value.endswith("/"):
            signs.setdefault("KVD217", str(base.origin))
    return signs


def _text(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value
