"""What the released client offers, on top of our own, so that the same checks run with both: names and forms differ, nothing else.

Its functions are asynchronous for both of our clients: client_under_test.py waits for them.
"""

import inspect
from dataclasses import asdict, dataclass, field
from datetime import datetime
from types import SimpleNamespace

import pandas
import spanward
from spanward._dataframes import frame_to_spans
from spanward.experiments import evaluator

PROJECT = "default"


async def settle(value):
    """A list of pages as a list, and of anything else what is awaited."""
    if hasattr(value, "to_list"):
        value = value.to_list()
    return await value if inspect.isawaitable(value) else value


def given(**options):
    return {name: value for name, value in options.items() if value is not None}


def listed(value):
    return [value] if isinstance(value, str) else value


class Adapter:
    def __init__(self, client):
        self.projects = Projects(client)
        self.spans = Spans(client)
        self.traces = Traces(client)
        self.sessions = Sessions(client)
        self.datasets = Datasets(client)
        self.experiments = Experiments(client)
        self.prompts = Prompts(client)


class Resource:
    def __init__(self, client):
        self._client = client


class Projects(Resource):
    async def get(self, *, project_id=None, project_name=None):
        return await settle(self._client.projects.get(project_id or project_name))

    async def list(self, *, name_contains=None):
        return await settle(self._client.projects.list(name_contains=name_contains))

    async def create(self, *, name, description=None):
        return await settle(self._client.projects.create(name, description=description))

    async def update(self, *, project_name, description):
        return await settle(self._client.projects.update(project_name, description=description))

    async def delete(self, *, project_name):
        await settle(self._client.projects.delete(project_name))


class SpanCreationError(Exception):
    def __init__(self, report):
        super().__init__(report["error"])
        vars(self).update(report)


@dataclass(frozen=True)
class SpanQuery:
    selected: tuple = None
    condition: str = None
    renamed: dict = field(default_factory=dict)
    exploded: tuple = None
    joined: tuple = None
    index: str = None

    def _with(self, **changes):
        return SpanQuery(**{**vars(self), **changes})

    def select(self, *names):
        return self._with(selected=names)

    def where(self, condition):
        return self._with(condition=condition)

    def rename(self, **names):
        return self._with(renamed=names)

    def explode(self, attribute, **columns):
        return self._with(exploded=(attribute, columns))

    def concat(self, attribute, **columns):
        return self._with(joined=(attribute, columns))

    def with_index(self, name):
        return self._with(index=name)

    async def frame(self, client, project, **options):
        options = options | given(filter=self.condition)
        if self.exploded or self.joined:
            attribute, columns = self.exploded or self.joined
            options |= {"attribute": attribute, "columns": columns, "select": self.selected or ()}
            frame = await settle(client.spans.documents_to_dataframe(project, **options))
            if self.joined:
                frame = frame.groupby(level=0).agg("\n\n".join)
        else:
            select = self.selected and [*self.selected, *([self.index] if self.index else [])]
            frame = await settle(client.spans.to_dataframe(project, select=select, **options))
        frame = frame.rename(columns={"trace_id": "context.trace_id", **self.renamed})
        return frame.set_index(f"context.{self.index}") if self.index else frame


