from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from checks.launch.declared_and_running_differ import declared_and_running_differ
from doctor import facts
from doctor.connection import Origin, OriginKind
from doctor.facts.answers import ServedModel
from doctor.facts.engine import StartLine, Stated
from doctor.facts.settings import Role, Settings, Sighting
from doctor.models import CheckResult, Confidence, Severity, Status
from tests.checks.engines import NONE, Given, at_work, behind, state
from tests.checks.response.replies import models, only
from tests.kit import run_check

PATH = "~/app/settings.json"


def declared(name: str, value: str, role: Role = Role.ENGINE) -> Sighting:
    return Sighting(role, name, value, Origin(OriginKind.FILE, name, PATH, 9))


MODEL = declared("llm.model", "qwen3-8b", Role.MODEL)


def check(given: Given, *sightings: Sighting) -> CheckResult:
    settings = Settings(sightings=(MODEL, *sightings))
    return run_check(declared_and_running_differ, given=given, settings=settings)


def against(name: str, value: str, **cache: str) -> CheckResult:
    return check(at_work(state(), cache=cache), declared(name, value))


def test_a_share_of_memory_that_the_engine_does_not_have() -> None:
    finding = only(against("inference.gpu_memory_utilization", "0.92"))

    assert finding.title == (
        "gpu_memory_utilization is 0.92 in the file and 0.9 in the running engine"
    )
    assert "inference.gpu_memory_utilization, ~/app/settings.json:9" in finding.explanation
    assert finding.severity is Severity.WARNING
    assert not finding.blocking


def test_prefix_caching_that_is_declared_and_off_explains_its_absence() -> None:
    finding = only(
        against("inference.enable_prefix_caching", "True", enable_prefix_caching="False")
    )
    assert finding.explains == ("KVD706",)


def test_several_differences_are_one_finding() -> None:
    found = check(
        at_work(state(), cache={"cache_dtype": "fp8_e4m3"}),
        declared("memory.kv_cache_dtype", "bfloat16"),
        declared("memory.block_size", "32"),
    )
    finding = only(found)
    assert finding.title == "The engine runs otherwise than the files say in 2 settings"
    assert "bfloat16; the engine runs with fp8_e4m3" in finding.explanation


@pytest.mark.parametrize(
    ("name", "value", "cache"),
    [
        ("inference.gpu_memory_utilization", "0.90", {}),
        ("inference.gpu_memory_utilization", "0.5", {"kv_cache_memory_bytes": "1073741824"}),
        ("inference.gpu_memory_utilization", "most of it", {}),
        ("inference.kv_cache_dtype", "auto", {"cache_dtype": "fp8"}),
        ("inference.kv_cache_dtype", "fp8", {"cache_dtype": "fp8_e4m3"}),
        ("inference.kv_cache_dtype", "bfloat16", {"cache_dtype": "auto"}),
        ("inference.enable_prefix_caching", "True", {}),
        ("memory.block_size", "16", {}),
        ("inference.tensor_parallel_size", "2", {}),
    ],
)
def test_what_is_the_same_or_cannot_be_compared(
    name: str, value: str, cache: dict[str, str]
) -> None:
    assert against(name, value, **cache).status is Status.PASS


WINDOW = declared("inference.max_model_len", "8192", Role.WINDOW)


def test_the_window_of_an_engine_behind_a_gateway_that_tells_none() -> None:
    given: Given = {
        **at_work(state()),
        facts.ENGINE: behind(ServedModel("tiny", window=4096)),
        facts.MODELS: models("qwen3-8b"),
    }
    finding = only(check(given, WINDOW))
    assert finding.title == "max_model_len is 8192 in the file and 4,096 in the running engine"


def test_the_window_that_the_list_tells_is_another_checks() -> None:
    given: Given = {
        **at_work(state()),
        facts.ENGINE: behind(ServedModel("tiny", window=4096)),
        facts.MODELS: models("qwen3-8b", window=4096),
    }
    assert check(given, WINDOW).status is Status.PASS


def test_without_a_file_or_an_engine_there_is_nothing_to_compare() -> None:
    assert check(at_work(state())).status is Status.SKIPPED
    given: Given = {facts.ENGINE: NONE}
    assert check(given, declared("memory.block_size", "32")).status is Status.SKIPPED


# ------------------------------------------------------------------ the line that starts it

LABELS = {"user_specified_block_size": "True", "mamba_block_size": "None"}
SERVED = (ServedModel("qwen3-8b", window=32_768, root="Qwen/Qwen3-8B"),)


def stated(name: str, *values: str, written: str = "", where: str = "compose.yaml:7") -> Stated:
    flag = f"--{name.replace('_', '-')}"
    return Stated(name, values, written or f"{flag} {' '.join(values)}", where)


def started(
    *settings: Stated,
    served: tuple[ServedModel, ...] = SERVED,
    version: str | None = "0.32.0",
    running: bool = False,
    given: bool = True,
    **labels: str,
) -> CheckResult:
    lists = models("qwen3-8b")
    return run_check(
        declared_and_running_differ,
        given={
            **at_work(state(), cache={**LABELS, **labels}, version=version),
            facts.MODELS: dataclasses.replace(lists, models=served),
            facts.START_LINE: StartLine("compose.yaml", running, given, settings),
        },
    )


