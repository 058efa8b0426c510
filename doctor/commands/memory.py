"""``kvdoctor memory``: weights, KV cache and what fits, by vLLM's own rules. Offline."""

from __future__ import annotations

import argparse
import os

from doctor import exitcodes, registry
from doctor.commands.answers import Answer, write_answer
from doctor.commands.output import UsageError, complain, reaching
from doctor.memory.advice import advice_of
from doctor.memory.case import case_of
from doctor.memory.document import all_full, memory_document
from doctor.memory.errors import ModelError, OptionError
from doctor.memory.judge import judged
from doctor.memory.present import present
from doctor.memory.question import of_words
from doctor.registry import UnknownSelector
from doctor.secrets import REDACTOR
from doctor.settings.carried import of_variables
from doctor.text import _
from doctor.untrusted import visible


def execute(options: argparse.Namespace) -> int:
    for secret in of_variables(os.environ):
        REDACTOR.learn(secret)
    try:
        return _answer(options)
    except (UsageError, ModelError, OptionError) as error:
        complain(str(error), REDACTOR)
        return exitcodes.USAGE
    except UnknownSelector as error:
        hint = f"; the nearest is {error.hint}" if error.hint else ""
        complain(
            _(
                "{selector}: no check, area or slug of that name{hint}",
                selector=error.selector,
                hint=hint,
            )
        )
        return exitcodes.USAGE


def _answer(options: argparse.Namespace) -> int:
    question = of_words(
        options.words,
        gpu=options.gpu,
        gpu_memory=options.gpu_memory,
        version=options.vllm_version,
        concurrency=options.concurrency,
        lengths=options.lengths,
        partition=os.environ.get("VLLM_PP_LAYER_PARTITION"),
    )
    case = case_of(question.model, question.options, question.gpu, question.demand)
    checks = registry.load().selected(options.select, options.ignore)
    findings, results = judged(case, checks, question.launch)
    advice, notes = advice_of(case), question.notes(case)
    answer = Answer(
        command="memory",
        subject=visible(question.model.name),
        findings=findings,
        results=results,
        document=lambda: memory_document(case, advice, findings, results, notes),
        tell=lambda lines: present(lines, case, advice, findings, notes, all_full(case)),
        rest=lambda lines: present(lines, case, advice, (), notes, all_full(case)),
    )
    write_answer(options, answer)
    return exitcodes.FINDINGS if reaching(findings, options.fail_on) else exitcodes.OK
