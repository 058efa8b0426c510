"""Kinds of an engine's failures beyond single wordings: options, places, logs that were cut."""

from __future__ import annotations

import pytest

from doctor.explain.rank import rank

from .logreading import explained, first_code

# Text as vLLM 0.5.5–0.33.0, torch, CUDA, Ray and the Hub print it → code.
TEXTS = [
    ("ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (969). Each decode"
     " sequence requires one Mamba cache block", "KVD804"),
    ("ValueError: VLLM_PORT 'tcp://10.96.1.2:6785' appears to be a URI. This may be caused by a"
     " Kubernetes service discovery issue", "KVD919"),
    ("ValueError: invalid literal for int() with base 10: 'tcp://10.43.1.39:8000'", "KVD919"),
    ("ValueError: invalid literal for int() with base 10: 'GPU-0f1e2d3c-4b5a'", "KVD917"),
    ("ValueError: Non-integer device ID '[0' is not supported by cuda.", "KVD917"),
    ("RuntimeError: Failed to convert logical device ID 0 to physical device ID. Available devices"
     " are: ['[0', ' 1]'].", "KVD917"),
    ("ValueError: The supplied chat template string (x/tool.jinja) appears path-like, but doesn't"
     " exist! Tried: x/tool.jinja", "KVD919"),
    ("KeyError: \"Tool parser 'qwen9' not found.\"", "KVD919"),
    ("ValueError: Attention backend 'XFORMERS' has been removed (See PR #29262 for details).",
     "KVD919"),
    ("ValueError: With `vllm serve`, you should provide the model as a positional argument or in a"
     " config file instead of via the `--model` option.", "KVD916"),
    ("NotImplementedError: VLLM_USE_V1=1 is not supported with --num-scheduler-steps.", "KVD919"),
    ("NotImplementedError: Pipeline parallelism is not supported for this model. Supported models"
     " implement the `SupportsPP` interface.", "KVD919"),
    ("ValueError: This model does not support `--runner pooling`. You can pass `--convert embed to"
     " adapt it into a pooling model.", "KVD919"),
    ("ValueError: The model type 'gemma3' does not support float16. Reason: Numerical"
     " instability.", "KVD908"),
    ("ValueError: Failed to find a kernel that can implement the WNA16 linear layer. Reasons:",
     "KVD907"),
    ("ValueError: Failed to find a kernel that can implement the WNA16 linear layer. Reasons:"
     " MarlinLinearKernel cannot implement due to: Weight input_size_per_partition = 3420 is not"
     " divisible by min_thread_k = 128.", "KVD907"),
    ("RuntimeError: prob_m = 59136 is not divisible by thread_m = 512", "KVD907"),
    ("ValueError: Weight output_size_per_partition = 7392 is not divisible by min_thread_n = 64."
     " Consider reducing tensor_parallel_size or running with --quantization gptq.", "KVD904"),
    ("ValueError: Weight output_partition_size = 192 is not divisible by weight quantization"
     " block_n = 128.", "KVD904"),
    ("ValueError: The output_size of gate's and up's weight = 192 is not divisible by weight"
     " quantization block_n = 128.", "KVD904"),
    ("RuntimeError: Found Tesla P40 which is too old to be supported by the triton GPU compiler,"
     " which is used as the backend. Triton only supports devices of CUDA Capability >= 7.0, but"
     " your device is of CUDA capability 6.1", "KVD920"),
    ("RuntimeError: PyTorch no longer supports this GPU because it is too old.", "KVD920"),
    ("ValueError: Offline data parallel mode is not supported/useful for dense models.", "KVD919"),
    ("torch.AcceleratorError: CUDA error: operation not permitted when stream is capturing",
     "KVD915"),
    ("torch.AcceleratorError: CUDA error: device kernel image is invalid", "KVD922"),
    ("RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet"
     " initialized", "KVD811"),
    ("RuntimeError: CUDA error: initialization error", "KVD811"),
    ("NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current"
     " PyTorch installation.", "KVD922"),
    ("torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while"
     " trying to connect to (172.17.0.9, 46229).", "KVD923"),
    ("torch.distributed.DistNetworkError: The server socket has failed to listen on any local"
     " network address. port: 51216, useIpv6: false, code: -98, name: EADDRINUSE, message:"
     " address already in use", "KVD912"),
    ("Failed: Cuda error /workspace/csrc/custom_all_reduce.cuh:455 'invalid argument'", "KVD923"),
    ("requests.exceptions.HTTPError: The request model: my_sft does not exist!", "KVD913"),
    ("huggingface_hub.errors.HfHubHTTPError: 504 Server Error: Gateway Time-out for url:"
     " https://huggingface.co/api/models/a/b", "KVD913"),
    ("OSError: /models/x does not appear to have a file named config.json.", "KVD913"),
    ("ValueError: Unrecognized configuration class <class 'a.b.C'> for this kind of AutoModel:"
     " AutoModel.", "KVD909"),
    ("jinja2.exceptions.TemplateError: Conversation roles must alternate user/assistant/…",
     "KVD516"),
]  # fmt: skip
# The same words from programs that are no engine.
OF_OTHERS = [
    "TypeError: Client.__init__() got an unexpected keyword argument 'proxies'",
    "FileNotFoundError: [Errno 2] No such file or directory: '/home/u/.tool/config.json'",
    "ValueError: invalid literal for int() with base 10: 'abc'",
    "ValueError: Unsupported scheme: ftp",
    "requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: "
    "https://router.huggingface.co/v1/chat/completions",
    "AssertionError: batch must be divisible by 8",
    "TypeError: expected str, bytes or os.PathLike object, not NoneType",
]
OF_ENGINES = {"KVD904", "KVD907", "KVD909", "KVD912", "KVD913", "KVD919", "KVD922"}


