"""Memory plans for tests of checks: words as behind ``kvdoctor memory``, findings out."""

from __future__ import annotations

from doctor import registry
from doctor.memory.case import case_of
from doctor.memory.judge import judged
from doctor.memory.question import of_words
from doctor.models import CheckResult, Finding

KEPT: list[registry.Registry] = []


def results(*words: str, **known: str | int) -> dict[str, CheckResult]:
    """How each check ended, by code. ``known``: gpu, gpu_memory, lengths, concurrency, …"""
    return {result.code: result for result in _judged(words, known)[1]}


def roots(*words: str, **known: str | int) -> list[Finding]:
    """Findings that follow from no other, gravest first."""
    return [finding for finding in _judged(words, known)[0] if finding.explained_by is None]


def of(code: str, *words: str, **known: str | int) -> tuple[Finding, ...]:
    """What one check found."""
    return results(*words, **known)[code].findings


def _judged(
    words: tuple[str, ...], known: dict[str, str | int]
) -> tuple[tuple[Finding, ...], tuple[CheckResult, ...]]:
    if not KEPT:
        KEPT.append(registry.load())
    question = of_words(words, **known)  # type: ignore[arg-type]
    case = case_of(question.model, question.options, question.gpu, question.demand)
    return judged(case, KEPT[0].checks, question.launch)
