"""Run by the real vLLM's own Python: says of each line whether vLLM takes it.

Reads JSON lines ``{"argv": [...], "config": bool}`` with the words behind ``vllm``, writes JSON
lines ``{"accepted": bool, "stage": "…", "said": "…"}``. ``config`` asks further: whether the
engine's configuration can be made of the arguments, without loading a model.
"""

# It runs where vLLM is, which is not where types are checked.
# mypy: ignore-errors

from __future__ import annotations

import contextlib
import io
import json
import os
import sys

os.environ.setdefault("VLLM_LOGGING_LEVEL", "CRITICAL")

from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.entrypoints.cli.serve import ServeSubcommand
from vllm.entrypoints.launchers.cli_args import make_arg_parser, validate_parsed_serve_args
from vllm.usage.usage_lib import UsageContext
from vllm.utils.argparse_utils import FlexibleArgumentParser


def serve_parser():
    parser = FlexibleArgumentParser(prog="vllm")
    subparsers = parser.add_subparsers(required=False, dest="subparser")
    ServeSubcommand().subparser_init(subparsers)
    return parser


def api_server_parser():
    return make_arg_parser(FlexibleArgumentParser(prog="api_server.py"))


PARSERS = {"serve": serve_parser(), "api_server": api_server_parser()}


def verdict(argv, config):
    stage = "parse"
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(errors):
            if argv[0] == "serve":
                args = PARSERS["serve"].parse_args(argv)
                if getattr(args, "model_tag", None) is not None:
                    args.model = args.model_tag
            else:
                args = PARSERS["api_server"].parse_args(argv[1:])
            stage = "validate"
            validate_parsed_serve_args(args)
            if config:
                stage = "config"
                AsyncEngineArgs.from_cli_args(args).create_engine_config(
                    usage_context=UsageContext.OPENAI_API_SERVER
                )
    except SystemExit as error:
        return {"accepted": not error.code, "stage": stage, "said": errors.getvalue()[-400:]}
    except BaseException as error:
        return {"accepted": False, "stage": stage, "said": f"{type(error).__name__}: {error}"[:400]}
    return {"accepted": True, "stage": stage, "said": ""}


answers = []
for line in sys.stdin:
    asked = json.loads(line)
    answers.append(verdict(asked["argv"], asked.get("config", False)))
# Only now: vLLM writes to stdout while it reads its configuration.
sys.stdout.write("\n" + "\n".join(json.dumps(answer) for answer in answers) + "\n")