class Spans(Resource):
    async def get_spans(
        self, *, project_identifier, limit=100, parent_id=None, name=None, span_kind=None, status_code=None, **filters
    ):
        spans = self._client.spans.list(
            project_identifier,
            names=listed(name),
            kinds=listed(span_kind),
            status_codes=listed(status_code),
            parent_id=parent_id,
            **filters,
        )
        return await settle(spans.to_list(limit))

    async def get_spans_dataframe(
        self, *, query=SpanQuery(), project_name=None, project_identifier=None, root_spans_only=False, **options
    ):
        if not query.exploded and not query.joined:
            options["roots_only"] = root_spans_only
        try:
            return await query.frame(self._client, project_identifier or project_name or PROJECT, **options)
        except spanward.NotFound:
            return pandas.DataFrame()

    async def log_spans(self, *, project_identifier, spans):
        try:
            count = await settle(self._client.spans.create(project_identifier, spans))
        except spanward.ApiError as error:
            invalid = [spans[place["loc"][2]]["context"] for place in error.issues]
            report = error.report or {"error": str(error), "invalid_spans": invalid}
            raise error if error.status == 403 else SpanCreationError(report) from error
        return {"total_received": len(spans), "total_queued": count}

    async def log_spans_dataframe(self, *, project_identifier, spans_dataframe):
        return {
            "total_queued": await settle(self._client.spans.create_from_dataframe(project_identifier, spans_dataframe))
        }

    async def delete(self, *, span_identifier):
        await settle(self._client.spans.delete(span_identifier))

    async def add_span_annotation(self, *, span_id, annotation_name, sync=False, **parts):
        annotate = self._client.annotations.annotate_span
        return identified(await settle(annotate(span_id, annotation_name, wait=sync, **parts)))

    async def add_document_annotation(self, *, span_id, document_position, annotation_name, sync=False, **parts):
        annotate = self._client.annotations.annotate_document
        return identified(await settle(annotate(span_id, document_position, annotation_name, wait=sync, **parts)))

    async def add_span_note(self, *, span_id, note):
        return identified(await settle(self._client.annotations.note_span(span_id, note)))

    async def log_span_annotations(self, *, span_annotations, sync=False):
        return await log(self._client, "span", span_annotations, sync)

    async def log_document_annotations(self, *, document_annotations, sync=False):
        return await log(self._client, "document", document_annotations, sync)

    async def log_span_annotations_dataframe(self, **options):
        return await log_frame(self._client, "span", **options)

    async def log_document_annotations_dataframe(self, **options):
        return await log_frame(self._client, "document", **options)

    async def get_span_annotations(self, *, project_identifier, **options):
        ids, names = chosen(**options)
        return await settle(self._client.annotations.of_spans(project_identifier, ids, **names))

    async def get_span_annotations_dataframe(self, *, project_identifier, **options):
        ids, names = chosen(**options)
        frame = await settle(self._client.annotations.to_dataframe("span", project_identifier, ids, **names))
        results = {name: f"result.{name}" for name in ("label", "score", "explanation")}
        return frame.rename(columns={"name": "annotation_name", **results})


def chosen(
    *,
    span_ids=None,
    spans=None,
    spans_dataframe=None,
    include_annotation_names=None,
    exclude_annotation_names=("note",),
):
    if spans is not None:
        span_ids = [span["context"]["span_id"] for span in spans]
    if spans_dataframe is not None:
        span_ids = list(spans_dataframe.index)
    return span_ids, {"names": include_annotation_names, "exclude_names": exclude_annotation_names}


def identified(annotation_id):
    return None if annotation_id is None else {"id": annotation_id}


async def log(client, target, annotations, sync):
    return [identified(one) for one in await settle(client.annotations.log(target, annotations, wait=sync))]


async def log_frame(client, target, *, dataframe, annotation_name=None, annotator_kind=None, sync=False):
    options = given(name=annotation_name, annotator_kind=annotator_kind)
    ids = await settle(client.annotations.log_dataframe(target, dataframe, wait=sync, **options))
    return [identified(one) for one in ids]


class Traces(Resource):
    async def get_traces(
        self,
        *,
        project_identifier,
        session_id=None,
        error=None,
        min_latency_ms=None,
        max_latency_ms=None,
        limit=100,
        **options,
    ):
        conditions = [
            condition
            for condition, wanted in (
                ("error_count > 0", error is True),
                ("error_count == 0", error is False),
                (f"latency_ms >= {min_latency_ms}", min_latency_ms is not None),
                (f"latency_ms <= {max_latency_ms}", max_latency_ms is not None),
            )
            if wanted
        ]
        traces = self._client.traces.list(
            project_identifier, filter=" and ".join(conditions) or None, sessions=listed(session_id), **options
        )
        return await settle(traces.to_list(limit))

    async def add_trace_annotation(self, *, trace_id, annotation_name, sync=False, **parts):
        annotate = self._client.annotations.annotate_trace
        return identified(await settle(annotate(trace_id, annotation_name, wait=sync, **parts)))

    async def log_trace_annotations(self, *, trace_annotations, sync=False):
        return await log(self._client, "trace", trace_annotations, sync)

    async def log_trace_annotations_dataframe(self, **options):
        return await log_frame(self._client, "trace", **options)


