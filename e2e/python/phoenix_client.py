"""The released arize-phoenix-client, unmodified: its project, span, trace and session calls."""

from datetime import datetime, timedelta, timezone

import httpx
from phoenix.client import Client
from phoenix.client.exceptions import SpanCreationError

from server_under_test import URL, names

client = Client(base_url=URL)
START = datetime(2026, 1, 1, tzinfo=timezone.utc)


def make_span(number, name, *, trace=1, parent=None, kind="CHAIN", status="OK", attributes=None):
    return {
        "name": name,
        "context": {"trace_id": f"{trace:032x}", "span_id": f"{number:016x}"},
        "span_kind": kind,
        "parent_id": None if parent is None else f"{parent:016x}",
        "start_time": (START + timedelta(seconds=number)).isoformat(),
        "end_time": (START + timedelta(seconds=number + 2)).isoformat(),
        "status_code": status,
        "status_message": "",
        "attributes": attributes or {},
        "events": [],
    }


def fails(call, *kinds):
    try:
        call()
    except kinds as error:
        return error
    raise AssertionError(f"expected one of {kinds}")


def test_projects():
    created = client.projects.create(name="py-project", description="one")
    assert created["name"] == "py-project" and created["description"] == "one"
    assert client.projects.get(project_name="py-project") == created
    assert client.projects.get(project_id=created["id"]) == created
    assert [project["name"] for project in client.projects.list(name_contains="Y-PROJ")] == ["py-project"]
    updated = client.projects.update(project_name="py-project", description="two")
    assert updated["description"] == "two"
    client.projects.delete(project_name="py-project")
    assert client.projects.list(name_contains="py-proj") == []
    fails(lambda: client.projects.get(project_name="py-project"), Exception)


def test_list_of_projects_pages():
    for number in range(105):
        client.projects.create(name=f"py-page-{number:03}")
    listed = client.projects.list(name_contains="py-page-")
    assert len({project["id"] for project in listed}) == 105, len(listed)


