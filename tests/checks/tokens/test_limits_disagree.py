from __future__ import annotations

from checks.tokens.limits_disagree import limits_disagree
from doctor import facts
from doctor.connection import Change, Connection, Origin, OriginKind, Setting, SettingName
from doctor.facts.settings import Role, Settings, Sighting
from doctor.models import Confidence, Finding, Severity, Status
from doctor.text import Text
from tests.checks.response.replies import Given, models, only
from tests.kit import connection, run_check

JSON, TOML = "~/app/settings.json", "~/app/config.toml"


def sighting(role: Role, name: str, value: str, path: str = JSON, line: int = 1) -> Sighting:
    return Sighting(role, name, value, Origin(OriginKind.FILE, name, path, line))


def seen(*sightings: Sighting) -> Settings:
    return Settings(sightings=sightings)


MODEL = sighting(Role.MODEL, "llm.model", "qwen3-8b")


def check(settings: Settings, window: int | None, target: Connection | None = None) -> Finding:
    given: Given = {} if window is None else {facts.MODELS: models("qwen3-8b", window=window)}
    return only(run_check(limits_disagree, target, given, settings=settings))


def test_a_declared_window_over_the_served_one() -> None:
    declared = sighting(Role.WINDOW, "inference.max_model_len", "65536", line=4)

    finding = check(seen(MODEL, declared), 32_768)

    assert finding.title == "Declared window 65,536, served window 32,768"
    assert "inference.max_model_len, ~/app/settings.json:4" in finding.explanation
    assert "refused" in finding.explanation
    assert finding.severity is Severity.WARNING


def test_a_declared_window_below_the_served_one() -> None:
    declared = sighting(Role.WINDOW, "inference.max_model_len", "8192")

    assert "never used" in check(seen(MODEL, declared), 32_768).explanation


def test_two_files_that_disagree_need_no_server() -> None:
    finding = check(
        seen(
            MODEL,
            sighting(Role.MODEL, "model.name", "qwen3-8b", TOML),
            sighting(Role.WINDOW, "inference.max_model_len", "8192"),
            sighting(Role.WINDOW, "model.max_model_len", "4096", TOML),
        ),
        None,
    )

    assert "8,192" in finding.explanation
    assert "4,096" in finding.explanation
    assert finding.confidence is Confidence.MEDIUM


def test_a_routes_max_tokens_over_the_served_window() -> None:
    finding = check(seen(MODEL, sighting(Role.MAX_TOKENS, "max_tokens", "65536")), 32_768)

    assert finding.title == "max_tokens 65,536 is over the served window of 32,768"
    assert "leaves 8,192 for the prompt" in finding.explanation


def test_the_connections_own_max_tokens_is_left_to_its_own_check() -> None:
    route = sighting(Role.MAX_TOKENS, "max_tokens", "65536", line=7)
    own = Setting(65_536, route.origin)
    target = connection()
    used = Connection(target.client, target.protocol, target.base_url, max_tokens=own)
    used = used.with_(Change("KVD501", SettingName.MODEL, "qwen3-8b", Text("a model")))
    repaired = used.with_(Change("KVD601", SettingName.MAX_TOKENS, 24_576, Text("a budget")))
    given: Given = {facts.MODELS: models("qwen3-8b", window=32_768)}

    for examined in (used, repaired):
        result = run_check(limits_disagree, examined, given, settings=seen(MODEL, route))
        assert result.findings == ()


def test_files_of_another_model_are_not_looked_at() -> None:
    other = sighting(Role.MODEL, "llm.model", "llama-3-70b")
    declared = sighting(Role.WINDOW, "inference.max_model_len", "8192")
    given: Given = {facts.MODELS: models("qwen3-8b", window=32_768)}

    result = run_check(limits_disagree, None, given, settings=seen(other, declared))

    assert result.status is Status.SKIPPED


def test_equal_limits_pass() -> None:
    declared = sighting(Role.WINDOW, "inference.max_model_len", "32768")
    route = sighting(Role.MAX_TOKENS, "max_tokens", "24576")
    given: Given = {facts.MODELS: models("qwen3-8b", window=32_768)}

    result = run_check(limits_disagree, None, given, settings=seen(MODEL, declared, route))

    assert result.status is Status.PASS


def test_a_number_that_is_none_is_not_compared() -> None:
    declared = sighting(Role.WINDOW, "inference.max_model_len", "auto")

    result = run_check(limits_disagree, settings=seen(MODEL, declared))

    assert result.status is Status.SKIPPED
