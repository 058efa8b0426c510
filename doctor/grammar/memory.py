"""The words of ``kvdoctor memory``."""

from __future__ import annotations

from doctor.grammar import options, values


def add(commands: options.Commands) -> None:
    parser = options.command(
        commands, "memory", "weights, KV cache and what fits, by vLLM's own rules"
    )
    parser.usage = (
        "kvdoctor memory MODEL [flags as vllm spells them] [--gpu NAME | --gpu-memory SIZE] …"
    )
    parser.description = (
        "MODEL is a folder, a config.json or a known id. Flags of 'vllm serve' count as it counts "
        "them. Nothing is run, and nobody is asked."
    )
    group = parser.add_argument_group("the machine and the load")
    group.add_argument("--gpu", metavar="NAME", help="H100, 'A100 80GB', 'RTX 4090', …")
    group.add_argument("--gpu-memory", metavar="SIZE", help="of each GPU, such as 80GiB")
    group.add_argument(
        "--concurrency", metavar="N", type=values.count, help="requests at the same time"
    )
    group.add_argument(
        "--lengths",
        metavar="FILE|P50/P99",
        help="tokens per request, prompt and answer: numbers, or a log of one JSON object per line",
    )
    group.add_argument("--vllm-version", metavar="V", help="whose rules count; default: 0.32.0")
    options.selection(parser)
    options.output(parser, options.ANSWER_FORMATS)
