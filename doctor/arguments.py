"""argparse, less its habit of repeating what was typed: it may be a key."""

from __future__ import annotations

import argparse
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Complains without the words that look like a key."""

    def error(self, message: str) -> NoReturn:
        from doctor.misplaced import without_keys
        from doctor.secrets import Redactor
        from doctor.untrusted import visible

        super().error(Redactor()(without_keys(visible(message))))
