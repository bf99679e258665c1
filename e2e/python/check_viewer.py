"""A viewer's key: every function that reads works, every other one is refused with 403.

POST /v1/spans is a POST, so data frames of spans are among the refused, unless a client reads them by GET as our own does.
`client` is the viewer's here and `admin` prepares what there is to read.
"""

from datetime import timedelta

import pandas

from client_under_test import (
    FRAMES_BY_GET,
    START,
    TELLS_UNSTORED,
    PromptVersion,
    RefusedError,
    admin,
    called,
    client,
    make_span,
    public_functions,
    raw_client,
    refusal_status,
    module_function,
    span_id,
    trace_id,
    unique,
)

PROJECT, SESSION, DATASET, PROMPT = unique("viewed"), unique("viewed-session"), unique("viewed-data"), unique("viewed-prompt")
VERSION = PromptVersion([{"role": "user", "content": "hi"}], model_name="m")
TIMES = {"start_time": START, "end_time": START + timedelta(seconds=1)}


def echo(input):
    return input


def prepare():
    attributes = {"session.id": SESSION, "input.value": "in", "output.value": "out"}
    admin.spans.log_spans(project_identifier=PROJECT, spans=[make_span(200, "one", trace=200, attributes=attributes)])
    dataset = admin.datasets.create_dataset(name=DATASET, inputs=[{"q": 1}], outputs=[{"a": 1}])
    ran = admin.experiments.run_experiment(dataset=dataset, task=echo, print_summary=False)
    started = admin.experiments.create(dataset_id=dataset.id)
    prompt = admin.prompts.create(name=PROMPT, version=VERSION)
    return dataset, ran, started["id"], prompt.id


