"""Architectures that the planner knows, and how each family lays its cache out.

Names are those of vLLM 0.32.0's registry (``model_executor/models/registry.py``), and of those
that it runs through its Transformers backend.
"""

from __future__ import annotations

from collections.abc import Callable

from doctor.memory.architectures import attention as a
from doctor.memory.architectures import hybrids as h
from doctor.memory.architectures.terms import Shape, Terms
from doctor.memory.config import ModelConfig
from doctor.memory.errors import ModelError
from doctor.suggest import nearest
from doctor.text import _
from doctor.untrusted import visible

Family = Callable[[ModelConfig, Terms], Shape]

_PLAIN = """
Afmoe Apertus Arcee BailingMoe BailingMoeV2 Cohere Cohere2 Cohere2Moe Cwm Dots1 Ernie4_5
Ernie4_5_Moe Exaone Exaone4 ExaoneMoE ExaoneMoe FlexOlmo Gemma Gemma2 Gemma3 Glm Glm4 Glm4Moe
GptOss Granite GraniteMoe GraniteMoeShared GraniteMoeSWA GraniteSWA Helium HunYuanDenseV1
HunYuanMoEV1 HyperCLOVAX InternLM2 InternLM3 IQuestCoder Jais2 Laguna Llama LLaMA MiMo MiniCPM
MiniMaxM2 Ministral Ministral3 Mistral Mixtral NanoChat Nemotron Olmo Olmo2 Olmo3 Olmoe Orion
Persimmon Phi Phi3 PhiMoE Qwen2 Qwen2Moe Qwen3 Qwen3Moe SarvamMoE SeedOss SmolLM3 Solar
SolarOpen StableLm Starcoder2 TeleChat2 TeleChat3 TeleFLM VaultGemma
"""

_KNOWN: dict[str, Family] = {
    **{f"{name}ForCausalLM": a.plain for name in _PLAIN.split()},
    "ChatGLMModel": a.plain,
    "ChatGLMForConditionalGeneration": a.plain,
    "GPT2LMHeadModel": a.multi_head,
    "GPTJForCausalLM": a.multi_head,
    "GPTNeoXForCausalLM": a.multi_head,
    "OPTForCausalLM": a.multi_head,
    "BloomForCausalLM": a.multi_head,
    "FalconForCausalLM": a.falcon,
    "DbrxForCausalLM": a.dbrx,
    "DeciLMForCausalLM": a.per_layer_heads,
    "Step3TextForCausalLM": a.single_head,
    "MiniCPM3ForCausalLM": a.minicpm3,
    "Gemma3nForCausalLM": a.shared,
    "Gemma4ForCausalLM": a.gemma4,
    "MiMoV2FlashForCausalLM": a.mimo_v2,
    "MiMoV2ForCausalLM": a.mimo_v2,
    "Llama4ForCausalLM": a.chunked,
    "DeepseekForCausalLM": a.plain,
    "DeepseekV2ForCausalLM": a.multi_latent,
    "DeepseekV3ForCausalLM": a.multi_latent,
    "DeepseekV32ForCausalLM": a.sparse_latent,
    "GlmMoeDsaForCausalLM": a.sparse_latent,
    "Glm4MoeLiteForCausalLM": a.multi_latent,
    "LongcatFlashForCausalLM": a.doubly_latent,
    "AXK1ForCausalLM": a.multi_latent,
    "Mistral4ForCausalLM": a.multi_latent,
    "GPTBigCodeForCausalLM": a.falcon,
    "PanguUltraMoEForCausalLM": a.multi_latent,
    "WhisperForConditionalGeneration": a.whisper,
    "JambaForCausalLM": h.jamba,
    "FalconH1ForCausalLM": h.falcon_h1,
    "GraniteMoeHybridForCausalLM": h.granite,
    "NemotronHForCausalLM": h.nemotron_h,
    "Zamba2ForCausalLM": h.zamba2,
    "Qwen3NextForCausalLM": h.qwen3_next,
    "Qwen3_5ForCausalLM": h.qwen3_next,
    "Qwen3_5MoeForCausalLM": h.qwen3_next,
    "OlmoHybridForCausalLM": h.olmo_hybrid,
    "Lfm2ForCausalLM": h.lfm2,
    "Lfm2MoeForCausalLM": h.lfm2,
    "KimiLinearForCausalLM": h.kimi_linear,
    "MambaForCausalLM": h.mamba,
    "FalconMambaForCausalLM": h.mamba,
    "Mamba2ForCausalLM": h.mamba_2,
}

# A multimodal model's language part, by its own model_type.
_BY_TYPE = {
    "llama": a.plain,
    "mistral": a.plain,
    "mixtral": a.plain,
    "qwen2": a.plain,
    "qwen2_vl": a.plain,
    "qwen2_vl_text": a.plain,
    "qwen2_5_vl": a.plain,
    "qwen2_5_vl_text": a.plain,
    "qwen2_5_omni_text": a.plain,
    "qwen3": a.plain,
    "qwen3_moe": a.plain,
    "qwen3_vl_text": a.plain,
    "qwen3_vl_moe_text": a.plain,
    "qwen3_omni_moe_text": a.plain,
    "qwen3_5_text": h.qwen3_next,
    "qwen3_5_moe_text": h.qwen3_next,
    "gemma": a.plain,
    "gemma2": a.plain,
    "gemma3_text": a.plain,
    "gemma3n_text": a.shared,
    "gemma4_text": a.gemma4,
    "llama4_text": a.chunked,
    "cohere2": a.plain,
    "phi3": a.plain,
    "glm4v_text": a.plain,
    "glm4v_moe_text": a.plain,
    "internlm2": a.plain,
    "deepseek_v2": a.multi_latent,
    "deepseek_v3": a.multi_latent,
    "kimi_k2": a.multi_latent,
    "lfm2": h.lfm2,
    "nemotron_h": h.nemotron_h,
    "granite": a.plain,
}

ARCHITECTURES = tuple(_KNOWN)


def shape(config: ModelConfig, terms: Terms) -> Shape:
    """The layers of a model. Raises ``ModelError`` for a family that is not known."""
    return family(config)(config, terms)


def family(config: ModelConfig) -> Family:
    """How the model lays its cache out. Raises ``ModelError`` that names the architecture."""
    name = config.architecture
    known = _KNOWN.get(name)
    if known is None and config.multimodal:
        inner = config.text.get("architectures")
        if isinstance(inner, list) and inner and isinstance(inner[0], str):
            known = _KNOWN.get(inner[0])
        known = known or _BY_TYPE.get(config.text_type)
    if known is None and name.startswith("Qwen2") and name.endswith("VLForConditionalGeneration"):
        known = a.plain  # files of Qwen2-VL keep the language model's fields at the top
    if known is not None:
        return known
    near = nearest(name, _KNOWN, cutoff=0.8)
    hint = _(" (the nearest known one is {name})", name=near) if near else ""
    raise ModelError(
        _(
            "{place}: the architecture {name} is not known to this planner{hint}",
            place=config.place,
            name=visible(name, limit=80),
            hint=hint,
        )
    )