class Sessions(Resource):
    async def list(self, *, project_name):
        return await settle(self._client.sessions.list(project_name, order="asc"))

    async def get(self, *, session_id):
        return await settle(self._client.sessions.get(session_id))

    async def get_session_turns(self, *, session_id):
        turns = await settle(self._client.sessions.turns(session_id))
        return [
            turn | {side: {"value": turn[side], "mime_type": turn[f"{side}_mime_type"]} for side in ("input", "output")}
            for turn in turns
        ]

    async def get_sessions_dataframe(self, *, project_name):
        return await settle(self._client.sessions.to_dataframe(project_name))

    async def delete(self, *, session_id):
        await settle(self._client.sessions.delete(session_id))

    async def bulk_delete(self, *, session_ids):
        await settle(self._client.sessions.delete_many(session_ids))

    async def add_session_annotation(self, *, session_id, annotation_name, sync=False, **parts):
        annotate = self._client.annotations.annotate_session
        return identified(await settle(annotate(session_id, annotation_name, wait=sync, **parts)))

    async def log_session_annotations(self, *, session_annotations, sync=False):
        return await log(self._client, "session", session_annotations, sync)

    async def log_session_annotations_dataframe(self, **options):
        return await log_frame(self._client, "session", **options)


@dataclass
class Dataset:
    id: str
    name: str
    description: str
    version_id: str
    examples: list
    created: str
    splits: list

    def __len__(self):
        return len(self.examples)

    @property
    def created_at(self):
        return datetime.fromisoformat(self.created)

    def to_dict(self):
        return asdict(self)

    @classmethod
    def from_dict(cls, members):
        return cls(**members)

    def to_dataframe(self):
        return pandas.DataFrame(self.examples).set_index("id")


def named(dataset):
    return dataset.id if isinstance(dataset, Dataset) else dataset


class Datasets(Resource):
    async def list(self, *, limit=None):
        return await settle(self._client.datasets.list().to_list(limit))

    async def get_dataset(self, *, dataset, version_id=None, splits=None):
        found = await settle(self._client.datasets.get(named(dataset)))
        versions = await settle(self._client.datasets.versions(found["id"]))
        examples = await settle(self._client.datasets.examples(found["id"], version_id=version_id, splits=splits))
        version_id = version_id or versions[0]["version_id"]
        return Dataset(
            found["id"], found["name"], found["description"], version_id, examples, found["created_at"], splits
        )

    async def get_dataset_versions(self, *, dataset):
        return await settle(self._client.datasets.versions(named(dataset)))

    async def create_dataset(self, *, name, csv_file_path=None, dataset_description=None, example_id_key=None, **parts):
        """The same name again makes these its examples."""
        options = parts | given(description=dataset_description)
        if csv_file_path is not None:
            made = self._client.datasets.upload_file(name, csv_file_path, action="update", **options)
        else:
            made = self._client.datasets.replace(name, **options, **given(id_key=example_id_key))
        return await self.get_dataset(dataset=(await settle(made))["id"])

    async def add_examples_to_dataset(self, *, dataset, **parts):
        added = await settle(self._client.datasets.append(named(dataset), **parts))
        return await self.get_dataset(dataset=added["id"])


QUIET = {"show_progress": False}


class Experiments(Resource):
    async def run_experiment(
        self,
        *,
        dataset,
        task,
        evaluators=(),
        experiment_name=None,
        experiment_description=None,
        experiment_metadata=None,
        repetitions=1,
        **_,
    ):
        result = await settle(
            self._client.experiments.run(
                dataset.id,
                task,
                evaluators,
                name=experiment_name,
                description=experiment_description,
                metadata=experiment_metadata,
                version_id=dataset.version_id,
                splits=dataset.splits,
                repetitions=repetitions,
                **QUIET,
            )
        )
        return await self.get_experiment(experiment_id=result.experiment["id"])

    async def evaluate_experiment(self, *, experiment, evaluators, **_):
        await settle(self._client.experiments.evaluate(experiment["experiment_id"], evaluators, **QUIET))
        return await self.get_experiment(experiment_id=experiment["experiment_id"])

    async def resume_experiment(self, *, experiment_id, task, **_):
        await settle(self._client.experiments.resume(experiment_id, task, **QUIET))

    async def resume_evaluation(self, *, experiment_id, evaluators, **_):
        await settle(self._client.experiments.evaluate(experiment_id, evaluators, **QUIET))

    async def get_experiment(self, *, experiment_id):
        result = await settle(self._client.experiments.result(experiment_id))
        return {
            "experiment_id": experiment_id,
            "task_runs": await settle(self._client.experiments.runs(experiment_id)),
            "evaluation_runs": [
                SimpleNamespace(name=annotation["name"], result=annotation)
                for run in result.runs
                for annotation in run.annotations
            ],
        }

    async def get(self, *, experiment_id):
        return await settle(self._client.experiments.get(experiment_id))

    async def list(self, *, dataset_id):
        return await settle(self._client.experiments.list(dataset=dataset_id))

    async def create(
        self, *, dataset_id, dataset_version_id=None, experiment_name=None, experiment_metadata=None, repetitions=1
    ):
        return await settle(
            self._client.experiments.create(
                dataset_id,
                version_id=dataset_version_id,
                name=experiment_name,
                metadata=experiment_metadata,
                repetitions=repetitions,
            )
        )

    async def delete(self, *, experiment_id):
        await settle(self._client.experiments.delete(experiment_id))

    async def log_run(self, *, experiment_id, dataset_example_id, repetition_number=1, **parts):
        logged = self._client.experiments.log_run(
            experiment_id, example_id=dataset_example_id, repetition=repetition_number, **parts
        )
        run_id = await settle(logged)
        runs = await settle(self._client.experiments.runs(experiment_id))
        return next(run for run in runs if run["id"] == run_id)

    async def log_evaluation(self, *, experiment_run_id, name, **parts):
        return identified(await settle(self._client.experiments.log_evaluation(experiment_run_id, name, **parts)))

    async def get_dataset_experiments_url(self, dataset_id):
        return self._client.datasets.url({"id": dataset_id})

    async def get_experiment_url(self, dataset_id, experiment_id):
        return self._client.experiments.url({"dataset_id": dataset_id, "id": experiment_id})


