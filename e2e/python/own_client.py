"""The client of this project, `spanward`, as programs use it; also asynchronously."""

import asyncio
import gzip
import json
import os
import tempfile
import threading
import time
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import numpy
import pandas
import spanward
from spanward import AsyncClient, Client, PromptVersion, with_new_ids
from spanward.experiments import (
    ResultsNotStored,
    contains,
    evaluate_experiment,
    evaluator,
    exact_match,
    is_json,
    matches,
    resume_experiment,
    run_experiment,
)

from server_under_test import HEADERS, URL

KEY = os.environ.get("PHOENIX_API_KEY")
RENDERING = Path(__file__).parents[2] / "clients" / "prompt-rendering.json"
START = datetime(2026, 2, 1, tzinfo=timezone.utc)

client = Client(URL, api_key=KEY or "")


def span(number, name, *, trace=1, parent=None, kind="CHAIN", status="OK", attributes=None):
    return {
        "name": name,
        "context": {"trace_id": f"{0xA000 + trace:032x}", "span_id": f"{0xA000 + number:016x}"},
        "span_kind": kind,
        "parent_id": None if parent is None else f"{0xA000 + parent:016x}",
        "start_time": START + timedelta(seconds=number),
        "end_time": START + timedelta(seconds=number + 1),
        "status_code": status,
        "attributes": attributes or {},
    }


def fails(error, call):
    try:
        call()
    except error as raised:
        return raised
    raise AssertionError(f"expected {error.__name__}")


def wait_for(read, seconds=20):
    """What `read` answers once it is something."""
    end = time.monotonic() + seconds
    while not (found := read()):
        assert time.monotonic() < end, "nothing came"
        time.sleep(0.1)
    return found


def test_projects():
    made = client.projects.create("own projects", description="of a test")
    assert client.projects.get("own projects") == client.projects.get(made["id"]) == made
    assert [project["name"] for project in client.projects.list(name_contains="OWN PROJ")] == ["own projects"]
    assert fails(spanward.Conflict, lambda: client.projects.create("own projects")).status == 409
    missing = fails(spanward.NotFound, lambda: client.projects.get("nobody made this"))
    assert missing.code == "project_not_found" and "nobody made this" in str(missing), missing
    invalid = fails(spanward.InvalidRequest, lambda: client.projects.create(""))
    assert invalid.issues[0]["loc"] == ["body", "name"], invalid.issues


def test_traces_spans_and_sessions():
    project = "own traces"
    spans = [
        span(1, "root", attributes={"session.id": "own session", "input.value": "where is it?"}),
        span(2, "llm", parent=1, kind="LLM", attributes={"llm.model_name": "gpt-4o", "llm.token_count.total": 7}),
        span(3, "broken", trace=2, status="ERROR"),
    ]
    assert client.spans.create(project, spans) == 3
    names = lambda **options: sorted(one["name"] for one in client.spans.list(project, **options))
    wait_for(lambda: len(names()) == 3)
    assert names(filter="span_kind == 'LLM' and llm.model_name == 'gpt-4o'") == ["llm"]
    assert names(filter="where is it") == ["root"]
    assert names(roots_only=True, page_size=1) == ["broken", "root"]
    assert names(attributes={"llm.token_count.total": 7}) == ["llm"]
    assert names(end_time=START + timedelta(seconds=2)) == ["root"]
    wrong = fails(spanward.ApiError, lambda: names(filter="span_kind = 'LLM'"))
    assert wrong.status == 400, wrong

    traces = client.traces.list(project, filter="error_count > 0").to_list()
    assert [trace["root_name"] for trace in traces] == ["broken"]
    whole = client.traces.get(project, spans[0]["context"]["trace_id"])
    assert sorted(one["name"] for one in whole["spans"]) == ["llm", "root"], whole

    assert [session["session_id"] for session in client.sessions.list(project)] == ["own session"]
    assert len(client.sessions.get("own session")["traces"]) == 1
    client.projects.create("own moved traces")
    assert client.traces.move([spans[2]["context"]["trace_id"]], to_project="own moved traces") == 1
    assert len(client.traces.list("own moved traces").to_list()) == 1
    client.traces.delete(spans[2]["context"]["trace_id"])
    assert client.traces.list("own moved traces").to_list() == []
    client.sessions.delete_many(["own session"])
    assert client.sessions.list(project).to_list() == []


