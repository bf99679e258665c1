import { afterAll, beforeAll, expect, it } from "vitest";
import { encodeGlobalId } from "#http/global-ids.ts";
import { insertTestConnection } from "#models/ledger/test-connections.ts";
import { countUsage } from "#models/ledger/usage.ts";
import { openTestApp, type TestApp } from "#test-app.ts";

let server: TestApp;

beforeAll(async () => {
	server = await openTestApp();
});
afterAll(async () => await server[Symbol.asyncDispose]());

it("lists what was called by month, purpose and model, with errors by code, the newest month first", async () => {
	const connectionId = await insertTestConnection(server.context.db, "used");
	const call = { connectionId, month: 202610, purpose: "evaluator", model: "m" } as const;
	await server.context.db.write(async (transaction) => {
		const ok = { outcome: "ok", inputTokens: 10, outputTokens: 20, costNanos: 1_500_000 } as const;
		const outcomes = [ok, ok, { outcome: "timeout" }, { outcome: "rate_limited" }] as const;
		for (const some of [outcomes.slice(0, 1), outcomes.slice(1)])
			await countUsage(
				transaction,
				some.map((outcome) => ({ ...call, ...outcome })),
			);
		await countUsage(transaction, [{ ...call, ...ok, month: 202611, purpose: "playground" }]);
	});
	const path = `/v1/model_connections/${encodeGlobalId("ModelConnection", connectionId)}/usage`;
	const newest = {
		...{ month: "2026-11", purpose: "playground", model: "m", calls: 1, errors: {} },
		...{ input_tokens: 10, output_tokens: 20, cost_usd: 0.0015 },
	};
	expect((await server.get(path)).json.data).toEqual([
		newest,
		{
			...{ month: "2026-10", purpose: "evaluator", model: "m", calls: 4, errors: { timeout: 1, rate_limited: 1 } },
			...{ input_tokens: 20, output_tokens: 40, cost_usd: 0.003 },
		},
	]);
	expect((await server.get(`${path}?months=1`)).json.data).toEqual([newest]);
	expect((await server.get(`${path}?months=0`)).status).toBe(422);
	const gone = encodeGlobalId("ModelConnection", 1_000_000);
	expect((await server.get(`/v1/model_connections/${gone}/usage`)).status).toBe(404);
});
