"""From the text of ``/metrics`` to numbers, whatever version or proxy it went through."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from doctor.enginemetrics import cache_of, names, now_of, read
from doctor.untrusted import visible
from tests.enginemetrics.texts import LABELS, config, histogram, line, recorded, text


def test_the_recorded_engine_is_read_as_the_reference_parser_reads_it() -> None:
    (series,) = read(recorded()).series
    reference = {
        (sample.name, sample.labels.get("le"), sample.labels.get("finished_reason")): sample.value
        for family in text_string_to_metric_families(recorded())
        for sample in family.samples
    }

    assert (series.engine, series.model) == ("0", "tiny")
    for meaning, known in names.SINGLE.items():
        if meaning in series.values and meaning is not names.REJECTED:
            told = [
                reference[name, None, None]
                for name in (f"vllm:{known[0]}_total", f"vllm:{known[0]}")
                if (name, None, None) in reference
            ]
            assert series.values[meaning] == told[0], meaning
    for meaning, held in series.histograms.items():
        name = f"vllm:{names.HISTOGRAMS[meaning][0]}"
        assert held.count == reference[f"{name}_count", None, None]
        assert held.sum == reference[f"{name}_sum", None, None]
        for bound, count in zip(held.bounds, held.counts, strict=True):
            assert count == reference[f"{name}_bucket", str(bound), None]
    assert series.values[names.FINISHED] == 15
    assert series.values[names.FAILED] == 0


OLD = {"model_name": "qwen3-8b"}


@pytest.mark.parametrize(
    ("lines", "usage"),
    [
        ([line("vllm:gpu_cache_usage_perc", 0.4, OLD)], 0.4),
        ([line("vllm:kv_cache_usage_perc", 0.4)], 0.4),
        # 0.9.2 to 0.10.2 expose both, in either order.
        ([line("vllm:gpu_cache_usage_perc", 0.4), line("vllm:kv_cache_usage_perc", 0.5)], 0.5),
        ([line("vllm:kv_cache_usage_perc", 0.5), line("vllm:gpu_cache_usage_perc", 0.4)], 0.5),
        ([line("vllm_kv_cache_usage_perc", 0.4)], 0.4),
        ([line("ray_vllm_kv_cache_usage_perc", 0.4, LABELS, WorkerId="ab12")], 0.4),
        ([line("vllm:cpu_cache_usage_perc", 0.9)], None),
    ],
    ids=["before 0.9.2", "since", "both", "both, turned", "underscore", "Ray", "only the CPU's"],
)
def test_every_version_has_its_own_name_for_the_use_of_the_cache(
    lines: list[str], usage: float | None
) -> None:
    assert now_of(read("\n".join([*lines, ""]))).kv_usage == usage


@pytest.mark.parametrize("name", ["vllm:num_preemptions_total", "vllm:num_preemptions"])
def test_counters_are_known_with_and_without_their_ending(name: str) -> None:
    (series,) = read(line(name, 3)).series
    assert series.values[names.PREEMPTIONS] == 3


@pytest.mark.parametrize("name", ["time_per_output_token_seconds", "inter_token_latency_seconds"])
def test_the_time_between_tokens_has_two_names(name: str) -> None:
    (series,) = read("\n".join(histogram(f"vllm:{name}", {"0.1": 2, "+Inf": 4}, 1.5))).series
    held = series.histograms[names.INTER_TOKEN]
    assert (held.count, held.sum, held.bounds, held.counts) == (4, 1.5, (0.1,), (2,))


def test_created_series_are_no_values() -> None:
    told = [line("vllm:num_preemptions_total", 2), line("vllm:num_preemptions_created", 1.79e9)]
    (series,) = read("\n".join(told)).series
    assert series.values == {names.PREEMPTIONS: 2}


def test_several_engines_and_models_stay_apart() -> None:
    lines = [
        line("vllm:num_requests_running", 3, {"engine": "0", "model_name": "a"}),
        line("vllm:num_requests_running", 5, {"engine": "1", "model_name": "a"}),
        line("vllm:num_requests_running", 7, {"engine": "0", "model_name": "b"}),
        line("vllm:kv_cache_usage_perc", 0.2, {"engine": "0", "model_name": "a"}),
        line("vllm:kv_cache_usage_perc", 0.8, {"engine": "1", "model_name": "a"}),
        line("vllm:cache_config_info", 1, {"engine": "0", "block_size": "16"}),
        line("vllm:cache_config_info", 1, {"engine": "1", "block_size": "32"}),
    ]
    snapshot = read("\n".join(lines))
    now = now_of(snapshot)

    assert [(s.engine, s.model) for s in snapshot.series] == [("0", "a"), ("0", "b"), ("1", "a")]
    assert (now.running, now.kv_usage, now.fullest, now.engines) == (15, 0.8, "1", 2)
    assert [cache_of(s).block_size for s in snapshot.series] == [16, 16, 32]


def test_what_names_no_engine_belongs_to_the_first() -> None:
    lines = [
        line("vllm:num_requests_running", 3),
        line("vllm:admission_rejections_total", 4, {"model_name": "qwen3-8b"}, reason="x"),
        line("vllm:admission_rejections_total", 2, {"model_name": "qwen3-8b"}, reason="y"),
    ]
    (series,) = read("\n".join(lines)).series
    assert series.values == {names.RUNNING: 3, names.REJECTED: 6}


def test_a_value_that_is_no_number_is_not_there() -> None:
    snapshot = read(text({"vllm:kv_cache_usage_perc": float("nan")}))
    assert now_of(snapshot).kv_usage is None
    assert snapshot.malformed == 0


@pytest.mark.parametrize(
    "garbage",
    [
        "vllm:num_requests_running{engine=",
        'vllm:num_requests_running{engine="0" 3',
        "vllm:num_requests_running abc",
        "vllm:num_requests_running",
        'vllm:num_requests_running{engine="0";model_name="x"} 3',
        'vllm:num_requests_running{engine="0"} 3 tomorrow',
    ],
)
def test_a_line_that_makes_no_sense_costs_only_itself(garbage: str) -> None:
    snapshot = read(text({"vllm:num_requests_waiting": 2}) + garbage + "\n")
    assert snapshot.malformed == 1
    assert now_of(snapshot).waiting == 2


@pytest.mark.parametrize(
    "odd",
    [
        "vllm:num_requests_running 3 1795000000000",
        "vllm:num_requests_running  3\r",
        '  vllm:num_requests_running{ engine="0" , model_name="m", } 3.0',
        'vllm:num_requests_running{model_name="a\\"b}c\\\\"} 3e0 # {trace_id="x"} 1',
    ],
)
def test_what_the_format_allows_is_understood(odd: str) -> None:
    snapshot = read(odd)
    assert now_of(snapshot).running == 3
    assert snapshot.malformed == 0


def test_of_a_cut_answer_the_last_line_does_not_count() -> None:
    whole = text({"vllm:num_requests_running": 123})
    cut = whole[: whole.index("123") + 1]
    assert now_of(read(cut, complete=False)).running is None


@pytest.mark.parametrize("page", ["", "<html>vllm</html>", '{"detail":"Not Found"}', "vllm\x00\n"])
def test_what_is_no_metrics_has_no_series(page: str) -> None:
    assert read(page).series == ()


def test_labels_of_others_cannot_steer_a_terminal() -> None:
    told = line("vllm:num_requests_running", 1, {"engine": "0", "model_name": "a\x1b[31m"})
    (series,) = read(told).series
    assert "\x1b" not in series.model


def test_a_thousand_models_are_bounded() -> None:
    lines = [
        line("vllm:num_requests_running", 1, {"engine": "0", "model_name": f"m{n}"})
        for n in range(1_000)
    ]
    assert len(read("\n".join(lines)).series) == 256


@given(st.text(max_size=300))
def test_no_text_is_too_strange(strange: str) -> None:
    snapshot = read(strange)
    now_of(snapshot)
    assert snapshot.malformed <= strange.count("\n") + 1


@given(
    st.lists(st.text(st.characters(exclude_characters="\n"), max_size=60), max_size=8), st.randoms()
)
def test_lines_of_others_in_between_change_nothing(
    strange: list[str], chance: random.Random
) -> None:
    lines = text({"vllm:kv_cache_usage_perc": 0.25}).splitlines()
    for each in strange:
        if "vllm" not in each and "process" not in each:
            lines.insert(chance.randrange(len(lines) + 1), each)
    now = now_of(read("\n".join([*lines, ""])))
    assert (now.kv_usage, now.running, now.waiting) == (0.25, 0, 0)


def test_the_configuration_of_the_cache() -> None:
    (series,) = read(text(cache={"cache_hit_alignment_tokens": "784"})).series
    cache = cache_of(series)
    assert (cache.block_size, cache.alignment, cache.tokens) == (16, 784, 131_072)
    assert (cache.utilization, cache.prefix_caching, cache.override) == (0.9, True, None)
    assert not cache.sized_by_bytes


@pytest.mark.parametrize("strange", ["", "None", "-1", "1e9", "9" * 40, "²", "0"])
def test_a_label_that_makes_no_sense_is_as_if_it_were_not_there(strange: str) -> None:
    told = "\n".join([line("vllm:num_requests_running", 0), config(block_size=strange)])
    (series,) = read(told).series
    assert cache_of(series).block_size is None


def test_before_0_24_the_tokens_follow_from_the_blocks() -> None:
    labels = {"block_size": "16", "num_gpu_blocks": "1000", "engine": "0"}
    told = [line("vllm:num_requests_running", 0), line("vllm:cache_config_info", 1, labels)]
    (series,) = read("\n".join(told)).series
    assert cache_of(series).tokens == 16_000


@given(st.dictionaries(st.sampled_from(["a", "engine", "model_name", "x_1"]), st.text(max_size=20)))
def test_labels_are_read_as_the_format_writes_them(labels: dict[str, str]) -> None:
    """Backslash, quote and line break are escaped; all else stands as it is."""

    def written(value: str) -> str:
        return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    told = ",".join(f'{name}="{written(value)}"' for name, value in labels.items())
    snapshot = read(f"vllm:num_requests_running{{{told}}} 5\n")

    assert snapshot.malformed == 0
    (series,) = snapshot.series
    assert series.values == {names.RUNNING: 5}
    assert series.model == visible(labels.get("model_name", ""), 200)
