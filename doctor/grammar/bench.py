"""The words of ``kvdoctor bench``."""

from __future__ import annotations

from doctor.grammar import options, values


def add(commands: options.Commands) -> None:
    parser = options.command(
        commands, "bench", "how fast a server answers, up to where it is saturated"
    )
    parser.description = (
        "Puts load on a server and measures time to the first token, time per token after it, gaps "
        "between tokens, whole answers and throughput. Without --concurrency or --rate it doubles "
        "the requests at once from 1 on, until more bring nothing, and names what limits it. It "
        "costs tokens; a server beyond the own network is asked only after a question, or with "
        "--yes. Exit code 1: nothing was answered, more than 10 % failed at the smallest load, or "
        "it is worse than --compare beyond chance."
    )
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="a name from kvdoctor.toml or a URL; none: the only one that is found",
    )
    group = parser.add_argument_group("the load")
    group.add_argument(
        "--concurrency", metavar="N[,N…]", type=values.counts, help="closed loop: requests at once"
    )
    group.add_argument(
        "--rate",
        metavar="R[,R…]",
        type=values.rates,
        help="open loop: requests that begin each second",
    )
    group.add_argument(
        "--arrival",
        choices=("poisson", "constant"),
        default="poisson",
        help="for --rate (default: poisson)",
    )
    group.add_argument(
        "--up-to", metavar="N", type=values.count, default=64, help="end of the sweep (default: 64)"
    )
    group.add_argument(
        "--requests",
        metavar="N",
        type=values.count,
        help="for each load and repeat (default: 4 each)",
    )
    group.add_argument(
        "--seconds",
        metavar="SECONDS",
        type=values.positive,
        default=60.0,
        help="for how long requests begin, for each load and repeat (default: 60)",
    )
    group.add_argument(
        "--max-total-tokens", metavar="N", type=values.count, help="end the run at so many tokens"
    )
    group.add_argument("--repeats", metavar="N", type=values.count, help="default: 3, in a sweep 1")
    group.add_argument(
        "--warmup", metavar="N", type=values.whole, default=2, help="requests (default: 2)"
    )
    group = parser.add_argument_group("the prompts")
    group.add_argument("--prompt-tokens", metavar="N", type=values.count, default=256)
    group.add_argument("--output-tokens", metavar="N", type=values.count, help="default: 128")
    group.add_argument(
        "--shared",
        metavar="SHARE",
        type=values.share,
        default=0.0,
        help="of each prompt, the same in all of them, 0 to 1 (default: 0, nothing is cached)",
    )
    group.add_argument("--log", metavar="FILE", action="append", help="prompts of a request log")
    group.add_argument("--field", metavar="PATH", help="where a record keeps the request")
    group.add_argument("--seed", metavar="N", type=values.whole, default=0)
    group = parser.add_argument_group("other runs, and another way")
    group.add_argument("--save", metavar="NAME", help="keep the run")
    group.add_argument("--replace", action="store_true", help="overwrite a kept run of that name")
    group.add_argument("--compare", metavar="NAME", help="hold it against a kept run")
    group.add_argument("--from", metavar="NAME", dest="kept", help="show a kept run, ask nobody")
    group.add_argument("--list", action="store_true", help="name the kept runs")
    group.add_argument(
        "--through", metavar="URL", help="send the same through a gateway, and tell what it adds"
    )
    group.add_argument(
        "--through-key-env",
        metavar="NAME",
        help="the variable with its key (default: only a key that is configured for that address)",
    )
    group.add_argument("--through-model", metavar="ID", help="what it calls the model")
    parser.add_argument(
        "--export",
        choices=("locust", "guidellm"),
        help="print the scenario for that engine of load, ask nobody",
    )
    parser.add_argument("--yes", action="store_true", help="spend without a question")
    options.connection(parser)
    options.run(parser)
    options.output(parser, ("plain", "json"))
    # The whole of a long answer has to fit in.
    parser.set_defaults(timeout=300.0)
