"""The OpenTelemetry SDK and exporters for Python, unmodified."""

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from server_under_test import GRPC_ADDRESS, HEADERS, URL, read_spans


def send_and_count(exporter, project):
    provider = TracerProvider(resource=Resource.create({"openinference.project.name": project}))
    provider.add_span_processor(BatchSpanProcessor(exporter, max_export_batch_size=100))
    tracer = provider.get_tracer("e2e")
    with tracer.start_as_current_span("root"):
        for number in range(299):
            with tracer.start_as_current_span("child", attributes={"number": number, "words": ["a", "b"]}):
                pass
    provider.shutdown()
    spans = read_spans(project)
    assert len(spans) == 300, len(spans)
    numbers = {span["attributes"]["number"] for span in spans if span["name"] == "child"}
    assert numbers == set(range(299))


def test_http():
    send_and_count(HttpExporter(endpoint=f"{URL}/v1/traces", headers=HEADERS), "py-otel-http")


def test_http_gzip():
    exporter = HttpExporter(endpoint=f"{URL}/v1/traces", headers=HEADERS, compression=Compression.Gzip)
    send_and_count(exporter, "py-otel-http-gzip")


def test_http_deflate():
    exporter = HttpExporter(endpoint=f"{URL}/v1/traces", headers=HEADERS, compression=Compression.Deflate)
    send_and_count(exporter, "py-otel-http-deflate")


def test_grpc():
    send_and_count(GrpcExporter(endpoint=f"http://{GRPC_ADDRESS}", insecure=True, headers=HEADERS), "py-otel-grpc")
