"""A cell as a plain script has it, all vectors at hand: what `benchmarks.head` and `benchmarks.cell` compare with.

It imports nothing from bias_lab and does what a cell cannot do without: the head is trained in a bare loop, each corpus
is scored in one product, the two regressions of the paper are fitted, the predictions are written.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

Rows = tuple[np.ndarray, np.ndarray]  # vectors float32 (n, d), gold scores (n,)
BATCH_SIZE, HIDDEN, LEARNING_RATE = 32, 128, 1e-3


@dataclass(frozen=True)
class Trained:
    """The best epoch's head, its Pearson on dev, and how many epochs there were."""

    head: nn.Module
    best: float
    epochs: int


def train(
    train_rows: Rows, dev_rows: Rows, *, seed: int, epochs: int = 100, patience: int = 10, device: str = "cpu"
) -> Trained:
    """Adam on the squared error; stops after `patience` epochs without a higher Pearson on dev."""
    x, dev_x = (torch.from_numpy(vectors).to(device) for vectors, _ in (train_rows, dev_rows))
    y = torch.tensor(train_rows[1], dtype=torch.float32).to(device)
    torch.manual_seed(seed)
    layers = (nn.Linear(x.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1), nn.Sigmoid(), nn.Flatten(0))
    head, loss, order = nn.Sequential(*layers).to(device), nn.MSELoss(), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(head.parameters(), lr=LEARNING_RATE)
    torch.randperm(len(y), generator=order)  # Lightning takes one that it does not use; so both see the same batches
    best, best_epoch, epoch, state = -np.inf, 0, 0, head.state_dict()
    while epoch < epochs and epoch - best_epoch < patience:
        epoch += 1
        head.train()
        for rows in torch.randperm(len(y), generator=order).to(device).split(BATCH_SIZE):
            optimizer.zero_grad()
            loss(head(x[rows]), y[rows]).backward()
            optimizer.step()
        head.eval()
        with torch.no_grad():
            predicted = head(dev_x).cpu().double().numpy()
        found = np.corrcoef(predicted, dev_rows[1])[0, 1]
        if found > best:
            best, best_epoch, state = found, epoch, copy.deepcopy(head.state_dict())
    head.load_state_dict(state)
    return Trained(head, float(best), epoch)


def cell(
    vectors: Path,
    corpora: Mapping[str, pd.DataFrame],
    formulas: Mapping[str, Sequence[str]],
    out: Path,
    *,
    seed: int,
    device: str = "cpu",
) -> Trained:
    """Train, score, fit and write one cell.

    vectors: an .npz with x, y, dev_x, dev_y and for each corpus its sentences' vectors. corpora: their long tables.
    formulas: for each corpus that of its names and that of its noun phrases.
    """
    from statsmodels.othermod.betareg import BetaModel

    with np.load(vectors) as stored:
        trained = train((stored["x"], stored["y"]), (stored["dev_x"], stored["dev_y"]), seed=seed, device=device)
        for name, table in corpora.items():
            with torch.no_grad():
                scores = trained.head(torch.from_numpy(stored[name]).to(device)).cpu().double().numpy()
            scored = table.assign(prediction=scores)
            for kind, formula in zip(("name", "noun_phrase"), formulas[name], strict=True):
                BetaModel.from_formula(formula, scored[scored["person_kind"] == kind]).fit(disp=False).summary()
            scored.to_parquet(out / f"{name}.parquet")
    return trained
