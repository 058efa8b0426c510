"""Asks vLLM's own planning code what it would do with a model, from its config.json alone.

Runs inside an environment that holds vLLM (the CPU build will do), never inside the test process:

    python ask.py CASES.json ANSWERS.json

CASES.json is a list of ``{"name": …, "config": {…}, "options": {…}}``; all of one file have the
same ``tp`` and ``dcp``, since a process can pretend to be of one world only. ANSWERS.json maps
each name to vLLM's figures, or to ``{"error": …}``. Nothing is downloaded, no weights are read:
the model is built on the "meta" device, which knows shapes and no values.

Where the CPU platform differs from a GPU's the GPU's rule is put in: kernel blocks are multiples
of 16 (the CPU's of 32, with AMX for MLA too), a state's dtype is not forced to float32,
asynchronous scheduling is what the case says, and a context-parallel cache is allowed.
"""

# It runs where vLLM is, which is not where types are checked.
# mypy: ignore-errors
# ruff: noqa: E402

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

os.environ.update(
    HF_HUB_OFFLINE="1",
    TRANSFORMERS_OFFLINE="1",
    VLLM_LOGGING_LEVEL="ERROR",
    VLLM_CPU_KVCACHE_SPACE="4",
    VLLM_NO_USAGE_STATS="1",
)

# Some models' files import what only images or a GPU's kernels need, and would not load without.
STUB = """from unittest.mock import MagicMock
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return MagicMock(name=name)
"""
ABSENT = (
    "torchvision",
    "torchvision.io",
    "torchvision.ops",
    "torchvision.transforms",
    "torchvision.transforms.functional",
    "torchvision.transforms.v2",
    "torchvision.transforms.v2.functional",
)


def put_stubs(folder: Path) -> None:
    """Empty packages in place of the absent ones, for this process and those that it starts."""
    for name in ABSENT:
        package = folder.joinpath(*name.split("."))
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text(STUB, encoding="ascii")
    metadata = folder / "torchvision-0.28.0.dist-info" / "METADATA"
    metadata.parent.mkdir(exist_ok=True)
    metadata.write_text("Metadata-Version: 2.1\nName: torchvision\nVersion: 0.28.0\n", "ascii")
    # Behind all else: what is installed wins.
    sys.path.append(str(folder))
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[1:])


put_stubs(Path(tempfile.mkdtemp(prefix="kvdoctor-oracle-")))

import torch
import vllm.distributed.parallel_state as state
from vllm.config import VllmConfig, set_current_vllm_config
from vllm.distributed.utils import get_pp_indices
from vllm.engine.arg_utils import EngineArgs
from vllm.model_executor.model_loader.utils import initialize_model
from vllm.platforms import current_platform
from vllm.platforms.interface import Platform
from vllm.triton_utils import triton
from vllm.usage.usage_lib import UsageContext
from vllm.utils.torch_utils import set_default_torch_dtype
from vllm.v1.attention.backend import MultipleOf
from vllm.v1.core import kv_cache_utils as planning
from vllm.v1.worker.gpu.attn_utils import get_kv_cache_spec


def pretend_to_be_a_gpu() -> None:
    """Kernel blocks and settings as FlashAttention on a GPU has them."""
    import vllm.v1.attention.backends.cpu_attn as cpu

    cpu.CPUAttentionBackend.get_supported_kernel_block_sizes = staticmethod(
        lambda kv_cache_spec=None: [MultipleOf(16)]
    )
    with contextlib.suppress(ImportError):
        # Taken where the processor has AMX; its blocks are multiples of 32.
        from vllm.v1.attention.backends.mla.amx_mla import AMXMLABackend

        AMXMLABackend.get_supported_kernel_block_sizes = staticmethod(
            lambda kv_cache_spec=None: [16]
        )
        AMXMLABackend.supports_block_size = classmethod(lambda cls, size: True)
    platform = type(current_platform)
    original = platform.check_and_update_config.__func__

    def keeping(cls: Any, config: Any) -> None:
        cache, scheduler = config.cache_config, config.scheduler_config
        kept = (
            cache.mamba_ssm_cache_dtype,
            cache.enable_prefix_caching,
            scheduler.max_num_batched_tokens,
            scheduler.enable_chunked_prefill,
        )
        original(cls, config)
        cache.mamba_ssm_cache_dtype, cache.enable_prefix_caching = kept[:2]
        scheduler.max_num_batched_tokens, scheduler.enable_chunked_prefill = kept[2:]

    platform.check_and_update_config = classmethod(keeping)
    triton.set_allocator = lambda allocator: None
    # A buffer without values has none to look at; no shape depends on those that models look at.
    torch.Tensor.item = lambda self, _item=torch.Tensor.item: (  # type: ignore[method-assign]
        1.0 if self.is_meta else _item(self)
    )


def join_world(size: int) -> None:
    """One process that believes to be rank 0 of ``size``."""
    if size == 1:
        with tempfile.NamedTemporaryFile(delete=False) as file:
            state.init_distributed_environment(1, 0, f"file://{file.name}", 0, "gloo")
        return
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=0, world_size=size, store=FakeStore())
    new_group, new_coordinator = dist.new_group, state.init_model_parallel_group

    def fake_group(*args: Any, **named: Any) -> Any:
        return new_group(*args, **{**named, **({"backend": "fake"} if "backend" in named else {})})

    def quiet(*args: Any, **named: Any) -> Any:
        return new_coordinator(*args, **{**named, "use_message_queue_broadcaster": False})

    dist.new_group = torch.distributed.new_group = fake_group
    state.init_model_parallel_group = quiet
    state.in_the_same_node_as = lambda group, source_rank=0: [True] * size
    base = "vllm.distributed.device_communicators.base_device_communicator."
    type(current_platform).get_device_communicator_cls = classmethod(
        lambda cls: base + "DeviceCommunicatorBase"
    )
    state.init_distributed_environment(size, 0, "env://", 0, "fake")


