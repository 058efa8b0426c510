"""The flag tables, and what makes them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from doctor.launch import tables
from doctor.launch.gpus import named
from doctor.launch.replacements import _RULES

ROOT = Path(__file__).parents[2]


def test_41_versions_are_known() -> None:
    assert len(tables.versions()) == 41
    assert tables.versions()[0] == "0.6.0"
    assert [tables.number_of(v) for v in tables.versions()] == sorted(
        tables.number_of(v) or () for v in tables.versions()
    )


@pytest.mark.parametrize(
    ("flag", "first", "gone"),
    [
        ("--swap-space", "0.6.0", "0.18.0"),
        ("--speculative-model", "0.6.0", "0.8.3"),
        ("--disable-log-requests", "0.6.0", "0.17.0"),
        ("--task", "0.6.6.post1", "0.13.0"),
        ("--enable-reasoning", "0.7.3", "0.10.0"),
        ("--device", "0.6.0", "0.10.0"),
        ("--calculate-kv-scales", "0.7.3", "0.28.0"),
    ],
)
def test_the_lives_of_flags(flag: str, first: str, gone: str) -> None:
    life = tables.life(flag, "0.33.0")

    assert life is not None
    assert (life.first, life.gone) == (first, gone)
    assert flag in tables.table(life.last or "").flags
    assert flag not in tables.table(gone).flags


def test_every_rule_is_for_a_flag_that_is_gone() -> None:
    now = tables.table(tables.newest())

    for flag in _RULES:
        life = tables.life(flag, tables.newest())
        assert life is not None, flag
        assert flag not in now.flags


def test_every_removed_flag_has_a_rule_or_belongs_to_a_group() -> None:
    from doctor.launch.speculation import OLD_GROUP

    now = tables.table(tables.newest()).options
    gone = {flag for flag in tables.ever() if flag not in now}

    assert len(gone & (set(_RULES) | set(OLD_GROUP))) >= 50


def test_gpus_by_name() -> None:
    def told(name: str) -> tuple[int | None, int | None]:
        gpu = named(name)
        assert gpu is not None
        return gpu.capability, gpu.count

    assert told("NVIDIA A100-SXM4-80GB") == (80, None)
    assert told("4x H100") == (90, 4)
    assert told("Tesla T4") == (75, None)
    assert told("GeForce RTX 4090") == (89, None)
    assert told("p40") == (61, None)
    assert named("abacus") is None


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vllm_flags", ROOT / "scripts" / "vllm_flags.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_flags_are_read_from_source_without_importing_it(tmp_path: Path) -> None:
    files = {
        "engine/arg_utils.py": '''
raise SystemExit("it was imported")
class EngineArgs:
    @staticmethod
    def add_cli_args(parser):
        model = get_kwargs(ModelConfig)
        group = parser.add_argument_group()
        group.add_argument("--model", **model["model"])
        group.add_argument("--max-model-len", **model["max_model_len"])
        group.add_argument("--dtype", "-dt", **model["dtype"])
        group.add_argument("--eager", **model["eager"], deprecated=True)
        group.add_argument("--names", **model["names"])
        group.add_argument("--spec", **model["spec"])
        group.add_argument("--overrides", **model["overrides"])
        parser.add_argument("--old", action="store_true")
''',
        "config/model.py": '''
from typing import Literal
Kind = Literal["auto", "half"]
@config
class Spec:
    a: int = 1
@config
class ModelConfig:
    model: str = "x"
    max_model_len: int | None = None
    dtype: Kind = "auto"
    eager: bool = False
    names: list[str] | None = None
    spec: Spec | None = None
    overrides: dict | Callable = field(default_factory=dict)
''',
        "entrypoints/openai/cli_args.py": """
@config
class FrontendArgs:
    host: str | None = None
    api_key: list[str] | None = None
    allowed_origins: list[str] = field(default_factory=list)
def make_arg_parser(parser):
    parser.add_argument("--headless", action="store_true")
""",
        "envs.py": "environment_variables = {'VLLM_A': lambda: 1, 'VLLM_B': lambda: 2}\n",
    }  # fmt: skip
    for name, text in files.items():
        path = tmp_path / "vllm" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    found = script().flags_of(tmp_path / "vllm", "0.34.0")

    assert found == {
        "--allowed-origins": ["json"],
        "--api-key": ["str?+"],
        "--dtype": ["str", {"c": ["auto", "half"], "a": ["-dt"]}],
        "--eager": ["bool", {"d": 1}],
        "--headless": ["switch"],
        "--host": ["str?"],
        "--max-model-len": ["hintauto"],
        "--model": ["str"],
        "--names": ["str?+"],
        "--old": ["switch"],
        "--overrides": ["dict"],
        "--spec": ["config?", {"k": ["a"]}],
    }
    assert script().variables_of(tmp_path / "vllm") == ["VLLM_A", "VLLM_B"]


def test_putting_a_version_in_again_changes_nothing() -> None:
    data = ROOT / "doctor" / "launch" / "data"
    table = json.loads((data / "flags.json").read_text())
    made = script()

    again = made.merged(table, "0.32.0", made.at(table, "0.32.0"))

    assert made.written(again) == (data / "flags.json").read_text()