async def run_experiment(*, client, **options):
    return await client.experiments.run_experiment(**options)


async def evaluate_experiment(*, client, **options):
    return await client.experiments.evaluate_experiment(**options)


async def resume_experiment(*, client, **options):
    return await client.experiments.resume_experiment(**options)


async def resume_evaluation(*, client, **options):
    return await client.experiments.resume_evaluation(**options)


async def get_experiment(*, client, experiment_id):
    return await client.experiments.get_experiment(experiment_id=experiment_id)


def create_evaluator(*, name, kind="CODE"):
    return evaluator(name, kind=kind)


async def get_retrieved_documents(client, *, project_name):
    frame = await settle(client.spans._client.spans.documents_to_dataframe(project_name))
    return frame.rename(columns={"trace_id": "context.trace_id"})


async def get_input_output_context(client, *, project_name):
    return await settle(client.spans._client.spans.answers_to_dataframe(project_name))


def uniquify_spans(spans):
    return spanward.with_new_ids(spans)


def uniquify_spans_dataframe(frame):
    return spanward.with_new_ids(frame)


def dataframe_to_spans(frame):
    return frame_to_spans(frame)


class PromptVersion:
    def __init__(self, messages, *, model_name, model_provider="OPENAI", description=None):
        required = {"max_tokens": 100} if model_provider == "ANTHROPIC" else {}
        self.parts = {
            "messages": messages,
            "model_name": model_name,
            "model_provider": model_provider,
            "version_description": description,
            "invocation_parameters": required,
        }

    @classmethod
    def from_openai(cls, parameters):
        version = cls([], model_name="")
        version.parts = {"parameters": parameters}
        return version


class ReadVersion:
    def __init__(self, version):
        self.id = version.id
        self._model_provider = version.model_provider
        self._version = version

    def format(self, *, variables):
        return self._version.to_openai(variables)


class Prompts(Resource):
    def __init__(self, client):
        super().__init__(client)
        self.tags = Tags(client)

    async def create(self, *, name, version, prompt_description=None, prompt_metadata=None):
        if "parameters" in version.parts:
            return ReadVersion(await settle(self._client.prompts.create_from_openai(name, **version.parts)))
        options = {"description": prompt_description, "metadata": prompt_metadata}
        return ReadVersion(await settle(self._client.prompts.create(name, **version.parts, **options)))

    async def get(self, *, prompt_identifier=None, prompt_version_id=None, tag=None):
        if prompt_version_id is not None:
            return ReadVersion(await settle(self._client.prompts.get_version(prompt_version_id)))
        return ReadVersion(await settle(self._client.prompts.get(prompt_identifier, tag=tag)))

    async def update(self, *, prompt_identifier, prompt_description=None, prompt_metadata=None):
        options = {"description": prompt_description, "metadata": prompt_metadata}
        return await settle(self._client.prompts.update(prompt_identifier, **options))

    async def delete(self, *, prompt_identifier):
        await settle(self._client.prompts.delete(prompt_identifier))


class Tags(Resource):
    async def create(self, *, prompt_version_id, name, description=None):
        await settle(self._client.prompts.tag(prompt_version_id, name, description=description))

    async def list(self, *, prompt_version_id):
        return await settle(self._client.prompts.tags(prompt_version_id))
