"""What the client of this project says about many spans, users and failures, and how they are looked at."""

import asyncio
import os
from datetime import timedelta

import httpx
import spanward
from spanward import AsyncClient, Client

from own_client import KEY, START, URL, client, fails, span, wait_for

TIMES = {"start_time": START, "end_time": START + timedelta(days=1)}

admin = Client(URL, api_key=os.environ.get("SPANWARD_ADMIN_KEY", ""))


def test_facets_and_keys():
    project = "own facets"
    client.spans.create(
        project,
        [
            span(number, "call", trace=number, kind="LLM", attributes={"llm.model_name": model, "metadata": {"tier": "gold"}})
            for number, model in ((300, "small"), (301, "small"), (302, "large"))
        ],
    )
    wait_for(lambda: len(client.spans.list(project).to_list()) == 3)
    (model, kind) = client.analytics.facets(project, ["model", "kind"], filter="model == 'small'", **TIMES)
    assert [(value["value"], value["count"]) for value in model["values"]] == [("small", 2), ("large", 1)], model
    assert [(value["value"], value["count"]) for value in kind["values"]] == [("LLM", 2)] and not kind["is_partial"], kind
    assert len(client.spans.list(project, filter=model["values"][0]["filter"]).to_list()) == 2
    (few,) = client.analytics.facets(project, "model", limit=1, value_contains="L", **TIMES)
    assert len(few["values"]) == 1 and few["distinct"] == 2, few
    table = client.analytics.facets_to_dataframe(project, ["model", "kind"], **TIMES)
    assert list(table["label"]) == ["small", "large", "LLM"] and list(table["count"]) == [2, 1, 3], table
    assert table.attrs["is_partial"] is False
    assert list(client.analytics.facets_to_dataframe("default", "model").columns) == list(table.columns)
    assert [(key["key"], key["in"], key["share"]) for key in client.analytics.attribute_keys(project, prefix="TI")] == [("tier", "metadata", 1)]
    wrong = fails(spanward.InvalidRequest, lambda: client.analytics.facets(project, "modle"))
    assert wrong.issues, wrong


def test_end_users():
    project = "own end users"
    name = "müller/1?&#%"
    users = ((310, "ann"), (311, name), (312, name))
    client.spans.create(project, [span(number, "ask", trace=number, attributes={"user.id": user}) for number, user in users])
    listed = wait_for(lambda: client.end_users.list(project, sort="traces", page_size=1, **TIMES).to_list())
    assert [(user["user_id"], user["trace_count"]) for user in listed] == [(name, 2), ("ann", 1)], listed
    assert [user["user_id"] for user in client.end_users.list(project, q="AN", **TIMES)] == ["ann"]
    one = client.end_users.get(project, name, **TIMES)
    assert one["trace_count"] == 2 and one["error_groups_open"] == 0 and one["is_partial"] is False, one
    fails(spanward.NotFound, lambda: client.end_users.get(project, "nobody", **TIMES))
    table = client.end_users.to_dataframe(project, sort="traces", order="asc", **TIMES)
    assert table.index.name == "user_id" and list(table["trace_count"]) == [1, 2], table
    assert table["last_seen"].iloc[0] == START + timedelta(seconds=310) and table.attrs["is_partial"] is False
    empty = client.end_users.to_dataframe(project, q="nobody", **TIMES)
    assert len(empty) == 0 and empty["last_seen"].dt.tz is not None, empty


def _failure(number, message, user):
    failing = span(number, "answer", trace=number, status="ERROR", attributes={"user.id": user, "release": "2.0"})
    exception = {"exception.type": "ValueError", "exception.message": message}
    return failing | {"events": [{"name": "exception", "timestamp": failing["start_time"], "attributes": exception}]}


