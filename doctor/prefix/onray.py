"""The parts of a log on a Ray cluster (``kvdoctor[ray]``): one task each.

The files must lie where every machine of the cluster finds them under the same name, and kvdoctor
must be installed there. What comes back is sums and the short examples of each cause, no prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from doctor.prefix.distributed import Job, Part, analyse_segment
from doctor.prefix.segments import Segment
from doctor.text import _

LOCAL = "ray"  # all cores of this machine
_SCHEME = "ray://"


class NotDone(Exception):
    """The cluster cannot be had, or a part failed; the text says which and why."""


def is_address(where: str) -> bool:
    return where == LOCAL or where.startswith(_SCHEME)


def analyse_on(where: str, segments: Sequence[Segment], job: Job) -> list[Part]:
    """Every part; ``where`` is "ray" or the address of a cluster. Raises ``NotDone``."""
    ray = _ray()
    try:
        ray.init(
            address="local" if where == LOCAL else where,
            # Values are told apart by their hashes, which must be the same everywhere.
            runtime_env={"env_vars": {"PYTHONHASHSEED": "0"}},
            log_to_driver=False,
            logging_level="ERROR",
            **({"include_dashboard": False} if where == LOCAL else {}),
        )
    except Exception as error:  # the library raises many kinds
        raise NotDone(_("{where}: {error}", where=where, error=_first_line(error))) from None
    try:
        task = ray.remote(analyse_segment)
        found: list[Part] = ray.get([task.remote(segment, job) for segment in segments])
        return found
    except Exception as error:  # what a task raised comes wrapped
        raise NotDone(_("{where}: {error}", where=where, error=_first_line(error))) from None
    finally:
        ray.shutdown()


def _ray() -> Any:
    from importlib import import_module

    try:
        return import_module("ray")
    except ImportError:
        raise NotDone(_("--on ray needs kvdoctor[ray]")) from None


def _first_line(error: Exception) -> str:
    cause = getattr(error, "cause", None) or error
    lines = str(cause).strip().splitlines() or [type(cause).__name__]
    return lines[-1][:300]
