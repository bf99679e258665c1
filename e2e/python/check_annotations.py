"""Annotations of spans and documents, and notes."""

import pandas

from client_under_test import client, log_spans, make_span, span_id, unique, wait_for
from server_under_test import post, read_annotations


def test_annotations_of_spans():
    project = unique("annotations")
    spans = [make_span(number, "one", trace=120) for number in (120, 121, 122)]
    log_spans(project, *spans)
    inserted = client.spans.add_span_annotation(
        span_id=span_id(120),
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
    logged = client.spans.log_span_annotations(
        span_annotations=[
            {"name": "length", "annotator_kind": "CODE", "span_id": span_id(number), "result": {"score": number}}
            for number in (120, 121)
        ],
        sync=True,
    )
    assert len({annotation["id"] for annotation in logged}) == 2, logged
    read = client.spans.get_span_annotations(span_ids=[span_id(120), span_id(121)], project_identifier=project)
    assert sorted(annotation["name"] for annotation in read) == ["length", "length", "quality"], read
    quality = next(annotation for annotation in read if annotation["name"] == "quality")
    assert quality["id"] == inserted["id"] and quality["span_id"] == span_id(120), quality
    assert quality["result"] == {"label": "good", "score": 0.9, "explanation": "because"}, quality
    assert quality["metadata"] == {"by": "check"} and quality["identifier"] == "first", quality
    assert quality["annotator_kind"] == "LLM" and quality["source"] == "API", quality
    named = client.spans.get_span_annotations(
        spans=spans, project_identifier=project, include_annotation_names=["quality"]
    )
    assert [annotation["name"] for annotation in named] == ["quality"], named
    assert client.spans.get_span_annotations(span_ids=[span_id(122)], project_identifier=project) == []


def test_answers_of_reviewers():
    """RV29: an answer is an annotation like others, with an identifier of its own."""
    project = unique("reviewed")
    log_spans(project, make_span(125, "one", trace=125))
    labels = {"values": [{"label": "good"}, {"label": "bad"}], "optimization_direction": "NONE"}
    config = post("annotation_configs", {"name": unique("verdict"), "type": "CATEGORICAL", **labels})
    asked = {"annotation_config_id": config["id"], "note": True}
    queue = post("review_queues", {"name": unique("queue"), "target": "span", "questions": [asked]})
    items = f"review_queues/{queue['id']}/items"
    post(items, {"targets": [{"span_id": span_id(125), "project": project}]})
    item = post(f"review_queues/{queue['id']}/next")["item"]["id"]
    answer = {"annotation_config_id": config["id"], "label": "bad", "explanation": "It is late."}
    post(f"{items}/{item}/review", {"answers": [answer]})
    client.spans.add_span_annotation(span_id=span_id(125), annotation_name=config["name"], label="good", sync=True)
    read = client.spans.get_span_annotations(span_ids=[span_id(125)], project_identifier=project)
    assert sorted((one["result"]["label"], one["identifier"] == "") for one in read) == [("bad", False), ("good", True)], read
    assert {(one["name"], one["annotator_kind"]) for one in read} == {(config["name"], "HUMAN")}, read
    frame = client.spans.get_span_annotations_dataframe(span_ids=[span_id(125)], project_identifier=project)
    assert "It is late." in set(frame["result.explanation"]), frame


def test_the_same_annotation_again_replaces_it():
    project = unique("replaced")
    log_spans(project, make_span(130, "one", trace=130))
    for score in (0, 1):
        client.spans.add_span_annotation(span_id=span_id(130), annotation_name="q", score=score, sync=True)
    client.spans.add_span_annotation(span_id=span_id(130), annotation_name="q", score=2, identifier="other", sync=True)
    read = client.spans.get_span_annotations(span_ids=[span_id(130)], project_identifier=project)
    assert sorted(annotation["result"]["score"] for annotation in read) == [1, 2], read


def test_dataframes_of_annotations():
    project = unique("annotation-frames")
    log_spans(project, make_span(140, "one", trace=140), make_span(141, "two", trace=140, parent=140))
    ids = [span_id(140), span_id(141)]
    frame = pandas.DataFrame({"span_id": ids, "label": ["x", "y"], "score": [0.5, 1.0]})
    framed = client.spans.log_span_annotations_dataframe(
        dataframe=frame, annotation_name="framed", annotator_kind="CODE", sync=True
    )
    assert len(framed) == 2, framed
    read = client.spans.get_span_annotations_dataframe(span_ids=ids, project_identifier=project)
    assert sorted(read["result.label"]) == ["x", "y"] and set(read["annotation_name"]) == {"framed"}, read
    spans = client.spans.get_spans_dataframe(project_identifier=project)
    assert len(client.spans.get_span_annotations_dataframe(spans_dataframe=spans, project_identifier=project)) == 2


def test_annotations_may_come_before_their_span():
    project = unique("early")
    assert client.spans.add_span_annotation(span_id=span_id(150), annotation_name="early", score=1) is None
    log_spans(project, make_span(150, "late", trace=150))

    def read():
        return client.spans.get_span_annotations(span_ids=[span_id(150)], project_identifier=project)

    assert [annotation["name"] for annotation in wait_for(read)] == ["early"]


def test_annotations_of_documents():
    project = unique("documents")
    documents = {"retrieval.documents": [{"document": {"content": "a"}}, {"document": {"content": "b"}}]}
    log_spans(project, make_span(160, "search", trace=160, kind="RETRIEVER", attributes=documents))
    inserted = client.spans.add_document_annotation(
        span_id=span_id(160),
        document_position=1,
        annotation_name="relevance",
        annotator_kind="CODE",
        label="yes",
        score=1,
        explanation="because",
        metadata={"by": "check"},
        sync=True,
    )
    assert inserted["id"], inserted
    logged = client.spans.log_document_annotations(
        document_annotations=[
            {"name": "rank", "annotator_kind": "CODE", "span_id": span_id(160), "document_position": 0, "result": {"score": 1}},
        ],
        sync=True,
    )
    assert len(logged) == 1, logged
    frame = pandas.DataFrame({"span_id": [span_id(160)] * 2, "document_position": [0, 1], "score": [0.1, 0.2]})
    framed = client.spans.log_document_annotations_dataframe(
        dataframe=frame, annotation_name="framed", annotator_kind="LLM", sync=True
    )
    assert len(framed) == 2, framed
    read = read_annotations(project, "document", [span_id(160)], ids_are="span_ids")
    assert sorted((one["name"], one["document_position"]) for one in read) == [
        ("framed", 0),
        ("framed", 1),
        ("rank", 0),
        ("relevance", 1),
    ], read


def test_notes():
    project = unique("notes")
    log_spans(project, make_span(170, "one", trace=170))
    assert client.spans.add_span_note(span_id=span_id(170), note="look here")["id"]
    assert client.spans.add_span_note(span_id=span_id(170), note="and here")["id"]
    assert client.spans.get_span_annotations(span_ids=[span_id(170)], project_identifier=project) == []
    notes = client.spans.get_span_annotations(
        span_ids=[span_id(170)], project_identifier=project, include_annotation_names=["note"], exclude_annotation_names=[]
    )
    assert sorted(note["result"]["explanation"] for note in notes) == ["and here", "look here"], notes