def test_error_groups():
    project = "own errors"
    client.spans.create(project, [_failure(320, "no city", "ann"), _failure(321, "no city", "bob"), _failure(322, "no country", "ann")])
    groups = wait_for(lambda: (lambda found: found if len(found) == 2 else None)(client.error_groups.list(project, sort="count").to_list()), 240)
    (city, country) = groups
    assert (city["count"], city["user_count"], city["state"], city["releases"]) == (2, 2, "open", ["2.0"]), city
    narrowed = client.error_groups.list(project, user_id="bob", error_kind=["exception", "error"], sparkline=True, page_size=1, **TIMES)
    assert [(one["count"], len(one["sparkline"])) for one in narrowed] == [(1, 24)]
    assert narrowed.is_partial is False
    detail, etag = client.error_groups.get_with_etag(city["id"])
    assert detail["grouping"]["rule"] == "message" and client.error_groups.get(city["id"], user_id="bob")["count"] == 1, detail
    assert [one["user_id"] for one in client.error_groups.occurrences(city["id"], page_size=1)] == ["bob", "ann"]

    resolved = client.error_groups.resolve(city["id"], release="2.1", if_match=etag)
    assert (resolved["state"], resolved["resolved_in_release"]) == ("resolved", "2.1"), resolved
    assert fails(spanward.PreconditionFailed, lambda: client.error_groups.reopen(city["id"], if_match=etag)).status == 412
    assert [one["id"] for one in client.error_groups.list(project, state=["resolved", "ignored"])] == [city["id"]]
    assert client.error_groups.reopen(city["id"])["state"] == "open"
    ignored = client.error_groups.ignore(city["id"], occurrences=5, until=START + timedelta(days=9999))
    assert ignored["ignore_until"]["occurrences"] == 5 and ignored["ignore_until"]["time"].startswith("2053-"), ignored
    assert client.error_groups.ignore(city["id"])["ignore_until"] is None
    if KEY:
        assert admin.error_groups.assign(city["id"], "me")["assignee"]["username"] == "admin"
    assert client.error_groups.assign(city["id"], None)["assignee"] is None
    missing = "RXJyb3JHcm91cDo5OTk5OTk="
    statuses = [one["status"] for one in client.error_groups.update_many([city["id"], country["id"], missing], {"state": "open"})]
    assert statuses == ["changed", "unchanged", "not_found"] and client.error_groups.update_many([], {"state": "open"}) == []

    assert [one["id"] for one in client.error_groups.similar(city["id"])] == [country["id"]]
    assert client.error_groups.merge(city["id"], [country["id"]])["count"] == 3
    (kept, taken) = client.error_groups.unmerge(city["id"], [country["fingerprint"]])
    assert (kept["id"], kept["count"], taken["count"]) == (city["id"], 2, 1), (kept, taken)
    actions = [one["action"] for one in client.error_groups.activity(city["id"])]
    assert actions[:2] == ["unmerged", "merged"] and actions[-1] == "resolved", actions
    comment = client.error_groups.comment(city["id"], "look at **this**")
    assert client.error_groups.update_comment(comment["id"], "done")["text"] == "done"
    assert [one["text"] for one in client.error_groups.comments(city["id"])] == ["done"]
    client.error_groups.delete_comment(comment["id"])
    assert client.error_groups.comments(city["id"]).to_list() == []

    table = client.error_groups.to_dataframe(project, sort="count")
    assert table.index.name == "id" and list(table["user_count"]) == [2, 1], table
    assert table["first_seen"].iloc[0] == START + timedelta(seconds=320) and table.attrs["is_partial"] is False
    assert "count" in client.error_groups.to_dataframe(project, q="nothing").columns


