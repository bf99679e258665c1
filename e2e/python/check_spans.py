"""Spans: writing, filters, pages, deleting."""

from datetime import timedelta
from uuid import uuid4

from client_under_test import START, SpanCreationError, client, fails, make_span, span_id, status_of, trace_id, unique
from server_under_test import names


def test_span_filters():
    project = unique("filters")
    result = client.spans.log_spans(
        project_identifier=project,
        spans=[
            make_span(1, "root", kind="AGENT", attributes={"session.id": "filter session", "user": {"tier": "gold"}}),
            make_span(2, "model", parent=1, kind="LLM", status="ERROR", attributes={"llm.model_name": "m"}),
            make_span(3, "tool", parent=1, kind="TOOL", attributes={"attempts": 2, "cached": True}),
            make_span(4, "other", trace=2, kind="CHAIN"),
        ],
    )
    assert result["total_received"] == result["total_queued"] == 4, result

    def found(**filters):
        return names(client.spans.get_spans(project_identifier=project, **filters))

    assert found() == ["model", "other", "root", "tool"]
    assert found(limit=2) == ["other", "tool"]
    assert found(trace_ids=[trace_id(2)]) == ["other"]
    assert found(span_ids=[span_id(2), span_id(3)]) == ["model", "tool"]
    assert found(parent_id="null") == ["other", "root"]
    assert found(parent_id=span_id(1)) == ["model", "tool"]
    assert found(name=["root", "tool"]) == ["root", "tool"]
    assert found(span_kind=["LLM", "tool"]) == ["model", "tool"]
    assert found(status_code="ERROR") == ["model"]
    assert found(attributes={"attempts": 2}) == ["tool"]
    assert found(attributes={"cached": True}) == ["tool"]
    assert found(attributes={"user.tier": "gold"}) == ["root"]
    assert found(attributes={"llm.model_name": "m"}, span_kind="LLM") == ["model"]
    assert found(start_time=START + timedelta(seconds=3)) == ["other", "tool"]
    assert found(end_time=START + timedelta(seconds=3)) == ["model", "root"]


def test_pages_of_spans():
    project = unique("pages")
    spans = [make_span(number, f"span {number}", trace=3) for number in range(1000, 1250)]
    client.spans.log_spans(project_identifier=project, spans=spans)
    read = client.spans.get_spans(project_identifier=project, limit=1000)
    assert len({span["context"]["span_id"] for span in read}) == 250, len(read)


def test_duplicates_are_named():
    project = unique("duplicates")
    client.spans.log_spans(project_identifier=project, spans=[make_span(7, "once", trace=7)])
    spans = [make_span(7, "once", trace=7), make_span(8, "new", trace=7)]
    error = fails(lambda: client.spans.log_spans(project_identifier=project, spans=spans), SpanCreationError)
    assert error.total_received == 2 and error.total_queued == 0 and error.total_duplicates == 1, vars(error)
    assert error.duplicate_spans[0]["span_id"] == span_id(7), error.duplicate_spans
    assert names(client.spans.get_spans(project_identifier=project)) == ["once"]


def test_invalid_spans_are_named():
    spans = [make_span(9, "good", trace=9), {**make_span(10, "bad", trace=9), "start_time": "yesterday"}]
    error = fails(lambda: client.spans.log_spans(project_identifier=unique("invalid"), spans=spans), SpanCreationError)
    assert [span["span_id"] for span in error.invalid_spans] == [span_id(10)], vars(error)


def test_ids_of_their_own():
    project, trace = unique("own ids"), str(uuid4())
    root, child = str(uuid4()), unique("Child")
    spans = [make_span(13, "root"), make_span(14, "child")]
    spans[0]["context"] = {"trace_id": trace, "span_id": root}
    spans[1]["context"] = {"trace_id": trace, "span_id": child}
    spans[1]["parent_id"] = root
    logged = client.spans.log_spans(project_identifier=project, spans=spans)
    assert logged["total_queued"] == 2, logged
    read = {span["name"]: span for span in client.spans.get_spans(project_identifier=project)}
    assert read["root"]["context"] == {"trace_id": trace, "span_id": root}, read
    assert read["child"]["context"] == {"trace_id": trace, "span_id": child} and read["child"]["parent_id"] == root, read
    assert names(client.spans.get_spans(project_identifier=project, span_ids=[child])) == ["child"]
    assert names(client.spans.get_spans(project_identifier=project, parent_id=root)) == ["child"]
    assert len(client.spans.get_spans(project_identifier=project, trace_ids=[trace])) == 2
    again = fails(lambda: client.spans.log_spans(project_identifier=project, spans=spans[:1]), SpanCreationError)
    assert again.duplicate_spans[0]["span_id"] == root, vars(again)
    inserted = client.spans.add_span_annotation(span_id=child, annotation_name="own", annotator_kind="LLM", label="good", sync=True)
    assert inserted["id"], inserted
    annotations = client.spans.get_span_annotations(span_ids=[child], project_identifier=project)
    assert [annotation["span_id"] for annotation in annotations] == [child], annotations
    client.spans.delete(span_identifier=child)
    assert names(client.spans.get_spans(project_identifier=project)) == ["root"]


def test_delete_span():
    project = unique("delete")
    client.spans.log_spans(project_identifier=project, spans=[make_span(11, "kept", trace=11), make_span(12, "gone", trace=11)])
    client.spans.delete(span_identifier=span_id(12))
    assert names(client.spans.get_spans(project_identifier=project)) == ["kept"]
    assert status_of(lambda: client.spans.delete(span_identifier=span_id(12))) == 404
