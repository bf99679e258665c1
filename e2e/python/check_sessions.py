"""Sessions: lists, turns, deleting, annotations."""

import pandas

from client_under_test import client, log_spans, make_span, trace_id, unique
from server_under_test import names, read_annotations


def test_sessions():
    project = unique("sessions")
    talk, other = unique("talk"), unique("other")
    turns = [(talk, 30, "hi", "hello"), (talk, 31, "bye", "ciao"), (other, 32, "x", "y")]
    spans = [
        make_span(
            number,
            "turn",
            trace=number,
            attributes={
                "session.id": session,
                "input.value": question,
                "input.mime_type": "text/plain",
                "output.value": answer,
                "llm.token_count.prompt": 3,
            },
        )
        for session, number, question, answer in turns
    ]
    log_spans(project, *spans)
    listed = client.sessions.list(project_name=project)
    assert [session["session_id"] for session in listed] == [talk, other], listed
    session = client.sessions.get(session_id=talk)
    assert [trace["trace_id"] for trace in session["traces"]] == [trace_id(30), trace_id(31)]
    assert session["token_count_prompt"] == 6, session
    assert client.sessions.get(session_id=session["id"]) == session
    read = client.sessions.get_session_turns(session_id=talk)
    assert [(turn["input"]["value"], turn["output"]["value"]) for turn in read] == [("hi", "hello"), ("bye", "ciao")]
    assert read[0]["input"]["mime_type"] == "text/plain"
    frame = client.sessions.get_sessions_dataframe(project_name=project)
    assert len(frame) == 2, frame
    client.sessions.delete(session_id=talk)
    assert names(client.spans.get_spans(project_identifier=project)) == ["turn"]
    client.sessions.bulk_delete(session_ids=[other])
    assert client.sessions.list(project_name=project) == []


def test_annotations_of_sessions():
    project, session = unique("session-annotations"), unique("annotated")
    log_spans(project, make_span(60, "turn", trace=60, attributes={"session.id": session}))
    inserted = client.sessions.add_session_annotation(
        session_id=session,
        annotation_name="mood",
        label="good",
        score=1,
        explanation="because",
        metadata={"by": "check"},
        identifier="first",
        sync=True,
    )
    assert inserted["id"], inserted
    logged = client.sessions.log_session_annotations(
        session_annotations=[
            {"name": "length", "annotator_kind": "CODE", "session_id": session, "result": {"score": 3}},
        ],
        sync=True,
    )
    assert len(logged) == 1, logged
    frame = pandas.DataFrame({"session_id": [session], "annotator_kind": ["LLM"], "label": ["x"], "name": ["framed"]})
    assert len(client.sessions.log_session_annotations_dataframe(dataframe=frame, sync=True)) == 1
    read = read_annotations(project, "session", [session])
    assert sorted(annotation["name"] for annotation in read) == ["framed", "length", "mood"], read
    mood = next(annotation for annotation in read if annotation["name"] == "mood")
    assert mood["result"] == {"label": "good", "score": 1, "explanation": "because"}, mood
    assert mood["annotator_kind"] == "HUMAN" and mood["identifier"] == "first", mood
