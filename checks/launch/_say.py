"""What the checks of a launch line share: how a version is told, and how sure a judgement is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from doctor.checkapi import Confidence, Evidence, Text, _, visible

if TYPE_CHECKING:
    from doctor.launch.model import Argument, Launch, Version


def vllm(version: Version) -> Text:
    """``vLLM 0.32.0``, or what takes its place where nobody told the version."""
    if version.assumed:
        return _("vLLM {version} (the newest known; none was told)", version=version.text)
    if version.newer:
        return _(
            "vLLM {version} (judged by {table}, the newest known)",
            version=version.text,
            table=version.table,
        )
    if version.between:
        return _(
            "vLLM {version} (judged by {table}, the nearest known before it)",
            version=version.text,
            table=version.table,
        )
    return _("vLLM {version}", version=version.text)


def sure(version: Version) -> Confidence:
    """How sure a judgement by the tables of a version is."""
    certain = not (version.assumed or version.newer)
    return Confidence.HIGH if certain else Confidence.MEDIUM


def seen(launch: Launch, argument: Argument) -> Evidence:
    """The argument where it stands; a key is not shown."""
    from doctor.launch.hidden import shown_argument

    return Evidence(
        _("launch line"), launch.where(argument.first), shown_argument(launch, argument)
    )


def written(argument: Argument) -> str:
    """The flag as it was written, harmless."""
    return visible(argument.spelled)