def test_data_frame_of_spans():
    project = "own frames"
    client.spans.create(
        project,
        [span(number, f"call {number}", trace=number, kind="LLM", attributes={"llm.token_count.total": number}) for number in range(10, 20)],
    )
    wait_for(lambda: len(client.spans.to_dataframe(project)) == 10)
    frame = client.spans.to_dataframe(project)
    assert frame.index.name == "context.span_id" and frame["name"].iloc[0] == "call 19"
    assert frame["start_time"].dt.tz is not None
    few = client.spans.to_dataframe(project, filter="llm.token_count.total >= 15", limit=3)
    assert list(few["name"]) == ["call 19", "call 18", "call 17"], few


def test_analytics():
    project = "own analytics"
    spans = [
        span(number, "call", trace=number, kind="LLM", attributes={"llm.model_name": model, "llm.token_count.total": number})
        for number, model in ((50, "small"), (51, "small"), (52, "large"))
    ]
    client.spans.create(project, [*spans, span(53, "step", trace=53)])
    times = {"start_time": START, "end_time": START + timedelta(days=2)}
    wait_for(lambda: client.analytics.query(project, **times)["all"]["totals"]["count"] == 4)
    answer = client.analytics.query(project, group_by="model", measure=["count", "tokens_total"], limit=2, **times)
    assert answer["groups_total"] == 3 and answer["others"]["groups"] == 1, answer
    (first, _) = answer["series"]
    assert first["group"][0]["value"] == "small" and first["totals"] == {"count": 2, "tokens_total": 101}, first
    listed = client.spans.list(project, filter=first["drill_down"]["filter"]).to_list()
    assert len(listed) == 2, listed
    table = client.analytics.to_dataframe(
        project, group_by="model", measure=["count", "latency_avg"], sort="group", bucket="day", compare="previous_day", **times
    )
    assert list(table["model"].fillna("none")) == ["large", "large", "small", "small", "none", "none"], table
    assert list(table["count"]) == [1, 0, 2, 0, 1, 0] and list(table["previous.count"]) == [0, 1, 0, 2, 0, 1], table
    assert table["start_time"].iloc[1] == START + timedelta(days=1) and table["start_time"].dt.tz is not None
    assert table["latency_avg"].iloc[0] == 1000 and pandas.isna(table["latency_avg"].iloc[1]), table
    assert table.attrs["is_partial"] is False and table.attrs["groups_total"] == 3
    assert list(client.analytics.to_dataframe(project, group_by=["kind"], **times)["kind"]) == ["LLM", "CHAIN"]
    assert list(client.analytics.to_dataframe(project, measure="tokens_total", **times)["tokens_total"]) == [153]
    nothing = client.analytics.to_dataframe(project, group_by="model", filter="name == 'nobody'", **times)
    assert len(nothing) == 0 and "count" in nothing.columns
    both = client.analytics.to_dataframe([project, "default"], group_by="project", **times)
    assert both["project"].iloc[0] == project, both
    bins = client.analytics.to_dataframe(project, distribution="latency_ms", **times)
    assert list(bins["count"]) == [4] and list(bins["bin_start"]) == [1000], bins
    named = {rows["of"]: [measure["name"] for measure in rows["measures"]] for rows in client.analytics.schema()["rows"]}
    assert "score_avg" in named["annotations"] and "refused_requests" in named["ingest"], named
    assert client.analytics.query(of="ingest", range="15m", strict=True)["is_partial"] is False
    wrong = fails(spanward.InvalidRequest, lambda: client.analytics.query(project, measure="cuont"))
    assert wrong.issues[0]["type"] == "unknown_measure", wrong.issues


