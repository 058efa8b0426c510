"""Whether a case is solved: by a run of the checks on its files as they are now."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from doctor.clinic.cases import Case
from doctor.clinic.sandbox import Sandbox
from doctor.models import Answer, Report, Severity
from doctor.records import dataclass
from doctor.render.words import failure
from doctor.secrets import Redactor
from doctor.settings.errors import ConfigError
from doctor.target import Target
from doctor.text import Text, _
from doctor.untrusted import visible

# Its servers are on loopback; only one that is meant to be silent lets a request wait that long.
_PATIENCE = "2"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``text`` says what was seen; ``before`` is how the client's request ended, None where none
    was made."""

    solved: bool
    text: Text | str
    before: Answer | None = None

    @property
    def symptom(self) -> Text | str:
        """What the client's user notices, which is not yet the cause."""
        if self.solved:
            return self.text
        if self.before is not None and self.before.answered:
            return _("The request is answered, and something is wrong all the same.")
        return self.text


async def judge(sandbox: Sandbox, redactor: Redactor) -> Verdict:
    """Ask as the client would. The servers have to be up. Raises ``SandboxError``."""
    report, refused = await _examined(sandbox, redactor)
    if report is None:
        return Verdict(False, refused)
    before = None
    for target in report.targets:
        before = target.diagnosis.before
        if before is None:
            return Verdict(False, _("No request could be made."))
        if not before.answered:
            return Verdict(False, failure(before), before)
    left = [
        finding
        for finding in report.findings
        if finding.code in sandbox.case.scenario.codes or finding.severity >= Severity.ERROR
    ]
    if left:
        text = _("It is answered, and still: {title}", title=left[0].title)
        return Verdict(False, text, before)
    return Verdict(True, _("The request is answered, and nothing is left to mend."), before)


def named(case: Case, answer: str) -> Verdict:
    """Whether ``answer``, a code or a slug, is what is broken."""
    from doctor.codes import SLUGS

    wanted = answer.strip().lower()
    code = next(
        (
            code
            for code, slug in SLUGS.items()
            if wanted in (code.lower(), code.lower().removeprefix("kvd"), slug)
        ),
        None,
    )
    if code is None:
        return Verdict(
            False, _("{answer}: no code or slug; 'kvdoctor list' has them", answer=visible(answer))
        )
    if code in case.scenario.codes:
        return Verdict(True, _("It is {code}: {broken}", code=code, broken=case.scenario.broken))
    return Verdict(False, _("It is not {code} {slug}.", code=code, slug=SLUGS[code]))


async def _examined(sandbox: Sandbox, redactor: Redactor) -> tuple[Report | None, Text | str]:
    """The report of a run, or why there is none."""
    from doctor import registry
    from doctor.bundle import Live
    from doctor.cli import build_parser
    from doctor.commands.check import run_options, target_request
    from doctor.events import RunFinished
    from doctor.run import Plan, run
    from doctor.settings.discover import discover

    environment = await asyncio.to_thread(sandbox.environment)
    options = build_parser("check").parse_args(
        ["check", *sandbox.arguments, "--timeout", _PATIENCE, "--window", "0.3"]
    )
    try:
        found = await asyncio.to_thread(discover, target_request(options), environment)
    except ConfigError as error:
        return None, str(error)
    for secret in found.secrets:
        redactor.learn(secret)
    if not found.targets:
        return None, _("Nothing is configured any more: the client has no address and no key.")
    for target in found.targets:
        away = _elsewhere(target, sandbox)
        if away is not None:
            return None, _(
                "The base URL leads to {host}, which is not of this case. Nobody was asked.",
                host=visible(away),
            )
    known = registry.load()
    plan = Plan(
        targets=found.targets,
        checks=tuple(check for check in known.checks if check.code.startswith("KVD")),
        options=run_options(options, found),
        environment=environment,
        settings=found.settings,
        recorder=Live(),
        redactor=redactor,
    )
    async for event in run(plan):
        if isinstance(event, RunFinished):
            return event.report, ""
    return None, _("The run ended without a report.")


def _elsewhere(target: Target, sandbox: Sandbox) -> str | None:
    """Whom the base URL leads to where that is no server of the case: the made-up keys are
    nobody's business, and an answer from elsewhere would solve nothing. None for what is no
    address at all, which may be the very fault."""
    base = target.connection.base_url.value.strip()
    try:
        parts = urlsplit(base if "://" in base else f"http://{base}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if host in ("localhost", "127.0.0.1", "::1"):
        return None if port in sandbox.ports else parts.netloc
    dialled = {word.partition(":")[0] for word in sandbox.arguments if "=" in word}
    return host if "." in host and host not in dialled else None
