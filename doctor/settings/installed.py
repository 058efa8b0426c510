"""Which python-dotenv the project in the working folder uses, if its environment is at hand.

Only directory names are read: the version stands in the name of the ``.dist-info`` folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

_FOLDERS = (".venv", "venv", "env")
_SITE_PACKAGES = ("lib/python3*/site-packages", "Lib/site-packages")


def dotenv_since_1_2_3(cwd: Path, variables: Mapping[str, str]) -> bool:
    """Whether python-dotenv is known to be 1.2.3 or newer; unknown counts as older, as most are."""
    versions = list(_versions(cwd, variables))
    return bool(versions) and min(versions) >= (1, 2, 3)


def _versions(cwd: Path, variables: Mapping[str, str]) -> Iterator[tuple[int, ...]]:
    roots = [cwd / name for name in _FOLDERS]
    roots += [Path(variables[n]) for n in ("VIRTUAL_ENV", "CONDA_PREFIX") if variables.get(n)]
    for root in dict.fromkeys(roots):
        for pattern in _SITE_PACKAGES:
            for folder in root.glob(f"{pattern}/python_dotenv-*.dist-info"):
                version = folder.name.removesuffix(".dist-info").partition("-")[2]
                numbers = version.split(".")
                if all(number.isdigit() for number in numbers):
                    yield tuple(map(int, numbers))