def test_annotations():
    project = "own annotations"
    one, two = span(30, "one", trace=30, attributes={"session.id": "own annotated"}), span(31, "two", trace=31)
    client.spans.create(project, [one, two])
    span_id, trace_id = one["context"]["span_id"], one["context"]["trace_id"]
    wait_for(lambda: len(client.traces.list(project).to_list()) == 2)
    made = client.annotations.annotate_span(span_id, "quality", label="good", score=0.9, metadata={"by": "test"})
    again = client.annotations.annotate_span(span_id, "quality", label="bad", annotator_kind="LLM")
    assert made == again
    (stored,) = client.annotations.of_spans(project, [span_id])
    assert stored["result"]["label"] == "bad" and stored["result"]["score"] is None, stored
    client.annotations.update(made, score=0.5)
    assert client.annotations.get(made)["result"]["score"] == 0.5
    client.annotations.annotate_trace(trace_id, "helpful", score=1)
    client.annotations.annotate_session("own annotated", "solved", label="yes")
    assert [found["name"] for found in client.annotations.of_traces(project, [trace_id])] == ["helpful"]
    assert [found["name"] for found in client.annotations.of_sessions(project, ["own annotated"])] == ["solved"]
    assert client.annotations.note_span(span_id, "look at this")
    rows = [{"span_id": one_id, "name": "bulk", "annotator_kind": "CODE", "result": {"score": 1}} for one_id in (span_id, two["context"]["span_id"])]
    assert len(client.annotations.log("span", rows, wait=True)) == 2
    client.annotations.delete(made)
    fails(spanward.NotFound, lambda: client.annotations.get(made))


def test_annotation_that_comes_first():
    early = span(40, "late", trace=40)["context"]["span_id"]
    fails(spanward.NotFound, lambda: client.annotations.annotate_span(early, "early", score=1))
    assert client.annotations.annotate_span(early, "early", score=1, wait=False) is None
    assert any(waiting["target_id"] == early for waiting in client.annotations.waiting())
    client.spans.create("own early", [span(40, "late", trace=40)])
    (found,) = wait_for(lambda: client.annotations.of_spans("own early", [early]).to_list() if _has(early) else None)
    assert found["name"] == "early"


def _has(span_id):
    try:
        return client.annotations.of_spans("own early", [span_id]).to_list()
    except spanward.NotFound:
        return None


def test_annotation_configs():
    config = client.annotation_configs.create(
        {"type": "CONTINUOUS", "name": "own score", "optimization_direction": "MAXIMIZE", "lower_bound": 0, "upper_bound": 1}
    )
    client.annotation_configs.assign("default", "own score")
    assert [one["name"] for one in client.annotation_configs.list(project="default")] == ["own score"]
    client.annotation_configs.unassign("default", config["id"])
    client.annotation_configs.delete(config["id"])
    fails(spanward.NotFound, lambda: client.annotation_configs.get("own score"))


def test_datasets():
    name = "own dataset"
    made = client.datasets.create(
        name,
        examples=[
            {"input": {"q": "1+1"}, "output": {"a": 2}, "splits": ["train"], "id": "one"},
            {"input": {"q": "2+2"}, "output": {"a": 4}},
        ],
        description="sums",
    )
    assert made["example_count"] == 2 and made["description"] == "sums", made
    fails(spanward.Conflict, lambda: client.datasets.create(name, inputs=[{"q": 1}]))
    assert client.datasets.append(name, inputs=[{"q": "3+3"}], outputs=[{"a": 6}])["example_count"] == 3
    assert client.datasets.append(name, inputs=[{"q": "3+3"}], outputs=[{"a": 6}])["example_count"] == 3
    assert len(client.datasets.versions(name)) == 2
    assert [one["id"] for one in client.datasets.examples(name, splits=["train"])] == ["one"]
    changed = client.datasets.update_example(name, "one", output={"a": "two"})
    assert changed["output"] == {"a": "two"}
    first = client.datasets.versions(name)[-1]["version_id"]
    assert client.datasets.examples(name, version_id=first)[0]["output"] == {"a": 2}
    assert client.datasets.to_dataframe(name).loc["one"]["output"] == {"a": "two"}
    assert client.datasets.replace(name, inputs=[{"q": "2+2"}], outputs=[{"a": 4}])["example_count"] == 1
    assert client.datasets.update(name, description="other")["description"] == "other"
    fails(ValueError, lambda: client.datasets.create("no", inputs=[{}], outputs=[]))
    fails(ValueError, lambda: client.datasets.create("no", examples=[{"question": "?"}]))
    client.datasets.delete(name)
    assert fails(spanward.NotFound, lambda: client.datasets.get(name)).code == "dataset_not_found"


