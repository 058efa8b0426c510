from __future__ import annotations

import pytest

from tests.checks.launch.world import codes, corrected, findings, judged, only

CODE = "KVD916"


def test_a_blank_behind_the_backslash() -> None:
    line = "vllm serve m \\ \n  --port 8000\n"

    assert only(line, CODE)["evidence"][0]["location"] == "line:1"
    assert corrected(line) == "vllm serve m \\\n  --port 8000\n"


def test_line_breaks_lost_in_copying() -> None:
    line = r"vllm serve m \ --port 8000 \ --max-num-seqs 4"

    assert only(line, CODE)["confidence"] == "medium"
    assert corrected(line) == "vllm serve m \\\n  --port 8000 \\\n  --max-num-seqs 4"


def test_a_blank_in_a_path_is_no_lost_line_break() -> None:
    assert codes(r"vllm serve /models/My\ Model --port 8000") == []


def test_a_comment_inside_moves_above() -> None:
    script = "#!/bin/sh\nvllm serve m \\\n  # the port\n  --port 8000\n"

    assert only(script, CODE)["title"] == "A comment ends the command"
    assert corrected(script) == "#!/bin/sh\n# the port\nvllm serve m \\\n  --port 8000\n"


def test_a_missing_continuation() -> None:
    script = "vllm serve m \\\n  --port 8000\n  --max-num-seqs 4\necho started\n"

    assert corrected(script) == (
        "vllm serve m \\\n  --port 8000 \\\n  --max-num-seqs 4\necho started\n"
    )


def test_windows_line_ends_break_it() -> None:
    assert only("#!/bin/bash\r\nvllm serve m \\\r\n  --port 8000\r\n", CODE)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("vllm serve m –port 8000", "vllm serve m --port 8000"),
        ("vllm serve m —port 8000", "vllm serve m --port 8000"),
        ("vllm serve m --served-model-name “a b”", 'vllm serve m --served-model-name "a b"'),
        ("vllm serve m\u00a0--port 8000", "vllm serve m --port 8000"),
        (
            'vllm serve m -sc {"method": "ngram", "num_speculative_tokens": 3}',
            'vllm serve m -sc \'{"method": "ngram", "num_speculative_tokens": 3}\'',
        ),
        ("vllm m/n --port 1", "vllm serve m/n --port 1"),
        ("vllm server m --port 1", "vllm serve m --port 1"),
        ("vllm serve m --config=c.yaml", "vllm serve m --config c.yaml"),
        (
            "python vllm.entrypoints.openai.api_server --model m",
            "python -m vllm.entrypoints.openai.api_server --model m",
        ),
        (
            "docker run vllm/vllm-openai:v0.32.0 vllm serve m --port 1",
            "docker run vllm/vllm-openai:v0.32.0 --model m --port 1",
        ),
        (
            "docker run vllm/vllm-openai:v0.32.0 --model m -e A=1 --gpus all --port 1",
            "docker run -e A=1 --gpus all vllm/vllm-openai:v0.32.0 --model m --port 1",
        ),
        (
            "vllm serve --port 1 --served-model-name x -- m",
            "vllm serve m --port 1 --served-model-name x --",
        ),
    ],
)
def test_what_is_meant(wrong: str, right: str) -> None:
    assert CODE in codes(wrong)
    assert corrected(wrong) == right


def test_a_flag_and_its_value_in_one_item() -> None:
    manifest = """apiVersion: v1
kind: Pod
spec:
  containers:
  - name: v
    image: vllm/vllm-openai:v0.32.0
    args:
    - --model=m
    - --port 8000
"""

    assert only(manifest, CODE)["title"] == "--port 8000 is one argument instead of two"
    assert '    - --port\n    - "8000"\n' in corrected(manifest)


def test_a_list_in_single_quotes() -> None:
    text = "FROM vllm/vllm-openai:v0.32.0\nCMD ['--model', 'm']\n"

    assert corrected(text) == 'FROM vllm/vllm-openai:v0.32.0\nCMD ["--model", "m"]\n'


def test_a_backslash_in_a_compose_string() -> None:
    text = """services:
  v:
    image: vllm/vllm-openai:v0.32.0
    command: >
      --model m \\
      --port 8000
"""

    assert only(text, CODE)["title"] == "A backslash in a string whose lines YAML joins"
    assert "\\" not in corrected(text)


def test_no_model() -> None:
    assert only("vllm serve --port 1", CODE)["severity"] == "warning"
    assert only("vllm serve --served-model-name x", CODE)["severity"] == "error"
    assert findings('vllm serve "$@"', CODE) == []


def test_two_models() -> None:
    assert corrected("vllm serve m n --port 1") == "vllm serve m --port 1"


def test_a_model_that_api_server_does_not_look_at() -> None:
    line = "python -m vllm.entrypoints.openai.api_server /models/m --port 8000"

    assert only(line, CODE, "0.9.1")["severity"] == "error"
    assert only(line, CODE, "0.32.0")["severity"] == "warning"
    assert corrected(line).endswith("api_server --model /models/m --port 8000")


def test_text_around_the_command_stays() -> None:
    text = "# notes\n\n```bash\n$ vllm serve m --swap-space 4  # why\n```\nand more\n"

    assert judged(text)["corrected"]["text"] == (
        "# notes\n\n```bash\n$ vllm serve m  # why\n```\nand more\n"
    )


POD = """\
apiVersion: v1
kind: Pod
spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:v0.11.0
    command:{command}
"""


@pytest.mark.parametrize(
    ("written", "right"),
    [
        (' ["vllm serve Qwen/Qwen3-8B"]', ' ["vllm", "serve", "Qwen/Qwen3-8B"]'),
        (
            ' ["python3 -m vllm.entrypoints.openai.api_server", "--model", "m"]',
            ' ["python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "m"]',
        ),
        (
            "\n    - vllm serve Qwen/Qwen3-8B\n    - --port=8000",
            "\n    - vllm\n    - serve\n    - Qwen/Qwen3-8B\n    - --port=8000",
        ),
    ],
)
def test_a_whole_line_in_one_item(written: str, right: str) -> None:
    text = POD.format(command=written)

    assert "item of the list" in only(text, CODE, None)["title"]
    assert corrected(text, None) == POD.format(command=right)
    assert findings(POD.format(command=right), CODE, None) == []


def test_a_shell_may_be_given_a_line() -> None:
    text = POD.format(command=' ["sh", "-c", "vllm serve Qwen/Qwen3-8B"]')

    assert findings(text, CODE, None) == []
