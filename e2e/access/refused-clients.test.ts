import { createClient } from "@arizeai/phoenix-client";
import { logSpans } from "@arizeai/phoenix-client/spans";
import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtoExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
	InMemorySpanExporter,
	NodeTracerProvider,
	SimpleSpanProcessor,
	type SpanExporter,
} from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metadataOf } from "../grpc-metadata.ts";
import { listPythonTests, runPythonTests } from "../python-clients.ts";
import { startServer, type TestServer } from "../server.ts";

let server: TestServer;

beforeAll(async () => {
	server = await startServer({ authentication: true });
});
afterAll(async () => server[Symbol.asyncDispose]());

describe.each([
	["without a key", undefined],
	["with a wrong key", "sw_s_aaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
])("released clients %s say that they were refused:", (_, key) => {
	const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };

	describe("Python", () => {
		let errors: ReadonlyMap<string, string | null>;

		beforeAll(async () => {
			({ errors } = await runPythonTests(["refused_clients"], server, { key }));
		});

		test.each(listPythonTests("refused_clients"))("%s", (name) => {
			expect(errors.has(`refused_clients.${name}`), "the module did not run to its end").toBe(true);
			expect(errors.get(`refused_clients.${name}`) ?? "").toBe("");
		});
	});

	test("phoenix-client for JavaScript", async () => {
		const client = createClient({ options: { baseUrl: server.url, headers } });
		await expect(client.GET("/v1/projects")).rejects.toThrow(/401/);
		const spans = [
			{
				name: "x",
				context: { trace_id: "1".repeat(32), span_id: "1".repeat(16) },
				span_kind: "CHAIN",
				start_time: "2026-01-01T00:00:00Z",
				end_time: "2026-01-01T00:00:00Z",
				status_code: "OK",
			},
		];
		await expect(logSpans({ client, project: { projectName: "refused" }, spans })).rejects.toThrow();
	});

	test.each([
		["HTTP protobuf", () => new ProtoExporter({ url: `${server.url}/v1/traces`, headers }), /Unauthorized/],
		["HTTP JSON", () => new JsonExporter({ url: `${server.url}/v1/traces`, headers }), /Unauthorized/],
		[
			"gRPC",
			() => new GrpcExporter({ url: `http://${server.grpcAddress}`, metadata: metadataOf({ headers }) }),
			/UNAUTHENTICATED/,
		],
	])("the OpenTelemetry exporter over %s", async (_transport, makeExporter, says) => {
		expect(await exportOne(makeExporter())).toMatch(says);
	});
});

test("nothing of what was refused is stored", async () => {
	const projects = (await server.getJson("/v1/projects")) as { data: readonly { name: string }[] };
	expect(projects.data.map(({ name }) => name)).toEqual(["default"]);
	expect(await server.getJson("/v1/projects/default/spans")).toEqual({ data: [], next_cursor: null });
});

/** @returns the error that the exporter hands to the SDK, which logs it */
async function exportOne(exporter: SpanExporter): Promise<string> {
	const memory = new InMemorySpanExporter();
	const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] });
	provider.getTracer("refused").startSpan("refused").end();
	await provider.forceFlush();
	const result = await new Promise<{ error?: Error }>((resolve) => exporter.export(memory.getFinishedSpans(), resolve));
	await exporter.shutdown();
	return String(result.error);
}