@pytest.mark.parametrize(
    "carried", ["{}", "(EngineCore pid=7) ERROR 11-29 12:01:56 [core.py:1] {}"]
)
@pytest.mark.parametrize(("text", "code"), TEXTS, ids=[text[:50] for text, _code in TEXTS])
def test_a_text_of_an_engine(text: str, code: str, carried: str) -> None:
    assert first_code(carried.format(text)) == code


@pytest.mark.parametrize("text", OF_OTHERS, ids=[text[:40] for text in OF_OTHERS])
def test_the_same_words_of_another_program_blame_no_engine(text: str) -> None:
    told = {ranked.cause.code for ranked in rank(explained(text).seen, {})}
    assert not told & OF_ENGINES


@pytest.mark.parametrize(
    ("text", "code", "option"),
    [
        ("ValueError: max_num_partial_prefills (7) must be greater than or equal to 1.", "KVD919",
         "--max-num-partial-prefills"),
        ("ValueError: Currently, async scheduling is only supported without"
         " --pipeline-parallel-size > 1.", "KVD904", "--pipeline-parallel-size"),
        ("ValueError: Expected num_speculative_tokens to be greater than zero (0).", "KVD906",
         "--num-speculative-tokens"),
        ("AssertionError: VLLM_ALL2ALL_BACKEND must be deepep_low_latency", "KVD919",
         "VLLM_ALL2ALL_BACKEND"),
    ],
)  # fmt: skip
def test_an_unknown_refusal_is_known_by_the_option_that_it_names(
    text: str, code: str, option: str
) -> None:
    log = f"(APIServer pid=1) Traceback (most recent call last):\n(APIServer pid=1) {text}"
    (first, *_rest) = rank(explained(log).seen, {})
    assert first.cause.code == code
    assert option in first.cause.changes


def test_the_file_in_which_it_was_raised_says_what_was_at_work() -> None:
    log = """\
(EngineCore pid=9) ERROR 01-01 10:00:00 [core.py:700] Traceback (most recent call last):
(EngineCore pid=9) ERROR 01-01 10:00:00 [core.py:700]   File "/x/vllm/{place}", line 9, in check
(EngineCore pid=9) ERROR 01-01 10:00:00 [core.py:700] ValueError: made-up trouble
"""
    places = {
        "config/parallel.py": "KVD919",
        "model_executor/layers/quantization/odd.py": "KVD907",
        "distributed/parallel_state.py": "KVD923",
    }
    found = {place: first_code(log.replace("{place}", place)) for place in places}
    assert found == places


