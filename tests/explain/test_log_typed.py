"""What was typed is read with the log that follows it, and is no failure by itself."""

from __future__ import annotations

import pytest

from doctor.explain.rank import rank

from .logreading import explained, first_code

SMALL = """\
INFO 10-23 17:40:55 model_runner.py:1067] Loading model weights took 19.9073 GB
INFO 10-23 17:41:29 gpu_executor.py:122] # GPU blocks: 0, # CPU blocks: 1638
ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`.
"""
UNMEASURED = """\
ERROR 04-27 11:08:32 [core.py:340] ValueError: No available memory for the cache blocks. Try \
increasing `gpu_memory_utilization` when initializing the engine.
"""


@pytest.mark.parametrize(
    "command",
    [
        "vllm serve m --gpu-memory-utilization 0.2",
        "$ vllm serve m \\\n    --port 8000 \\\n    --gpu_memory_utilization=0.2",
        "(venv) me@host:~/x$ CUDA_VISIBLE_DEVICES=1 vllm serve m --gpu-memory-utilization 0.2",
        "python3 -m vllm.entrypoints.openai.api_server --model m --gpu-memory-utilization 0.2",
        "docker run --gpus all \\\n  -p 8000:8000 \\\n  vllm/vllm-openai:v0.6.3 \\\n  --model m"
        " --gpu-memory-utilization 0.2",
        'llm = LLM(\n    model="m",\n    gpu_memory_utilization=0.2,\n)',
    ],
)
def test_the_share_that_was_typed_counts(command: str) -> None:
    told = explained(f"{command}\n{SMALL}")
    (first, *_rest) = rank(told.seen, {})
    assert first.cause.code == "KVD802"
    assert "0.2 of the card" in first.cause.tell_apart
    assert told.start is not None
    assert told.start.args["gpu_memory_utilization"] == 0.2


@pytest.mark.parametrize(
    "text",
    [
        "",
        # Which of the two it was, nobody can tell.
        "vllm serve a --gpu-memory-utilization 0.2\nvllm serve b --gpu-memory-utilization 0.3\n",
        # A file may say more.
        "vllm serve m --config x.yaml\n",
    ],
)
def test_without_one_command_the_share_is_asked_for(text: str) -> None:
    causes = {ranked.cause.code: ranked.cause for ranked in rank(explained(text + SMALL).seen, {})}
    assert "below 0.9?" in causes["KVD802"].tell_apart


def test_what_the_engine_prints_of_itself_counts_more_than_what_was_typed() -> None:
    log = (
        "vllm serve m --gpu-memory-utilization 0.2\n"
        "INFO 10-23 17:40:50 api_server.py:1] non-default args: {'gpu_memory_utilization': 0.9}\n"
    )
    told = explained(log + SMALL)
    assert told.start is not None
    assert told.start.args == {"gpu_memory_utilization": 0.9}
    assert first_code(log + SMALL) == "KVD806"


def test_a_share_that_is_not_low_is_not_asked_for() -> None:
    ranked = rank(explained("vllm serve m\n" + SMALL).seen, {})
    assert [one.cause.code for one in ranked] == ["KVD806", "KVD813"]


@pytest.mark.parametrize(
    ("model", "code", "told"),
    [
        ("mistralai/Mistral-7B-v0.1", "KVD806", "Mistral-7B-v0.1 alone take 13.5 GiB"),
        ("someone/of-whom-nothing-is-known", "KVD802", "0.95"),
    ],
)
def test_what_the_weights_of_a_known_model_take(model: str, code: str, told: str) -> None:
    (first, *_rest) = rank(explained(f"vllm serve {model}\n{UNMEASURED}").seen, {})
    assert first.cause.code == code
    assert told in first.cause.tell_apart


def test_the_model_of_an_engine_that_prints_no_version_of_itself() -> None:
    log = (
        "INFO 09-30 15:27:08 llm_engine.py:72] Initializing an LLM engine with config:"
        " model='mistralai/Mistral-7B-v0.1', dtype=torch.bfloat16, max_seq_len=32768,"
        " tensor_parallel_size=1, quantization=None, seed=0)\n"
        "INFO 09-30 15:41:52 llm_engine.py:205] # GPU blocks: 0, # CPU blocks: 2048\n"
    )
    (first, *_rest) = rank(explained(log + UNMEASURED).seen, {})
    assert first.cause.code == "KVD806"
    assert "13.5 GiB" in first.cause.tell_apart


@pytest.mark.parametrize(
    "log",
    [
        "vllm serve m --omni --port 8091\n" + SMALL,
        "(StageEngineCoreProc pid=7) INFO 06-16 06:43:50 [gpu_model_runner.py:1] Model loading took"
        " 15.59 GiB memory\n(StageEngineCoreProc pid=7) ERROR 06-16 06:43:55"
        " [stage_engine_core_proc.py:200] ValueError: No available memory for the cache blocks.\n",
    ],
)
def test_a_stage_has_a_share_of_its_own(log: str) -> None:
    (first, *_rest) = rank(explained(log).seen, {})
    assert first.cause.code == "KVD802"
    assert "deploy file" in first.cause.tell_apart


