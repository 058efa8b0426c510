"""The words of ``kvdoctor prefix``."""

from __future__ import annotations

from doctor.grammar import options, values


def add(commands: options.Commands) -> None:
    text = "where prompts of a request log stop being shareable, why, and what it costs"
    parser = options.command(commands, "prefix", text)
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE|-",
        help="JSON lines of requests, also compressed; folders; - or nothing for stdin",
    )
    group = parser.add_argument_group("the log")
    group.add_argument(
        "--field", metavar="PATH", help="where a record keeps the request (a.b.c); default: found"
    )
    group.add_argument(
        "--write", metavar="FILE", help="write the requests in the better order, for a replay"
    )
    group = parser.add_argument_group("the engine")
    group.add_argument("--block-size", metavar="TOKENS", type=values.count, default=16)
    group.add_argument(
        "--kv-tokens",
        metavar="TOKENS",
        type=values.count,
        default=2_097_152,
        help="the size of its KV cache (default: 2,097,152)",
    )
    group.add_argument(
        "--align-blocks",
        metavar="N",
        type=values.count,
        default=1,
        help="hybrid models: a hit is a multiple of N blocks",
    )
    group.add_argument(
        "--tokenizer",
        metavar="DIR",
        help="count the model's own tokens: a folder with tokenizer.json and the chat template",
    )
    group.add_argument(
        "--engine",
        metavar="URL",
        help="count them by a running vLLM: its root, whose /tokenize is asked, without a key",
    )
    group.add_argument(
        "--characters-per-token",
        metavar="N",
        type=values.count,
        default=4,
        help="the estimate without a tokenizer (default: 4)",
    )
    group = parser.add_argument_group("a log too large for one machine")
    group.add_argument(
        "--on",
        metavar="ray|ray://HOST:PORT",
        help="analyse it in parts on a Ray cluster (needs kvdoctor[ray])",
    )
    group.add_argument(
        "--part-size",
        metavar="MIB",
        type=values.count,
        default=512,
        help="of a part (default: 512)",
    )
    group = parser.add_argument_group("the proof")
    group.add_argument(
        "--prove",
        action="store_true",
        help="send two requests of the log again, as sent and in the better order, and read what "
        "was cached; costs their prompt tokens",
    )
    group.add_argument("--target", metavar="NAME", help="whom to ask, where several are found")
    group = parser.add_argument_group("the price")
    group.add_argument(
        "--rate", metavar="MONEY", type=values.number, help="per million prompt tokens"
    )
    group.add_argument(
        "--prefill-speed", metavar="TOKENS/S", type=values.number, help="prompt tokens per second"
    )
    options.connection(parser)
    options.run(parser)
    options.selection(parser, fail_on="warning")
    options.output(parser, options.ANSWER_FORMATS)
