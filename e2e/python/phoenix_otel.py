"""The released arize-phoenix-otel, unmodified: every way its register() finds the server."""

import os
from contextlib import contextmanager

from phoenix.otel import register

from server_under_test import GRPC_ADDRESS, URL, names, read_spans


def send_run(provider):
    """An agent with a tool and a model call, by OpenInference's own decorators and context managers."""
    tracer = provider.get_tracer("e2e")

    @tracer.tool
    def look_up(city: str) -> dict:
        """Looks up the weather."""
        return {"city": city, "sky": "sunny"}

    @tracer.agent(name="agent")
    def run_agent(question: str) -> str:
        look_up("Paris")
        with tracer.start_as_current_span("model", openinference_span_kind="llm") as span:
            span.set_attribute("llm.model_name", "gpt-4o-mini")
            span.set_attribute("llm.token_count.prompt", 10)
            span.set_attribute("llm.token_count.completion", 5)
        return "sunny"

    run_agent("What is the weather in Paris?")
    provider.force_flush()
    provider.shutdown()


def expect_run(project):
    spans = read_spans(project)
    assert names(spans) == ["agent", "look_up", "model"], names(spans)
    by_name = {span["name"]: span for span in spans}
    assert by_name["agent"]["span_kind"] == "AGENT", by_name["agent"]
    assert by_name["agent"]["parent_id"] is None
    assert by_name["agent"]["attributes"]["input.value"] == "What is the weather in Paris?"
    assert by_name["agent"]["attributes"]["output.value"] == "sunny"
    assert by_name["look_up"]["span_kind"] == "TOOL"
    assert by_name["model"]["attributes"]["llm.token_count.prompt"] == 10
    parents = {by_name["look_up"]["parent_id"], by_name["model"]["parent_id"]}
    assert parents == {by_name["agent"]["context"]["span_id"]}, parents


def connect(project, **options):
    return register(project_name=project, set_global_tracer_provider=False, verbose=False, **options)


@contextmanager
def environment(**variables):
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]


def test_no_endpoint_is_grpc():
    host, port = GRPC_ADDRESS.split(":")
    with environment(PHOENIX_COLLECTOR_ENDPOINT=f"http://{host}", PHOENIX_GRPC_PORT=port):
        send_run(connect("py-grpc-default"))
    expect_run("py-grpc-default")


def test_grpc_in_batches():
    send_run(connect("py-grpc-batches", endpoint=f"http://{GRPC_ADDRESS}", protocol="grpc", batch=True))
    expect_run("py-grpc-batches")


def test_http_by_endpoint():
    send_run(connect("py-http-endpoint", endpoint=f"{URL}/v1/traces"))
    expect_run("py-http-endpoint")


def test_http_by_protocol_in_batches():
    with environment(PHOENIX_COLLECTOR_ENDPOINT=URL):
        send_run(connect("py-http-protocol", protocol="http/protobuf", batch=True))
    expect_run("py-http-protocol")


def test_gzip():
    with environment(OTEL_EXPORTER_OTLP_COMPRESSION="gzip"):
        send_run(connect("py-gzip", endpoint=f"{URL}/v1/traces"))
    expect_run("py-gzip")