def calls():
    """What a viewer does with each public function, and whether it reads."""
    dataset, ran, started, version_id = prepare()
    experiment_id, run_id = ran["experiment_id"], ran["task_runs"][0]["id"]
    example = dataset.examples[0]["node_id"]
    one_span = {"span_id": span_id(200), "annotation_name": "x", "score": 1}
    of_span = {"name": "x", "annotator_kind": "CODE", "span_id": span_id(200), "result": {"score": 1}}
    frame = pandas.DataFrame({"span_id": [span_id(200)], "name": ["x"], "annotator_kind": ["CODE"], "score": [1.0]})
    spans_frame = pandas.DataFrame(
        [
            {
                "name": "new",
                "span_kind": "CHAIN",
                "parent_id": None,
                **{name: pandas.Timestamp(time) for name, time in TIMES.items()},
                "status_code": "OK",
                "status_message": "",
                "events": [],
                "context.span_id": span_id(201),
                "context.trace_id": trace_id(201),
            }
        ]
    )
    evaluators = {"right": lambda output: 1.0}

    def module(name):
        return module_function("experiments module", name)

    def helper(name):
        return module_function("span helpers", name)

    quiet = {"print_summary": False}
    reads = {
        "projects.get": lambda: client.projects.get(project_name=PROJECT),
        "projects.list": lambda: client.projects.list(),
        "spans.get_spans": lambda: client.spans.get_spans(project_identifier=PROJECT),
        "spans.get_span_annotations": lambda: client.spans.get_span_annotations(
            span_ids=[span_id(200)], project_identifier=PROJECT
        ),
        "spans.get_span_annotations_dataframe": lambda: client.spans.get_span_annotations_dataframe(
            span_ids=[span_id(200)], project_identifier=PROJECT
        ),
        "traces.get_traces": lambda: client.traces.get_traces(project_identifier=PROJECT, include_spans=True),
        "sessions.get": lambda: client.sessions.get(session_id=SESSION),
        "sessions.list": lambda: client.sessions.list(project_name=PROJECT),
        "sessions.get_session_turns": lambda: client.sessions.get_session_turns(session_id=SESSION),
        "sessions.get_sessions_dataframe": lambda: client.sessions.get_sessions_dataframe(project_name=PROJECT),
        "datasets.get_dataset": lambda: client.datasets.get_dataset(dataset=DATASET),
        "datasets.get_dataset_versions": lambda: client.datasets.get_dataset_versions(dataset=DATASET),
        "datasets.list": lambda: client.datasets.list(),
        "experiments.get": lambda: client.experiments.get(experiment_id=experiment_id),
        "experiments.list": lambda: client.experiments.list(dataset_id=dataset.id),
        "experiments.get_experiment": lambda: client.experiments.get_experiment(experiment_id=experiment_id),
        "experiments.get_experiment_url": lambda: client.experiments.get_experiment_url(dataset.id, experiment_id),
        "experiments.get_dataset_experiments_url": lambda: client.experiments.get_dataset_experiments_url(dataset.id),
        "prompts.get": lambda: client.prompts.get(prompt_identifier=PROMPT),
        "prompts.tags.list": lambda: client.prompts.tags.list(prompt_version_id=version_id),
        "experiments module.get_experiment": lambda: module("get_experiment")(
            client=raw_client, experiment_id=experiment_id
        ),
        "experiments module.create_evaluator": lambda: module("create_evaluator")(name="x"),
        "span helpers.uniquify_spans": lambda: helper("uniquify_spans")([make_span(200, "one")]),
        "span helpers.uniquify_spans_dataframe": lambda: helper("uniquify_spans_dataframe")(spans_frame),
        "span helpers.dataframe_to_spans": lambda: helper("dataframe_to_spans")(spans_frame),
    }
    refused = {
        "projects.create": lambda: client.projects.create(name=unique("new")),
        "projects.update": lambda: client.projects.update(project_name=PROJECT, description="x"),
        "projects.delete": lambda: client.projects.delete(project_name=PROJECT),
        "spans.log_spans": lambda: client.spans.log_spans(project_identifier=PROJECT, spans=[make_span(201, "new")]),
        "spans.log_spans_dataframe": lambda: client.spans.log_spans_dataframe(
            project_identifier=PROJECT, spans_dataframe=spans_frame
        ),
        "spans.delete": lambda: client.spans.delete(span_identifier=span_id(200)),
        "spans.add_span_annotation": lambda: client.spans.add_span_annotation(**one_span),
        "spans.log_span_annotations": lambda: client.spans.log_span_annotations(span_annotations=[of_span]),
        "spans.log_span_annotations_dataframe": lambda: client.spans.log_span_annotations_dataframe(dataframe=frame),
        "spans.add_span_note": lambda: client.spans.add_span_note(span_id=span_id(200), note="x"),
        "spans.add_document_annotation": lambda: client.spans.add_document_annotation(**one_span, document_position=0),
        "spans.log_document_annotations": lambda: client.spans.log_document_annotations(
            document_annotations=[{**of_span, "document_position": 0}]
        ),
        "spans.log_document_annotations_dataframe": lambda: client.spans.log_document_annotations_dataframe(
            dataframe=frame.assign(document_position=0)
        ),
        "traces.add_trace_annotation": lambda: client.traces.add_trace_annotation(
            trace_id=trace_id(200), annotation_name="x", score=1
        ),
        "traces.log_trace_annotations": lambda: client.traces.log_trace_annotations(
            trace_annotations=[
                {"name": "x", "annotator_kind": "CODE", "trace_id": trace_id(200), "result": {"score": 1}}
            ]
        ),
        "traces.log_trace_annotations_dataframe": lambda: client.traces.log_trace_annotations_dataframe(
            dataframe=frame.assign(trace_id=trace_id(200))
        ),
        "sessions.add_session_annotation": lambda: client.sessions.add_session_annotation(
            session_id=SESSION, annotation_name="x", score=1
        ),
        "sessions.log_session_annotations": lambda: client.sessions.log_session_annotations(
            session_annotations=[
                {"name": "x", "annotator_kind": "CODE", "session_id": SESSION, "result": {"score": 1}}
            ]
        ),
        "sessions.log_session_annotations_dataframe": lambda: client.sessions.log_session_annotations_dataframe(
            dataframe=frame.assign(session_id=SESSION)
        ),
        "sessions.delete": lambda: client.sessions.delete(session_id=SESSION),
        "sessions.bulk_delete": lambda: client.sessions.bulk_delete(session_ids=[SESSION]),
        "datasets.create_dataset": lambda: client.datasets.create_dataset(
            name=unique("new"), inputs=[{"q": 1}], outputs=[{"a": 1}]
        ),
        "datasets.add_examples_to_dataset": lambda: client.datasets.add_examples_to_dataset(
            dataset=DATASET, inputs=[{"q": 2}], outputs=[{"a": 2}]
        ),
        "experiments.create": lambda: client.experiments.create(dataset_id=dataset.id),
        "experiments.run_experiment": lambda: client.experiments.run_experiment(dataset=dataset, task=echo, **quiet),
        "experiments.log_run": lambda: client.experiments.log_run(
            experiment_id=started, dataset_example_id=example, output=1, **TIMES
        ),
        "experiments.log_evaluation": lambda: client.experiments.log_evaluation(
            experiment_run_id=run_id, name="x", score=1
        ),
        "experiments.delete": lambda: client.experiments.delete(experiment_id=experiment_id),
        "prompts.create": lambda: client.prompts.create(name=unique("new"), version=VERSION),
        "prompts.update": lambda: client.prompts.update(prompt_identifier=PROMPT, prompt_description="x"),
        "prompts.delete": lambda: client.prompts.delete(prompt_identifier=PROMPT),
        "prompts.tags.create": lambda: client.prompts.tags.create(prompt_version_id=version_id, name="x"),
        "experiments module.run_experiment": lambda: module("run_experiment")(
            client=raw_client, dataset=dataset, task=echo, **quiet
        ),
    }
    frames = {
        "spans.get_spans_dataframe": lambda: client.spans.get_spans_dataframe(project_identifier=PROJECT),
        "span helpers.get_input_output_context": lambda: helper("get_input_output_context")(
            raw_client, project_name=PROJECT
        ),
        "span helpers.get_retrieved_documents": lambda: helper("get_retrieved_documents")(
            raw_client, project_name=PROJECT
        ),
    }
    (reads if FRAMES_BY_GET else refused).update(frames)
    # The released client catches what is refused of these and goes on; what they would have stored is looked for instead.
    swallowed = {
        "experiments.evaluate_experiment": lambda: client.experiments.evaluate_experiment(
            experiment=ran, evaluators=evaluators, **quiet
        ),
        "experiments.resume_experiment": lambda: client.experiments.resume_experiment(
            experiment_id=started, task=echo, **quiet
        ),
        "experiments.resume_evaluation": lambda: client.experiments.resume_evaluation(
            experiment_id=experiment_id, evaluators=evaluators, **quiet
        ),
        "experiments module.evaluate_experiment": lambda: module("evaluate_experiment")(
            client=raw_client, experiment=ran, evaluators=evaluators, **quiet
        ),
        "experiments module.resume_experiment": lambda: module("resume_experiment")(
            client=raw_client, experiment_id=started, task=echo, **quiet
        ),
        "experiments module.resume_evaluation": lambda: module("resume_evaluation")(
            client=raw_client, experiment_id=experiment_id, evaluators=evaluators, **quiet
        ),
    }
    if TELLS_UNSTORED:
        refused.update(swallowed)
        swallowed.clear()
    return reads, refused, swallowed


