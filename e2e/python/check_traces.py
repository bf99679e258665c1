"""Traces: lists, filters, annotations."""

from datetime import timedelta

import pandas

from client_under_test import START, client, log_spans, make_span, trace_id, unique
from server_under_test import names, read_annotations


def test_traces():
    project = unique("traces")
    spans = [
        make_span(20, "fast", trace=20, attributes={"session.id": unique("trace-session")}),
        make_span(21, "slow", trace=21),
        make_span(40, "inside", trace=21, parent=21, status="ERROR"),
    ]
    log_spans(project, *spans)
    fast, slow = trace_id(20), trace_id(21)

    def found(**options):
        traces = client.traces.get_traces(project_identifier=project, **options)
        return [trace["trace_id"] for trace in traces]

    assert found() == [slow, fast]
    assert found(order="asc") == [fast, slow]
    assert found(sort="latency_ms", order="desc") == [slow, fast]
    assert found(limit=1) == [slow]
    assert found(session_id=unique("trace-session")) == [fast]
    assert found(error=True) == [slow]
    assert found(error=False) == [fast]
    assert found(min_latency_ms=10_000) == [slow]
    assert found(max_latency_ms=10_000) == [fast]
    assert found(start_time=START + timedelta(seconds=21)) == [slow]
    with_spans = client.traces.get_traces(project_identifier=project, include_spans=True)
    assert names(with_spans[0]["spans"]) == ["inside", "slow"]


def test_annotations_of_traces():
    project = unique("trace-annotations")
    log_spans(project, make_span(50, "one", trace=50), make_span(51, "two", trace=51))
    inserted = client.traces.add_trace_annotation(
        trace_id=trace_id(50),
        annotation_name="quality",
        annotator_kind="LLM",
        label="good",
        score=0.9,
        explanation="because",
        metadata={"by": "check"},
        identifier="first",
        sync=True,
    )
    assert inserted["id"], inserted
    assert client.traces.add_trace_annotation(trace_id=trace_id(51), annotation_name="later", score=1) is None
    logged = client.traces.log_trace_annotations(
        trace_annotations=[
            {"name": "a", "annotator_kind": "CODE", "trace_id": trace_id(number), "result": {"score": number}}
            for number in (50, 51)
        ],
        sync=True,
    )
    assert len({annotation["id"] for annotation in logged}) == 2, logged
    frame = pandas.DataFrame({"name": "framed", "label": ["x", "y"]}, index=[trace_id(50), trace_id(51)])
    framed = client.traces.log_trace_annotations_dataframe(
        dataframe=frame.rename_axis("trace_id"), annotator_kind="CODE", sync=True
    )
    assert len(framed) == 2, framed
    read = read_annotations(project, "trace", [trace_id(50)])
    assert sorted(annotation["name"] for annotation in read) == ["a", "framed", "quality"], read
    quality = next(annotation for annotation in read if annotation["name"] == "quality")
    assert quality["result"] == {"label": "good", "score": 0.9, "explanation": "because"}, quality
    assert quality["metadata"] == {"by": "check"} and quality["identifier"] == "first", quality
    assert quality["annotator_kind"] == "LLM" and quality["source"] == "API", quality