def test_values_of_numpy_and_pandas():
    values = {
        "list": numpy.array([1, 2]),
        "one": numpy.array([1]),
        "number": numpy.int64(3),
        "missing": pandas.NA,
        "never": pandas.NaT,
        "nan": float("nan"),
        "when": pandas.Timestamp("2026-01-01T00:00:00Z"),
    }
    client.datasets.create("own values", inputs=[values])
    (example,) = client.datasets.examples("own values")
    assert example["input"] == {
        "list": [1, 2],
        "one": [1],
        "number": 3,
        "missing": None,
        "never": None,
        "nan": None,
        "when": "2026-01-01T00:00:00+00:00",
    }, example
    frame = pandas.DataFrame({"span_id": ["00000000000000ee"], "label": pandas.array([None], dtype="string"), "score": [1]})
    assert client.annotations.log_dataframe("span", frame, name="na") == []


def test_files_of_datasets():
    with tempfile.TemporaryDirectory() as folder:
        csv, zipped = Path(folder, "rows.csv"), Path(folder, "rows.csv.gz")
        csv.write_text('question,answer,part\n"Where, exactly?",there,train\nWhen?,now,test\n')
        zipped.write_bytes(gzip.compress(csv.read_bytes()))
        keys = {"input_keys": ["question"], "output_keys": ["answer"], "split_key": "part"}
        assert client.datasets.upload_file("own csv", csv, **keys)["example_count"] == 2
        client.datasets.upload_file("own csv", zipped, action="append", **keys)
        assert len(client.datasets.examples("own csv")) == 2
        assert sorted(split["name"] for split in client.datasets.splits("own csv")) == ["test", "train"]
        lines = Path(folder, "rows.jsonl")
        client.datasets.download("own csv", lines)
        rows = [json.loads(line) for line in lines.read_text().splitlines()]
        assert rows[0]["input"] == {"question": "Where, exactly?"}, rows
        client.datasets.download("own csv", Path(folder, "again.csv"), format="csv")
        assert "Where, exactly?" in Path(folder, "again.csv").read_text()
        client.datasets.append("own csv", examples=[{"input": {"question": "=1+1"}}])
        client.datasets.download("own csv", Path(folder, "raw.csv"), format="csv")
        assert ",=1+1," in Path(folder, "raw.csv").read_text()
        client.datasets.download("own csv", Path(folder, "shown.csv"), format="csv", escape_formulas=True)
        assert ",'=1+1," in Path(folder, "shown.csv").read_text()
        fails(ValueError, lambda: client.datasets.upload_file("own text", Path(folder, "rows.txt"), input_keys=[]))


def test_dataset_of_spans():
    client.spans.create("own source", [span(50, "ask", trace=50, kind="LLM", attributes={"input.value": "hi", "output.value": "hello"})])
    client.datasets.create("own from spans", examples=[])
    wait_for(lambda: client.spans.list("own source").to_list())
    client.datasets.add_spans("own from spans", [span(50, "")["context"]["span_id"]], project="own source")
    (example,) = client.datasets.examples("own from spans")
    assert "hi" in json.dumps(example["input"]) and "hello" in json.dumps(example["output"]), example


def _questions(name):
    client.datasets.create(
        name,
        inputs=[{"country": "France"}, {"country": "Italy"}, {"country": "Spain"}],
        outputs=[{"capital": "Paris"}, {"capital": "Rome"}, {"capital": "Madrid"}],
    )
    return name


