from __future__ import annotations

import datetime
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, List

from .. import types
from .._values import without_none
from ..experiments.evaluators import Evaluator, as_evaluator, to_result
from ..experiments.progress import ProgressBar
from ..experiments.results import ExperimentResult, Run
from ..experiments.tasks import arguments_of
from ..experiments.tracing import ExperimentTracing
from .datasets import AsyncDatasets
from .paging import AsyncPages
from .resource import AsyncResource
from .transport import AsyncTransport
from .waiting import call, concurrently


class AsyncExperiments(AsyncResource):
    """Experiments: a task run on each example of a dataset, and what evaluators say about its outputs."""

    def __init__(self, transport: AsyncTransport, datasets: AsyncDatasets) -> None:
        super().__init__(transport)
        self._datasets = datasets

    async def run(
        self,
        dataset: str | Mapping[str, Any],
        task: Callable[..., Any],
        evaluators: Sequence[Evaluator | Callable[..., Any]] = (),
        *,
        name: str | None = None,
        description: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        version_id: str | None = None,
        splits: Sequence[str] | None = None,
        repetitions: int = 1,
        concurrency: int = 5,
        dry_run: bool | int = False,
        trace: bool = True,
        show_progress: bool = True,
    ) -> ExperimentResult:
        """
        Runs ``task`` on every example and stores what it answers, then has every evaluator look at it.

        ``task`` takes the example, or any of ``input``, ``expected``, ``metadata``, ``example`` by name. A task or evaluator
        that raises is recorded with its error, and the others go on; ``resume`` does the failed ones again.

        ``dry_run=True`` (or a number of examples) stores nothing. With OpenTelemetry installed (``spanward[otel]``) each run is a
        trace in the experiment's project.
        """
        dataset_id = await self._datasets.id_of(dataset)
        judges = [as_evaluator(evaluator) for evaluator in evaluators]
        if dry_run:
            return await self._dry_run(dataset_id, task, judges, version_id, splits, 1 if dry_run is True else dry_run)
        body = without_none(
            name=name,
            description=description,
            metadata=metadata,
            version_id=version_id,
            splits=splits,
            repetitions=repetitions,
        )
        experiment = await self._data("POST", "/v1/datasets/{}/experiments", dataset_id, body=body)
        return await self.resume(
            experiment["id"], task, judges, concurrency=concurrency, trace=trace, show_progress=show_progress
        )

    async def resume(
        self,
        experiment_id: str,
        task: Callable[..., Any],
        evaluators: Sequence[Evaluator | Callable[..., Any]] = (),
        *,
        concurrency: int = 5,
        trace: bool = True,
        show_progress: bool = True,
    ) -> ExperimentResult:
        """Does what is missing of an experiment: runs that are not there or failed, then evaluations."""
        experiment = await self.get(experiment_id)
        tracing = ExperimentTracing(
            self._transport.base_url, self._transport.headers, experiment["project_name"], trace
        )
        total = experiment["example_count"] * experiment["repetitions"] - experiment["successful_run_count"]
        bar = ProgressBar("tasks", total, show_progress)

        async def run_one(item: tuple[dict[str, Any], int]) -> None:
            example, repetition = item
            await self._run_task(experiment_id, task, example, repetition, tracing, bar)

        with tracing, bar:
            await concurrently(self._missing_runs(experiment_id), concurrency, run_one)
        return await self.evaluate(
            experiment_id, evaluators, concurrency=concurrency, trace=trace, show_progress=show_progress
        )

    async def evaluate(
        self,
        experiment_id: str,
        evaluators: Sequence[Evaluator | Callable[..., Any]],
        *,
        concurrency: int = 5,
        trace: bool = True,
        show_progress: bool = True,
    ) -> ExperimentResult:
        """Has evaluators look at the successful runs that they have not looked at yet."""
        judges = {judge.name: judge for judge in map(as_evaluator, evaluators)}
        experiment = await self.get(experiment_id)
        if judges:
            tracing = ExperimentTracing(self._transport.base_url, self._transport.headers, "evaluators", trace)
            bar = ProgressBar("evaluations", experiment["successful_run_count"] * len(judges), show_progress)

            async def evaluate_one(item: tuple[dict[str, Any], dict[str, Any], str]) -> None:
                run, example, name = item
                await self._evaluate_run(judges[name], run, example, tracing, bar)

            with tracing, bar:
                await concurrently(self._missing_evaluations(experiment_id, list(judges)), concurrency, evaluate_one)
        return await self.result(experiment_id)

    async def result(self, experiment_id: str) -> ExperimentResult:
        """An experiment with its runs and evaluations."""
        experiment = await self.get(experiment_id)
        runs = await self._transport.call("GET", "/v1/experiments/{}/json", experiment_id)
        return ExperimentResult(experiment, [Run(**_known(run)) for run in runs])

    def list(self, *, dataset: str | None = None) -> AsyncPages[types.Experiment]:
        """Newest first, of one dataset (its id) or of all."""
        return AsyncPages(self._transport, "/v1/experiments", params={"dataset_id": dataset})

    async def get(self, experiment_id: str) -> types.Experiment:
        return await self._data("GET", "/v1/experiments/{}", experiment_id)

    async def update(self, experiment_id: str, **changes: Any) -> types.Experiment:
        """Its ``name``, ``description`` or ``metadata``."""
        return await self._data("PATCH", "/v1/experiments/{}", experiment_id, body=changes)

    async def delete(self, experiment_id: str, *, delete_project: bool = False) -> None:
        """``delete_project``: with the traces of its runs."""
        params = {"delete_project": delete_project}
        await self._transport.call("DELETE", "/v1/experiments/{}", experiment_id, params=params)

    def runs(self, experiment_id: str) -> AsyncPages[types.ExperimentRun]:
        return AsyncPages(self._transport, "/v1/experiments/{}/runs", experiment_id)

    async def log_run(
        self,
        experiment_id: str,
        *,
        example_id: str,
        output: Any,
        repetition: int = 1,
        error: str | None = None,
        start_time: datetime.datetime | None = None,
        end_time: datetime.datetime | None = None,
        trace_id: str | None = None,
    ) -> str:
        """Stores a run that was done elsewhere; ``example_id`` is the server's id of the example. Its id."""
        now = datetime.datetime.now(datetime.timezone.utc)
        body = {
            "dataset_example_id": example_id,
            "output": output,
            "repetition_number": repetition,
            "start_time": start_time or now,
            "end_time": end_time or now,
        } | without_none(error=error, trace_id=trace_id)
        return (await self._data("POST", "/v1/experiments/{}/runs", experiment_id, body=body))["id"]

    async def log_evaluation(
        self,
        run_id: str,
        name: str,
        *,
        score: float | None = None,
        label: str | None = None,
        explanation: str | None = None,
        error: str | None = None,
        annotator_kind: str = "CODE",
        metadata: Mapping[str, Any] | None = None,
        start_time: datetime.datetime | None = None,
        end_time: datetime.datetime | None = None,
        trace_id: str | None = None,
    ) -> str:
        """Stores what somebody or something says about a run; one with the same name is written over. Its id."""
        now = datetime.datetime.now(datetime.timezone.utc)
        result = without_none(score=score, label=label, explanation=explanation)
        body = {
            "experiment_run_id": run_id,
            "name": name,
            "annotator_kind": annotator_kind,
            "start_time": start_time or now,
            "end_time": end_time or now,
            "result": result or None,
        } | without_none(error=error, metadata=metadata, trace_id=trace_id)
        return (await self._data("POST", "/v1/experiment_evaluations", body=body))["id"]

    async def tags(self, experiment_id: str) -> List[types.ExperimentTag]:
        return await self._data("GET", "/v1/experiments/{}/tags", experiment_id)

    async def tag(self, experiment_id: str, name: str, *, description: str | None = None) -> types.ExperimentTag:
        """Moves the tag from another experiment of the dataset."""
        body = without_none(name=name, description=description)
        return await self._data("POST", "/v1/experiments/{}/tags", experiment_id, body=body)

    async def untag(self, experiment_id: str, name: str) -> None:
        await self._transport.call("DELETE", "/v1/experiments/{}/tags/{}", experiment_id, name)

    async def compare(self, dataset: str, experiment_ids: Sequence[str], *, metric: str | None = None) -> Any:
        """The first page of a comparison with the first of the experiments: examples with the largest regressions first."""
        params = {"experiment_id": experiment_ids, "metric": metric, "sort": "regression"}
        path = "/v1/datasets/{}/experiments/compare"
        return await self._transport.call("GET", path, await self._datasets.id_of(dataset), params=params)

    async def _missing_runs(self, experiment_id: str) -> AsyncIterator[tuple[dict[str, Any], int]]:
        async for item in AsyncPages[Any](self._transport, "/v1/experiments/{}/incomplete-runs", experiment_id):
            for repetition in item["repetition_numbers"]:
                yield item["dataset_example"], repetition

    async def _missing_evaluations(
        self, experiment_id: str, names: List[str]
    ) -> AsyncIterator[tuple[dict[str, Any], dict[str, Any], str]]:
        params = {"evaluation_name": names}
        path = "/v1/experiments/{}/incomplete-evaluations"
        async for item in AsyncPages[Any](self._transport, path, experiment_id, params=params):
            for name in item["evaluation_names"]:
                yield item["experiment_run"], item["dataset_example"], name

    async def _run_task(
        self,
        experiment_id: str,
        task: Callable[..., Any],
        example: Mapping[str, Any],
        repetition: int,
        tracing: ExperimentTracing,
        bar: ProgressBar,
    ) -> None:
        output, error = None, None
        start = datetime.datetime.now(datetime.timezone.utc)
        with tracing.span("Task", "CHAIN", example["input"]) as span:
            try:
                output = await call(task, **arguments_of(task, _facts(example)))
                span.answer(output)
            except Exception as caught:
                error = f"{type(caught).__name__}: {caught}"
                span.fail(caught)
        end = datetime.datetime.now(datetime.timezone.utc)
        await self.log_run(
            experiment_id,
            example_id=example["node_id"],
            output=output,
            repetition=repetition,
            error=error,
            start_time=start,
            end_time=end,
            trace_id=span.trace_id,
        )
        bar.step(failed=error is not None)

    async def _evaluate_run(
        self,
        judge: Evaluator,
        run: Mapping[str, Any],
        example: Mapping[str, Any],
        tracing: ExperimentTracing,
        bar: ProgressBar,
    ) -> None:
        facts = _facts(example) | {"output": run["output"], "trace_id": run.get("trace_id")}
        result: dict[str, Any] = {}
        error = None
        start = datetime.datetime.now(datetime.timezone.utc)
        with tracing.span(f"Evaluation: {judge.name}", "EVALUATOR", facts) as span:
            try:
                result = to_result(await call(judge.evaluate, **arguments_of(judge.evaluate, facts)))
                span.answer(result)
            except Exception as caught:
                error = f"{type(caught).__name__}: {caught}"
                span.fail(caught)
        end = datetime.datetime.now(datetime.timezone.utc)
        await self.log_evaluation(
            run["id"],
            judge.name,
            **result,
            error=error,
            annotator_kind=judge.kind,
            start_time=start,
            end_time=end,
            trace_id=span.trace_id,
        )
        bar.step(failed=error is not None)

    async def _dry_run(
        self,
        dataset_id: str,
        task: Callable[..., Any],
        judges: Sequence[Evaluator],
        version_id: str | None,
        splits: Sequence[str] | None,
        count: int,
    ) -> ExperimentResult:
        examples = await self._datasets.examples(dataset_id, version_id=version_id, splits=splits)
        runs = []
        for example in examples[:count]:
            facts = _facts(example)
            output = await call(task, **arguments_of(task, facts))
            judged = facts | {"output": output, "trace_id": None}
            evaluations = [
                {"name": judge.name, **to_result(await call(judge.evaluate, **arguments_of(judge.evaluate, judged)))}
                for judge in judges
            ]
            runs.append(
                Run(
                    example_id=example["id"],
                    repetition_number=1,
                    input=example["input"],
                    reference_output=example["output"],
                    output=output,
                    annotations=evaluations,
                )
            )
        return ExperimentResult(None, runs)


def _facts(example: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "example": example,
        "input": example["input"],
        "expected": example["output"],
        "metadata": example["metadata"],
    }


def _known(run: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in run.items() if name in Run.__dataclass_fields__}