def test_dashboards():
    client.projects.create("own dashboards")
    widget = {
        "key": "cost",
        "kind": "time_series",
        "title": "Cost",
        "layout": {"x": 0, "y": 0, "w": 12, "h": 5},
        "query": {"measure": ["cost_total"], "group_by": ["model"]},
    }
    made = client.dashboards.create({"name": "Our week", "project_id": "own dashboards", "widgets": [widget]})
    listed = client.dashboards.list("own dashboards").to_list()
    assert listed[0]["is_built_in"] and [one["name"] for one in listed if not one["is_built_in"]] == ["Our week"], listed
    assert [one["id"] for one in client.dashboards.list(name_contains="OUR WEEK")] == [made["id"]]

    read, etag = client.dashboards.get_with_etag(made["id"])
    changed = client.dashboards.replace(made["id"], read | {"range": "30d", "controls": ["environment"]}, if_match=etag)
    assert (changed["range"], changed["controls"], changed["widgets"]) == ("30d", ["environment"], made["widgets"]), changed
    fails(spanward.PreconditionFailed, lambda: client.dashboards.replace(made["id"], read, if_match=etag))
    fails(spanward.PreconditionFailed, lambda: client.dashboards.delete(made["id"], if_match=etag))
    assert client.dashboards.get(made["id"]) == changed
    misspelt = fails(spanward.InvalidRequest, lambda: client.dashboards.replace(made["id"], read | {"rang": "7d"}))
    assert misspelt.issues[0]["loc"][0] == "body", misspelt.issues

    file = client.dashboards.export(made["id"])
    assert file["spanward_dashboard"] == 1 and "id" not in file, file
    imported = client.dashboards.import_(file, project="own dashboards")
    assert imported["name"] == "Our week (2)" and imported["id"] != made["id"], imported
    assert client.dashboards.export(imported["id"]) == file | {"name": "Our week (2)"}
    built = client.dashboards.get("builtin:cost", project="own dashboards")
    own = client.dashboards.create(built | {"name": "Our costs"})
    assert own["is_built_in"] is False and [one["key"] for one in own["widgets"]] == [one["key"] for one in built["widgets"]]
    assert fails(spanward.PermissionDenied, lambda: client.dashboards.replace("builtin:cost", built)).code == "built_in"
    client.dashboards.delete(made["id"])
    fails(spanward.NotFound, lambda: client.dashboards.get(made["id"]))


def test_views():
    client.projects.create("own views")
    made = client.views.create("Slow", "spans", {"filter": "latency_ms > 5000", "range": "7d"}, project="own views")
    assert [one["id"] for one in client.views.list("own views", page="spans", name_contains="slow")] == [made["id"]]
    changed = client.views.update(made["id"], name="Slower", state={"filter": "latency_ms > 9000"})
    assert client.views.get(made["id"]) == changed and changed["state"] == {"filter": "latency_ms > 9000"}, changed
    assert admin.views.set_defaults("own views", {"spans": made["id"]})["spans"] == made["id"]
    assert admin.views.set_defaults("own views", {"traces": None})["spans"] == made["id"]
    assert admin.views.set_defaults("own views", {"spans": None}) == client.views.defaults("own views")
    admin.views.delete(made["id"])
    fails(spanward.NotFound, lambda: client.views.get(made["id"]))


def test_review_queues():
    project = "own reviews"
    client.spans.create(project, [span(number, name, trace=number) for number, name in ((330, "ask"), (331, "ask"), (332, "other"))])
    wait_for(lambda: len(client.spans.list(project).to_list()) == 3)
    config = admin.annotation_configs.create(
        {
            "name": "own verdict",
            "type": "CATEGORICAL",
            "optimization_direction": "MAXIMIZE",
            "values": [{"label": "good", "score": 1}, {"label": "bad"}],
        }
    )
    queues = admin.review_queues
    queue = queues.create("own queue", "trace", [config["id"]], guidance="Be *fair*.")["id"]
    assert [one["name"] for one in queues.list()].count("own queue") == 1
    (trace, *_) = [one["trace_id"] for one in client.traces.list(project, filter="name == 'ask'")]
    assert queues.add(queue, [{"trace_id": trace, "project": project}]) == {"added": 1, "present": 0}
    queues.fill(queue, project, "name == 'ask'")
    wait_for(lambda: len(queues.items(queue).to_list()) == 2)

    item = queues.next(queue)["item"]["id"]
    queues.release(queue, item)
    assert queues.next(queue)["item"]["id"] == item
    answer = {"annotation_config_id": config["id"], "label": "good"}
    assert queues.submit(queue, item, [answer], seconds=4)["state"] == "done"
    skipped = queues.next(queue)["item"]["id"]
    queues.skip(queue, skipped, "not sure")
    assert queues.next(queue) is None
    assert fails(spanward.Conflict, lambda: queues.submit(queue, skipped, [answer])).code == "lease_lost"
    assert queues.decide(queue, skipped, [answer | {"label": "bad"}])["state"] == "done"

    progress = queues.progress(queue)
    assert (progress["items"], progress["done"], progress["median_seconds"]) == (2, 2, 4), progress
    assert queues.agreement(queue)["questions"][0]["name"] == "own verdict"
    assert queues.calibration(queue, "judge")["gold_items"] == 2
    assert queues.item_example(queue, item)["span_id"] != ""
    gold = queues.gold_to_dataset(queue, "own gold")["id"]
    wait_for(lambda: queues.gold_run(queue, gold)["state"] == "done")
    assert [one["id"] for one in queues.gold_runs(queue)] == [gold]
    queues.cancel_gold_run(queue, gold)
    assert queues.gold_run(queue, gold)["created_examples"] == 2
    table = queues.to_dataframe(queue)
    assert list(table["label"]) == ["good", "bad"] and list(table["source"]) == ["review", "decision"], table
    assert table["answered_at"].notna().all() and table.index.name == "item_id"
    rule = queues.set_rule(queue, {"project": project, "filter": "name == 'other'", "sample": 1, "enabled": False})
    assert queues.rule(queue)["filter"] == rule["filter"] == "name == 'other'"
    queues.delete_rule(queue)
    fails(spanward.NotFound, lambda: queues.rule(queue))

    _, etag = queues.get_with_etag(queue)
    assert queues.update(queue, {"archived": True}, if_match=etag)["archived_at"] is not None
    fails(spanward.PreconditionFailed, lambda: queues.update(queue, {"name": "late"}, if_match=etag))
    queues.delete(queue, delete_annotations=True)
    fails(spanward.NotFound, lambda: queues.get(queue))