@pytest.mark.parametrize(
    "command",
    [
        "vllm serve m --trust-remote-code",
        "$ python -m vllm.entrypoints.openai.api_server --model m --trust-remote-code",
        "docker run \\\n vllm/vllm-openai \\\n --model m --trust-remote-code",
    ],
)
def test_a_flag_in_a_command_is_no_error_that_asks_for_it(command: str) -> None:
    error = "ValueError: torch.bfloat16 is not supported for quantization method awq."
    ranked = rank(explained(f"{command}\n{error}\n").seen, {})
    assert ranked[0].cause.code == "KVD907"
    assert "KVD909" not in [one.cause.code for one in ranked]
    asked = "ValueError: contains custom code. Please pass `--trust-remote-code`"
    assert first_code(asked) == "KVD909"


def test_a_command_that_failed_by_itself_is_told() -> None:
    assert first_code("sh: 1: vllm serve Qwen/Qwen3-8B: not found") == "KVD916"
    assert first_code("vllm serve: error: unrecognized arguments: --swap-space 4") == "KVD901"


def test_a_key_that_was_typed_is_not_kept() -> None:
    told = explained("vllm serve m --api-key sk-0123456789abcdef0123456789abcdef\n" + SMALL)
    assert told.start is not None
    assert "0123456789abcdef" not in str(told)


FULL = (
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB (GPU 0; {card}"
    " GiB total capacity; 9.85 GiB already allocated; 46.44 MiB free; 9.86 GiB reserved in total by"
    " PyTorch)\n"
)


@pytest.mark.parametrize(
    ("command", "card", "code"),
    [
        ("vllm serve mistralai/Mistral-7B-v0.1", "10.73", "KVD806"),
        ("vllm serve mistralai/Mistral-7B-v0.1", "23.69", "KVD805"),
        ("vllm serve mistralai/Mistral-7B-v0.1 -tp 2", "10.73", "KVD813"),
        ("vllm serve mistralai/Mistral-7B-v0.1 --quantization fp8", "10.73", "KVD813"),
        ("vllm serve mistralai/Mistral-7B-v0.1 --cpu-offload-gb 8", "10.73", "KVD813"),
        ("vllm serve someone/of-whom-nothing-is-known", "10.73", "KVD813"),
    ],
)
def test_weights_that_are_more_than_the_card_never_fit(command: str, card: str, code: str) -> None:
    (first, *_rest) = rank(explained(f"$ {command}\n{FULL.format(card=card)}").seen, {})
    assert first.cause.code == code
    if code == "KVD806":
        assert "take 13.5 GiB of each GPU, and it has 10.7" in first.cause.tell_apart


def test_a_command_beside_an_error_of_a_client_makes_no_log_of_an_engine() -> None:
    text = "vllm serve mistralai/Mistral-7B-v0.1\nopenai.APIConnectionError: Connection error.\n"
    assert explained(text).start is None


@pytest.mark.parametrize(("share", "asked"), [("0.98", False), ("0.9", False), ("0.5", True)])
def test_a_share_that_is_high_is_not_asked_for_where_the_window_is_too_large(
    share: str, asked: bool
) -> None:
    text = (
        f"vllm serve m --gpu-memory-utilization {share}\nValueError: The model's max seq len"
        " (32768) is larger than the maximum number of tokens that can be stored in KV cache"
        " (29568). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when"
        " initializing the engine.\n"
    )
    codes = [ranked.cause.code for ranked in rank(explained(text).seen, {})]
    assert codes[0] == "KVD803"
    assert ("KVD802" in codes) is asked


@pytest.mark.parametrize(("share", "code"), [("0.9", "KVD813"), ("0.6", "KVD806")])
def test_what_torch_holds_is_held_against_the_share_that_was_typed(share: str, code: str) -> None:
    full = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 232.00 MiB. GPU 0 has a"
        " total capacity of 23.57 GiB of which 54.25 MiB is free. Including non-PyTorch memory,"
        " this process has 23.50 GiB memory in use. Of the allocated memory 22.00 GiB is allocated"
        " by PyTorch, and 188.29 MiB is reserved by PyTorch but unallocated.\n"
    )
    if share == "0.6":
        full = full.replace("22.00", "22.88")
    line = f"vllm serve /models/x --gpu-memory-utilization {share}\n"
    (first, *_rest) = rank(explained(line + full).seen, {})
    assert first.cause.code == code
    assert ("activations come on top" in first.cause.tell_apart) is (code == "KVD813")
