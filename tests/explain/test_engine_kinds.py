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