def test_what_a_viewer_may_do():
    reads, refused, swallowed = calls()
    checked = {name.replace(".async_", ".") for name in public_functions()}
    assert checked == {*reads, *refused, *swallowed}, checked ^ {*reads, *refused, *swallowed}
    wrong = []
    for name, call in reads.items():
        try:
            call()
        except Exception as error:
            wrong.append((name, repr(error)))
    for name, call in refused.items():
        try:
            call()
            wrong.append((name, "was not refused"))
        except Exception as error:
            if not _is_refusal(error):
                wrong.append((name, repr(error)))
    for name, call in swallowed.items():
        try:
            call()
        except Exception as error:
            if not _is_refusal(error):
                wrong.append((name, repr(error)))
    assert wrong == [], wrong
    assert [span["name"] for span in admin.spans.get_spans(project_identifier=PROJECT)] == ["one"]
    dataset = admin.datasets.get_dataset(dataset=DATASET)
    assert len(dataset) == 1
    for experiment in admin.experiments.list(dataset_id=dataset.id):
        read = admin.experiments.get_experiment(experiment_id=experiment["id"])
        assert read["evaluation_runs"] == [], read
    assert len(called) >= len(checked)


def _is_refusal(error):
    while error is not None:
        if isinstance(error, RefusedError) and refusal_status(error) == 403:
            return True
        error = error.__cause__ or error.__context__
    return False
