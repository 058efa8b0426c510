"""The machine of a report: another platform, proxies in its settings, and files of the system below
a folder of the case."""

from __future__ import annotations

import dataclasses
import json
import os


def pretend() -> None:
    """Make the program examine that machine, as the variables ``CASES_…`` say."""
    root, platform = os.environ.pop("CASES_ROOT", ""), os.environ.pop("CASES_PLATFORM", "")
    proxies = os.environ.pop("CASES_PROXIES", "")
    if not (root or proxies):
        return
    from doctor.facts.machine import Environment
    from doctor.settings import environment

    real = environment.this_environment

    def other() -> Environment:
        seen = real()
        return dataclasses.replace(
            seen,
            root=root,
            platform=platform or seen.platform,
            system_proxies=json.loads(proxies) if proxies else seen.system_proxies,
        )

    environment.this_environment = other
