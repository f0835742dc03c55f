"""The errors a user can cause; each message says where, what was got and what is allowed."""


class BiasLabError(Exception):
    """A problem in the user's input or surroundings, told in the user's words, without a traceback."""


class ConfigError(BiasLabError):
    """A configuration key or value that is not allowed."""


class DataError(BiasLabError):
    """A data file (task, corpus, scores) that is missing or malformed."""


class TrackingError(BiasLabError):
    """A tracker that cannot be started or reached; the results on disk are whole without it."""


class ModelError(BiasLabError):
    """A model, tokenizer or word-vector file that is missing or cannot be used."""