def test_a_traceback_whose_beginning_was_left_out_is_one_all_the_same() -> None:
    log = """\
(VllmWorker rank=0 pid=4360)   File "/x/vllm/model_executor/models/llama.py", line 122, in __init__
(VllmWorker rank=0 pid=4360)     assert self.total_num_kv_heads % tp_size == 0
(VllmWorker rank=0 pid=4360) AssertionError
"""
    assert first_code(log) == "KVD904"


def test_a_level_in_another_programs_format_is_one() -> None:
    log = """\
Engine 000: Avg prompt throughput: 1.0 tokens/s, Running: 1 reqs, GPU KV cache usage: 1.0%
multiproc_executor.py:149 Monitor - [ERROR] Worker proc VllmWorker-0 died unexpectedly
"""
    assert first_code(log) == "KVD915"


@pytest.mark.parametrize(
    ("mine", "pools", "code"),
    [("78.33", "", "KVD806"), ("60.10", "", "KVD813"),
     ("70.10", ", with 81.88 MiB allocated in private pools (e.g., CUDA Graphs)", "KVD813")],
)  # fmt: skip
def test_what_torch_holds_says_when_the_card_was_full(mine: str, pools: str, code: str) -> None:
    text = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 384.00 MiB. GPU 0 has a"
        " total capacity of 79.33 GiB of which 351.81 MiB is free. Including non-PyTorch memory,"
        f" this process has 78.97 GiB memory in use. Of the allocated memory {mine} GiB is"
        f" allocated by PyTorch{pools}, and 12.36 MiB is reserved by PyTorch but unallocated."
    )
    assert first_code(text) == code


def test_a_flag_that_every_version_has_came_glued_to_its_value() -> None:
    text = "vllm: error: unrecognized arguments: --host 127.0.0.1 --port 6379"
    (first, *_rest) = rank(explained(text).seen, {})
    assert first.cause.code == "KVD916"
    assert first.cause.changes == ("--host=127.0.0.1",)


@pytest.mark.parametrize(
    ("ranks", "part", "code", "change"),
    [
        (4, 7392, "KVD904", "--tensor-parallel-size 1"),
        (8, 192, "KVD904", "--tensor-parallel-size 4"),
        (1, 3420, "KVD907", None),
        (2, 1710, "KVD907", None),  # not even one GPU's whole is a multiple
    ],
)
def test_over_how_many_gpus_the_parts_are_whole(
    ranks: int, part: int, code: str, change: str | None
) -> None:
    log = f"""\
INFO 02-13 14:17:58 core.py:1] Initializing a V1 LLM engine (v0.10.0) with config: model='x', \
tensor_parallel_size={ranks}, dtype=x
ERROR 02-13 14:19:21 engine.py:389] ValueError: Weight input_size_per_partition = {part} is not \
divisible by min_thread_k = 128. Consider reducing tensor_parallel_size
"""
    (first, *_rest) = rank(explained(log).seen, {})
    assert first.cause.code == code
    assert change is None or change in first.cause.changes


