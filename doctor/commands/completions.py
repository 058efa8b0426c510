"""``kvdoctor completions SHELL``: a completion script, or the manual page, on stdout."""

from __future__ import annotations

import argparse
import sys

from doctor import exitcodes


def execute(options: argparse.Namespace) -> int:
    from doctor.completions.files import text_of
    from doctor.render.base import Sink
    from doctor.secrets import Redactor

    # Descriptions hold characters that not every terminal's encoding has.
    Sink(sys.stdout, Redactor()).write(text_of(options.shell))
    return exitcodes.OK
