"""Experiments as functions, with a client of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._sync.client import Client
    from .evaluators import Evaluators
    from .results import ExperimentResult


def run_experiment(
    dataset: Any, task: Callable[..., Any], *args: Any, client: Client | None = None, **options: Any
) -> ExperimentResult:
    """As ``Client().experiments.run``."""
    return (client or _client()).experiments.run(dataset, task, *args, **options)


def resume_experiment(
    experiment_id: str, task: Callable[..., Any], *args: Any, client: Client | None = None, **options: Any
) -> ExperimentResult:
    """As ``Client().experiments.resume``."""
    return (client or _client()).experiments.resume(experiment_id, task, *args, **options)


def evaluate_experiment(
    experiment_id: str, evaluators: Evaluators, *, client: Client | None = None, **options: Any
) -> ExperimentResult:
    """As ``Client().experiments.evaluate``."""
    return (client or _client()).experiments.evaluate(experiment_id, evaluators, **options)


def _client() -> Client:
    from .._sync.client import Client

    return Client()
