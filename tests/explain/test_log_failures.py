"""Each failure of an engine leads to its cause, whoever wrapped it and whoever told it."""

from __future__ import annotations

import pytest

from .logreading import explained, failures_observed, first_code

# The 14 failures of facts/observed/vllm-0.32.0-startup-failures.txt.
OBSERVED = {
    "mml": "KVD910",
    "util": "KVD802",
    "emptydir": "KVD913",
    "mtype": "KVD909",
    "notok": "KVD913",
    "tparser2": "KVD919",
    "tp3": "KVD904",
    "chunk": "KVD608",
    "seqs": "KVD608",
    "rp": "KVD919",
    "env": "KVD903",
    "blk": "KVD802",
    "spec": "KVD906",
    "spec2": "KVD906",
}
# facts/vllm.md §5: text as it stands in a log → code. The wordings of others are theirs.
TEXTS = [
    ("ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that "
     "can be stored in KV cache (7344). Try increasing", "KVD803"),
    ("ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GB "
     "KV cache is needed, which is larger than the available KV cache memory (9.10 GB).", "KVD803"),
    ("ValueError: Free memory on device (31.44/47.38 GiB) on startup is less than desired GPU "
     "memory utilization (0.95, 45.01 GiB).", "KVD805"),
    ("ValueError: Free memory on device cuda:0 (78.9/79.15 GiB) on startup is less than desired "
     "GPU memory utilization (1.0, 79.15 GiB).", "KVD802"),
    ("AssertionError: Error in memory profiling. Initial free memory 20.1 GiB", "KVD805"),
    ("ValueError: Cannot auto-fit max_model_len: not enough GPU memory available", "KVD806"),
    ("RuntimeError: CUDA out of memory occurred when warming up pooler", "KVD813"),
    ("ValueError: Too large swap space. 8.00 GiB out of the 15.5 GiB total CPU memory", "KVD919"),
    ("ValueError: GPU memory utilization must be less than 1.0. Got 90.0.", "KVD802"),
    ("ValueError: max_num_batched_tokens (64) is smaller than max_model_len (512).", "KVD608"),
    ("ValueError: Chunked MM input disabled but max_tokens_per_mm_item (9000) is larger", "KVD608"),
    ("vllm serve: error: unrecognized arguments: --swap-space 4", "KVD901"),
    ("vllm serve: error: unrecognized arguments: --max-num-sequence 4", "KVD903"),
    ("vllm serve: error: unrecognized arguments: --mem-fraction-static 0.8", "KVD903"),
    ("vllm: error: unrecognized arguments: False", "KVD919"),
    ("main.py: error: ambiguous option: --device could match --device-ids, --device-x", "KVD901"),
    ("vllm serve: error: argument --enable-chunked-prefill/--no-enable-chunked-prefill: ignored "
     "explicit argument 'False'", "KVD919"),
    ("vllm serve: error: argument --kv-cache-dtype: invalid choice: 'fp16' (choose from", "KVD919"),
    ("TypeError: Error: --enable-auto-tool-choice requires --tool-call-parser", "KVD911"),
    ("KeyError: 'invalid tool call parser: nope (chose from { hermes })'", "KVD919"),
    ("ValueError: As of transformers v4.44, default chat template is no longer allowed", "KVD921"),
    ("ValueError: LoRA rank 64 is greater than max_lora_rank 16.", "KVD919"),
    ("ValueError: GGUF model with architecture gpt-oss is not supported yet.", "KVD909"),
    ("ValueError: `rope_scaling` must be a dictionary with two fields, `type`", "KVD909"),
    ("OSError: [Errno 28] No space left on device: '/dev/shm/psm_1'", "KVD812"),
    ("ValueError: The decoder prompt contains a(n) image item with length 4641, which exceeds the "
     "pre-allocated encoder cache size 3721.", "KVD608"),
    ("RuntimeError: GPUs with compute capability less than 7.0 are not supported.", "KVD920"),
    ("RuntimeError: Failed to infer device type", "KVD811"),
    ("ImportError: /x/vllm/_C.abi3.so: undefined symbol: _ZN5torch3jit", "KVD922"),
    ("RuntimeError: CUDA error: no kernel image is available for execution on the device",
     "KVD920"),
    ("RuntimeError: The NVIDIA driver on your system is too old (found version 12080).", "KVD811"),
    ("ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'", "KVD922"),
    ("OSError: [Errno 24] Too many open files", "KVD915"),
    ("ValueError: World size (4) is larger than the number of available GPUs (2)", "KVD904"),
    ("ValueError: Total number of attention heads (28) must be divisible by tensor parallel size "
     "(8).", "KVD904"),
    ("RuntimeError: NCCL error: unhandled system error", "KVD812"),
    ("RuntimeError: NCCL error: unhandled cuda error", "KVD923"),
    ("huggingface_hub.errors.GatedRepoError: 403 Client Error. Cannot access gated repo", "KVD913"),
    ("OSError: We couldn't connect to 'https://huggingface.co' to load the files", "KVD913"),
    ("ValueError: Model architectures ['MadeUpForCausalLM'] are not supported for now.", "KVD909"),
    ("Exception: data did not match any variant of untagged enum ModelWrapper at line 1", "KVD909"),
    ("RuntimeError: Cannot find any model weights with `/models/x`", "KVD913"),
    ("safetensors_rust.SafetensorError: Error while deserializing header: X", "KVD913"),
    ("ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your "
     "Tesla V100 GPU has compute capability 7.0.", "KVD908"),
    ("ValueError: The quantization method fp8 is not supported for the current GPU. Minimum "
     "capability: 89. Current capability: 75.", "KVD907"),
    ("ValueError: Quantization method specified in the model config (gptq) does not match the "
     "quantization method specified in the `quantization` argument (awq).", "KVD907"),
    ("ValueError: torch.bfloat16 is not supported for quantization method awq.", "KVD907"),
    ("ValueError: Target and draft model should have the same vocabulary size.", "KVD905"),
    ("ValueError: num_speculative_tokens:4 must be divisible by n_predict=3", "KVD906"),
    ("NotImplementedError: Speculative decoding with draft model is not supported yet.", "KVD905"),
    ("ValueError: invalid literal for int() with base 10: 'MIG-377e0049-554c'", "KVD917"),
]  # fmt: skip

