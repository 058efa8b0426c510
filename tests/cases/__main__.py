"""``python -m tests.cases``: which reports does the program explain?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .case import IN_SCOPE, REPORTS, Case, CasesError, read_cases
from .runner import run_cases
from .show import as_data, page, table
from .verdict import Verdict, misses

_PAGE = Path(__file__).parents[2] / "docs" / "reports.md"


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        cases = _chosen(read_cases(options.cases), options.only)
    except CasesError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if not cases:
        sys.stderr.write("no case of that id or kind\n")
        return 2
    verdicts = run_cases(cases, _progress)
    if options.write_docs:
        _PAGE.write_text(page(verdicts, IN_SCOPE, misses()), "utf-8")
    shown = as_data(verdicts) if options.json else table(verdicts, verbose=options.verbose)
    sys.stdout.write(shown + "\n")
    return 0 if all(verdict.ok for verdict in verdicts) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.cases", description=__doc__)
    parser.add_argument("--cases", type=Path, default=REPORTS, metavar="FILE")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="ID|KIND",
        help="may be repeated; in-scope: the kinds that the score is about",
    )
    parser.add_argument("--verbose", action="store_true", help="what each command said")
    parser.add_argument("--json", action="store_true", help="everything as data")
    parser.add_argument("--write-docs", action="store_true", help="write docs/reports.md as well")
    return parser


def _chosen(cases: tuple[Case, ...], only: Sequence[str]) -> tuple[Case, ...]:
    if "in-scope" in only:
        only = (*only, *IN_SCOPE)
    return tuple(case for case in cases if not only or case.id in only or case.kind in only)


def _progress(verdict: Verdict) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"{verdict.case.id} ")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
