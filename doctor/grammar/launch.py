"""The words of ``kvdoctor launch``."""

from __future__ import annotations

from doctor.grammar import options, values


def add(commands: options.Commands) -> None:
    parser = options.command(commands, "launch", "judge a line that starts vLLM, and correct it")
    parser.description = (
        "Reads a command line, a shell script, a Dockerfile, a compose file, a Kubernetes "
        "manifest, a YAML file for --config, or a running process, judges it for a version of "
        "vLLM, and prints the corrected line. Nothing is run, and nobody is asked."
    )
    parser.add_argument(
        "line",
        nargs="*",
        metavar="FILE|-|-- vllm serve …",
        help="a file, stdin, or a line behind --",
    )
    parser.add_argument("--compose", metavar="FILE", help="a compose file (any other file as well)")
    parser.add_argument("--pid", metavar="N", type=values.whole, help="a running process")
    parser.add_argument(
        "--container", metavar="NAME", help="a container, as docker inspect tells of it"
    )
    parser.add_argument(
        "--vllm-version",
        metavar="V",
        help="default: of the image or of the installed vLLM, else the newest known",
    )
    group = parser.add_argument_group("the model and the machine")
    group.add_argument(
        "--model-config", metavar="PATH", help="the model's config.json, if it is not found"
    )
    group.add_argument("--draft-config", metavar="PATH", help="that of the draft model")
    group.add_argument("--gpu", metavar="NAME", help="T4, 'A100 80GB', '2x H100', …")
    group.add_argument("--gpus", metavar="N", type=values.count, help="how many there are")
    group.add_argument("--gpu-memory", metavar="SIZE", help="of each, such as 80GiB")
    options.selection(parser)
    options.output(parser, options.ANSWER_FORMATS)