# A container's program: runc with Docker, containerd or Kubernetes in front of it, and crun.
RUNC = "runc create failed: unable to start container process: "
CRUN = (
    "Error: crun: executable file `{}` not found in $PATH: No such file or directory: OCI runtime"
)


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        (RUNC + 'exec: "vllm": executable file not found in $PATH: unknown', "KVD916", "vllm"),
        (RUNC + 'exec: "/opt/venv/bin/vllm": stat /opt/venv/bin/vllm: no such file or directory',
         "KVD916", "vllm"),
        (RUNC + 'exec: "--model": executable file not found in $PATH', "KVD916", "--model"),
        (RUNC + 'exec: "serve": executable file not found in $PATH: unknown', "KVD916", "serve"),
        (RUNC + 'exec: "Qwen/Qwen3-8B": stat Qwen/Qwen3-8B: no such file or directory: unknown',
         "KVD916", "Qwen/Qwen3-8B"),
        (RUNC + 'exec: "python": executable file not found in $PATH: unknown', "KVD916", "python3"),
        (RUNC + 'exec: "nvidia-smi": executable file not found in $PATH', "KVD811", "driver"),
        (RUNC + 'exec: "vllm serve m": executable file not found', "KVD916", "sh -c"),
        (CRUN.format("vllm"), "KVD916", "vllm"),
        (CRUN.format("vllm serve m"), "KVD916", "sh -c"),
        # Not in a container: a program that starts engines, or a shell.
        ('exec: "vllm": executable file not found in $PATH', "KVD922", "environment"),
        ("/bin/sh: 1: vllm: not found", "KVD922", "environment"),
    ],
)  # fmt: skip
def test_a_container_whose_program_is_not_there(text: str, code: str, told: str) -> None:
    (first, *_rest) = rank(explained(text).seen, {})
    assert first.cause.code == code
    assert told in first.cause.tell_apart


@pytest.mark.parametrize(
    "text",
    [
        'OCI runtime exec failed: exec failed: unable to start container process: exec: "bash":'
        " executable file not found in $PATH: unknown",
        'error starting runner: exec: "serve": executable file not found in $PATH',
    ],
)
def test_a_command_elsewhere_is_no_launch_line(text: str) -> None:
    assert not any(cause.code[3] == "9" for seen in explained(text).seen for cause in seen.causes)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # vLLM 0.7.3 gave the exception three texts, later versions one.
        ("RuntimeError: ('Quantization scheme is not supported for ', 'the current GPU. Min"
         " capability: 80. ', 'Current capability: 70.')", ("8.0", "7.0")),
        ("RuntimeError: Quantization scheme is not supported for the current GPU. Min capability:"
         " 75. Current capability: 70.", ("7.5", "7.0")),
        ("RuntimeError: Quantization scheme is not supported for the current GPU. Required"
         " capability: 90. Current capability: 100.", ("9.0", "no other")),
        ("ValueError: The quantization method moe_wna16 + awq is not supported for the current GPU."
         " Minimum capability: 75. Current capability: 70.", ("moe_wna16 + awq", "7.5", "7.0")),
        ("ValueError: torchao FP8 activation quantization config 'Float8DynamicActivation' requires"
         " GPU compute capability >= 8.9 (e.g., NVIDIA Ada Lovelace / Hopper or AMD MI300+)"
         " (current GPU compute capability: 8.6).", ("8.9", "8.6")),
        ("ValueError: nvfp4_per_token online quantization requires a Blackwell (SM100) GPU.",
         ("10.0",)),
    ],
)  # fmt: skip
def test_a_quantization_for_which_this_gpu_has_no_kernel(text: str, told: tuple[str, ...]) -> None:
    (first, *_rest) = rank(explained(text).seen, {})
    assert first.cause.code == "KVD907"
    assert all(word in first.cause.tell_apart for word in told)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("InvalidArgument: Invalid Argument", "KVD917"),
        ("NotFound: Not Found", "KVD917"),
        ("LibraryNotFound: NVML Shared Library Not Found", "KVD811"),
        ("DriverNotLoaded: Driver Not Loaded", "KVD811"),
    ],
)
def test_what_nvml_does_not_find(name: str, code: str) -> None:
    text = f"""\
  File "/x/dist-packages/vllm/platforms/cuda.py", line 47, in get_physical_device_capability
    handle = pynvml.nvmlDeviceGetHandleByIndex(device_id)
pynvml.NVMLError_{name}
"""
    assert first_code(text) == code


