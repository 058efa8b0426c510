"""KVD711."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    problem,
    visible,
)
from doctor.facts.prefixlog import PrefixSource

CODE = "KVD711"


@check(
    code=CODE,
    slug="template-adds-date",
    severity=Severity.INFO,
    hop=Hop.KV,
    wants=(facts.PREFIX_SOURCES,),
    blocking=False,
)
async def template_adds_date(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The chat template itself writes the date, or the time, into every prompt.

    What it checks: chat templates (`*.jinja`, `tokenizer_config.json`) below a folder that is
    given to `kvdoctor prefix`, or in that of `--tokenizer`, for `strftime_now`.

    Why it matters: the engine renders it for each request, near the front of the prompt. With the
    date all that stands behind it is computed again once a day; with the time nothing is ever
    shared, and no request shows it, since the client does not send it.

    How to fix: give the engine a template without it (`--chat-template`), or pin the variable by
    which the template takes the date from the request.

    Fix safety: nothing is changed. A model that is not told the date does not know it.

    References: facts/vllm.md §6.
    """
    sources = await f.find(facts.PREFIX_SOURCES)
    if sources is None:
        raise NotApplicable(_("no chat template is examined"))
    for source in sources:
        if source.code == CODE:
            yield _of(source)


def _of(source: PrefixSource) -> Finding:
    by_time = source.kind == "time"
    return problem(
        _("The chat template writes the time into every prompt")
        if by_time
        else _("The chat template writes the date into every prompt"),
        joined(
            _("What stands behind it is never shared by two requests.")
            if by_time
            else _("What stands behind it is computed again once a day, when the date changes."),
            _how(source),
        ),
        evidence=(Evidence(_("template"), f"{source.path}:{source.line}", visible(source.text)),),
        severity=Severity.WARNING if by_time else Severity.INFO,
    )


def _how(source: PrefixSource) -> Text:
    if source.pin:
        return _(
            'Requests can set it: chat_template_kwargs {{"{name}": …}}, which vLLM also takes for'
            " all of them with --default-chat-template-kwargs.",
            name=source.pin,
        )
    return _("Take it out of a copy of the template, and start vLLM with --chat-template FILE.")
