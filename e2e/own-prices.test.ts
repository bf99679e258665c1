import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { startServer, type TestServer } from "./server.ts";

test("an own price reaches the threads that receive at once, also those of the next start", async () => {
	await using server = await startServer({ authentication: false, env: { SERVICE_INGEST_WORKERS: "2" } });
	// The thread that receives runs before the price is there.
	expect(await costOfNext(server)).toBeNull();
	const body = JSON.stringify({ pattern: "house-model", prices: { input: 3 } });
	const headers = { "content-type": "application/json" };
	expect((await server.fetch("/v1/model_prices", { method: "POST", headers, body })).status).toBe(201);
	expect(await costOfNext(server)).toBe(3);
	await server.stop();
	await server.start();
	expect(await costOfNext(server)).toBe(3);
});

/** The cost of a span that is sent now and used a million tokens of input. */
async function costOfNext(server: TestServer): Promise<number | null> {
	const spanId = randomBytes(8).toString("hex");
	const span = {
		traceId: randomBytes(16).toString("hex"),
		spanId,
		name: "answer",
		startTimeUnixNano: "1700000000000000000",
		endTimeUnixNano: "1700000001000000000",
		attributes: [
			{ key: "openinference.span.kind", value: { stringValue: "LLM" } },
			{ key: "llm.model_name", value: { stringValue: "house-model" } },
			{ key: "llm.token_count.prompt", value: { intValue: "1000000" } },
		],
	};
	const headers = { "content-type": "application/json" };
	const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
	expect((await server.fetch("/v1/traces", { method: "POST", headers, body })).status).toBe(200);
	const { data } = (await server.getJson("/v1/projects/default/spans?limit=100")) as {
		data: { context: { span_id: string }; total_cost: number | null }[];
	};
	return data.find(({ context }) => context.span_id === spanId)?.total_cost ?? null;
}
