"""Charts, guides and manifests as others write them: what is not told is not judged."""

from __future__ import annotations

from typing import Any

import pytest

from doctor.launch import examine
from doctor.launch.judging import NothingFound


def found(text: str, version: str | None = "0.32.0") -> list[tuple[str, str, str]]:
    """Code, severity and title of what is found."""
    return [(f["code"], f["severity"], f["title"]) for f in examine(text, version)["findings"]]


def grave(text: str, version: str | None = "0.32.0") -> list[str]:
    return [title for _code, severity, title in found(text, version) if severity == "error"]


def argv(text: str) -> list[list[str]]:
    lines: list[dict[str, Any]] = examine(text, "0.32.0")["lines"]
    return [line["line"]["argv"] for line in lines]


# ------------------------------------------------------------------ templates and placeholders


@pytest.mark.parametrize(
    "line",
    [
        "vllm serve m {{- if .Values.ep }}--enable-expert-parallel{{- end }} --port 8000",
        "vllm serve m --tensor-parallel-size {{ .Values.tp }} --port 8000",
        'vllm serve m --data-parallel-size {{ or .Spec.Data 1 }} --port "{{ .Port }}"',
        "vllm serve ${{ inputs.model }} --port 8000",
        "vllm serve '{{ .Values.model }}' --max-model-len '{{ .Values.window }}'",
        "vllm serve <model> --port <port> --host 127.0.0.1",
        "vllm serve <your model path> --served-model-name <name>",
        "vllm serve m ... --port 8000",
        "vllm serve m --kv-transfer-config '{...}'",
        """vllm serve m --speculative-config '{"model": <draft>, "method": "eagle3"}'""",
    ],
)
def test_what_is_to_be_filled_in_is_no_fault(line: str) -> None:
    assert grave(line) == []


def test_beside_a_template_the_rest_is_judged() -> None:
    assert grave("vllm serve {{ .Values.model }} --swap-space 4") == [
        "--swap-space is gone since vLLM 0.18.0"
    ]


@pytest.mark.parametrize("line", ["vllm serve m < input.txt", "vllm serve m --port <in >out"])
def test_a_redirection_is_none_of_the_words(line: str) -> None:
    assert not any("<" in word for word in argv(line)[0])


# ------------------------------------------------------------------ guides

GUIDE = """# Serving

It's simple: start the server, then ask it.

| name | size |
|------|-----:|
| m    | 7 B  |

```bash
vllm serve m \\
  --swap-space 4 \\
  --port 8000
```

```text
---------------Inter-token Latency----------------
```

Don't forget `--enable-prefix-caching`.
"""


def test_of_a_guide_the_fences_are_read() -> None:
    document = examine(GUIDE, "0.32.0")

    assert [line["line"]["argv"][:3] for line in document["lines"]] == [["vllm", "serve", "m"]]
    assert document["corrected"]["text"] == GUIDE.replace("  --swap-space 4 \\\n", "")


def test_a_manifest_in_a_guide() -> None:
    guide = (
        "Deploy it:\n\n```yaml\nservices:\n  a:\n    image: vllm/vllm-openai:v0.32.0\n"
        "    command: --model m --swap-space 4\n```\n"
    )

    document = examine(guide)

    assert document["corrected"]["text"] == guide.replace(" --swap-space 4", "")


def test_flags_of_another_script_are_no_line_of_flags() -> None:
    script = 'case "$1" in\n  --tag) shift ;;\n  --json) json=1 ;;\nesac\nbuild_vllm\n'

    with pytest.raises(NothingFound):
        examine(script)


def test_flags_alone_are_still_judged() -> None:
    assert grave("--max-num-seqs 8 --swap-space 4") == ["--swap-space is gone since vLLM 0.18.0"]


# ------------------------------------------------------------------ YAML of other programs

FOLDED = """deployment:
  - server_cmd: >
      vllm serve m
      --host 127.0.0.1
      --swap-space 4
      --port 8000
"""


def test_a_string_that_yaml_folds_is_one_command() -> None:
    document = examine(FOLDED, "0.32.0")

    assert [f["code"] for f in document["findings"]] == ["KVD901"]
    assert document["corrected"]["text"] == FOLDED.replace("      --swap-space 4\n", "")


VALUES = """servingEngineSpec:
  modelSpec:
    - name: a
      vllmConfig:
        extraArgs: ["--swap-space", "4", "--max-num-seqs", "8"]
routerSpec:
  extraArgs: ["--log-level", "info", "--port", "80"]
# for vllm
"""


def test_the_flags_of_a_chart() -> None:
    document = examine(VALUES, "0.32.0")

    assert [f["title"] for f in document["findings"]] == ["--swap-space is gone since vLLM 0.18.0"]
    assert document["corrected"]["text"] == VALUES.replace('"--swap-space", "4", ', "")


