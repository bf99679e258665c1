from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from .._sync.client import Client
from ..experiments.evaluators import Evaluator
from ._arguments import evaluator_files, evaluator_names, to_resume
from ._failures import NOT_FINISHED, PASSED, usage_failure
from ._gate import gate, one_line, say
from ._load import load_evaluators, load_task
from ._server_jobs import go_on_with_jobs, start_evaluation, start_prompt, wait_for_jobs

_COUNTS_ERRORS = re.compile(r"\s*errors\b")
"""Requirements that say how many failures there may be."""


def run(client: Client, given: argparse.Namespace) -> int:
    """Runs an experiment, or goes on with one, and asks whether it passes. The exit code."""
    task = load_task(given.task) if given.task else None
    evaluators = [judge for file in evaluator_files(given) for judge in load_evaluators(file)]
    _check_names(evaluators)
    experiment_id = _start(client, given)
    started = client.experiments.get(experiment_id)
    line = shlex.join(["python", "-m", "spanward.evaluate", "run", "--experiment", experiment_id, *to_resume(given)])
    say(f"Experiment {one_line(started['name'])}: {client.experiments.url(started)}")
    try:
        _carry_out(client, given, experiment_id, task, evaluators)
    except BaseException:
        say(f"What was recorded stays. To go on:\n  {line}")
        raise
    result = client.experiments.result(experiment_id)
    experiment = result.experiment
    failed_runs = experiment["failed_run_count"]
    failed_evaluations = sum(judged["error"] is not None for one in result.runs for judged in one.annotations)
    has_failures = failed_runs + failed_evaluations > 0
    if has_failures:
        say(f"{failed_runs} runs and {failed_evaluations} evaluations failed. To do them again:\n  {line}")
    if not given.require:
        print(json.dumps(experiment) if given.json else _summary(experiment), flush=True)
        return NOT_FINISHED if has_failures else PASSED
    code = gate(client, experiment_id, given)
    may_have_failures = any(_COUNTS_ERRORS.match(requirement) for requirement in given.require)
    return NOT_FINISHED if code == PASSED and has_failures and not may_have_failures else code


def _start(client: Client, given: argparse.Namespace) -> str:
    """The id of the experiment."""
    if given.experiment:
        experiment: str = given.experiment
        return experiment
    return start_prompt(client, given) if given.prompt else str(_create(client, given)["id"])


def _carry_out(
    client: Client,
    given: argparse.Namespace,
    experiment_id: str,
    task: Callable[..., Any] | None,
    evaluators: list[Evaluator],
) -> None:
    """Does what is missing of an experiment: the tasks, then the evaluations, here and on the server."""
    options: dict[str, Any] = {
        "concurrency": given.concurrency,
        "trace": not given.no_trace,
        "show_progress": "lines",
    }
    if task is not None:
        client.experiments.resume(experiment_id, task, **options)
    if given.experiment:
        go_on_with_jobs(client, experiment_id, given.max_cost)
    wait_for_jobs(client, experiment_id)
    client.experiments.evaluate(experiment_id, evaluators, **options)
    # The job of a prompt has its evaluators already.
    if evaluator_names(given) and not given.prompt:
        start_evaluation(client, experiment_id, given)
        wait_for_jobs(client, experiment_id)


def _create(client: Client, given: argparse.Namespace) -> Mapping[str, Any]:
    return client.experiments.create(
        given.dataset,
        name=given.name,
        version_id=given.version_id,
        splits=given.split,
        repetitions=given.repetitions or 1,
    )


def _check_names(evaluators: list[Evaluator]) -> None:
    names = [judge.name for judge in evaluators]
    for name in names:
        if names.count(name) > 1:
            raise usage_failure(f"There are two evaluators {name}.")


def _summary(experiment: Mapping[str, Any]) -> str:
    failed = experiment["failed_run_count"]
    failures = f", {failed} failed" if failed else ""
    means = "".join(f", {one_line(name)} {score['mean']:.6g}" for name, score in experiment["scores"].items())
    return f"{experiment['successful_run_count']} runs{failures}{means}"
