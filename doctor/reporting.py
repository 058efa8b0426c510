"""The text for a bug tracker: the sheet of a run as markdown, and what runs here."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping

from doctor import __version__
from doctor.facts.machine import Environment
from doctor.models import Report, Severity
from doctor.render import markup as m
from doctor.render.markdown import section_blocks
from doctor.render.paper import Speech
from doctor.render.sheet import Outcome, Sheet
from doctor.render.sheetof import sheet_of_report
from doctor.shareable import shareable
from doctor.text import _

# Of these a version tells how a request is sent, or how an answer is read.
_PACKAGES = ("openai", "anthropic", "httpx", "httpx2", "litellm", "langchain-openai", "vllm")
_LEFT_OPEN = (Outcome.UNTESTED, Outcome.ERROR)


def bug_report(
    report: Report, environment: Environment | None, speech: Speech, *, here: bool
) -> str:
    """Markdown. ``environment`` is the one that was examined, None where it is not known; ``here``
    says that it is this machine's, so that its versions can be told."""
    sheet = sheet_of_report(report, Severity.ERROR)
    blocks = [f"# {m.text(speech.line(_('kvdoctor report')))}"]
    for section in sheet.sections:
        blocks += section_blocks(section, speech)
    blocks.append(_open(sheet, speech))
    blocks.append(f"## {m.text(speech.line(_('Environment')))}")
    blocks.append(_table(_surroundings(environment, here), speech))
    footer = [m.text(speech.line(text)) for text in sheet.footer]
    blocks.append(f"{'. '.join((*footer, sheet.when))}.")
    blocks += [m.text(speech.line(_("Note: {note}", note=note))) for note in sheet.notes]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _open(sheet: Sheet, speech: Speech) -> str:
    """The checks that came to no result, with the reason: what a reader might ask for next."""
    cases = [case for section in sheet.sections for case in section.cases]
    left = {case.id: case for case in cases if case.outcome in _LEFT_OPEN}
    if not left:
        return ""
    lines = [
        f"- {case.id} {m.text(speech.line(case.title))}: {m.text(speech.line(case.message))}"
        for case in left.values()
    ]
    return "\n".join((f"{m.text(speech.line(_('Checks without a result:')))}\n", *lines))


def _table(rows: Iterable[tuple[str, str]], speech: Speech) -> str:
    lines = [f"| {m.cell(speech.line(a))} | {m.cell(speech.line(b))} |" for a, b in rows]
    return "\n".join(("| | |", "|---|---|", *lines))


def _surroundings(environment: Environment | None, here: bool) -> Iterator[tuple[str, str]]:
    yield "kvdoctor", __version__
    if here:
        yield "Python", f"{platform.python_version()} ({platform.python_implementation()})"
        yield _("system"), f"{platform.system()} {platform.release()} {platform.machine()}"
        versions = _versions()
        if versions:
            told = ", ".join(f"{name} {version}" for name, version in versions.items())
            yield _("packages beside kvdoctor"), told
    if environment is None:
        return
    if not here:
        yield _("system"), environment.platform
    where = [_("container")] if environment.in_container else []
    where += [_("ssh")] if environment.over_ssh else []
    if where:
        yield _("runs in"), ", ".join(where)
    yield from sorted(shareable(environment).variables.items())


def _versions() -> Mapping[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
