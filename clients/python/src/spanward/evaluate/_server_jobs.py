from __future__ import annotations

import argparse
from typing import Any

from .. import types
from .._progress import ProgressBar
from .._sync.client import Client
from .._values import without_none
from ..experiments.jobs import JobNotDone
from ._arguments import evaluator_names
from ._failures import usage_failure

_ACTIVE = ("waiting", "running")


def start_prompt(client: Client, given: argparse.Namespace) -> str:
    """Has the server run a prompt on the examples. The id of the experiment."""
    name, at, tag = given.prompt.rpartition("@")
    version = client.prompts.get(name, tag=tag) if at and name else client.prompts.get(given.prompt)
    variant = without_none(
        connection_id=_find_connection(client, given.connection), prompt_version_id=version.id, model=given.model
    )
    names = evaluator_names(given)
    job = without_none(
        kind="run",
        dataset_id=client.datasets.get(given.dataset)["id"],
        variants=[variant],
        repetitions=given.repetitions or 1,
        version_id=given.version_id,
        splits=given.split,
        name=given.name,
        evaluators=[{"evaluator_id": one} for one in names] if names else None,
        max_cost_usd=given.max_cost,
    )
    experiment: str = client.experiment_jobs.create(job)["experiments"][0]["id"]
    return experiment


def _find_connection(client: Client, named: str) -> str:
    connections = client.model_connections.list().to_list()
    for connection in connections:
        if named in (connection["id"], connection["name"]):
            return connection["id"]
    known = ", ".join(connection["name"] for connection in connections) or "none"
    raise usage_failure(f"There is no connection {named}. Connections: {known}.")


def start_evaluation(client: Client, experiment_id: str, given: argparse.Namespace) -> None:
    """Has the server judge the runs that have no evaluation of its evaluators yet."""
    evaluators = [{"evaluator_id": name} for name in evaluator_names(given)]
    job = without_none(
        kind="evaluate", experiment_id=experiment_id, evaluators=evaluators, max_cost_usd=given.max_cost
    )
    client.experiment_jobs.create(job)


def go_on_with_jobs(client: Client, experiment_id: str, max_cost: float | None) -> None:
    """Lets paused jobs of an experiment go on, and has what failed done again."""
    for job in client.experiment_jobs.list(experiment_id=experiment_id).to_list():
        if job["state"] in ("cancelled", "failed"):
            continue
        if max_cost is not None and max_cost != job["max_cost_usd"] and job["state"] != "done":
            client.experiment_jobs.update(job["id"], max_cost_usd=max_cost)
        if job["runs"]["failed"] + job["evaluations"]["failed"] > 0:
            client.experiment_jobs.retry(job["id"])
        elif job["state"] == "paused":
            client.experiment_jobs.update(job["id"], state="running")


def wait_for_jobs(client: Client, experiment_id: str) -> None:
    """
    Waits until the server works on none of the experiment's jobs any more, those included that it has started by itself. Where
    that is interrupted, they are paused, so that they spend no more.

    :raises JobNotDone: when one of them does not go on
    """
    try:
        while active := _jobs(client, experiment_id, *_ACTIVE):
            for job in active:
                ended = _wait(client, job)
                if ended["state"] != "done":
                    raise JobNotDone(ended)
    except KeyboardInterrupt:
        for job in _jobs(client, experiment_id, *_ACTIVE):
            client.experiment_jobs.update(job["id"], state="paused")
        raise
    for job in _jobs(client, experiment_id, "paused"):
        raise JobNotDone(job)


def _jobs(client: Client, experiment_id: str, *states: str) -> list[types.ExperimentJob]:
    jobs = client.experiment_jobs.list(experiment_id=experiment_id).to_list()
    return [job for job in jobs if job["state"] in states]


def _wait(client: Client, job: types.ExperimentJob) -> types.ExperimentJob:
    """Shows the tasks of a job until all are done, then the evaluations."""
    bars = [
        (part, ProgressBar(title, 1, "lines")) for part, title in (("runs", "tasks"), ("evaluations", "evaluations"))
    ]

    def show(seen: Any) -> None:
        while bars:
            part, bar = bars[0]
            counts = seen[part]
            if counts["total"] > 0:
                bar.show(counts)
            if counts["done"] + counts["failed"] + counts["skipped"] < counts["total"] or len(bars) == 1:
                return
            bar.__exit__()
            bars.pop(0)

    ended = client.experiment_jobs.wait(job["id"], on_progress=show)
    for _, bar in bars:
        bar.__exit__()
    return ended
