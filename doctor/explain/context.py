"""What the settings of this machine show that could be the cause of a text.

The same checks as ``kvdoctor check --offline``, and signs that are no fault by themselves: a
quoted value in an env file is healthy for one reader and a fault for another, and only the text
says that something is wrong.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from doctor import registry
from doctor.bundle import Live
from doctor.context import Options
from doctor.events import Event, RunFinished
from doctor.explain.logins_here import logins_here
from doctor.explain.places import Hint
from doctor.explain.rivals import Rivals, rivals_in
from doctor.facts.machine import Environment
from doctor.facts.settings import EnvReader, Role
from doctor.models import Severity
from doctor.run import Plan, run
from doctor.secrets import REDACTOR, Secret
from doctor.settings.discover import Discovery, TargetRequest, discover
from doctor.urls import is_loopback

# CC Switch, claude-code-router (facts/gateway-clients.md §5.3).
_PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy"})
_LOCAL_ROUTERS = frozenset({15721, 3456, 3458})


async def seen_here(environment: Environment) -> dict[str, str]:
    """Code → the place that shows it."""
    found = discover(TargetRequest(), environment)
    for secret in found.secrets:
        REDACTOR.learn(secret)
    here = _signs(found, environment)
    if found.targets:
        here.update(await _faults(found, environment))
    rivals = rivals_in(found.settings.sightings)
    if rivals:
        here["KVD110"] = Rivals(here.get("KVD110", ""), rivals)
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


def _signs(found: Discovery, environment: Environment) -> dict[str, str]:
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
        host, port = _address(base.value)
        if port in _LOCAL_ROUTERS and is_loopback(host):
            signs.setdefault("KVD308", str(base.origin))
        elif environment.in_container and is_loopback(host):
            # Only together with a text that says "refused": a server may well run in here.
            signs.setdefault("KVD208", Hint(base.origin))
    if not found.targets:
        # A file of a client that is not examined, such as one of Azure's own API.
        for sighting in found.settings.sightings:
            if sighting.role is Role.BASE_URL and _text(sighting.value).endswith("/"):
                signs.setdefault("KVD217", str(sighting.origin))
    for name, value in environment.variables.items():
        if name.lower() in _PROXIES and value.lower().startswith("https://"):
            # TLS to the proxy itself is possible, and hardly any local proxy speaks it.
            signs.setdefault("KVD304", name)
        elif name.lower() in _PROXIES and value and "://" not in value:
            # Most programs put the scheme in front that is missing.
            signs.setdefault("KVD304", Hint(name))
        if value and name.lower() in _PROXIES:
            signs.setdefault("KVD301", Hint(name))
    for target in found.targets:
        for name, setting in target.connection.variables.items():
            if setting.value and name.lower() in _PROXIES:
                signs.setdefault("KVD301", Hint(setting.origin))
    for code, place in logins_here(environment):
        signs.setdefault(code, place)
    return signs


def _address(url: str) -> tuple[str, int | None]:
    try:
        parts = urlsplit(url.strip())
        return parts.hostname or "", parts.port
    except ValueError:
        return "", None


def _text(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value
