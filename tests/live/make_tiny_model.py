"""Makes a language model of a few hundred kilobytes that answers "ok" to every prompt.

Run it with the interpreter of the vLLM environment: ``python make_tiny_model.py FOLDER``.

It is an ordinary Qwen3 whose attention and MLP write nothing (their output projections are zero),
so that the next token depends on the last one alone, however long the prompt is: after any token
comes ``ok``, after ``ok`` comes the end. Attention and KV cache still do their whole work. With
``ignore_eos`` it says "ok" again and again, which gives streams of any length.
"""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path
from typing import Any

HIDDEN = 128
LAYERS = 2
CONTEXT = 131_072
VOCABULARY = 1_024
ANSWER = "ok"
END_OF_TEXT = "<|endoftext|>"
START, END = "<|im_start|>", "<|im_end|>"
TAGS = ("<tool_call>", "</tool_call>", "<think>", "</think>")  # as in Qwen3: ordinary, not special

CHAT_TEMPLATE = (
    "{%- for message in messages -%}"
    "{{ '<|im_start|>' + message.role + '\\n' + (message.content or '') + '<|im_end|>\\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif -%}"
)

# What the tokenizer learns its merges from. Any prose does; "ok" must become one token.
TRAINING_TEXT = """
ok ok ok, ok. "ok" 'ok' (ok) ok: ok; ok! ok?
The server reads the request, looks up the model and answers with a list of choices. Every token
of the prompt is computed once and its keys and values are kept in blocks of the cache, so that a
second request with the same beginning finds them there and only the rest must be computed again.
A gateway stands between the program and the engine: it checks the key, chooses a route for the
name of the model and passes the answer on, in one piece or as a stream of events. When the name is
wrong, the key is missing or the answer does not fit into the context, it returns an error with a
message which says what happened, and the program has to understand that message to know its cause.
You are a helpful assistant. Answer the question of the user in a few words and do not explain more
than was asked. You can read files, write files, run commands and search the web with your tools.
The quick brown fox jumps over the lazy dog while the five boxing wizards jump quickly at dawn.
def main(arguments: list[str]) -> int:
    for number, line in enumerate(open(arguments[0], encoding="utf-8")):
        if line.strip().startswith("#") or not line:
            continue
        print(f"{number}: {line}")
    return 0
class Connection:
    def __init__(self, base_url: str, api_key: str, model: str, timeout: float = 60.0) -> None:
        self.base_url = base_url.rstrip("/")
        self.api_key = api_key
import json, os, sys, time, asyncio, logging, pathlib, typing, subprocess, collections, dataclasses
{"type": "object", "properties": {"name": {"type": "string", "description": "The name of the file"},
 "content": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "maximum": 100}},
 "required": ["name", "content"], "additionalProperties": false}
curl -sS http://127.0.0.1:8000/v1/chat/completions -H "Authorization: Bearer $KEY" -d @request.json
HTTP/1.1 200 OK  Content-Type: application/json  Cache-Control: no-store  Transfer-Encoding: chunked
Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July
0 1 2 3 4 5 6 7 8 9 10 11 12 16 20 24 32 48 64 100 128 256 512 1000 1024 2048 4096 8192 16384 32768
"""


def make_tokenizer() -> Any:
    """A byte-level BPE tokenizer with the special tokens and the chat format of Qwen3."""
    tokenizers = importlib.import_module("tokenizers")
    transformers = importlib.import_module("transformers")
    bpe = tokenizers.Tokenizer(tokenizers.models.BPE())
    bpe.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = tokenizers.decoders.ByteLevel()
    bpe.train_from_iterator(
        TRAINING_TEXT.splitlines(keepends=True),
        tokenizers.trainers.BpeTrainer(
            vocab_size=VOCABULARY - len(TAGS),
            min_frequency=1,
            show_progress=False,
            special_tokens=[END_OF_TEXT, START, END],
            initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    bpe.add_tokens([tokenizers.AddedToken(tag, special=False, normalized=False) for tag in TAGS])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token=END,
        pad_token=END_OF_TEXT,
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def make_model(tokenizer: Any) -> Any:
    """The Qwen3 that answers "ok"; the module's text says how."""
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    answer = tokenizer.convert_tokens_to_ids(ANSWER)
    end = tokenizer.convert_tokens_to_ids(END)
    if tokenizer.encode(ANSWER, add_special_tokens=False) != [answer]:
        raise SystemExit(f"the tokenizer did not learn {ANSWER!r} as one token")
    torch.manual_seed(20)
    config = transformers.Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=HIDDEN,
        intermediate_size=2 * HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=False,
        bos_token_id=tokenizer.convert_tokens_to_ids(END_OF_TEXT),
        pad_token_id=tokenizer.convert_tokens_to_ids(END_OF_TEXT),
        eos_token_id=end,
    )
    model = transformers.Qwen3ForCausalLM(config)
    with torch.no_grad():
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
        # Dimension 0 of an embedding says "a token", dimension 1 "the answer"; the rest is noise.
        embeddings = model.model.embed_tokens.weight
        embeddings.normal_(0.0, 0.05)
        embeddings[:, 0] = 1.0
        embeddings[:, 1] = 0.0
        embeddings[answer, 1] = 1.0
        # After the last norm these are near 10, so each choice leads by 100 and more.
        model.lm_head.weight.zero_()
        model.lm_head.weight[answer, 0] = 10.0
        model.lm_head.weight[end, 1] = 30.0
    return model.to(torch.bfloat16)


def main(folder: Path) -> None:
    """Writes the model into ``folder``, which is replaced only once the model is complete."""
    transformers = importlib.import_module("transformers")
    transformers.utils.logging.disable_progress_bar()
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    unfinished = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    tokenizer.save_pretrained(unfinished)
    model.save_pretrained(unfinished)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: make_tiny_model.py FOLDER")
    main(Path(sys.argv[1]))