def test_advice_to_log_more_does_not_make_an_error_a_note() -> None:
    log = """\
torch.distributed.DistBackendError: NCCL error in: ../ProcessGroupNCCL.cpp:1970, unhandled system \
error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5
[rank0]: ncclSystemError: System call (e.g. socket, malloc) or external library call failed.
[rank0]: Last error:
[rank0]: Error while creating shared memory segment /dev/shm/nccl-eQz2sT (size 5767520)
ERROR 07-23 22:46:18 multiproc_worker_utils.py:120] Worker VllmWorkerProcess pid 82 died, exit \
code: -15
"""
    assert first_code(log) == "KVD812"


# torch before 2.1, and where it does not know its own process.
OLD = (
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.63 GiB (GPU 0; 44.56 GiB"
    " total capacity; {mine} GiB already allocated; 565.31 MiB free; {reserved} GiB reserved in"
    " total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb"
)
WITHOUT_NVML = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.63 GiB. GPU 0 has a total"
    " capacity of 44.56 GiB of which 565.31 MiB is free. Of the allocated memory {mine} GiB is"
    " allocated by PyTorch, and {spare} MiB is reserved by PyTorch but unallocated."
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (OLD.format(mine="27.91", reserved="27.93"), "KVD805"),
        # The context, NCCL and what the driver keeps are the engine's own.
        (OLD.format(mine="39.91", reserved="41.50"), "KVD813"),
        # What torch has reserved is its own, used or not.
        (OLD.format(mine="27.91", reserved="41.50"), "KVD813"),
        (WITHOUT_NVML.format(mine="27.91", spare="20.48"), "KVD805"),
        (WITHOUT_NVML.format(mine="39.91", spare="20.48"), "KVD813"),
    ],
)
def test_others_hold_what_is_neither_free_nor_of_torch(text: str, code: str) -> None:
    assert first_code(text) == code


@pytest.mark.parametrize(("share", "code"), [("1.0", "KVD802"), ("0.9", "KVD813")])
def test_a_share_that_leaves_nothing_is_told_before_what_it_leaves_nothing_for(
    share: str, code: str
) -> None:
    log = f"""\
INFO 02-13 14:17:50 api_server.py:1] non-default args: {{'gpu_memory_utilization': {share}}}
INFO 02-13 14:17:58 core.py:1] Initializing a V1 LLM engine (v0.10.0) with config: model='x'
INFO 02-13 14:18:58 gpu_model_runner.py:1] Model loading took 65.1 GiB and 20 seconds
INFO 02-13 14:19:20 kv_cache_utils.py:1] GPU KV cache size: 81,920 tokens
ERROR 02-13 14:19:21 core.py:389] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate \
384.00 MiB
"""
    assert first_code(log) == code


def test_a_card_that_is_full_may_be_vllms_by_its_share() -> None:
    text = (
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 672.00 MiB (GPU 0;"
        " 79.35 GiB total capacity; 77.60 GiB already allocated; 434.19 MiB free; 77.98 GiB"
        " reserved in total by PyTorch)"
    )
    assert [ranked.cause.code for ranked in rank(explained(text).seen, {})] == [
        "KVD806",
        "KVD813",
        "KVD802",
    ]


@pytest.mark.parametrize("value", ["'[0'", "' 3]'", "'\"0'", '"\'0"', "'cuda:0'", "'0-3'", "'abc'"])
def test_a_list_of_gpus_is_told_by_where_it_is_read(value: str) -> None:
    log = (
        '  File "/x/vllm/platforms/cuda.py", line 46, in device_id_to_physical_device_id\n'
        "    return int(physical_device_id)\n"
        f"ValueError: invalid literal for int() with base 10: {value}"
    )
    assert first_code(log) == "KVD917"
    elsewhere = log.replace("device_id_to_physical_device_id", "get_port")
    assert first_code(elsewhere) == ("KVD919" if value == "'abc'" else "KVD917")


def test_a_number_of_something_else_is_no_list_of_gpus() -> None:
    for value in ("'[128'", "'8000\"'", "'2024-01-01'", "''", "'0x1'"):
        log = '  File "/x/vllm/envs.py", line 46, in x\nValueError: invalid literal for int() with'
        assert first_code(f"{log} base 10: {value}") == "KVD919"
