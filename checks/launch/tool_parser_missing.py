"""KVD911."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.launch._say import seen, sure
from checks.launch._tools_live import refused_by_engine
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    _,
    check,
    facts,
    joined,
    problem,
    visible,
)


@check(
    code="KVD911",
    slug="tool-parser-missing",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    wants=(facts.LAUNCH, facts.COMPLETION, facts.MODELS),
)
async def tool_parser_missing(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Tools are to be chosen by the model, and vLLM is not told how it writes a call.

    What it checks: on a launch line `--enable-auto-tool-choice` without `--tool-call-parser`; on
    a running engine, whether it refuses the request of a client that offers tools, as Claude Code
    and other agents do with every request.

    Why it matters: vLLM stops with "--enable-auto-tool-choice requires --tool-call-parser";
    without both flags it answers 400 to such a client, whatever is asked.

    How to fix: start it with both and name the parser of the model's family, which its card
    tells: hermes for Qwen2.5 and Qwen3, qwen3_coder for Qwen3-Coder, llama3_json for Llama 3,
    mistral, openai for gpt-oss.

    Fix safety: with the wrong parser calls come back as plain text.

    References: facts/vllm.md §5.2 rows 29 to 31.
    """
    launch = await f.find(facts.LAUNCH)
    if launch is None:
        async for found in refused_by_engine(f):
            yield found
        return
    argument = launch.last("--enable-auto-tool-choice")
    if argument is None or not launch.on("--enable-auto-tool-choice") or launch.open_ended:
        return
    if launch.has("--tool-call-parser") or launch.value("--tool-call-parser"):
        return
    from doctor.launch.edits import Edit
    from doctor.launch.models import model_of
    from doctor.launch.parsers import names, tool_parser_for

    model = model_of(launch) or ""
    parser = tool_parser_for(model)
    known = names("tool", launch.version.table)
    if parser is not None and known is not None and parser not in known:
        parser = None
    edits: tuple[Edit, ...] = ()
    text = _("Add --tool-call-parser NAME; the model's card tells the name.")
    if parser is not None:
        words = ("--tool-call-parser", parser)
        text = _(
            "Add --tool-call-parser {parser}, likely right for {model}.",
            parser=parser,
            model=visible(model),
        )
        why = _("The parser of the model's family, by its name.")
        at = argument.last + 1
        edits = (Edit("--tool-call-parser", "", " ".join(words), why, at, at - 1, words),)
    yield problem(
        _("--enable-auto-tool-choice needs --tool-call-parser"),
        joined(_("vLLM stops."), text),
        evidence=(seen(launch, argument),),
        confidence=Confidence.HIGH if not launch.version.newer else sure(launch.version),
        edits=edits,
    )
