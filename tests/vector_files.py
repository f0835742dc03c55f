"""Small files of word vectors."""

import fasttext

from bias_lab.models.tokens import tokenize

VECTORS = {"I": (0.5, 0.25, 0.0), "am": (0.0, -1.0, 2.0), "happy": (1.0, 1.0, 1.0), "alonzo": (3.0, 0.0, -3.0)}
GOOD = ["happy", "glad", "joyful", "😊"]
BAD = ["sad", "grim", "gloomy", "😢"]
TEXTS = [f"{start} {word} {end}" for start in ("I am", "so", "what a") for word in GOOD + BAD for end in ("day", "!")]


def vec_text(vectors, *, header=True, end=" \n"):
    dim = len(next(iter(vectors.values())))
    lines = [f"{word} {' '.join(format(x, '.4f') for x in vector)}{end}" for word, vector in vectors.items()]
    return (f"{len(vectors)} {dim}\n" if header else "") + "".join(lines)


def train(folder, texts=TEXTS, **options):
    """A tiny fastText model of some texts, trained in a folder; its file."""
    (folder / "corpus.txt").write_text("\n".join(" ".join(tokenize(text)) for text in texts) + "\n", encoding="utf-8")
    chosen = {"dim": 6, "minCount": 1, "bucket": 50, "epoch": 2, "thread": 1, "verbose": 0, **options}
    fasttext.train_unsupervised(str(folder / "corpus.txt"), **chosen).save_model(str(folder / "model.bin"))
    return folder / "model.bin"
