"""The words of ``kvdoctor watch``."""

from __future__ import annotations

from doctor.grammar import options, values


def add(commands: options.Commands) -> None:
    parser = options.command(commands, "watch", "the load of a vLLM engine, live")
    parser.description = (
        "Reads the engine's /metrics again and again, and asks nothing that costs tokens: use of "
        "the KV cache, running and waiting requests, time to the first token, time between tokens, "
        "prefix hits, preemptions, throughput. On a terminal the app draws it. Exit code 1: the KV "
        "cache was full, with requests waiting or preempted, at two looks of five."
    )
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="a name from kvdoctor.toml or a URL; none: the engine that is found",
    )
    parser.add_argument(
        "--interval",
        metavar="SECONDS",
        type=values.positive,
        default=2.0,
        help="from one look to the next (default: 2)",
    )
    parser.add_argument("--count", metavar="N", type=values.count, help="end after so many samples")
    options.connection(parser)
    options.run(parser)
    group = parser.add_argument_group("the output")
    group.add_argument(
        "--format",
        choices=("plain", "json", "jsonl"),
        help="default: the app on a terminal, plain elsewhere",
    )
    group.add_argument("--plain", action="store_true", help="lines of text, also on a terminal")
    group.add_argument("--no-color", action="store_true")
    group.add_argument("--lang", metavar="LANG", help="en, zh_CN, …; default: the locale's")
    # The app that draws it can run the checks as well.
    parser.set_defaults(select=[], ignore=[], served=False)
