"""All targets that one space of variables suggests, and what was seen in it."""

from __future__ import annotations

from dataclasses import replace

from doctor.connection import Origin, OriginKind
from doctor.facts.settings import Role, Sighting
from doctor.secrets import Secret
from doctor.settings.building import OPENAI_SDK
from doctor.settings.candidates import Candidate
from doctor.settings.container_loopback import is_elsewhere, proxies
from doctor.settings.families import family_targets, general_families
from doctor.settings.found import Found
from doctor.settings.image_targets import of_image
from doctor.settings.names import Name, is_real_secret, looks_like_key, speaks_of_models, understood
from doctor.settings.provider_targets import ollama_target, provider_targets
from doctor.settings.reach import reachable_from_here
from doctor.settings.sdk_targets import anthropic_target, openai_target, uses_openai
from doctor.settings.variables import Held, Space
from doctor.text import _
from doctor.untrusted import visible


def of_space(space: Space) -> Found:
    """Targets and sightings of ``space``."""
    families = family_targets(space)
    candidates = _candidates(space, families)
    found = Found(sightings=_sightings(space, candidates, families))
    ways = frozenset(s.origin for s in found.sightings if s.role is Role.PROXY)
    candidates = [replace(c, origins=c.origins | ways) for c in candidates]
    samples = _samples_left_over(candidates)
    found.note(_no_key(candidate) for candidate in samples)
    for candidate in candidates:
        if candidate in samples:
            continue
        base = candidate.connection.base_url.value
        if space.needs_address and not (
            _says_its_address(candidate) or _is_emptied(candidate, space)
        ):
            continue
        if not space.in_container or reachable_from_here(base):
            found.candidates.append(candidate)
        else:
            found.note(
                [
                    _(
                        "{label}: {url} is an address inside its container network and "
                        "was not examined from here",
                        label=candidate.label,
                        url=visible(base),
                    )
                ]
            )
    return found


def _candidates(space: Space, families: list[Candidate]) -> list[Candidate]:
    known = of_image(space) if space.image else None
    if known is not None:
        return known
    general = general_families(space, families)
    found = [*openai_target(space, general), *anthropic_target(space), *families]
    if not uses_openai(space) or _is_left_empty(found):
        used = {c.connection.key.origin for c in found if c.connection.key is not None}
        found += [
            candidate
            for candidate in provider_targets(space, general)
            if candidate.connection.key is None or candidate.connection.key.origin not in used
        ]
    found += ollama_target(space)
    if not found:
        found += provider_targets(space, general, empty_counts=True)
    return found


def _is_left_empty(found: list[Candidate]) -> bool:
    """Whether the OpenAI SDK has an empty key for OpenAI's own address, and nothing more."""
    return any(
        candidate.connection.client == OPENAI_SDK
        and candidate.connection.key is not None
        and not candidate.connection.key.value.reveal().strip()
        and not candidate.connection.key.shadows
        and not _says_its_address(candidate)
        for candidate in found
    )


def _samples_left_over(candidates: list[Candidate]) -> list[Candidate]:
    """Keys of a copied .env that were never filled in, for a vendor's own address, beside others
    that were, or beside an engine that needs none: nobody uses them."""

    def filled(candidate: Candidate) -> bool:
        key = candidate.connection.key
        return key is not None and (
            is_real_secret(key.value.reveal()) or key.origin.kind is OriginKind.DEFAULT
        )

    if not any(map(filled, candidates)):
        return []
    return [
        candidate
        for candidate in candidates
        if candidate.connection.key is not None
        and not filled(candidate)
        and not _says_its_address(candidate)
    ]


def _no_key(candidate: Candidate) -> str:
    key = candidate.connection.key
    place = candidate.label if key is None else str(key.origin)
    return _("{place}: no key stands there, so its service is not examined", place=place)


def _says_its_address(candidate: Candidate) -> bool:
    """Whether the address was set, and is not the client's or provider's default."""
    origin = candidate.connection.base_url.origin
    return origin.kind not in (OriginKind.DEFAULT, OriginKind.PROVIDER)


def _is_emptied(candidate: Candidate, space: Space) -> bool:
    """Whether a reference to what is not set (``${NAME:-}``) takes away the key of an env file."""
    key = candidate.connection.key
    if key is None or key.value or not any(is_real_secret(s.value.reveal()) for s in key.shadows):
        return False
    return any(held.origin == key.origin and "$" in held.raw for held in space)


def _sightings(
    space: Space, candidates: list[Candidate], families: list[Candidate]
) -> list[Sighting]:
    accepted = {alias for family in families for alias in family.aliases}
    used: set[Origin] = {
        setting.origin
        for candidate in candidates
        for setting in (
            candidate.connection.base_url,
            candidate.connection.key,
            candidate.connection.model,
            candidate.connection.max_tokens,
        )
        if setting is not None
    }
    found = [
        _sighting(held, meaning, space)
        for held in space
        if (meaning := _meaning(held))
        and (
            meaning.provider
            or speaks_of_models(meaning.prefix)
            or f"{meaning.prefix}_*" in accepted
            or held.origin in used
        )
    ]
    return found + proxies(space, about_models=bool(found))


def _meaning(held: Held) -> Name | None:
    """Of OLLAMA_HOST a URL is a client's: what the server binds to is written without a scheme."""
    if held.name == "OLLAMA_HOST" and "://" in held.value:
        return Name("OLLAMA", Role.BASE_URL, "ollama")
    return understood(held.name)


def _sighting(held: Held, meaning: Name, space: Space) -> Sighting:
    hidden = meaning.role is Role.KEY

    def kept(text: str) -> str | Secret:
        # A value in the wrong place is still a key.
        return Secret(text) if hidden else text

    raw = Secret(held.raw) if hidden or looks_like_key(held.raw) else held.raw
    return Sighting(
        role=meaning.role,
        name=held.name,
        value=kept(held.value),
        origin=held.origin,
        raw=raw,
        provider=meaning.provider,
        in_container=is_elsewhere(held, space),
    )