# What any program may say: of an engine only in an engine's log.
OF_ANY_PROGRAM = [
    ("ImportError: Please install bitsandbytes>=0.46.1 via `pip install bitsandbytes>=0.46.1` to",
     "KVD922"),
    ("PermissionError: [Errno 13] Permission denied: '/.cache'", "KVD915"),
    ("OSError: [Errno 28] No space left on device", "KVD913"),
    ("OSError: [Errno 98] Address already in use", "KVD912"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "code"), OBSERVED.items())
def test_a_failure_of_a_real_engine(name: str, code: str) -> None:
    assert first_code(failures_observed()[name]) == code


@pytest.mark.parametrize(
    "carried", ["{}", "(EngineCore pid=7) ERROR 11-29 12:01:56 [core.py:1] {}"]
)
@pytest.mark.parametrize(("text", "code"), TEXTS, ids=[text[:50] for text, _code in TEXTS])
def test_a_text_of_an_engine(text: str, code: str, carried: str) -> None:
    assert first_code(carried.format(text)) == code


@pytest.mark.parametrize(("text", "code"), OF_ANY_PROGRAM)
def test_a_text_of_any_program_is_one_of_the_engine_in_its_log(text: str, code: str) -> None:
    assert first_code(f"(EngineCore pid=7) ERROR 11-29 12:01:56 [core.py:1] {text}") == code
    assert first_code(text) != code


