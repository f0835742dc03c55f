"""What a frozen forward pass can leave out or do faster without another result: BERT, RoBERTa and their descendants.

Both shortcuts change rounding only: vectors stay within 1e-5 of a plain forward pass in float32. Other architectures
run as they are.
"""

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor, nn

log = logging.getLogger(__name__)

# Post-norm encoders whose model is `embeddings` and `encoder.layer`, each layer `attention`, `intermediate`, `output`.
FAMILIES = ("BertModel", "RobertaModel", "XLMRobertaModel", "CamembertModel", "ElectraModel")
SHORT_ATTENTION = "bias_lab_short"
# Tokens up to which three matrix products beat torch's fused CPU attention, which works in blocks of 32 or more.
SHORT_FLOAT32, SHORT_BFLOAT16 = 16, 64


def take_shortcuts(model: "nn.Module", *, first_token_only: bool) -> None:
    """Make a frozen model faster, in place, where it is one of `FAMILIES`.

    With `first_token_only` its last hidden state has the first token alone: (n, 1, d).
    """
    if type(model).__name__ not in FAMILIES or getattr(model.config, "is_decoder", False):
        return
    _use_short_attention(model)
    model.pooler = None  # type: ignore[assignment]  # its result is never read
    if first_token_only:
        layers: Any = model.encoder.layer  # type: ignore[union-attr]
        layers[-1] = first_token_layer(layers[-1])


def first_token_layer(layer: "nn.Module") -> "nn.Module":
    """The layer for the first token: its query meets the keys and values of all tokens, nothing else is computed.

    Takes hidden states (n, tokens, d), gives (n, 1, d).
    """
    from torch import nn
    from torch.nn.functional import scaled_dot_product_attention

    class FirstTokenLayer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer

        def forward(
            self, hidden_states: "Tensor", attention_mask: "Tensor | None" = None, *_: Any, **__: Any
        ) -> "Tensor":
            attention: Any = layer.attention
            # In one piece: of a strided view, `linear` would copy its weights once for every text.
            first = hidden_states[:, :1].contiguous()

            def heads(states: "Tensor") -> "Tensor":
                return states.unflatten(-1, (-1, attention.self.attention_head_size)).transpose(1, 2)

            mixed = scaled_dot_product_attention(
                heads(attention.self.query(first)),
                heads(attention.self.key(hidden_states)),
                heads(attention.self.value(hidden_states)),
                attn_mask=None if attention_mask is None else attention_mask[..., :1, :],
                scale=attention.self.scaling,
            )
            attended = attention.output(mixed.transpose(1, 2).flatten(2), first)
            return layer.feed_forward_chunk(attended)  # type: ignore[operator]

    return FirstTokenLayer()


def short_attention(  # noqa: PLR0917 (the arguments of transformers' interface)
    module: "nn.Module",
    query: "Tensor",
    key: "Tensor",
    value: "Tensor",
    attention_mask: "Tensor | None",
    scaling: float | None = None,
    **options: Any,
) -> "tuple[Tensor, Tensor | None]":
    """Attention of short texts on a CPU as plain matrix products; torch's fused kernel for everything else.

    `query`, `key`, `value` are (n, heads, tokens, d / heads); gives (n, tokens, heads, d / heads) and no weights.
    """
    import torch
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    longest = {torch.float32: SHORT_FLOAT32, torch.bfloat16: SHORT_BFLOAT16}.get(query.dtype, 0)
    plain = attention_mask is None and not getattr(module, "is_causal", True)
    if query.device.type != "cpu" or not plain or key.shape[2] > longest:
        return sdpa_attention_forward(module, query, key, value, attention_mask, scaling=scaling, **options)
    n, heads, tokens, width = query.shape

    def flat(states: "Tensor") -> "Tensor":
        return states.contiguous().view(n * heads, tokens, width)

    scores = torch.bmm(flat(query), flat(key).transpose(1, 2)).mul_(scaling or width**-0.5)
    mixed = torch.bmm(torch.softmax(scores, dim=-1), flat(value))
    return mixed.view(n, heads, tokens, width).transpose(1, 2).contiguous(), None


def _use_short_attention(model: Any) -> None:
    if model.config._attn_implementation != "sdpa":
        return
    from transformers.masking_utils import AttentionMaskInterface, sdpa_mask
    from transformers.modeling_utils import AttentionInterface

    AttentionInterface.register(SHORT_ATTENTION, short_attention)
    AttentionMaskInterface.register(SHORT_ATTENTION, sdpa_mask)
    model.set_attn_implementation(SHORT_ATTENTION)