def test_prose_in_yaml_is_no_command() -> None:
    with pytest.raises(NothingFound):
        examine("store:\n  description: one pool that vllm serve owns and shares\n")


# ------------------------------------------------------------------ containers

POD = """apiVersion: {api}
kind: {kind}
spec:
  containers:
    - name: engine
      image: vllm/vllm-openai:v0.32.0
"""


def test_an_operator_gives_arguments_of_its_own() -> None:
    with pytest.raises(NothingFound):
        examine(POD.format(api="serving.kserve.io/v1alpha1", kind="LLMInferenceService"))
    assert found(POD.format(api="v1", kind="Pod")) == [
        ("KVD916", "warning", "The line names no model")
    ]


def test_a_base_image_is_given_its_model_by_who_runs_it() -> None:
    image = 'FROM python:3.12\nENTRYPOINT ["vllm", "serve"]\n'
    assert found(image) == []
    assert grave(image.replace('"serve"', '"serve", "--swap-space", "1"')) == [
        "--swap-space is gone since vLLM 0.18.0"
    ]


def test_other_commands_of_a_container_are_not_the_images() -> None:
    pod = POD.format(api="v1", kind="Pod") + (
        '      command: ["sh", "-c"]\n'
        '      args: ["pip install --no-cache-dir x && ulimit -n 65536 && vllm serve m"]\n'
    )

    assert [words[-3:] for words in argv(pod)] == [["vllm", "serve", "m"]]
    assert found(pod) == []


def test_ranks_over_several_machines() -> None:
    pod = POD.format(api="leaderworkerset.x-k8s.io/v1", kind="LeaderWorkerSet") + (
        '      command: ["sh", "-c"]\n'
        '      args: ["vllm serve m --tensor-parallel-size 8 --pipeline-parallel-size 2"]\n'
        "      resources: {limits: {nvidia.com/gpu: 8}}\n"
    )

    assert "16 ranks for 8 GPUs" not in grave(pod)
    assert "16 ranks for 8 GPUs" in grave(pod.replace("LeaderWorkerSet", "Pod"))


@pytest.mark.parametrize(
    ("image", "arguments"),
    [
        ("vllm/vllm-openai:v0.11.0", "serve /models/m --max-model-len 16000"),
        ("vllm/vllm-openai:v0.32.0", "vllm serve /models/m --max-model-len 16000"),
    ],
)
def test_the_subcommand_behind_the_image(image: str, arguments: str) -> None:
    document = examine(f"docker run {image} {arguments}")

    assert [f["title"] for f in document["findings"]] == ["The image starts vLLM by itself"]
    assert document["corrected"]["text"] == (
        f"docker run {image} --model /models/m --max-model-len 16000"
    )


def test_model_without_hyphens() -> None:
    text = 'FROM vllm/vllm-openai:v0.32.0\nENTRYPOINT ["python3", "-m", ' + (
        '"vllm.entrypoints.openai.api_server", "model", "org/m"]\n'
    )

    document = examine(text)

    assert [f["title"] for f in document["findings"]] == ["model lacks its hyphens"]
    assert document["corrected"]["text"] == text.replace('"model"', '"--model"')


def test_a_reference_that_may_stand_for_flags_is_no_model() -> None:
    text = (
        "FROM vllm/vllm-openai:v0.32.0\nENTRYPOINT python3 -m vllm.entrypoints.openai.api_server"
        ' --model ${MODEL:-m} ${WINDOW:+--max-model-len "$WINDOW"}\n'
    )

    assert found(text) == []


def test_what_compose_fills_in_within_single_quotes() -> None:
    text = """services:
  a:
    image: vllm/vllm-openai:v0.32.0
    entrypoint: ["bash", "-c"]
    command:
      - |
        vllm serve m --override-generation-config '{"temperature": ${TEMP:-0.6}}'
"""

    assert grave(text) == []


def test_defaults_in_defaults_of_compose() -> None:
    text = (
        "services:\n  a:\n    image: vllm/vllm-openai:v0.32.0\n    command:\n"
        "      - --model=m\n      - --override-generation-config\n"
        """      - '{"temperature":${TEMP:-${TEMPERATURE:-1.0}}}'\n"""
    )

    assert grave(text) == []


def test_references_in_references_end_where_they_end() -> None:
    script = 'echo "${count["${name}"]}"\nvllm serve m --port 8000\n'

    assert found(script) == []


# ------------------------------------------------------------------ builds of vLLM


def test_the_flags_of_vllm_omni() -> None:
    line = "vllm serve Qwen/Qwen-Image --omni --usp 2 --vae-use-tiling --ring 1"

    assert found(line) == [("KVD903", "info", "--omni is a flag of vLLM-Omni")]


def test_a_quantization_of_other_hardware() -> None:
    assert grave("vllm serve m --quantization ascend") == []
    assert grave("vllm serve m --quantization fp9") == ["--quantization fp9 is not known"]
