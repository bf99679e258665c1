"""`spanward` with a viewer's key: everything can be read, also as data frames, and nothing changed."""

import os

import spanward
from own_client import URL, fails

client = spanward.Client(URL, api_key=os.environ["PHOENIX_API_KEY"])


def test_reads():
    for read in (client.projects, client.datasets, client.experiments, client.prompts, client.annotation_configs):
        read.list().to_list()
    client.traces.list("default").to_list()
    client.spans.list("default", filter="span_kind == 'LLM'").to_list()
    client.sessions.list("default").to_list()
    client.annotations.waiting().to_list()
    assert client.analytics.query("default")["of"] == "spans"
    assert [facet["field"] for facet in client.analytics.facets("default", "model")] == ["model"]
    client.analytics.attribute_keys("default")
    client.end_users.list("default").to_list()
    client.error_groups.list("default").to_list()
    assert client.dashboards.get("builtin:overview", project="default")["is_built_in"]
    client.views.list().to_list()
    assert client.users.me()["role"] == "VIEWER"


def test_data_frames():
    assert len(client.spans.to_dataframe("default")) == 0
    assert list(client.analytics.to_dataframe("default")["count"]) == [0]


def test_changes_nothing():
    for change in (
        lambda: client.projects.create("of a viewer"),
        lambda: client.datasets.create("of a viewer", inputs=[{"q": 1}]),
        lambda: client.prompts.create("of-a-viewer", messages=[{"role": "user", "content": "?"}], model_provider="OPENAI", model_name="x"),
        lambda: client.annotations.annotate_span("00000000000000aa", "q", score=1),
        lambda: client.spans.create("default", []),
        lambda: client.sessions.delete_many(["x"]),
        lambda: client.error_groups.resolve("RXJyb3JHcm91cDox"),
        lambda: client.dashboards.create({"name": "of a viewer"}),
        lambda: client.views.create("of a viewer", "spans", {"range": "7d"}, project="default"),
        lambda: client.users.list().to_list(),
    ):
        assert fails(spanward.PermissionDenied, change).status == 403
