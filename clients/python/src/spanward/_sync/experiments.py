# Generated from _async by `npm run generate`.
from __future__ import annotations

import datetime
from collections.abc import Iterator, Callable, Mapping, Sequence
from typing import Any, List, Literal, TypeVar

from .. import types
from .._errors import Conflict, SpanwardError
from .._progress import ProgressBar, Shown
from .._values import without_none
from ..experiments.evaluators import Evaluator, Evaluators, as_evaluators, names_on_server, to_result
from ..experiments.jobs import JobNotDone
from ..experiments.results import ExperimentResult, Run
from ..experiments.tasks import arguments_of
from ..experiments.tracing import ExperimentTracing
from ..experiments.unstored import HOPELESS, ResultsNotStored, UnstoredResult
from .datasets import Datasets
from .experiment_jobs import ExperimentJobs
from .paging import Pages
from .resource import Resource
from .transport import Transport
from .waiting import call, concurrently

T = TypeVar("T")


class Experiments(Resource):
    """Experiments: a task is run on each example of a dataset, and evaluators judge its outputs."""

    def __init__(self, transport: Transport, datasets: Datasets, jobs: ExperimentJobs) -> None:
        super().__init__(transport)
        self._datasets = datasets
        self._jobs = jobs

    def run(
        self,
        dataset: str | Mapping[str, Any],
        task: Callable[..., Any],
        evaluators: Evaluators = (),
        *,
        name: str | None = None,
        description: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        version_id: str | None = None,
        splits: Sequence[str] | None = None,
        repetitions: int = 1,
        concurrency: int = 5,
        max_cost: float | None = None,
        dry_run: bool | int = False,
        trace: bool = True,
        show_progress: Shown = True,
    ) -> ExperimentResult:
        """
        Runs ``task`` on every example and stores its outputs, then runs every evaluator on them.

        ``task`` takes the example, or any of ``input``, ``expected``, ``metadata``, ``example`` by name. A task or evaluator
        that raises is recorded with its error, and the others continue; ``resume`` repeats the failed ones. ``evaluators`` are a list,
        or a dictionary by the names of their metrics; ``"server:correctness"`` is one that the server runs, for at most ``max_cost``
        US dollars.

        ``dry_run=True`` (or a number of examples) stores nothing, and runs no evaluator of the server. With OpenTelemetry installed (``spanward[otel]``) each run is a
        trace in the experiment's project.

        :raises ResultsNotStored: at the end, with the results that the server did not take, also when asked again
        :raises JobNotDone: when the server does not go on with its evaluators
        """
        dataset_id = self._datasets.id_of(dataset)
        if dry_run:
            judges = as_evaluators(evaluators)
            return self._dry_run(dataset_id, task, judges, version_id, splits, 1 if dry_run is True else dry_run)
        experiment = self.create(
            {"id": dataset_id},
            name=name,
            description=description,
            metadata=metadata,
            version_id=version_id,
            splits=splits,
            repetitions=repetitions,
        )
        return self.resume(
            experiment["id"],
            task,
            evaluators,
            concurrency=concurrency,
            max_cost=max_cost,
            trace=trace,
            show_progress=show_progress,
        )

    def create(
        self,
        dataset: str | Mapping[str, Any],
        *,
        name: str | None = None,
        description: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        version_id: str | None = None,
        splits: Sequence[str] | None = None,
        repetitions: int = 1,
    ) -> types.Experiment:
        """Creates an experiment without running anything, for ``log_run`` and ``log_evaluation``, or ``resume``."""
        body = without_none(
            name=name,
            description=description,
            metadata=metadata,
            version_id=version_id,
            splits=splits,
            repetitions=repetitions,
        )
        return self._data("POST", "/v1/datasets/{}/experiments", self._datasets.id_of(dataset), body=body)

    def resume(
        self,
        experiment_id: str,
        task: Callable[..., Any],
        evaluators: Evaluators = (),
        *,
        concurrency: int = 5,
        max_cost: float | None = None,
        trace: bool = True,
        show_progress: Shown = True,
    ) -> ExperimentResult:
        """Completes an experiment: executes its missing and failed runs, then the missing evaluations."""
        experiment = self.get(experiment_id)
        tracing = ExperimentTracing(
            self._transport.base_url, self._transport.headers, experiment["project_name"], trace
        )
        total = experiment["example_count"] * experiment["repetitions"] - experiment["successful_run_count"]
        bar = ProgressBar("tasks", total, show_progress)

        unstored: List[UnstoredResult] = []

        def run_one(item: tuple[dict[str, Any], int]) -> None:
            example, repetition = item
            self._run_task(experiment_id, task, example, repetition, tracing, bar, unstored)

        with tracing, bar:
            self._do(self._missing_runs(experiment_id), concurrency, run_one, unstored)
        return self.evaluate(
            experiment_id,
            evaluators,
            concurrency=concurrency,
            max_cost=max_cost,
            trace=trace,
            show_progress=show_progress,
        )

    def evaluate(
        self,
        experiment_id: str,
        evaluators: Evaluators,
        *,
        concurrency: int = 5,
        max_cost: float | None = None,
        trace: bool = True,
        show_progress: Shown = True,
    ) -> ExperimentResult:
        """Runs evaluators on the successful runs that they have not judged yet."""
        judges = {judge.name: judge for judge in as_evaluators(evaluators)}
        experiment = self.get(experiment_id)
        if judges:
            tracing = ExperimentTracing(self._transport.base_url, self._transport.headers, "evaluators", trace)
            bar = ProgressBar("evaluations", experiment["successful_run_count"] * len(judges), show_progress)
            unstored: List[UnstoredResult] = []

            def evaluate_one(item: tuple[dict[str, Any], dict[str, Any], str]) -> None:
                run, example, name = item
                self._evaluate_run(judges[name], run, example, tracing, bar, unstored)

            with tracing, bar:
                missing = self._missing_evaluations(experiment_id, list(judges))
                self._do(missing, concurrency, evaluate_one, unstored)
        names = names_on_server(evaluators)
        if names:
            self._evaluate_on_server(experiment_id, names, max_cost, show_progress)
        return self.result(experiment_id)

    def result(self, experiment_id: str) -> ExperimentResult:
        """An experiment with its runs and evaluations."""
        experiment = self.get(experiment_id)
        runs = self._transport.call("GET", "/v1/experiments/{}/json", experiment_id)
        return ExperimentResult(experiment, [Run(**_known(run)) for run in runs])

    def url(self, experiment: Mapping[str, Any]) -> str:
        """Where people look at it."""
        return f"{self._transport.base_url}/datasets/{experiment['dataset_id']}/compare?experiment={experiment['id']}"

    def store(self, results: Sequence[UnstoredResult]) -> None:
        """
        Stores results that an experiment could not store.

        :raises ResultsNotStored: with the results that the server still does not accept
        """
        left: List[UnstoredResult] = []
        for position, result in enumerate(results):
            try:
                self._store(result.what, result.path, result.body, left)
            except HOPELESS:
                left += results[position + 1 :]
                break
        if left:
            raise ResultsNotStored(left)

    def list(self, *, dataset: str | None = None) -> Pages[types.Experiment]:
        """Newest first, of one dataset (its id) or of all."""
        return Pages(self._transport, "/v1/experiments", params={"dataset_id": dataset})

    def get(self, experiment_id: str) -> types.Experiment:
        return self._data("GET", "/v1/experiments/{}", experiment_id)

    def update(self, experiment_id: str, **changes: Any) -> types.Experiment:
        """Changes its ``name``, ``description`` or ``metadata``."""
        return self._data("PATCH", "/v1/experiments/{}", experiment_id, body=changes)

    def delete(self, experiment_id: str, *, delete_project: bool = False) -> None:
        """``delete_project``: with the traces of its runs."""
        params = {"delete_project": delete_project}
        self._transport.call("DELETE", "/v1/experiments/{}", experiment_id, params=params)

    def runs(self, experiment_id: str) -> Pages[types.ExperimentRun]:
        return Pages(self._transport, "/v1/experiments/{}/runs", experiment_id)

    def get_run(self, run_id: str) -> types.ExperimentRunDetails:
        """A run with its example, what evaluators said of it, and what people answered about it in review queues."""
        return self._data("GET", "/v1/experiment_runs/{}", run_id)

    def log_run(
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
        """Stores a run that was executed elsewhere; ``example_id`` is the server's id of the example. The run's id."""
        body = _run_body(example_id, output, repetition, error, start_time, end_time, trace_id)
        return (self._data("POST", "/v1/experiments/{}/runs", experiment_id, body=body))["id"]

    def log_evaluation(
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
        """Stores an evaluation of a run, replacing one with the same name. The evaluation's id."""
        result = without_none(score=score, label=label, explanation=explanation)
        body = _evaluation_body(
            run_id, name, result, error, annotator_kind, start_time, end_time, trace_id, metadata=metadata
        )
        return (self._data("POST", "/v1/experiment_evaluations", body=body))["id"]

    def tags(self, experiment_id: str) -> List[types.ExperimentTag]:
        return self._data("GET", "/v1/experiments/{}/tags", experiment_id)

    def tag(self, experiment_id: str, name: str, *, description: str | None = None) -> types.ExperimentTag:
        """Sets the tag, and takes it from any other experiment of the dataset."""
        body = without_none(name=name, description=description)
        return self._data("POST", "/v1/experiments/{}/tags", experiment_id, body=body)

    def untag(self, experiment_id: str, name: str) -> None:
        self._transport.call("DELETE", "/v1/experiments/{}/tags/{}", experiment_id, name)

    def compare(self, dataset: str, experiment_ids: Sequence[str], *, metric: str | None = None) -> Any:
        """The first page of a comparison with the first of the experiments: examples with the largest regressions first."""
        params = {"experiment_id": experiment_ids, "metric": metric, "sort": "regression"}
        path = "/v1/datasets/{}/experiments/compare"
        return self._transport.call("GET", path, self._datasets.id_of(dataset), params=params)

    def gate(
        self,
        experiment_id: str,
        requirements: Sequence[str],
        *,
        baseline: str | None = None,
        baseline_optional: bool = False,
        allow_incomplete: bool = False,
    ) -> types.ExperimentGate:
        """
        Whether the experiment meets all requirements, such as ``mean('correctness') >= 0.8``.

        :param baseline: id of an experiment on the same dataset, or ``tag:`` and the name of a tag
        :param baseline_optional: where the baseline is not there, what needs it is left out, not failed
        :param allow_incomplete: the experiment need not be finished
        """
        params = _gate_params(requirements, baseline, baseline_optional, allow_incomplete)
        return self._transport.call("GET", "/v1/experiments/{}/gate", experiment_id, params=params)

    def gate_report(
        self,
        experiment_id: str,
        requirements: Sequence[str],
        *,
        format: Literal["markdown", "junit"],
        baseline: str | None = None,
        baseline_optional: bool = False,
        allow_incomplete: bool = False,
    ) -> str:
        """The same as text: ``markdown`` for a comment, ``junit`` for the test report of a build."""
        params = _gate_params(requirements, baseline, baseline_optional, allow_incomplete) | {"format": format}
        return (self._transport.send("GET", "/v1/experiments/{}/gate", experiment_id, params=params)).text

    def _missing_runs(self, experiment_id: str) -> Iterator[tuple[dict[str, Any], int]]:
        for item in Pages[Any](self._transport, "/v1/experiments/{}/incomplete-runs", experiment_id):
            for repetition in item["repetition_numbers"]:
                yield item["dataset_example"], repetition

    def _missing_evaluations(
        self, experiment_id: str, names: List[str]
    ) -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
        params = {"evaluation_name": names}
        path = "/v1/experiments/{}/incomplete-evaluations"
        for item in Pages[Any](self._transport, path, experiment_id, params=params):
            for name in item["evaluation_names"]:
                yield item["experiment_run"], item["dataset_example"], name

    def _run_task(
        self,
        experiment_id: str,
        task: Callable[..., Any],
        example: Mapping[str, Any],
        repetition: int,
        tracing: ExperimentTracing,
        bar: ProgressBar,
        unstored: List[UnstoredResult],
    ) -> None:
        output, error = None, None
        start = datetime.datetime.now(datetime.timezone.utc)
        with tracing.span("Task", "CHAIN", example["input"]) as span:
            try:
                output = call(task, **arguments_of(task, _facts(example)))
                span.answer(output)
            except Exception as caught:
                error = f"{type(caught).__name__}: {caught}"
                span.fail(caught)
        end = datetime.datetime.now(datetime.timezone.utc)
        what = f"example {example['id']}, repetition {repetition}"
        body = _run_body(example["node_id"], output, repetition, error, start, end, span.trace_id)
        self._store(what, f"/v1/experiments/{experiment_id}/runs", body, unstored)
        bar.step(failed=error is not None)

    def _evaluate_run(
        self,
        judge: Evaluator,
        run: Mapping[str, Any],
        example: Mapping[str, Any],
        tracing: ExperimentTracing,
        bar: ProgressBar,
        unstored: List[UnstoredResult],
    ) -> None:
        facts = _facts(example) | {"output": run["output"], "trace_id": run.get("trace_id")}
        result: dict[str, Any] = {}
        error = None
        start = datetime.datetime.now(datetime.timezone.utc)
        with tracing.span(f"Evaluation: {judge.name}", "EVALUATOR", facts) as span:
            try:
                result = dict(to_result(call(judge.evaluate, **arguments_of(judge.evaluate, facts))))
                span.answer(result)
            except Exception as caught:
                error = f"{type(caught).__name__}: {caught}"
                span.fail(caught)
        end = datetime.datetime.now(datetime.timezone.utc)
        what = f"{judge.name} of example {example['id']}, repetition {run['repetition_number']}"
        metadata = result.pop("metadata", None)
        body = _evaluation_body(
            run["id"], judge.name, result, error, judge.kind, start, end, span.trace_id, metadata=metadata
        )
        self._store(what, "/v1/experiment_evaluations", body, unstored)
        bar.step(failed=error is not None)

    def _evaluate_on_server(
        self, experiment_id: str, names: Sequence[str], max_cost: float | None, show_progress: Shown
    ) -> None:
        job = without_none(
            kind="evaluate",
            experiment_id=experiment_id,
            evaluators=[{"evaluator_id": name} for name in names],
            max_cost_usd=max_cost,
        )
        started = self._jobs.create(job)
        with ProgressBar("evaluations", started["evaluations"]["total"], show_progress) as bar:
            ended = self._jobs.wait(started["id"], on_progress=lambda seen: bar.show(seen["evaluations"]))
        if ended["state"] != "done":
            raise JobNotDone(ended)

    def _do(
        self,
        items: Iterator[T],
        concurrency: int,
        work: Callable[[T], None],
        unstored: List[UnstoredResult],
    ) -> None:
        failure: Exception | None = None
        try:
            concurrently(items, concurrency, work)
        except Exception as error:
            failure = error
        if isinstance(failure, HOPELESS) and unstored:
            raise ResultsNotStored(unstored) from failure
        self.store(unstored)
        if failure is not None:
            raise failure

    def _store(self, what: str, path: str, body: Mapping[str, Any], unstored: List[UnstoredResult]) -> None:
        """Keeps a result that the server does not accept now, as running the task again would cost time and money."""
        try:
            self._transport.call("POST", path, body=body)
        except Conflict:
            pass  # somebody else who resumes the same experiment was first
        except SpanwardError as error:
            unstored.append(UnstoredResult(what, path, body, error))
            if isinstance(error, HOPELESS):
                raise

    def _dry_run(
        self,
        dataset_id: str,
        task: Callable[..., Any],
        judges: Sequence[Evaluator],
        version_id: str | None,
        splits: Sequence[str] | None,
        count: int,
    ) -> ExperimentResult:
        examples = self._datasets.examples(dataset_id, version_id=version_id, splits=splits)
        runs = []
        for example in examples[:count]:
            facts = _facts(example)
            output = call(task, **arguments_of(task, facts))
            judged = facts | {"output": output, "trace_id": None}
            evaluations = [
                {"name": judge.name, **to_result(call(judge.evaluate, **arguments_of(judge.evaluate, judged)))}
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


def _gate_params(
    requirements: Sequence[str], baseline: str | None, baseline_optional: bool, allow_incomplete: bool
) -> dict[str, Any]:
    return {
        "require": list(requirements),
        "baseline": baseline,
        "baseline_optional": baseline_optional,
        "allow_incomplete": allow_incomplete,
    }


def _run_body(
    example_id: str,
    output: Any,
    repetition: int,
    error: str | None,
    start_time: datetime.datetime | None,
    end_time: datetime.datetime | None,
    trace_id: str | None,
) -> dict[str, Any]:
    now = datetime.datetime.now(datetime.timezone.utc)
    return {
        "dataset_example_id": example_id,
        "output": output,
        "repetition_number": repetition,
        "start_time": start_time or now,
        "end_time": end_time or now,
    } | without_none(error=error, trace_id=trace_id)


def _evaluation_body(
    run_id: str,
    name: str,
    result: Mapping[str, Any],
    error: str | None,
    annotator_kind: str,
    start_time: datetime.datetime | None,
    end_time: datetime.datetime | None,
    trace_id: str | None,
    *,
    metadata: Mapping[str, Any] | None,
) -> dict[str, Any]:
    now = datetime.datetime.now(datetime.timezone.utc)
    return {
        "experiment_run_id": run_id,
        "name": name,
        "annotator_kind": annotator_kind,
        "start_time": start_time or now,
        "end_time": end_time or now,
        "result": dict(result) or None,
    } | without_none(error=error, metadata=metadata, trace_id=trace_id)
