"""Gathers what the checks of base URLs read."""

from __future__ import annotations

import asyncio
import dataclasses

from doctor.bases import Convention
from doctor.checkapi import DeclaredFacts, Unavailable, facts
from doctor.clients import profile
from doctor.connection import Connection
from doctor.misplaced import is_key
from doctor.urls import Defect, Reading, read

from ._situation import Situation
from ._speaking import speaking

READS = (facts.ENDPOINT, facts.COMPLETION, facts.MODELS, facts.PRODUCT)


async def situation(f: DeclaredFacts) -> Situation:
    """Gather what of ``READS`` is to be had, and find out what speaks."""
    connection = f.connection
    client = profile(connection.client)
    asked = (f.find(facts.COMPLETION), f.find(facts.MODELS), f.find(facts.ENDPOINT))
    completion, models, endpoint = await asyncio.gather(*asked)
    seen = Situation(
        connection=connection,
        client=client,
        convention=Convention.of(client, connection.protocol),
        reading=_reading(connection),
        endpoint=endpoint,
        completion=completion,
        models=models,
        product=None,
        unavailable=None if completion is not None else await _why_not(f),
    )
    if seen.nothing_there:
        product = await f.find(facts.PRODUCT)
        seen = dataclasses.replace(seen, product=product)
    return dataclasses.replace(seen, spoken=speaking(seen))


def _reading(connection: Connection) -> Reading:
    """What the base says. A key in its place names no host, and none is made of it."""
    base, key = connection.base_url.value, connection.key
    if is_key(base, "" if key is None else key.value.reveal()):
        return Reading(None, (Defect.HOST,))
    return read(base)


async def _why_not(f: DeclaredFacts) -> str | None:
    """Why there is no completion."""
    try:
        await f.get(facts.COMPLETION)
    except Unavailable as reason:
        return str(reason)
    return None
