"""Evaluators and results of experiments; ``Client().experiments.run(…)`` runs them."""

from .evaluators import Evaluator, contains, evaluator, exact_match, is_json, matches
from .jobs import JobNotDone
from .results import ExperimentResult, Run
from .run import evaluate_experiment, resume_experiment, run_experiment
from .unstored import ResultsNotStored, UnstoredResult

__all__ = [
    "Evaluator",
    "ExperimentResult",
    "JobNotDone",
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