def test_the_numbers_of_the_text_become_what_to_write() -> None:
    seen = explained(
        "(EngineCore pid=9) ERROR 01-01 10:00:00 [core.py:1] ValueError: To serve at least one"
        " request with the model's max seq len (262144), (24.0 GiB KV cache is needed, which is"
        " larger than the available KV cache memory (3.18 GiB). Based on the available memory, the"
        " estimated maximum model length is 34736. Try increasing"
    ).seen

    cause = seen[0].causes[0]
    assert "--max-model-len 34736" in cause.changes
    assert all(number in cause.tell_apart for number in ("262,144", "24.0", "3.18"))


def test_a_smaller_share_is_proposed_that_fits_what_was_free() -> None:
    cause = (
        explained(
            "ValueError: Free memory on device (31.44/47.38 GiB) on startup is less than desired"
            " GPU memory utilization (0.95, 45.01 GiB)."
        )
        .seen[0]
        .causes[0]
    )

    share = float(cause.changes[-1].removeprefix("--gpu-memory-utilization "))
    assert share * 47.38 < 31.44


OUT_OF_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total"
    " capacity of 23.68 GiB of which 212.81 MiB is free. Including non-PyTorch memory, this process"
    " has {own} GiB memory in use."
)


@pytest.mark.parametrize(
    ("function", "own", "code"),
    [
        ("load_model", "23.40", "KVD806"),
        ("_initialize_model", "23.40", "KVD806"),
        ("get_model", "23.40", "KVD806"),
        ("create_weights", "23.40", "KVD806"),
        ("profile_run", "23.40", "KVD813"),
        ("capture_model", "23.40", "KVD813"),
        ("_dummy_sampler_run", "23.40", "KVD813"),
        ("initialize_kv_cache", "23.40", "KVD805"),
        # Others hold 13 GiB of the card.
        ("load_model", "10.00", "KVD805"),
    ],
)
def test_where_it_ran_out_of_memory_tells_why(function: str, own: str, code: str) -> None:
    head = "(EngineCore pid=9) ERROR 01-01 10:00:00 [core.py:708] "
    lines = [
        "EngineCore failed to start.",
        "Traceback (most recent call last):",
        '  File "/x/vllm/v1/worker/gpu_worker.py", line 1, in init',
        f'  File "/x/vllm/v1/worker/gpu_model_runner.py", line 2, in {function}',
        "    self.x()",
        OUT_OF_MEMORY.format(own=own),
    ]
    assert first_code("\n".join(head + line for line in lines)) == code


@pytest.mark.parametrize(
    "text",
    [
        "torch.OutOfMemoryError: CUDA out of memory.",
        "RuntimeError: CUDA driver error: out of memory",
    ],
)
@pytest.mark.parametrize(
    ("function", "code"), [("load_model", "KVD806"), ("capture_model", "KVD813")]
)
def test_where_it_happened_counts_where_no_figures_are(text: str, function: str, code: str) -> None:
    # People leave the numbers of lines out when they shorten a traceback.
    frame = f'  File "/x/vllm/model_executor/model_loader/loader.py", in {function}'
    assert first_code(f"{frame}\n    self.x()\n{text}") == code


def test_the_driver_without_room_for_itself_depends_on_whose_text_it_is() -> None:
    text = (
        "RuntimeError: CUDA error: out of memory CUDA kernel errors might be asynchronously"
        " reported at some other API call, so the stacktrace below might be incorrect."
    )
    of_the_engine = "(EngineCore pid=7) ERROR 11-29 12:01:56 [core.py:1] "
    # A program that is put on a card which another one fills.
    assert first_code(text) == "KVD805"
    assert first_code(of_the_engine + text) == "KVD813"
    assert first_code("Cuda failure 2 'out of memory'") == "KVD813"


def test_vllm_says_itself_that_the_weights_do_not_fit() -> None:
    log = (
        "(EngineCore pid=9) ERROR 04-19 15:32:42 [gpu_model_runner.py:1] Failed to load model - not"
        " enough GPU memory. Try lowering --gpu-memory-utilization to free memory for weights."
        " (original error: "
    )
    assert first_code(log + OUT_OF_MEMORY.format(own="23.40") + ")") == "KVD806"
    assert first_code(log + OUT_OF_MEMORY.format(own="10.00") + ")") == "KVD805"


