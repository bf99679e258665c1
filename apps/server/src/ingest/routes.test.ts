import fastify from "fastify";
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { expect, test } from "vitest";
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
