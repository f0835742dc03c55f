"""What a frozen forward pass can leave out or do faster without another result.

BERT, RoBERTa and their descendants get whole layers of ours; in other architectures the dense maps alone are replaced.
All of it changes rounding only: vectors stay within 1e-5 of the plain forward pass in float32.
"""

from typing import Any

import torch
import transformers
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers.activations import GELUActivation

from bias_lab.encoders.dense import Dense, onednn_product

# Post-norm encoders whose model is `embeddings` and `encoder.layer`, each layer `attention`, `intermediate`, `output`.
FAMILIES = ("BertModel", "RobertaModel", "XLMRobertaModel", "CamembertModel", "ElectraModel")
# Tokens up to which three matrix products beat torch's fused CPU attention, which works in blocks of 32 or more.
SHORT_FLOAT32, SHORT_BFLOAT16 = 16, 64


def take_shortcuts(model: nn.Module, *, first_token_only: bool) -> None:
    """Make a frozen model faster, in place; to be called where it stands on its device.

    With `first_token_only` the last hidden state of one of `FAMILIES` has the first token alone: (n, 1, d).
    """
    config: Any = model.config
    name = type(model).__name__
    # A checkpoint's own code may name its class like one of these.
    known = name in FAMILIES and type(model) is getattr(transformers, name)
    if not known or config._attn_implementation != "sdpa" or config.is_decoder or config.add_cross_attention:
        replace_dense_maps(model)
        return
    model.pooler = None  # type: ignore[assignment]  # its result is never read
    layers: Any = model.encoder.layer  # type: ignore[union-attr]
    for number, layer in enumerate(layers):
        last = number == len(layers) - 1
        # The method alone is replaced: transformers records hidden states by hooks on the layer modules.
        layer.forward = (FirstTokenLayer if first_token_only and last else WholeLayer)(layer)
        del layer.attention, layer.intermediate, layer.output


def replace_dense_maps(model: nn.Module) -> None:
    """Give every linear layer the faster product, where there is one."""
    for module in model.modules():
        if type(module) is nn.Linear and onednn_product(module.weight) is not None:
            module.forward = Dense.of(module)  # type: ignore[method-assign,assignment]


class WholeLayer:
    """A post-norm transformer layer (Vaswani et al. 2017) on hidden states (n, tokens, d).

    Query, key and value come from one product; residuals are added in place.
    """

    def __init__(self, layer: Any) -> None:
        attention, inner = layer.attention, layer.intermediate
        self.width: int = attention.self.attention_head_size
        self.scaling: float = attention.self.scaling
        self.project_in = self.projection(attention.self)
        self.project_out, self.norm_attention = Dense.of(attention.output.dense), attention.output.LayerNorm
        gelu = isinstance(inner.intermediate_act_fn, GELUActivation)  # the one with erf
        self.expand = Dense.of(inner.dense, gelu=gelu)
        self.activation = None if gelu else inner.intermediate_act_fn
        self.contract, self.norm_output = Dense.of(layer.output.dense), layer.output.LayerNorm

    @staticmethod
    def projection(attention: Any) -> Any:
        """The maps of the hidden states that attention needs."""
        return Dense.of(attention.query, attention.key, attention.value)

    def __call__(self, hidden_states: Tensor, attention_mask: Tensor | None = None, *_: Any, **__: Any) -> Tensor:
        """The next hidden states; `attention_mask` as `scaled_dot_product_attention` takes it."""
        residual, mixed = self.attend(hidden_states, attention_mask)
        attended = self.norm_attention(self.project_out(mixed).add_(residual))
        inner = self.expand(attended)
        if self.activation is not None:
            inner = self.activation(inner)
        out: Tensor = self.norm_output(self.contract(inner).add_(attended))
        return out

    def attend(self, states: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """What attention is added to, and what it gives before the output projection: (n, tokens, d) each."""
        query, key, value = self.project_in(states).unflatten(-1, (3, -1, self.width)).permute(2, 0, 3, 1, 4)
        return states, attention(query, key, value, mask, self.scaling).transpose(1, 2).flatten(2)


class FirstTokenLayer(WholeLayer):
    """The layer for the first token alone: its query meets all tokens, nothing else is computed. Gives (n, 1, d).

    With one query, keys need not be computed: q'(W x) = (W'q)'x; and of values one mixture a head, as
    sum_t p_t W x_t = W sum_t p_t x_t. A key's bias adds the same to all scores of a text, which softmax ignores.
    """

    @staticmethod
    def projection(attention: Any) -> Any:
        """Query as it is; key and value as (heads, d / heads, d); the value's bias."""
        query, key, value = attention.query, attention.key, attention.value
        heads = (-1, attention.attention_head_size)
        stacks = [layer.weight.detach().unflatten(0, heads) for layer in (key, value)]
        return Dense.of(query), *stacks, value.bias.detach()

    def attend(self, states: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """As in `WholeLayer`, (n, 1, d) each."""
        project_query, key, value, value_bias = self.project_in
        first = states[:, :1].contiguous()
        query = project_query(first[:, 0]).unflatten(-1, (-1, self.width)).transpose(0, 1)  # (heads, n, d / heads)
        seen = torch.bmm(query, key).transpose(0, 1)  # (n, heads, d): each head's query as a direction in the states
        scores = torch.bmm(seen, states.transpose(1, 2)).mul_(self.scaling)
        scores = masked(scores, None if mask is None else mask[:, 0, :1])
        mixed = torch.bmm(torch.softmax(scores, dim=-1), states).transpose(0, 1)  # (heads, n, d)
        values = torch.bmm(mixed, value.transpose(1, 2)).transpose(0, 1).flatten(1) + value_bias
        return first, values[:, None]


def masked(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Attention scores under a mask as `scaled_dot_product_attention` takes it: where True they count, or added."""
    if mask is None:
        return scores
    return scores.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else scores + mask


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scaling: float) -> Tensor:
    """Attention, of short texts on a CPU as plain matrix products, with torch's fused kernel of everything else.

    `query`, `key`, `value` and the result are (n, heads, tokens, d / heads).
    """
    longest = {torch.float32: SHORT_FLOAT32, torch.bfloat16: SHORT_BFLOAT16}.get(query.dtype, 0)
    n, heads, tokens, width = query.shape
    if query.device.type != "cpu" or mask is not None or tokens > longest:
        return scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scaling)

    def flat(states: Tensor) -> Tensor:
        return states.reshape(n * heads, tokens, width)

    scores = torch.bmm(flat(query), flat(key).transpose(1, 2)).mul_(scaling)
    return torch.bmm(torch.softmax(scores, dim=-1), flat(value)).view(n, heads, tokens, width)