def test_reviews_of_runs():
    config = admin.annotation_configs.create({"name": "own remark", "type": "FREEFORM"})
    dataset = client.datasets.create("own reviewed", inputs=[{"n": 1}, {"n": 2}], outputs=[{"n": 2}, {"n": 4}])
    experiment = client.experiments.run(dataset["name"], lambda input: input["n"] * 2, [], show_progress=False).experiment["id"]
    (first, *_) = sorted(one["id"] for one in client.experiments.runs(experiment))
    queues = admin.review_queues
    queue = queues.create("own runs", "experiment_run", [config["id"]])["id"]
    assert queues.add(queue, [{"experiment_run_id": first}]) == {"added": 1, "present": 0}
    assert queues.add_experiment(queue, experiment) == {"added": 1, "present": 1}
    turn = queues.next(queue)
    assert turn["item"]["target"]["id"] == first
    queues.submit(queue, turn["item"]["id"], [{"annotation_config_id": config["id"], "explanation": "Right."}])
    run = client.experiments.get_run(first)
    assert (run["output"], run["evaluations"]) == (2, []), run
    assert [(one["explanation"], one["is_decision"]) for one in run["reviews"]] == [("Right.", False)], run
    queues.delete(queue, delete_annotations=True)
    assert client.experiments.get_run(first)["reviews"] == []


def test_asynchronously():
    async def run():
        async with AsyncClient(URL, api_key=KEY or "") as other:
            assert await other.analytics.facets("default", "model") != []
            assert await other.end_users.list("default").to_list() == []
            assert len(await other.error_groups.to_dataframe("default")) == 0
            assert [one["name"] async for one in other.dashboards.list("default")][0] == "Overview"
            made = await other.dashboards.create({"name": "of a coroutine"})
            read, etag = await other.dashboards.get_with_etag(made["id"])
            assert (await other.dashboards.replace(made["id"], read, if_match=etag))["name"] == "of a coroutine"

    asyncio.run(run())


class _OfPages(httpx.BaseTransport):
    """A server whose time was up for the first of two pages."""

    def handle_request(self, request):
        is_first = "cursor" not in request.url.params
        return httpx.Response(200, json={"data": [{"id": "a"}], "next_cursor": "x" if is_first else None, "is_partial": is_first})


def test_lists_say_that_they_are_not_whole():
    groups = Client(URL, http=httpx.Client(transport=_OfPages())).error_groups.list("default")
    assert groups.is_partial is False and len(groups.to_list()) == 2 and groups.is_partial is True