V1_RUNNER = VllmConfig.use_v2_model_runner


def configured(folder: str, options: dict[str, Any]) -> Any:
    """vLLM's configuration for a case; the names of ``options`` are those of ``ask``."""
    named: dict[str, Any] = dict(options.get("engine", {}))
    tp, dcp = options.get("tp", 1), options.get("dcp", 1)
    VllmConfig.use_v2_model_runner = V1_RUNNER
    if tp > 1:
        named["distributed_executor_backend"] = "mp"
    config = EngineArgs(
        model=folder,
        skip_tokenizer_init=True,
        load_format="dummy",
        enforce_eager=True,
        tensor_parallel_size=tp,
        decode_context_parallel_size=dcp,
        **named,
    ).create_engine_config(UsageContext.OPENAI_API_SERVER)
    config.scheduler_config.async_scheduling = options.get("async", False)
    if "block_size" not in named:
        config.cache_config.block_size = 16
        config.cache_config.user_specified_block_size = False
    return config


def ask(model: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """vLLM's figures. ``options``: tp, pp, dcp, async, available (bytes), engine (EngineArgs)."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps(model), encoding="utf-8")
        config = configured(folder, options)
        with set_current_vllm_config(config):
            with contextlib.suppress(Exception):
                state.destroy_model_parallel()
            state.initialize_model_parallel(
                options.get("tp", 1),
                1,
                decode_context_model_parallel_size=options.get("dcp", 1),
                backend="fake" if options.get("tp", 1) > 1 else "gloo",
            )
            with set_default_torch_dtype(config.model_config.dtype), torch.device("meta"):
                built = initialize_model(vllm_config=config)
                if config.speculative_config and config.speculative_config.method == "mtp":
                    draft = config.speculative_config.draft_model_config
                    initialize_model(vllm_config=config, model_config=draft)
            Platform.update_block_size_for_backend.__func__(type(current_platform), config)
            return figures(config, built, options)


def figures(config: Any, built: Any, options: dict[str, Any]) -> dict[str, Any]:
    specs = get_kv_cache_spec(config)
    cache = config.cache_config
    cache.kv_cache_layout = cache.kv_cache_layout or "LBNHC"
    pp = options.get("pp", 1)
    config.parallel_config.pipeline_parallel_size = pp
    # The V2 runner, a GPU's default, lets one batch more than stages be in flight. It needs
    # Triton, so it is named only here, where nothing is run any more.
    VllmConfig.use_v2_model_runner = property(lambda self: True)
    available = options["available"]
    ranks = stages(specs, config.model_config.model_arch_config.total_num_hidden_layers, pp)
    plans = planning.get_kv_cache_configs(config, ranks, [available] * pp)
    plan = plans[0]
    tokens, concurrency = planning.get_kv_cache_capacity(config, plan)
    groups = plan.kv_cache_groups
    return {
        "max_model_len": config.model_config.max_model_len,
        "block_size": cache.block_size,
        "cache_dtype": cache.cache_dtype,
        "in_flight": config.max_in_flight_tokens,
        "layers": sorted(
            [*row, count] for row, count in Counter(map(row_of, ranks[0].values())).items()
        ),
        "bytes_per_token": sum(
            spec.page_size_bytes / spec.block_size
            for spec in ranks[0].values()
            if "Mamba" not in type(spec).__name__
        ),
        "groups": [
            [
                type(g.kv_cache_spec).__name__,
                len(g.layer_names),
                g.kv_cache_spec.block_size,
                g.kv_cache_spec.page_size_bytes,
            ]
            for g in groups
        ],
        "bytes_per_block": planning._pool_bytes_per_block(config, groups),
        "num_blocks": plan.num_blocks,
        "tokens": tokens,
        "max_concurrency": concurrency,
        "bytes_for_one_request": planning._max_memory_usage_bytes_from_groups(config, groups),
        "weights_bytes": sum(p.numel() * p.element_size() for p in built.parameters()),
    }


def row_of(spec: Any) -> tuple[str, int, int]:
    return type(spec).__name__, spec.block_size, spec.page_size_bytes


def stages(specs: dict[str, Any], layers: int, pp: int) -> list[dict[str, Any]]:
    """The specs of each pipeline stage, split by vLLM's own rule."""
    from vllm.model_executor.models.utils import extract_layer_index

    if pp == 1:
        return [specs]

    def layer_of(name: str) -> int:
        number = extract_layer_index(name)
        # Falcon-H1 counts its mixers on behind the last layer.
        return number % layers if type(specs[name]).__name__ == "MambaSpec" else number

    bounds = [get_pp_indices(layers, rank, pp) for rank in range(pp)]
    return [
        {name: spec for name, spec in specs.items() if first <= layer_of(name) < last}
        for first, last in bounds
    ]


def main() -> None:
    cases = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    pretend_to_be_a_gpu()
    join_world(cases[0]["options"].get("tp", 1))
    answers = {}
    for case in cases:
        try:
            answers[case["name"]] = ask(case["config"], case["options"])
        except BaseException as error:  # a case that vLLM refuses is an answer too
            if os.environ.get("TRACE"):
                import traceback

                traceback.print_exc()
            answers[case["name"]] = {"error": f"{type(error).__name__}: {str(error)[:400]}"}
        print(case["name"], str(answers[case["name"]])[:220], file=sys.stderr)
    Path(sys.argv[2]).write_text(json.dumps(answers, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
