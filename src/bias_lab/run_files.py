"""Names of the files in a run's folder; those that read them need not know how they are made."""

METRICS = "metrics.json"
HISTORY = "history.csv"
TASK_PREDICTIONS = "task_predictions.parquet"
NAME_COVERAGE = "name_coverage.csv"
COEFFICIENTS = "coefficients.csv"
