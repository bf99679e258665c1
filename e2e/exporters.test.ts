import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtoExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from "@opentelemetry/sdk-trace-node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { at, type Json, list } from "./fixture-comparison.ts";
import { metadataOf } from "./grpc-metadata.ts";
import { startServer, type TestServer } from "./server.ts";

let server: TestServer;

beforeAll(async () => {
	server = await startServer();
});
afterAll(async () => server[Symbol.asyncDispose]());
afterEach(() => {
	delete process.env["OTEL_EXPORTER_OTLP_COMPRESSION"];
});

const EXPORTERS: readonly (readonly [string, () => SpanExporter])[] = [
	["HTTP protobuf", () => new ProtoExporter({ url: `${server.url}/v1/traces`, headers: server.headers })],
	["HTTP JSON", () => new JsonExporter({ url: `${server.url}/v1/traces`, headers: server.headers })],
	["gRPC", () => new GrpcExporter({ url: `http://${server.grpcAddress}`, metadata: metadataOf(server) })],
];

test.each(EXPORTERS)("the OpenTelemetry exporter over %s", async (name, makeExporter) => {
	await sendAgentRun(makeExporter(), name);
	await expectAgentRun(name);
});

test.each(EXPORTERS)("the OpenTelemetry exporter over %s with gzip", async (name, makeExporter) => {
	process.env["OTEL_EXPORTER_OTLP_COMPRESSION"] = "gzip";
	await sendAgentRun(makeExporter(), `${name} gzip`);
	await expectAgentRun(`${name} gzip`);
});

test("a burst of 10,000 spans through a stock batch processor is there to the last span", async () => {
	const exporter = new ProtoExporter({ url: `${server.url}/v1/traces`, headers: server.headers });
	const provider = new NodeTracerProvider({
		resource: resourceFromAttributes({ "openinference.project.name": "burst" }),
		spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: 10_000 })],
	});
	const tracer = provider.getTracer("burst");
	for (let n = 0; n < 10_000; n++) tracer.startSpan(`span ${n}`).end();
	await provider.shutdown();
	expect(await countSpans("burst")).toBe(10_000);
});

/** One agent span with 39 tool calls and a failed model call below it. */
async function sendAgentRun(exporter: SpanExporter, project: string): Promise<void> {
	const provider = new NodeTracerProvider({
		resource: resourceFromAttributes({ "openinference.project.name": project, "service.name": "exporters" }),
		spanProcessors: [new BatchSpanProcessor(exporter, { maxExportBatchSize: 16 })],
	});
	const tracer = provider.getTracer("e2e", "1.2.3");
	const agent = tracer.startSpan("agent", { attributes: { "openinference.span.kind": "AGENT" } });
	const inside = trace.setSpan(context.active(), agent);
	for (let n = 0; n < 39; n++) {
		const attributes = {
			"openinference.span.kind": "TOOL",
			"tool.name": "search",
			n,
			list: ["a", "b"],
			ratio: 0.5,
			ok: true,
		};
		tracer.startSpan("tool", { attributes, links: [{ context: agent.spanContext() }] }, inside).end();
	}
	const model = tracer.startSpan("model", { kind: SpanKind.CLIENT }, inside);
	model.recordException(new Error("rate limited"));
	model.setStatus({ code: SpanStatusCode.ERROR, message: "rate limited" });
	model.end();
	agent.end();
	await provider.shutdown();
}

async function expectAgentRun(project: string): Promise<void> {
	const spans = list(at(await getPage(project, "spans?limit=1000"), "data"));
	const names = spans.map((span) => String(at(span, "name")));
	expect(names.toSorted()).toEqual(["agent", "model", ...Array<string>(39).fill("tool")]);
	const agent = spans.find((span) => at(span, "name") === "agent");
	const children = spans.filter((span) => span !== agent);
	expect(new Set(children.map((span) => at(span, "parent_id")))).toEqual(new Set([at(agent, "context", "span_id")]));
	const tool = spans.find((span) => at(span, "name") === "tool");
	expect(at(tool, "attributes")).toMatchObject({ "tool.name": "search", list: ["a", "b"], ratio: 0.5, ok: true });
	const model = spans.find((span) => at(span, "name") === "model");
	expect(model).toMatchObject({ status_code: "ERROR", status_message: "rate limited" });
	expect(at(model, "events", 0, "name")).toBe("exception");
	const traces = list(at(await getPage(project, "traces"), "data"));
	expect(traces).toHaveLength(1);
	expect(traces[0]).toMatchObject({ root_name: "agent", span_count: 41, error_count: 1 });
}

async function countSpans(project: string): Promise<number> {
	let count = 0;
	for (let cursor: Json | undefined = ""; cursor !== null && cursor !== undefined; ) {
		const page = await getPage(
			project,
			`spans?limit=1000${cursor === "" ? "" : `&cursor=${encodeURIComponent(String(cursor))}`}`,
		);
		count += list(at(page, "data")).length;
		cursor = at(page, "next_cursor");
	}
	return count;
}

async function getPage(project: string, path: string): Promise<Json> {
	return (await server.getJson(`/v1/projects/${encodeURIComponent(project)}/${path}`)) as Json;
}
