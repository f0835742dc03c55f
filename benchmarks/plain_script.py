"""A straightforward script for the same work as a cell of bias_lab: what `benchmarks.whole` compares with.

    python benchmarks/plain_script.py WORK.json --model FOLDER [--fraction 0.02]

WORK.json holds `train`, `dev` and `test`, each with `texts` and `scores`, and `corpora`, lists of sentences by name.
Texts are padded to 64 tokens and taken in batches of 8; the frozen encoder runs anew over every training batch in every
epoch, and over dev after each; the trained model scores the corpora sentence by sentence. It imports nothing from
bias_lab. With --fraction only
that share of each part is run. Prints as JSON what each part took, and what all of it would: {part: [seconds, all]}.
"""

import argparse
import json
import math
import random
import time
from pathlib import Path

import torch
from torch import nn
from transformers import AutoModel, AutoTokenizer

Seconds = tuple[float, float]  # of what was run, and of the whole
MAX_LENGTH, BATCH_SIZE, EPOCHS, HIDDEN = 64, 8, 10, 128


class Regressor(nn.Module):
    """Frozen encoder and two-layer head."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.encoder = AutoModel.from_pretrained(name)
        for parameter in self.encoder.parameters():
            parameter.requires_grad = False
        self.head = nn.Sequential(
            nn.Linear(self.encoder.config.hidden_size, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1), nn.Sigmoid()
        )

    def forward(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """Scores (n,) of a batch of tokens."""
        with torch.no_grad():
            vectors = self.encoder(**batch).last_hidden_state[:, 0]
        scores: torch.Tensor = self.head(vectors).squeeze(-1)
        return scores


class Script:
    """The model, its tokenizer and the device, with what the script does with them."""

    def __init__(self, name: str, device: str) -> None:
        self.device = torch.device(device)
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = Regressor(name).to(self.device)
        self.model.encoder.eval()

    def scores(self, texts: list[str]) -> torch.Tensor:
        """Scores (n,) of a few texts."""
        tokens = self.tokenizer(
            texts, padding="max_length", truncation=True, max_length=MAX_LENGTH, return_tensors="pt"
        )
        result: torch.Tensor = self.model({name: tensor.to(self.device) for name, tensor in tokens.items()})
        return result

    def train(self, texts: list[str], gold: list[float], fraction: float) -> Seconds:
        """Train for ten epochs."""
        optimizer, loss = torch.optim.Adam(self.model.head.parameters(), lr=1e-3), nn.MSELoss()
        batches = math.ceil(len(texts) / BATCH_SIZE) * EPOCHS
        wanted = max(1, round(batches * fraction))
        start, done = time.perf_counter(), 0
        for _ in range(EPOCHS):
            order = random.sample(range(len(texts)), len(texts))
            for first in range(0, len(order), BATCH_SIZE):
                rows = order[first : first + BATCH_SIZE]
                optimizer.zero_grad()
                error = loss(
                    self.scores([texts[row] for row in rows]),
                    torch.tensor([gold[row] for row in rows], device=self.device),
                )
                error.backward()
                optimizer.step()
                error.item()
                done += 1
                if done == wanted:
                    return scaled(time.perf_counter() - start, done, batches)
        raise RuntimeError("a fraction of at most 1 is run")

    def predict(self, texts: list[str], batch_size: int, fraction: float) -> Seconds:
        """Score n texts, 1 or more."""
        starts = range(0, len(texts), batch_size)
        # Evenly through the texts, whose lengths may go by their order.
        chosen = starts[:: max(1, round(1 / fraction))]
        start = time.perf_counter()
        with torch.no_grad():
            for first in chosen:
                self.scores(texts[first : first + batch_size]).tolist()
        return scaled(time.perf_counter() - start, len(chosen), len(starts))


def scaled(seconds: float, done: int, whole: int) -> Seconds:
    """What a share took, and what the whole would take."""
    return seconds, seconds / done * whole


def main() -> None:
    """Do the work, or a share of it, and print what the whole takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--model", required=True, help="the encoder's folder or hub id")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--fraction", type=float, default=1.0, help="share that is run, above 0 and at most 1")
    options = parser.parse_args()
    if not 0 < options.fraction <= 1:
        parser.error(f"--fraction {options.fraction}: give a share above 0 and at most 1")
    work = json.loads(options.work.read_text(encoding="utf-8"))
    torch.manual_seed(0)
    random.seed(0)
    script = Script(options.model, options.device)
    script.predict(work["dev"]["texts"][:1], 1, 1.0)  # the first call sets up what later ones find, so it is not scaled
    seconds = {"train": script.train(work["train"]["texts"], work["train"]["scores"], options.fraction)}
    script.model.eval()
    seconds["test"] = script.predict(work["test"]["texts"], BATCH_SIZE, options.fraction)
    run, whole = script.predict(work["dev"]["texts"], BATCH_SIZE, options.fraction)
    seconds["dev"] = run, whole * EPOCHS  # after each epoch, to know the best one
    sentences = [sentence for corpus in work["corpora"].values() for sentence in corpus]
    seconds["corpora"] = script.predict(sentences, 1, options.fraction)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
