"""Models of transformers' classes with random weights, small enough for a test."""

import torch
import transformers
from torch import nn

SMALL = {
    "vocab_size": 50,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 80,
    "initializer_range": 0.5,
    "pad_token_id": 0,
}


def random_model(family, **options):
    """A frozen model with wide random weights, and biases, so that texts have clearly different vectors."""
    config = getattr(transformers, family).config_class(**SMALL | options)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = getattr(transformers, family)(config).eval()
        for parameter in model.parameters():
            if parameter.dim() == 1:  # biases are made as zeros, and would hide that one is left out
                nn.init.normal_(parameter, mean=0.5)
    return model.requires_grad_(False)
