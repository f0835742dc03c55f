"""Encoder throughput, against sentence-transformers' `encode` and against what the matrix product allows.

Same checkpoint, texts, threads and device. The peer runs with its defaults, in float32.
The limit is the rate of a large matrix product here, by the faster of the two that torch carries for a CPU: its own,
which is MKL's, and oneDNN's. The arithmetic is that of real tokens through all layers, so that padding counts as waste;
beside it the share that is left when only what our last layer computes is counted.
"""

import argparse
from collections.abc import Callable
from typing import Any

from benchmarks.texts import corpus_sentences, posts
from benchmarks.timing import Figure, ratios, take_turns, told

TEXTS = 2000
SIZE = 2048  # rows and columns of the matrices whose product is the limit
DEVICE_SIZE = 8192  # the same on a GPU, which a smaller one would not fill


def measure(options: argparse.Namespace) -> list[Figure]:
    """Corpus sentences and posts, in float32 and in bfloat16 where the device has it."""
    from bias_lab.encoders.device import choose_device, cpu_has_bfloat16

    device = choose_device(options.device)
    dtypes = ["float32", *(["bfloat16"] if device.type == "cuda" or cpu_has_bfloat16() else [])]
    figures = []
    for name, texts in {"corpus": corpus_sentences(TEXTS), "posts": posts(TEXTS, options.data)}.items():
        figures += compare(name, texts, dtypes, model=options.model, device=str(device), rounds=options.rounds)
    return figures


def compare(name: str, texts: list[str], dtypes: list[str], *, model: str, device: str, rounds: int) -> list[Figure]:
    """All contenders in turns on the same texts."""
    from sentence_transformers import SentenceTransformer

    from bias_lab.encoders.frozen import FrozenEncoder

    ours = {dtype: FrozenEncoder(name_or_path=model, device=device, dtype=dtype) for dtype in dtypes}
    peer = SentenceTransformer(str(ours["float32"].checkpoint.folder), device=device)
    peer.max_seq_length = ours["float32"]._limit
    contenders: dict[str, Callable[[], Any]] = {
        "peer": lambda: peer.encode(texts),
        **{dtype: (lambda encoder=encoder: encoder.encode(texts)) for dtype, encoder in ours.items()},
        **{f"limit {dtype}": matrix_product(device, dtype) for dtype in dtypes},
        "torch.mm": matrix_product(device, "float32", plain=True),
    }
    seconds = take_turns(contenders, rounds=rounds)
    whole, needed = arithmetic(ours["float32"], texts)
    figures = []
    for dtype in dtypes:
        case = f"{name}, {len(texts)} texts, {dtype}"
        rate = [whole / s for s in seconds[dtype]]
        mine = f"{told(seconds[dtype])} ({sorted(rate)[len(rate) // 2] / 1e9:,.0f} GFLOP/s)"
        goal = {"float32": 1.4, "bfloat16": 3.5}[dtype]
        faster = ratios(seconds["peer"], seconds[dtype])
        figures.append(Figure(f"{case}: speed", mine, f"the peer {told(seconds['peer'])}", *faster, at_least=goal))
        limit = [product_flop(device) / s for s in seconds[f"limit {dtype}"]]
        told_limit = f"{sorted(limit)[len(limit) // 2] / 1e9:,.0f} GFLOP/s"
        reached = ratios(rate, limit)
        wanted = 0.8 if dtype == "float32" else None
        figures.append(Figure(f"{case}: share of the limit", mine, told_limit, *reached, at_least=wanted))
        without = tuple(share * needed / whole for share in reached)
        figures.append(Figure(f"{case}: the same, last layer as computed", mine, told_limit, *without))
        if dtype == "float32":
            plain = [product_flop(device) / s for s in seconds["torch.mm"]]
            told_plain = f"torch.mm {sorted(plain)[len(plain) // 2] / 1e9:,.0f} GFLOP/s"
            figures.append(Figure(f"{case}: in rates of torch.mm", mine, told_plain, *ratios(rate, plain)))
    return figures


def matrix_product(device: str, dtype: str, *, plain: bool = False) -> Callable[[], None]:
    """A large matrix product on the device, ten times: the fastest there is, or with `plain` torch's own."""
    import torch

    from bias_lab.encoders.dense import Dense

    size = SIZE if device == "cpu" else DEVICE_SIZE
    a, b = (torch.randn(size, size, device=device, dtype=getattr(torch, dtype)) for _ in range(2))
    product: Callable[..., Any] = (lambda x: torch.mm(x, b)) if plain else Dense(b, None)

    def run() -> None:
        with torch.inference_mode():
            for _ in range(10):
                product(a)
        if device != "cpu":
            torch.accelerator.synchronize()

    return run


def product_flop(device: str) -> float:
    """Operations of one `matrix_product`."""
    return 10 * 2 * float(SIZE if device == "cpu" else DEVICE_SIZE) ** 3


def arithmetic(encoder: Any, texts: list[str]) -> tuple[float, float]:
    """Operations (two a multiply-add) of a BERT-like model: all tokens in all layers; and as we compute the last one.

    That is for the first token alone, and with sums of hidden states in place of keys and values (`FirstTokenLayer`).
    """
    config = encoder.transformer.config
    d, inner, layers, heads = (
        config.hidden_size,
        config.intermediate_size,
        config.num_hidden_layers,
        config.num_attention_heads,
    )
    lengths = [len(ids) for ids in encoder._token_ids(texts)]
    layer = sum(n * 2 * (4 * d * d + 2 * d * inner) + 4 * n * n * d for n in lengths)
    last = sum(2 * (4 * d * d + 2 * d * inner) + 4 * n * heads * d for n in lengths)
    return float(layers * layer), float((layers - 1) * layer + last)
