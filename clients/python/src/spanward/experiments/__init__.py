"""Evaluators and results of experiments; ``Client().experiments.run(…)`` runs them."""

from .evaluators import Evaluator, contains, evaluator, exact_match, is_json, matches
from .results import ExperimentResult, Run
from .run import evaluate_experiment, resume_experiment, run_experiment
from .unstored import ResultsNotStored, UnstoredResult

__all__ = [
    "Evaluator",
    "ExperimentResult",
    "ResultsNotStored",
    "Run",
    "UnstoredResult",
    "contains",
    "evaluate_experiment",
    "evaluator",
    "exact_match",
    "is_json",
    "matches",
    "resume_experiment",
    "run_experiment",
]
