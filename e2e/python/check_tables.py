"""Data frames of spans."""

from datetime import timedelta

import httpx
import pandas

from client_under_test import (
    START,
    SpanQuery,
    client,
    log_spans,
    make_span,
    module_function,
    raw_client,
    span_id,
    status_of,
    trace_id,
    unique,
)
from server_under_test import HEADERS, URL


def test_dataframe_of_spans():
    project = unique("dataframe")
    attributes = {"llm.model_name": "m", "llm.token_count.prompt": 7, "metadata": {"tier": "gold"}, "mine": "x"}
    log_spans(
        project,
        make_span(5, "model", kind="LLM", trace=5, attributes=attributes),
        make_span(6, "child", trace=5, parent=5),
    )
    for frame in (
        client.spans.get_spans_dataframe(project_identifier=project),
        client.spans.get_spans_dataframe(project_identifier=client.projects.get(project_name=project)["id"]),
    ):
        assert list(frame["name"]) == ["child", "model"], frame
        assert frame.index.name == "context.span_id"
        model = frame.loc[span_id(5)]
        assert model["span_kind"] == "LLM" and model["status_code"] == "OK"
        assert model["context.trace_id"] == trace_id(5)
        assert model["attributes.llm.model_name"] == "m"
        assert model["attributes.llm.token_count.prompt"] == 7
        assert model["attributes.metadata"] == {"tier": "gold"}
        assert model["start_time"].to_pydatetime() == START + timedelta(seconds=5)
    roots = client.spans.get_spans_dataframe(project_identifier=project, root_spans_only=True)
    assert list(roots["name"]) == ["model"]
    late = client.spans.get_spans_dataframe(project_identifier=project, start_time=START + timedelta(seconds=6))
    assert list(late["name"]) == ["child"]
    assert len(client.spans.get_spans_dataframe(project_identifier=project, limit=1)) == 1
    assert len(client.spans.get_spans_dataframe(project_identifier=unique("nothing here"))) == 0


def test_span_without_an_end():
    project = unique("running")
    span = {"traceId": trace_id(9), "spanId": span_id(90), "name": "agent", "startTimeUnixNano": f"{int(START.timestamp())}000000000"}
    resource = {"attributes": [{"key": "openinference.project.name", "value": {"stringValue": project}}]}
    body = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}
    httpx.post(f"{URL}/v1/traces", json=body, headers=HEADERS).raise_for_status()
    [read] = client.spans.get_spans(project_identifier=project)
    assert read["end_time"] == read["start_time"], read
    frame = client.spans.get_spans_dataframe(project_identifier=project)
    assert frame.loc[span_id(90)]["end_time"].to_pydatetime() == START, frame


def test_dataframe_is_logged_again():
    project = unique("frame-source")
    log_spans(project, make_span(70, "root", trace=70, attributes={"input.value": "x", "metadata": {"a": 1}}))
    frame = client.spans.get_spans_dataframe(project_identifier=project)
    copied = unique("frame-copy")
    fresh = module_function("span helpers", "uniquify_spans_dataframe")(frame)
    result = client.spans.log_spans_dataframe(project_identifier=copied, spans_dataframe=fresh)
    assert result["total_queued"] == 1, result
    [span] = client.spans.get_spans(project_identifier=copied)
    assert span["attributes"] == {"input.value": "x", "metadata.a": 1}, span
    assert span["context"]["span_id"] != span_id(70)


def test_spans_of_a_dataframe():
    project = unique("frame-spans")
    log_spans(project, make_span(75, "root", trace=75), make_span(76, "child", trace=75, parent=75))
    frame = client.spans.get_spans_dataframe(project_identifier=project)
    spans = module_function("span helpers", "dataframe_to_spans")(frame)
    fresh = module_function("span helpers", "uniquify_spans")(spans)
    copied = unique("frame-spans-copy")
    log_spans(copied, *fresh)
    child, root = sorted(client.spans.get_spans(project_identifier=copied), key=lambda span: span["name"])
    assert child["parent_id"] == root["context"]["span_id"] != span_id(75), (child, root)