@pytest.mark.parametrize(
    ("setting", "changes", "running"),
    [
        (stated("max_model_len", "16384"), {}, "32,768"),
        (stated("block_size", "32"), {}, "16"),
        (stated("block_size", "32"), {"user_specified_block_size": "False"}, "16"),
        (stated("gpu_memory_utilization", "0.85"), {}, "0.9"),
        (stated("enable_prefix_caching", "False"), {}, "True"),
        (stated("served_model_name", "qwen3-8b", "chat"), {}, "qwen3-8b"),
        (stated("model", "mistralai/Mistral-7B"), {}, "qwen3-8b"),
        (stated("version", "0.27.1"), {}, "0.32.0"),
        (stated("version", "0.31"), {}, "0.32.0"),
    ],
    ids=lambda value: value.name if isinstance(value, Stated) else "",
)
def test_a_line_that_says_otherwise(setting: Stated, changes: dict[str, Any], running: str) -> None:
    finding = only(started(setting, **changes))

    assert (
        finding.title == f"compose.yaml says {setting.written}, and the engine runs with {running}"
    )
    assert f"compose.yaml:7: {setting.written}; the engine runs with {running}." in (
        finding.explanation
    )
    assert finding.severity is Severity.WARNING
    assert not finding.blocking


@pytest.mark.parametrize(
    ("setting", "changes"),
    [
        (stated("max_model_len", "32768"), {}),
        (stated("max_model_len", "16384"), {"served": (ServedModel("qwen3-8b"),)}),
        (
            stated("max_model_len", "16384"),
            {"served": (ServedModel("a", window=16_384), ServedModel("lora", root="a"))},
        ),
        # What vLLM does not say whether anybody chose, and what a model with a state needs.
        (stated("block_size", "32"), {"user_specified_block_size": "None", "block_size": "32"}),
        (stated("block_size", "16"), {"block_size": "784", "mamba_block_size": "784"}),
        (stated("gpu_memory_utilization", "0.90"), {}),
        (stated("gpu_memory_utilization", "0.9"), {"gpu_memory_utilization": "0.9000000001"}),
        (stated("gpu_memory_utilization", "0.5"), {"kv_cache_memory_bytes": "1073741824"}),
        (stated("enable_prefix_caching", "True"), {}),
        (stated("enable_prefix_caching", "False"), {"enable_prefix_caching": "None"}),
        (stated("served_model_name", "qwen3-8b"), {}),
        (stated("served_model_name", "other"), {"served": ()}),
        (stated("model", "Qwen/Qwen3-8B"), {}),
        (stated("model", "/models/Qwen3-8B/"), {}),
        (stated("model", "Qwen/Qwen3-8B"), {"served": (ServedModel("/models/qwen3-8b"),)}),
        (stated("version", "0.32"), {}),
        (stated("version", "0.32.0"), {"version": "0.32.0+cu129"}),
        (stated("version", "0.31.0"), {"version": "0.31.1.dev9+g1a2b"}),
        (stated("version", "0.31.0"), {"version": None}),
    ],
)
def test_what_is_vllms_own_choice_or_not_told_is_no_difference(
    setting: Stated, changes: dict[str, Any]
) -> None:
    assert started(setting, **changes).status is Status.PASS


def test_a_version_without_the_label_of_the_block_size_tells_nothing() -> None:
    found = run_check(
        declared_and_running_differ,
        given={
            **at_work(state()),
            facts.START_LINE: StartLine("run.sh", given=True, stated=(stated("block_size", "32"),)),
        },
    )
    assert found.status is Status.PASS


def test_a_compose_file_that_nobody_named_is_a_guess() -> None:
    finding = only(started(stated("max_model_len", "16384"), given=False))

    assert finding.confidence is Confidence.MEDIUM
    assert finding.title.startswith("compose.yaml likely starts another engine")


def test_a_process_that_runs_otherwise_than_its_own_line_says() -> None:
    finding = only(
        started(
            stated("enable_prefix_caching", "True"), running=True, enable_prefix_caching="False"
        )
    )
    assert finding.explains == ("KVD706",)
    assert "A restart takes what stands there now." in finding.explanation


def test_several_settings_of_a_line_are_one_finding() -> None:
    finding = only(started(stated("max_model_len", "16384"), stated("version", "0.27.1")))

    assert finding.title == "The engine runs otherwise than compose.yaml says in 2 settings"
    assert len(finding.evidence) == 4


def test_the_engine_behind_a_gateway_has_its_own_list() -> None:
    given: Given = {
        **at_work(state()),
        facts.ENGINE: behind(ServedModel("tiny", window=4096)),
        facts.MODELS: models("qwen3-8b", window=32_768),
        facts.START_LINE: StartLine(
            "run.sh", given=True, stated=(stated("max_model_len", "8192"),)
        ),
    }
    found = run_check(declared_and_running_differ, given=given)
    assert "the engine runs with 4,096" in only(found).explanation