def test_out_of_memory_while_serving() -> None:
    log = (
        "(EngineCore pid=9) INFO 01-01 10:00:00 [x.py:1] Model loading took 14.99 GiB memory\n"
        "INFO:     Application startup complete.\n"
        "(EngineCore pid=9) ERROR 01-01 11:00:00 [core.py:710] "
        + OUT_OF_MEMORY.format(own="23.40")
        + "\n(APIServer pid=1) ERROR 01-01 11:00:01 [x.py:1] vllm.v1.engine.exceptions."
        "EngineDeadError: EngineCore encountered an issue. See stack trace (above)\n"
    )
    assert first_code(log) == "KVD813"


def test_the_cause_counts_and_not_what_wraps_it() -> None:
    log = failures_observed()["blk"]
    seen = explained(log).seen

    assert [one.meaning for one in seen] == [seen[0].meaning]
    assert "No available memory" in seen[0].text


def test_workers_that_tell_the_same_are_one_fault() -> None:
    lines = [
        f"(Worker_TP{rank} pid={40 + rank}) ERROR 01-01 10:00:0{rank} [x.py:1] "
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {rank + 2}.00 MiB. GPU"
        f" {rank} has a total capacity of 44.53 GiB of which {rank}.00 KiB is free."
        for rank in range(8)
    ]
    seen = explained("\n".join(lines)).seen

    assert [(one.line, one.times) for one in seen] == [(1, 8)]


def test_an_unknown_exception_is_told_with_its_place() -> None:
    log = """\
(Worker_TP0 pid=41) ERROR 01-01 10:00:00 [multiproc.py:600] WorkerProc failed to start.
(Worker_TP0 pid=41) ERROR 01-01 10:00:00 [multiproc.py:600] Traceback (most recent call last):
(Worker_TP0 pid=41) ERROR 01-01 10:00:00 [multiproc.py:600]   File "/x/vllm/model_executor/models/madeup.py", line 77, in forward
(Worker_TP0 pid=41) ERROR 01-01 10:00:00 [multiproc.py:600]     raise RuntimeError(text)
(Worker_TP0 pid=41) ERROR 01-01 10:00:00 [multiproc.py:600] RuntimeError: made-up trouble of layer seven
(EngineCore pid=30) ERROR 01-01 10:00:01 [core.py:708] EngineCore failed to start.
(EngineCore pid=30) ERROR 01-01 10:00:01 [core.py:708] Traceback (most recent call last):
(EngineCore pid=30) ERROR 01-01 10:00:01 [core.py:708]   File "/x/vllm/v1/engine/core.py", line 387, in run_engine_core
(EngineCore pid=30) ERROR 01-01 10:00:01 [core.py:708] Exception: WorkerProc initialization failed due to an exception in a background process. See stack trace for root cause.
(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}
"""  # noqa: E501
    first = explained(log).seen[0]

    assert first.causes[0].code == "KVD915"
    assert "made-up trouble" in first.text
    assert first.line == 5
    assert "models/madeup.py:77" in first.causes[0].tell_apart


def test_an_import_that_fails_hides_behind_every_architecture() -> None:
    log = """\
ERROR 10-25 00:26:24 registry.py:272] Error in inspecting model architecture 'LlamaForCausalLM'
ERROR 10-25 00:26:24 registry.py:272] Traceback (most recent call last):
ERROR 10-25 00:26:24 registry.py:272]   File "/x/vllm/config.py", line 8, in <module>
ERROR 10-25 00:26:24 registry.py:272] ModuleNotFoundError: No module named 'transformers'
ValueError: Model architectures ['LlamaForCausalLM'] are not supported for now.
"""
    assert first_code(log) == "KVD922"
