"""KVD212 as a user meets it."""

from __future__ import annotations

import dataclasses

import pytest

from doctor.connection import (
    Connection,
    Origin,
    OriginKind,
    Protocol,
    Setting,
    Shadowed,
)
from doctor.facts.answers import OutcomeKind
from doctor.models import Severity, Status
from tests.kit import connection

from .world import Server, always, look, serving

SDK, OTHER = "https://gateway.example/v1", "https://other.example/v1"
REFUSED = always(OutcomeKind.KEY_REFUSED, 401)


def based(value: str, name: str, *lost: tuple[str, Origin]) -> Connection:
    """A connection with its base from the variable ``name``, which shadows ``lost``."""
    origin = Origin(OriginKind.ENVIRONMENT, name)
    shadows = tuple(Shadowed(text, place) for text, place in lost)
    return dataclasses.replace(connection(), base_url=Setting(value, origin, shadows))


def variable(name: str) -> Origin:
    return Origin(OriginKind.ENVIRONMENT, name)


def shadowing(value: str, *lost: tuple[str, Origin]) -> Connection:
    return based(value, "OPENAI_BASE_URL", *lost)


def test_two_variables_with_two_bases_even_where_the_request_answers() -> None:
    seen = look("", serving("/v1"), target=shadowing(SDK, (OTHER, variable("OPENAI_API_BASE"))))
    assert seen.codes == ["KVD212"]
    said = seen.said("KVD212")
    assert seen.findings["KVD212"].severity is Severity.WARNING
    assert f"read OPENAI_BASE_URL alone and LiteLLM reads it first: they go to {SDK}" in said
    assert f"LangChain and LlamaIndex read OPENAI_API_BASE first: they go to {OTHER}" in said


def test_two_spellings_of_one_base_agree() -> None:
    same = ("https://Gateway.example/v1/", variable("OPENAI_API_BASE"))
    assert look("", serving("/v1"), target=shadowing(SDK, same)).codes == []


def test_a_variable_in_a_file_counts() -> None:
    name = "services.api.environment.OPENAI_API_BASE"
    place = Origin(OriginKind.FILE, name, "~/app/docker-compose.yml", 3, True)
    seen = look("", serving("/v1"), target=shadowing(SDK, (OTHER, place)))
    assert seen.findings["KVD212"].title == (
        "OPENAI_BASE_URL and OPENAI_API_BASE hold different base URLs"
    )
    assert "docker-compose.yml:3" in seen.findings["KVD212"].evidence[1].location


def test_the_names_of_anthropic() -> None:
    target = dataclasses.replace(
        based(
            "https://gateway.example",
            "ANTHROPIC_BASE_URL",
            ("https://other.example", variable("ANTHROPIC_API_URL")),
        ),
        client="anthropic-sdk",
        protocol=Protocol.ANTHROPIC_MESSAGES,
    )
    seen = look("", serving("", endpoints=("/v1/messages",)), target=target)
    assert "LangChain reads ANTHROPIC_API_URL first" in seen.said("KVD212")


@pytest.mark.parametrize("server", [serving("/v1"), REFUSED])
def test_the_name_that_the_sdk_does_not_read_sends_the_key_to_openai(server: Server) -> None:
    seen = look("", server, target=based(SDK, "OPENAI_API_BASE"))
    finding = seen.findings["KVD212"]
    assert finding.severity is Severity.WARNING
    assert finding.title == "OPENAI_API_BASE is set, but the OpenAI SDK reads OPENAI_BASE_URL"
    assert "https://api.openai.com/v1" in finding.explanation
    assert f"OPENAI_BASE_URL={SDK}" in finding.explanation
    assert finding.changes == ()


def test_a_shadowed_base_is_told_where_the_request_fails() -> None:
    lost = Origin(OriginKind.FILE, "OPENAI_BASE_URL", "~/app/.env", 3, True)
    target = shadowing(SDK, (OTHER, lost))
    seen = look("", REFUSED, target=target)
    assert seen.codes == ["KVD212"]
    assert f"{OTHER} in OPENAI_BASE_URL, ~/app/.env:3 is without effect" in seen.said("KVD212")


def test_a_shadowed_base_is_no_matter_where_the_request_answers() -> None:
    lost = Origin(OriginKind.FILE, "OPENAI_BASE_URL", "~/app/.env", 3, True)
    assert look("", serving("/v1"), target=shadowing(SDK, (OTHER, lost))).codes == []


def test_a_providers_default_is_no_second_source() -> None:
    lost = Origin(OriginKind.PROVIDER, "providers.toml")
    assert look("", REFUSED, target=shadowing(SDK, (OTHER, lost))).codes == []


def test_a_base_given_for_this_run_competes_with_nothing() -> None:
    lost = (Shadowed(OTHER, variable("OPENAI_BASE_URL")),)
    flag = Setting(SDK, Origin(OriginKind.FLAG, "--base-url"), lost)
    target = dataclasses.replace(connection(), base_url=flag)
    assert look("", REFUSED, target=target).results["KVD212"].status is Status.SKIPPED


def test_a_repair_is_no_second_source() -> None:
    target = shadowing("https://gateway.example")
    seen = look("", serving("/v1"), target=target)
    assert seen.roots == ["KVD201"]
    assert "KVD212" not in [finding.code for finding in seen.repair.last.findings]
