"""Texts about where a model comes from: the Hub, ModelScope, its folder and its files.

Not vLLM's own texts but those of huggingface_hub, transformers, modelscope and requests, and of
vLLM's loader (model_executor/model_loader, transformers_utils).
"""

from __future__ import annotations

from doctor.explain.model import Cause, symptom
from doctor.text import _

_MISSING = symptom(
    r"no such file or directory: '[^']{0,300}(?:config\.json|\.safetensors|\.gguf|\.bin"
    r"|tokenizer[\w.]*|\.index\.json|params\.json)'"
    r"|expected str, bytes or os\.pathlike object, not nonetype",
    _("a file of the model is not where it is looked for"),
    Cause("KVD913", 0.85, _("does the folder hold it, as the container sees it, and whole?")),
)

# Only from an engine: elsewhere the same words are about something else.
HERE_ONLY = (_MISSING,)

SYMPTOMS = (
    symptom(
        r"the request model: ?\S+ does not exist|modelscope\.\S*(?:notexist|notfound)\w*"
        r"|the request model not exist",
        _("neither a folder nor a model of ModelScope has that name"),
        Cause(
            "KVD913",
            0.95,
            _("a path must exist as the engine sees it; ids are OWNER/NAME"),
        ),
    ),
    symptom(
        r"40[13] client error: \w+ for url: https?://(?:huggingface\.co|hf-mirror\.com)/",
        _("the Hub refuses the model's files: it is gated or private"),
        Cause(
            "KVD913",
            0.95,
            _("accept its licence on the Hub, and give the engine a token that may read it"),
            ("HF_TOKEN",),
        ),
    ),
    symptom(
        r"(?:5\d\d server error|429 client error|hfhubhttperror)\b.{0,200}https?://(?:huggingface\.co"
        r"|hf-mirror\.com|cdn-lfs\S*|modelscope\.cn)/\S*(?:api/|resolve|repos)"
        r"|consistency check failed: file should be|(?:hf_xet|cas::\w+)\S*.{0,80}error"
        r"|we had to rate limit you.{0,80}hugging",
        _("the weights could not be fetched"),
        Cause(
            "KVD913",
            0.85,
            _("try again, name a mirror, or load a folder that is there already"),
            ("HF_ENDPOINT", "HF_HUB_OFFLINE=1"),
        ),
    ),
    symptom(
        r"does not appear to have (?:a )?files? named"
        r"|is not the path to a directory containing a file named"
        r"|it looks like the config file at .{0,200}(?<!\.gguf['\"]) is not a valid json file"
        r"|can't load (?:tokenizer|feature extractor|image processor|the model) for"
        r"|unable to load vocabulary from file|error no file named"
        r"|could not (?:find|locate) \S{0,200}(?:config\.json|\.safetensors|tokenizer\S*)"
        r"|cannot find (?:the )?(?:config|tokenizer) ?files? (?:for|in)"
        r"|mmproj file not found|failed to load safetensors|no \.?gguf files? found",
        _("a file of the model is not where it is looked for"),
        Cause(
            "KVD913",
            0.9,
            _("does the folder hold it, as the container sees it, and whole?"),
        ),
    ),
    symptom(
        r"should have a `?model_type`? key in its config\.json|model_type.{0,30}(?:is )?missing",
        _("the folder's config.json does not say what kind of model this is"),
        Cause(
            "KVD913",
            0.7,
            _("is it the folder of the model itself, with its own config.json?"),
        ),
        Cause(
            "KVD909", 0.5, _("was the model published after this version? A newer one may know it")
        ),
    ),
    symptom(
        r"unrecognized configuration class",
        _("transformers knows the model's configuration, and no model that goes with it"),
        Cause(
            "KVD909",
            0.9,
            _("was the model published after this version? A newer one may know it"),
            ("pip install --upgrade vllm transformers",),
        ),
        Cause("KVD922", 0.3, _("or is transformers older than this vLLM asks for?")),
    ),
    symptom(
        r"requires the (?:protobuf|sentencepiece|tiktoken|\w+) library but it was not found"
        r"|converting from (?:sentencepiece and )?tiktoken failed"
        r"|(?:sentencepiece|tiktoken|protobuf|blobfile) (?:is required|needs to be installed)",
        _("a package that reads the tokenizer is missing"),
        Cause(
            "KVD922",
            0.8,
            _("install it into the environment of the engine"),
            ("pip install protobuf sentencepiece tiktoken",),
        ),
        Cause("KVD913", 0.4, _("or is the file of the tokenizer broken?")),
    ),
    symptom(
        r"is (?:an )?unsupported lora weight|expected target modules in|modules_to_save"
        r"|lora .{0,60}(?:contains|has) unsupported|unsupported lora",
        _("the adapter holds weights that this version cannot add to the model"),
        Cause("KVD909", 0.75, _("merge it into the model, or train it without them")),
        Cause("KVD919", 0.4, _("or is it an adapter of another model?")),
    ),
)