def test_experiment_fails_and_is_resumed():
    broken = True

    def task(input):
        if broken and input["country"] == "Italy":
            raise LookupError("no map")
        return "Paris"

    @evaluator("length", kind="CODE")
    def length(output):
        return {"score": len(output), "label": "short", "explanation": "letters"}

    @evaluator()
    def fussy(output, expected):
        if expected["capital"] == "Madrid":
            raise RuntimeError("not this one")
        return True

    name = _questions("own experiment")
    result = client.experiments.run(name, task, [exact_match, length, fussy], name="first", repetitions=2, show_progress=False)
    assert len(result.runs) == 6 and len(result.failed) == 2, result
    assert "LookupError: no map" in result.failed[0].error
    assert result.experiment["name"] == "first" and result.experiment["failed_run_count"] == 2
    assert result.scores == {"exact_match": 0.5, "fussy": 1.0, "length": 5.0}, result.scores
    broken = False
    again = resume_experiment(result.experiment["id"], task, [exact_match, length, fussy], client=client, show_progress=False)
    assert again.failed == [] and len(again.runs) == 6 and "6 runs" in str(again), again
    assert len(again.to_dataframe()) == 6
    project = result.experiment["project_name"]
    found = wait_for(lambda: (lambda ids: ids if len(ids) >= 6 else None)({one["trace_id"] for one in client.traces.list(project)}))
    assert {run.trace_id for run in again.runs} <= found
    client.experiments.tag(result.experiment["id"], "baseline")
    assert [tag["name"] for tag in client.experiments.tags(result.experiment["id"])] == ["baseline"]
    client.experiments.delete(result.experiment["id"], delete_project=True)
    fails(spanward.NotFound, lambda: client.experiments.get(result.experiment["id"]))
    fails(spanward.NotFound, lambda: client.projects.get(project))


def test_experiments_are_compared():
    name = _questions("own comparison")
    base = run_experiment(name, lambda input: "Paris", [exact_match], client=client, show_progress=False, trace=False)
    other = run_experiment(name, lambda example: example["output"]["capital"], [exact_match], client=client, show_progress=False, trace=False)
    judged = evaluate_experiment(other.experiment["id"], {"long": lambda output: len(output) > 5}, client=client, show_progress=False)
    assert judged.scores["long"] == 1 / 3, judged
    compared = client.experiments.compare(name, [base.experiment["id"], other.experiment["id"]])
    assert len(compared["data"]) == 3 and len(compared["summary"]) == 2, compared
    assert compared["summary"][1]["metrics"]["exact_match"]["improved"] == 2, compared["summary"]
    assert [run.trace_id for run in base.runs] == [None] * 3


def test_dry_run_stores_nothing():
    name = _questions("own dry run")
    before = len(client.experiments.list().to_list())
    result = client.experiments.run(name, lambda input: input["country"], [contains("france"), is_json, matches("^F")], dry_run=True)
    assert result.experiment is None and result.scores == {"contains": 1.0, "is_json": 0.0, "matches": 1.0}, result
    assert len(client.experiments.list().to_list()) == before


class _Refusing(httpx.BaseTransport):
    """The server, which has too much to do for so many requests of a kind."""

    def __init__(self, refusals, kind=("POST", "/runs")):
        self.refusals = refusals
        self._kind = kind
        self._server = httpx.HTTPTransport()

    def handle_request(self, request):
        method, path = self._kind
        if self.refusals > 0 and request.method == method and request.url.path.endswith(path):
            self.refusals -= 1
            request.read()
            return httpx.Response(503, json={"detail": "busy", "code": "busy"})
        return self._server.handle_request(request)


def _through(transport, retries=0):
    return Client(URL, api_key=KEY or "", retries=retries, http=httpx.Client(transport=transport))


def test_files_are_sent_and_read_again():
    with tempfile.TemporaryDirectory() as folder:
        rows, read = Path(folder, "rows.csv"), Path(folder, "read.jsonl")
        rows.write_text("q\n" + "".join(f"question {number}\n" for number in range(2_000)))
        sending = _through(_Refusing(1, ("POST", "/upload")), retries=1)
        assert sending.datasets.upload_file("own sent again", rows, input_keys=["q"])["example_count"] == 2_000
        _through(_Refusing(1, ("GET", "/jsonl")), retries=1).datasets.download("own sent again", read)
        assert len(read.read_text().splitlines()) == 2_000
        impatient = _through(_Refusing(1, ("GET", "/jsonl")))
        assert fails(spanward.ServerFailure, lambda: impatient.datasets.download("own sent again", read)).code == "busy"