def test_conditions():
    project = unique("conditions")
    log_spans(
        project,
        make_span(80, "slow", kind="LLM", trace=80, attributes={"llm.model_name": "m", "tries": 3, "note": "a b"}),
        make_span(81, "failed", kind="TOOL", trace=80, parent=80, status="ERROR", attributes={"input.value": "Timeout"}),
        make_span(82, "orphan", trace=81, parent=999),
    )

    def found(condition):
        return sorted(client.spans.get_spans_dataframe(query=SpanQuery().where(condition), project_name=project)["name"])

    assert found("span_kind == 'LLM'") == ["slow"]
    assert found("status_code == 'ERROR' or name == 'orphan'") == ["failed", "orphan"]
    assert found("parent_id is None") == ["slow"]
    assert found("parent_span is None") == ["orphan", "slow"]
    assert found("attributes['tries'] > 2 and llm.model_name == 'm'") == ["slow"]
    assert found("'timeout' in input.value") == ["failed"]
    assert found(f"context.span_id == '{span_id(82)}'") == ["orphan"]
    assert found(f"trace_id in ['{trace_id(80)}']") == ["failed", "slow"]
    assert found("latency_ms >= 1000") == ["failed", "orphan", "slow"]
    assert found("not (name in ['slow', 'failed'])") == ["orphan"]
    client.spans.add_span_annotation(span_id=span_id(80), annotation_name="quality", label="good", score=0.9, sync=True)
    assert found("annotations['quality'].score > 0.5") == ["slow"]
    assert found("evals['quality'].label == 'good'") == ["slow"]
    assert status_of(lambda: found("name ==")) in (400, 422)


def test_select_rename_and_index():
    project = unique("select")
    log_spans(project, make_span(90, "one", trace=90, attributes={"input.value": "in", "metadata": {"a": {"b": 1}}}))
    query = SpanQuery().select("name", "trace_id", "input.value", "metadata").rename(**{"input.value": "question"})
    frame = client.spans.get_spans_dataframe(query=query, project_name=project)
    assert sorted(frame.columns) == ["context.trace_id", "metadata", "name", "question"], frame.columns
    assert frame.index.name == "context.span_id"
    [row] = frame.to_dict("records")
    assert row["question"] == "in" and row["metadata"] == {"a": {"b": 1}}, row
    by_trace = client.spans.get_spans_dataframe(query=SpanQuery().select("name").with_index("trace_id"), project_name=project)
    assert by_trace.index.name == "context.trace_id" and list(by_trace.index) == [trace_id(90)], by_trace
    timed = client.spans.get_spans_dataframe(query=SpanQuery().select("latency_ms", "start_time"), project_name=project)
    assert timed.iloc[0]["latency_ms"] == 2000, timed


def _log_retrieval(project, number):
    documents = {
        "retrieval.documents": [
            {"document": {"content": "first", "score": 0.5, "metadata": {"page": 1}}},
            {"document": {"content": "second", "score": 0.25}},
        ],
        "input.value": "query",
    }
    log_spans(
        project,
        make_span(number, "root", trace=number, attributes={"input.value": "in", "output.value": "out"}),
        make_span(number + 1, "search", trace=number, parent=number, kind="RETRIEVER", attributes=documents),
    )


def test_explode_and_concat():
    project = unique("explode")
    _log_retrieval(project, 100)
    exploded = client.spans.get_spans_dataframe(
        query=SpanQuery().select("input.value").explode("retrieval.documents", text="document.content", score="document.score"),
        project_name=project,
    )
    assert list(exploded.index.names) == ["context.span_id", "document_position"], exploded.index
    assert list(exploded["text"]) == ["first", "second"] and list(exploded["score"]) == [0.5, 0.25], exploded
    assert list(exploded.loc[span_id(101)].index) == [0, 1]
    joined = client.spans.get_spans_dataframe(
        query=SpanQuery().concat("retrieval.documents", context="document.content"), project_name=project
    )
    assert list(joined["context"]) == ["first\n\nsecond"], joined


def test_frames_for_evaluations():
    project = unique("rag")
    _log_retrieval(project, 110)
    documents = module_function("span helpers", "get_retrieved_documents")(raw_client, project_name=project)
    assert list(documents["document"]) == ["first", "second"], documents
    assert list(documents["context.trace_id"]) == [trace_id(110)] * 2
    assert documents["document_metadata"].iloc[0] == {"page": 1}, documents
    answers = module_function("span helpers", "get_input_output_context")(raw_client, project_name=project)
    assert answers.index.name == "context.span_id" and list(answers.index) == [span_id(110)], answers
    [row] = answers.to_dict("records")
    assert (row["input"], row["output"], row["context"]) == ("in", "out", "first\n\nsecond"), row
    assert isinstance(documents, pandas.DataFrame)