def test_span_filters():
    project = "py-filters"
    result = client.spans.log_spans(
        project_identifier=project,
        spans=[
            make_span(1, "root", kind="AGENT", attributes={"session.id": "py-filter-session", "user": {"tier": "gold"}}),
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
    assert found(trace_ids=[f"{2:032x}"]) == ["other"]
    assert found(span_ids=[f"{2:016x}", f"{3:016x}"]) == ["model", "tool"]
    assert found(parent_id="null") == ["other", "root"]
    assert found(parent_id=f"{1:016x}") == ["model", "tool"]
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
    project = "py-pages"
    spans = [make_span(number, f"span {number}", trace=3) for number in range(1000, 1250)]
    client.spans.log_spans(project_identifier=project, spans=spans)
    read = client.spans.get_spans(project_identifier=project, limit=1000)
    assert len({span["context"]["span_id"] for span in read}) == 250, len(read)


def test_dataframe_of_spans():
    project = "py-dataframe"
    attributes = {"llm.model_name": "m", "llm.token_count.prompt": 7, "metadata": {"tier": "gold"}, "mine": "x"}
    spans = [make_span(5, "model", kind="LLM", trace=5, attributes=attributes), make_span(6, "child", trace=5, parent=5)]
    client.spans.log_spans(project_identifier=project, spans=spans)
    for frame in (
        client.spans.get_spans_dataframe(project_identifier=project),
        client.spans.get_spans_dataframe(project_identifier=client.projects.get(project_name=project)["id"]),
    ):
        assert list(frame["name"]) == ["child", "model"], frame
        assert frame.index.name == "context.span_id"
        model = frame.loc[f"{5:016x}"]
        assert model["span_kind"] == "LLM" and model["status_code"] == "OK"
        assert model["context.trace_id"] == f"{5:032x}"
        assert model["attributes.llm.model_name"] == "m"
        assert model["attributes.llm.token_count.prompt"] == 7
        assert model["attributes.metadata"] == {"tier": "gold"}
        assert model["start_time"].to_pydatetime() == START + timedelta(seconds=5)
    roots = client.spans.get_spans_dataframe(project_identifier=project, root_spans_only=True)
    assert list(roots["name"]) == ["model"]
    late = client.spans.get_spans_dataframe(project_identifier=project, start_time=START + timedelta(seconds=6))
    assert list(late["name"]) == ["child"]
    copied = client.spans.log_spans_dataframe(project_identifier="py-dataframe-copy", spans_dataframe=new_ids(roots))
    assert copied["total_queued"] == 1


def new_ids(frame):
    """The frame with other span ids, so that it is not a duplicate."""
    frame = frame.copy()
    frame["context.span_id"] = [f"{int(span_id, 16) + 0xFF0000:016x}" for span_id in frame["context.span_id"]]
    return frame.set_index("context.span_id", drop=False)


def test_duplicates_are_named():
    project = "py-duplicates"
    client.spans.log_spans(project_identifier=project, spans=[make_span(7, "once", trace=7)])
    spans = [make_span(7, "once", trace=7), make_span(8, "new", trace=7)]
    error = fails(lambda: client.spans.log_spans(project_identifier=project, spans=spans), SpanCreationError)
    assert error.total_received == 2 and error.total_queued == 0 and error.total_duplicates == 1, vars(error)
    assert error.duplicate_spans[0]["span_id"] == f"{7:016x}", error.duplicate_spans
    assert names(client.spans.get_spans(project_identifier=project)) == ["once"]


def test_invalid_spans_are_named():
    spans = [make_span(9, "good", trace=9), {**make_span(10, "bad", trace=9), "start_time": "yesterday"}]
    error = fails(lambda: client.spans.log_spans(project_identifier="py-invalid", spans=spans), SpanCreationError)
    assert [span["span_id"] for span in error.invalid_spans] == [f"{10:016x}"], vars(error)


def test_delete_span():
    project = "py-delete"
    client.spans.log_spans(project_identifier=project, spans=[make_span(11, "kept", trace=11), make_span(12, "gone", trace=11)])
    client.spans.delete(span_identifier=f"{12:016x}")
    assert names(client.spans.get_spans(project_identifier=project)) == ["kept"]
    error = fails(lambda: client.spans.delete(span_identifier=f"{12:016x}"), httpx.HTTPStatusError)
    assert error.response.status_code == 404


def test_traces():
    project = "py-traces"
    spans = [
        make_span(20, "fast", trace=20, attributes={"session.id": "py-trace-session"}),
        make_span(21, "slow", trace=21),
        make_span(40, "inside", trace=21, parent=21, status="ERROR"),
    ]
    client.spans.log_spans(project_identifier=project, spans=spans)

    def found(**options):
        traces = client.traces.get_traces(project_identifier=project, **options)
        return [int(trace["trace_id"], 16) for trace in traces]

    assert found() == [21, 20]
    assert found(order="asc") == [20, 21]
    assert found(sort="latency_ms", order="desc") == [21, 20]
    assert found(limit=1) == [21]
    assert found(session_id="py-trace-session") == [20]
    assert found(error=True) == [21]
    assert found(error=False) == [20]
    assert found(min_latency_ms=10_000) == [21]
    assert found(max_latency_ms=10_000) == [20]
    assert found(start_time=START + timedelta(seconds=21)) == [21]
    with_spans = client.traces.get_traces(project_identifier=project, include_spans=True)
    assert names(with_spans[0]["spans"]) == ["inside", "slow"]


def test_sessions():
    project = "py-sessions"
    turns = [("py-talk", 30, "hi", "hello"), ("py-talk", 31, "bye", "ciao"), ("py-other", 32, "x", "y")]
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
    client.spans.log_spans(project_identifier=project, spans=spans)
    listed = client.sessions.list(project_name=project)
    assert [session["session_id"] for session in listed] == ["py-talk", "py-other"], listed
    session = client.sessions.get(session_id="py-talk")
    assert [int(trace["trace_id"], 16) for trace in session["traces"]] == [30, 31]
    assert session["token_count_prompt"] == 6, session
    assert client.sessions.get(session_id=session["id"]) == session
    read = client.sessions.get_session_turns(session_id="py-talk")
    assert [(turn["input"]["value"], turn["output"]["value"]) for turn in read] == [("hi", "hello"), ("bye", "ciao")]
    assert read[0]["input"]["mime_type"] == "text/plain"
    frame = client.sessions.get_sessions_dataframe(project_name=project)
    assert len(frame) == 2, frame
    client.sessions.delete(session_id="py-talk")
    assert names(client.spans.get_spans(project_identifier=project)) == ["turn"]
    client.sessions.bulk_delete(session_ids=["py-other"])
    assert client.sessions.list(project_name=project) == []
