import fastify from "fastify";
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { expect, test } from "vitest";
import { openTestApp } from "../test-app.ts";
import { ingestRoutes } from "./routes.ts";
import { encodeSpans, makeSpan, openReceiver } from "./test-receiver.ts";

async function openRoutes(environment: Record<string, string>) {
	const receiver = await openReceiver(environment);
	const app = fastify().withTypeProvider<ZodTypeProvider>();
	app.setValidatorCompiler(validatorCompiler);
	app.setSerializerCompiler(serializerCompiler);
	ingestRoutes(app, receiver);
	return { receiver, app, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}

test("shows what was accepted, rejected and refused, and the last error", async () => {
	await using opened = await openRoutes({});
	const { receiver, app } = opened;
	const post = (body: Uint8Array<ArrayBuffer>, type = "application/x-protobuf") =>
		fetch(`${receiver.url}/v1/traces`, { method: "POST", headers: { "content-type": type }, body });
	const body = encodeSpans([makeSpan(), makeSpan({ spanId: "" })]);
	await post(body);
	await post(body);
	await post(body, "text/plain");

	const { data } = (await app.inject("/v1/ingest/health")).json();
	expect(data).toMatchObject({
		accepted_spans: 2,
		duplicate_spans: 1,
		rejected_spans: { invalid_span_id: 2 },
		refused_requests: { unsupported_media_type: 1 },
		queued_requests: 0,
		commits: 2,
		last_error: { message: expect.stringContaining("text/plain") },
	});
	expect(data.commit_ms.max).toBeGreaterThan(0);
	expect((await app.inject("/metrics")).statusCode).toBe(404);
});

test("serves Prometheus text when it is switched on", async () => {
	await using opened = await openRoutes({ SERVICE_ENABLE_PROMETHEUS: "true" });
	const { receiver, app } = opened;
	const headers = { "content-type": "application/x-protobuf" };
	await fetch(`${receiver.url}/v1/traces`, { method: "POST", headers, body: encodeSpans([makeSpan()]) });
	await fetch(`${receiver.url}/v1/traces`, { method: "POST", headers, body: Uint8Array.of(255) });

	const response = await app.inject("/metrics");
	expect(response.headers["content-type"]).toContain("text/plain; version=0.0.4");
	const lines = response.body.split("\n");
	expect(lines).toContain("# TYPE spanward_ingest_spans_accepted_total counter");
	expect(lines).toContain("spanward_ingest_spans_accepted_total 1");
	expect(lines).toContain('spanward_ingest_requests_refused_total{reason="undecodable"} 1');
	expect(lines).toContain('spanward_ingest_commit_seconds_bucket{le="+Inf"} 1');
	expect(lines).toContain("spanward_ingest_commit_seconds_count 1");
	// Every line is a comment or `name{labels} number`, and the last one ends.
	const sample = /^(#.*|[a-z_]+(\{[a-z]+="[^"]*"\})? [\d.e+-]+)$/;
	expect(lines.slice(0, -1).filter((line) => !sample.test(line))).toEqual([]);
	expect(lines.at(-1)).toBe("");
});

test("asks who reads the counters where there is authentication", async () => {
	const secret = "an-admin-secret-of-this-test-0123456789";
	await using server = await openTestApp({
		SERVICE_ENABLE_PROMETHEUS: "true",
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_SECRET: "a-signing-secret-of-this-test-0123456789",
		SERVICE_ADMIN_SECRET: secret,
	});
	expect((await server.get("/metrics")).status).toBe(401);
	const { status, text } = await server.get("/metrics", { authorization: `Bearer ${secret}` });
	expect(status).toBe(200);
	expect(text).toContain("spanward_ingest_spans_accepted_total");
});
