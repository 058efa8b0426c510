"""Texts of vLLM about single requests, which a log holds as well (facts/vllm.md §5.3)."""

from __future__ import annotations

from doctor.explain.model import Cause, symptom
from doctor.text import _

SYMPTOMS = (
    symptom(
        r"max_num_batched_tokens \((?P<batch>\d+)\) must be greater than or equal to max_num_seqs"
        r" \((?P<seqs>\d+)\)",
        _("the batch holds fewer tokens than there may be requests"),
        lambda match: (
            Cause(
                "KVD608",
                0.95,
                _("{batch} tokens for {seqs} requests", batch=match["batch"], seqs=match["seqs"]),
                (
                    f"--max-num-seqs {match['batch']}",
                    f"--max-num-batched-tokens {max(2048, int(match['seqs']))}",
                ),
            ),
        ),
    ),
    symptom(
        r"max_num_batched_tokens \((?P<batch>\d+)\) is smaller than max_model_len"
        r" \((?P<window>\d+)\)",
        _("without chunked prefill a batch must hold a whole window"),
        lambda match: (
            Cause(
                "KVD608",
                0.97,
                _("{batch} is below {window}", batch=match["batch"], window=match["window"]),
                (
                    f"--max-num-batched-tokens {match['window']}",
                    "--enable-chunked-prefill",
                    f"--max-model-len {match['batch']}",
                ),
            ),
        ),
    ),
    symptom(
        r"chunked mm input disabled but max_tokens_per_mm_item"
        r"(?: \((?P<need>\d+)\))?",
        _("one image or clip takes more tokens than a batch holds"),
        lambda match: (
            Cause(
                "KVD608",
                0.95,
                _("the batch must hold it whole"),
                (f"--max-num-batched-tokens {match['need'] or ''}".strip(),),
            ),
        ),
    ),
    symptom(
        r"item with length (?P<need>\d+), which exceeds the pre-allocated encoder cache size"
        r" (?P<limit>\d+)",
        _("one image or clip is larger than the server's cache for them"),
        lambda match: (
            Cause(
                "KVD608",
                0.85,
                _(
                    "{need} tokens where {limit} fit: a smaller picture, or a larger cache",
                    need=match["need"],
                    limit=match["limit"],
                ),
                (f"--max-num-batched-tokens {match['need']}", "--limit-mm-per-prompt"),
            ),
        ),
    ),
    symptom(
        r"default chat template is no longer allowed|does not have a default chat template"
        r"|no chat template is set|cannot use chat template functions because"
        r" tokenizer\.chat_template is not set",
        _("the model has no chat template: it is a base model, or the file was left out"),
        Cause(
            "KVD921",
            0.95,
            _("give one, take the instruct model, or ask /v1/completions"),
            ("--chat-template FILE",),
        ),
    ),
    symptom(
        r"chat template is passed with request, but --trust-request-chat-template is not set",
        _("the request brings a chat template, which this server does not take"),
        Cause("KVD516", 0.9, _("leave it out, or allow it"), ("--trust-request-chat-template",)),
    ),
    symptom(
        r"is not a multimodal model|does not support (?:image|audio|video) input",
        _("an image, clip or sound was sent to a model of text"),
        Cause("KVD516", 0.8, _("leave the parts that are not text out")),
        Cause("KVD501", 0.25, _("or is another model meant?")),
    ),
    symptom(
        r"at most (?P<most>\d+) (?P<what>\w+)\(?s?\)? may be provided in one (?:request|prompt)",
        _("the request holds more images, clips or sounds than the server allows"),
        lambda match: (
            Cause(
                "KVD516",
                0.95,
                _("{most} {what} are allowed", most=match["most"], what=match["what"]),
                (f"--limit-mm-per-prompt.{match['what']} N",),
            ),
        ),
    ),
    symptom(
        r"requested (?:sample|prompt) logprobs of (?P<asked>\d+), which is (?:is )?greater than",
        _("the request asks for more logprobs than the server gives"),
        lambda match: (
            Cause(
                "KVD516",
                0.95,
                _("{asked} were asked for", asked=match["asked"]),
                (f"--max-logprobs {match['asked']}",),
            ),
        ),
    ),
    symptom(
        r"engine is currently busy and cannot accept new requests|prefill token backlog limit",
        _("the server's own queue is full, and it refuses more"),
        Cause("KVD808", 0.9, _("does the load exceed what this engine can do?")),
    ),
    symptom(
        r"attempted to assign .{0,60}multimodal tokens to .{0,20}placeholders",
        _("prompt and images do not match: the prompt was cut, or lacks a placeholder"),
        Cause("KVD602", 0.55, _("was the prompt truncated?")),
        Cause("KVD516", 0.4, _("does the prompt name each image once?")),
    ),
)
