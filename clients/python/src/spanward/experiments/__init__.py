"""Evaluators and results of experiments; ``Client().experiments.run(…)`` runs them."""

from .evaluators import Evaluator, contains, evaluator, exact_match, is_json, matches
from .results import ExperimentResult, Run
from .run import resume_experiment, run_experiment

__all__ = [
    "Evaluator",
    "ExperimentResult",
    "Run",
    "contains",
    "evaluator",
    "exact_match",
    "is_json",
    "matches",
    "resume_experiment",
    "run_experiment",
]