class _BreaksOff(httpx.BaseTransport):
    """The server, whose answers end before they are whole."""

    def handle_request(self, request):
        def pieces():
            yield b"{"
            raise httpx.ReadError("gone")

        return httpx.Response(200, content=pieces())


def test_an_answer_that_breaks_off():
    error = fails(spanward.ServerUnreachable, lambda: _through(_BreaksOff()).spans.to_dataframe("default"))
    assert "broke off: gone" in str(error), error


def test_results_are_kept_until_the_server_takes_them():
    name = _questions("own refused results")
    answered = []

    def task(input):
        answered.append(input["country"])
        return input["country"]

    options = {"show_progress": False, "trace": False, "concurrency": 1}
    result = _through(_Refusing(2)).experiments.run(name, task, **options)
    assert sorted(run.output for run in result.runs) == sorted(answered) == ["France", "Italy", "Spain"], result

    answered.clear()
    refusing = _Refusing(5)
    other = _through(refusing)
    error = fails(ResultsNotStored, lambda: other.experiments.run(name, task, **options))
    assert len(answered) == 3, answered
    assert len(error.results) == 2 and "repetition 1" in str(error) and "busy" in str(error), error
    (experiment, *_) = client.experiments.list().to_list(1)
    assert experiment["missing_run_count"] == 2, experiment
    other.experiments.store(error.results)
    assert client.experiments.get(experiment["id"])["successful_run_count"] == 3
    assert len(answered) == 3, answered


def test_data_frames_are_stored_beside_what_they_were_copied_from():
    project = "own copied"
    client.spans.create(project, [span(60, "root", trace=60, attributes={"tags": ["a", "b"]}), span(61, "child", trace=60, parent=60)])
    wait_for(lambda: len(client.spans.to_dataframe(project)) == 2)
    frame = client.spans.to_dataframe(project)
    assert frame.loc[span(60, "")["context"]["span_id"]]["attributes.tags"] == ["a", "b"], frame
    assert client.spans.create_from_dataframe(project, with_new_ids(frame)) == 2
    spans = client.spans.list(project, names=["child"]).to_list()
    assert len({one["parent_id"] for one in spans}) == 2, spans
    assert len(client.spans.list(project, names=["root"], attributes={}).to_list()) == 2


def test_annotations_of_more_spans_than_an_address_has_room_for():
    project = "own many annotated"
    spans = [span(2_000 + number, "many", trace=2_000) for number in range(250)]
    client.spans.create(project, spans)
    ids = [one["context"]["span_id"] for one in spans]
    wait_for(lambda: len(client.spans.list(project).to_list()) == 250)
    frame = pandas.DataFrame({"span_id": ids, "score": [1.0] * 249 + [float("nan")], "label": ["x"] * 250})
    client.annotations.log_dataframe("span", frame, name="seen", annotator_kind="CODE", wait=True)
    read = client.annotations.to_dataframe("span", project, ids, names=["seen"])
    assert len(read) == 250 and read["score"].isna().sum() == 1 and set(read["label"]) == {"x"}, read
    assert set(read.index) == set(ids)
    assert list(client.annotations.to_dataframe("span", project, [])["score"]) == []


