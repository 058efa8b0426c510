"""``kvdoctor prefix FILE…``: where prompts stop being shareable, why, and what it costs."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doctor import exitcodes, facts, registry
from doctor.commands.answers import Answer, write_answer
from doctor.commands.output import UsageError, complain, reaching
from doctor.facts.prefixlog import PrefixLog, PrefixSource
from doctor.offline import Judged, judge
from doctor.prefix.analyse import Analyser, Tokens
from doctor.prefix.answer import document, fact_of
from doctor.prefix.inputs import Inputs, found_in, inputs_of
from doctor.prefix.player import Engine
from doctor.prefix.result import Analysis
from doctor.prefix.stream import lines
from doctor.prefix.tokens import NoTokenizer
from doctor.prefix.told import tell, tell_figures
from doctor.secrets import REDACTOR
from doctor.settings.carried import of_variables
from doctor.settings.errors import ConfigError
from doctor.text import _

if TYPE_CHECKING:
    from doctor.facts.prefixproof import PrefixProof
    from doctor.prefix.sample import Sampler


def execute(options: argparse.Namespace) -> int:
    for secret in of_variables(os.environ):
        REDACTOR.learn(secret)
    try:
        return _execute(options)
    except (UsageError, ConfigError, NoTokenizer) as error:
        complain(str(error), REDACTOR)
    except registry.UnknownSelector as error:
        complain(_("{selector}: no check, area or slug of that name", selector=error.selector))
    except BrokenPipeError:
        raise
    except OSError as error:
        complain(_("{filename}: {why}", filename=error.filename, why=error.strerror))
    return exitcodes.USAGE


def _execute(options: argparse.Namespace) -> int:
    given = inputs_of(options.files)
    sampler = _sampler(options, given)
    analysis = _analysed(options, given.logs, sampler) if given.logs else None
    sources = found_in((*given.sources, *_templates(options)))
    if analysis is not None and not analysis.requests and not given.sources:
        complain(_nothing(analysis))
        return exitcodes.NOTHING
    log = None
    if analysis is not None and analysis.requests:
        log = fact_of(
            analysis,
            given.log_name,
            rate_per_million=options.rate,
            prefill_speed=options.prefill_speed,
        )
    proof = None
    if sampler is not None:
        from doctor.commands.prefix_prove import prove

        proof = prove(options, sampler)
    found = _judged(options, log, sources, proof)
    findings = found.findings
    answer = Answer(
        command="prefix",
        subject=given.log_name or ", ".join(source.path for source in sources or ()),
        findings=findings,
        results=found.checks,
        document=lambda: document(log, analysis, findings, proof),
        tell=lambda lines: tell(lines, log, analysis, findings, proof),
        rest=lambda lines: tell_figures(lines, log, analysis, proof),
    )
    write_answer(options, answer)
    return exitcodes.FINDINGS if reaching(findings, options.fail_on) else exitcodes.OK


def _sampler(options: argparse.Namespace, given: Inputs) -> Sampler | None:
    """What keeps two requests to be sent again. Raises ``UsageError``."""
    if not options.prove:
        return None
    if not given.logs:
        raise UsageError(_("--prove sends requests of a log, and none is given"))
    if options.no_spend or options.offline:
        raise UsageError(_("--prove sends requests that cost tokens: not with --no-spend"))
    if options.key_stdin and "-" in given.logs:
        raise UsageError(_("--key-stdin: the log comes from stdin already"))
    from doctor.prefix.sample import Sampler

    return Sampler()


def _analysed(
    options: argparse.Namespace, sources: tuple[str, ...], sampler: Sampler | None
) -> Analysis:
    tokens = _tokens(options)
    size = options.block_size
    engine = Engine(
        block_size=size,
        capacity=max(options.kv_tokens // size, 1),
        align=options.align_blocks,
        per_token=1 if tokens is not None else options.characters_per_token,
    )
    if options.on:
        return _in_parts(options, sources, engine)
    analyser = Analyser(engine, field_path=options.field, tokens=tokens, seen=sampler)
    analyser.lines(lines(sources))
    analysis = analyser.finish()
    if options.write:
        from doctor.prefix.writing import write_log

        write_log(sources, Path(options.write), analyser)
    return analysis


def _in_parts(options: argparse.Namespace, sources: tuple[str, ...], engine: Engine) -> Analysis:
    """On a cluster. Raises ``UsageError``."""
    from doctor.prefix.distributed import Job, merged
    from doctor.prefix.onray import NotDone, analyse_on, is_address
    from doctor.prefix.segments import segments

    if not is_address(options.on):
        raise UsageError(_("--on {where}: 'ray' or ray://HOST:PORT", where=options.on))
    if options.prove or options.write or options.engine or "-" in sources:
        raise UsageError(_("--on reads files: without stdin, --write, --prove and --engine"))
    paths = [os.path.abspath(source) for source in sources]
    tokenizer = os.path.abspath(options.tokenizer) if options.tokenizer else None
    job = Job(engine, options.field, tokenizer)
    try:
        parts = analyse_on(options.on, segments(paths, engine, options.part_size << 20), job)
    except NotDone as error:
        raise UsageError(str(error)) from None
    whole = merged(parts, engine)
    if whole.short:
        share = whole.short * engine.block_size / max(whole.analysis.prompt_tokens, 1)
        complain(
            _(
                "in {parts} parts: hits may be up to {blocks} blocks ({share}) more than told,"
                " since the cache was not full yet where a part began",
                parts=whole.parts,
                blocks=f"{whole.short:,}",
                share=f"{share:.1%}",
            )
        )
    return whole.analysis


def _templates(options: argparse.Namespace) -> tuple[Path, ...]:
    """Where the model's chat template is, if the user told."""
    if not options.tokenizer:
        return ()
    names = ("chat_template.jinja", "tokenizer_config.json")
    files = (Path(options.tokenizer, name) for name in names)
    # The first is the one in effect.
    return tuple(file for file in files if file.is_file())[:1]


def _tokens(options: argparse.Namespace) -> Tokens | None:
    if options.tokenizer and options.engine:
        raise UsageError(_("--tokenizer and --engine: one of them says what a token is"))
    if options.engine:
        if options.offline:
            raise UsageError(_("--engine asks an engine: not with --offline"))
        from doctor.probes.tokenize import EngineTokens

        return EngineTokens(options.engine, options.model, options.timeout)
    if not options.tokenizer:
        return None
    from doctor.prefix.tokens import LocalTokens

    return LocalTokens(Path(options.tokenizer))


def _judged(
    options: argparse.Namespace,
    log: PrefixLog | None,
    sources: tuple[PrefixSource, ...] | None,
    proof: PrefixProof | None,
) -> Judged:
    checks = registry.load().selected(options.select, options.ignore)
    given: dict[facts.Fact[Any], object] = {}
    if log is not None:
        given[facts.PREFIX_LOG] = log
    if sources is not None:
        given[facts.PREFIX_SOURCES] = sources
    if proof is not None:
        given[facts.PREFIX_PROOF] = proof
    return asyncio.run(judge(checks, given, REDACTOR, "log"))


def _nothing(analysis: Analysis) -> str:
    unread = analysis.unread
    if not unread.lines:
        return _("the log is empty")
    return _(
        "no request in {lines} lines; the first: {first}. --field says where a record keeps the "
        "request",
        lines=unread.lines,
        first=unread.first,
    )
