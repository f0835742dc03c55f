"""The texts that the benchmarks encode: sentences of a shipped corpus, and posts."""

from pathlib import Path

from bias_lab.corpora import load_corpus


def corpus_sentences(n: int) -> list[str]:
    """The first n distinct sentences of a shipped corpus."""
    return list(load_corpus("black_white_en").table["sentence"].drop_duplicates())[:n]


def posts(n: int, folder: Path | None) -> list[str]:
    """n English posts: from the SemEval-2018 files where there is a folder, else from the sample, in combinations."""
    if folder is not None:
        from bias_lab.data.semeval import load_semeval

        task = load_semeval(folder, language="en", emotion="anger")
        return [text for split in (task.train, task.dev, task.test) for text in split.texts][:n]
    from bias_lab.data.sample import load_sample

    task = load_sample(language="en", emotion="anger")
    texts = [text for split in (task.train, task.dev, task.test) for text in split.texts]
    # Pairs and single ones, so that lengths vary as those of posts do.
    pairs = [f"{a} {b}" for step in range(1, len(texts)) for a, b in zip(texts, texts[step:], strict=False)]
    return [text for pair in zip(pairs, texts * len(texts), strict=False) for text in pair][:n]