def test_prompts_as_openai_takes_them():
    parameters = {
        "model": "gpt-4o",
        "messages": [
            {"role": "user", "content": "What is it like in {{city}}?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "a", "content": "sunny"},
        ],
        "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
        "tool_choice": {"type": "function", "function": {"name": "look"}},
        "parallel_tool_calls": False,
        "temperature": 0.5,
    }
    client.prompts.create_from_openai("own-openai", parameters)
    read = client.prompts.get("own-openai").to_openai({"city": "Rome"})
    parameters["messages"][0]["content"] = "What is it like in Rome?"
    assert read == parameters, read
    client.prompts.delete("own-openai")


def test_prompts():
    made = client.prompts.create(
        "own-prompt",
        messages=[{"role": "system", "content": "Be {{ tone }}."}, {"role": "user", "content": [{"type": "text", "text": "{{question}}"}]}],
        model_provider="ANTHROPIC",
        model_name="claude-sonnet-4-5",
        invocation_parameters={"max_tokens": 100},
        tags=["production"],
    )
    newer = client.prompts.create("own-prompt", messages=[{"role": "user", "content": "{{question}}"}], model_provider="OPENAI", model_name="gpt-4o")
    assert client.prompts.get("own-prompt").id == newer.id != made.id
    tagged = client.prompts.get("own-prompt", tag="production")
    assert tagged.id == made.id and tagged.variables == ["tone", "question"] and tagged.invocation_parameters["max_tokens"] == 100
    assert tagged.format({"tone": "short", "question": "Why?"}) == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Why?"},
    ]
    assert "tone" in str(fails(KeyError, lambda: tagged.format({"question": "?"})))
    for case in json.loads(RENDERING.read_text("utf-8")):
        message = {"role": "user", "content": case["text"]}
        template = {"template_format": case.get("format", "MUSTACHE"), "template": {"type": "chat", "messages": [message]}}
        version = PromptVersion(template)
        if "missing" in case:
            assert ", ".join(case["missing"]) in str(fails(KeyError, lambda: version.format(case["variables"])))
        else:
            assert version.format(case["variables"]) == [message | {"content": case["rendered"]}]
    client.prompts.tag(newer.id, "production")
    assert client.prompts.get("own-prompt", tag="production").id == newer.id
    assert client.prompts.diff(newer.id, against=made.id)
    assert len(client.prompts.versions("own-prompt").to_list()) == 2
    client.prompts.delete("own-prompt")
    fails(spanward.NotFound, lambda: client.prompts.get("own-prompt"))


def test_asynchronously():
    async def run():
        async with AsyncClient(URL, api_key=KEY or "") as other:
            names = [project["name"] async for project in other.projects.list()]
            assert "default" in names
            await other.datasets.create("own async", inputs=[{"n": n} for n in range(12)])
            running = most = 0

            async def task(input):
                nonlocal running, most
                running += 1
                most = max(most, running)
                await asyncio.sleep(0.05)
                running -= 1
                return input["n"]

            result = await other.experiments.run(
                "own async", task, [evaluator("even")(lambda output: output % 2 == 0)], concurrency=4, show_progress=False
            )
            assert result.scores == {"even": 0.5} and most == 4, (result, most)
            frame = await other.spans.to_dataframe(result.experiment["project_name"])
            assert set(frame["name"]) <= {"Task"}

    asyncio.run(run())


class _Flaky(BaseHTTPRequestHandler):
    """Says twice that it has too much to do, then answers."""

    keys = []

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        _Flaky.keys.append(self.headers.get("idempotency-key"))
        done = len(_Flaky.keys) >= 3
        body = json.dumps({"data": {"id": "x"}} if done else {"detail": "busy", "code": "busy"}).encode()
        self.send_response(200 if done else 503)
        self.send_header("content-type", "application/json" if done else "application/problem+json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_tries_again_with_the_same_key():
    server = HTTPServer(("127.0.0.1", 0), _Flaky)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    assert Client(url).projects.create("x") == {"id": "x"}
    assert len(_Flaky.keys) == 3 and len(set(_Flaky.keys)) == 1 and _Flaky.keys[0], _Flaky.keys
    _Flaky.keys.clear()
    assert fails(spanward.ServerFailure, lambda: Client(url, retries=1).projects.create("x")).code == "busy"
    server.shutdown()
    server.server_close()
    assert "cannot reach" in str(fails(spanward.ServerUnreachable, lambda: Client(url, retries=0).projects.list().to_list()))


def test_addresses_and_keys():
    os.environ["SERVICE_COLLECTOR_ENDPOINT"] = f"{URL}/v1/traces"
    try:
        found = Client(headers=HEADERS)
        assert found.base_url == URL and found.projects.get("default")
    finally:
        del os.environ["SERVICE_COLLECTOR_ENDPOINT"]
    assert "http://" in str(fails(ValueError, lambda: Client("localhost:6006")))
    if KEY:
        assert fails(spanward.AuthenticationError, lambda: Client(URL, api_key="sw_u_nonsense").projects.get("default")).status == 401
