import { ModelProvider } from "@spanward/e2e/peers/model-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listOwnPrices } from "#storage/own-prices.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { CallUse } from "./call-model.ts";
import { findConnectionNamed } from "./connections/queries.ts";
import { budgetScope, monthOf } from "./connections/spending.ts";
import { createCaller } from "./create-caller.ts";
import { insertTestPrice } from "./ledger/test-connections.ts";
import type { ModelDelta, ModelRequest } from "./model-request.ts";
import { TEST_WIRES } from "./wires/test-wires.ts";

/** Models of the stand-in that behave as their names say. */
const PRICED = ["m+refuses-temperature", "m+status-401-echo", "m+cut", "m+flood-5"];

let provider: ModelProvider;
let server: TestApp;

beforeAll(async () => {
	provider = await ModelProvider.start();
	const declared = TEST_WIRES.map((wire) => {
		const { kind, api, baseUrl, settings, credentials } = wire.connection(provider);
		return {
			...{ name: wire.name, kind, base_url: baseUrl, settings, monthly_budget_usd: 1 },
			...(kind.includes("openai") ? { api } : {}),
			credentials: Object.fromEntries(Object.entries(credentials).map(([field, value]) => [field, { value }])),
		};
	});
	server = await openTestApp({ SERVICE_MODEL_CONNECTIONS: JSON.stringify(declared) });
	const { db, ingest } = server.context;
	for (const model of new Set([...TEST_WIRES.map(({ model }) => model), ...PRICED])) {
		await insertTestPrice(db, model, { input: 1, output: 2, cache_read: 0.5, cache_write: 3 });
	}
	await ingest.usePrices(() => listOwnPrices(db.read));
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});

const USE: CallUse = { purpose: "playground", isInteractive: true, project: "wires", budgets: [], isAdmin: true };

async function idOf(name: string): Promise<number> {
	const row = await findConnectionNamed(server.context.db.read, name);
	if (row === undefined) throw new Error(`there is no connection ${name}`);
	return row.id;
}

describe.each(TEST_WIRES)("through $name", ({ name, model, counts, connection }) => {
	it.each([false, true])(
		"E15 the span has tokens and cost as the provider counted them (streamed: %s)",
		async (isStreamed) => {
			const usage = { input: 100, output: 30, cacheRead: 40, cacheWrite: 7, reasoning: 10 };
			const toolCalls = [{ name: "get_weather", arguments: { city: "Paris" } }];
			await provider.setModel(model, { answers: [{ text: "It is sunny.", toolCalls, finish: "tool_calls", usage }] });
			const request: ModelRequest = { model, messages: [{ role: "user", content: "How is the weather?" }] };
			const deltas: ModelDelta[] = [];
			const streamed = isStreamed ? { onDelta: (delta: ModelDelta) => void deltas.push(delta) } : {};
			const { signal } = new AbortController();
			const result = await server.context.models.call(await idOf(name), request, USE, { signal, ...streamed });
			if ("error" in result) throw result.error;
			// A budget applies, so that the answer is limited.
			expect(JSON.stringify((await provider.lastRequest()).json)).toContain("4096");
			const { json, text } = await server.get(`/v1/projects/wires/traces/${result.traceId}/spans/${result.spanId}`);
			for (const secret of Object.values(connection(provider).credentials)) expect(text).not.toContain(secret);
			expect(json.data).toMatchObject({
				status_code: "OK",
				semantic: {
					...{ kind: "LLM", request_model: model, input_text: "How is the weather?" },
					tokens: {
						...{ prompt: 100, completion: 30, total: 130, cache_read: 40 },
						...(counts.cacheWrite ? { cache_write: 7 } : {}),
						...(counts.reasoning ? { reasoning: 10 } : {}),
					},
					output_messages: [{ text: "It is sunny.", tool_calls: toolCalls }],
				},
			});
			// 60 tokens at $1 and 40 of the cache at half of it, 30 out at $2 for a million; written to the cache at $3.
			expect(json.data.cost.total).toBeCloseTo(0.00014 + (counts.cacheWrite ? 7 * 0.000002 : 0), 12);
			expect(result.costUsd).toBeCloseTo(json.data.cost.total, 12);
			expect(deltas.length > 0).toBe(isStreamed);
		},
	);
});

const WORK: CallUse = { ...USE, purpose: "evaluator", isInteractive: false };

async function call(name: string, request: ModelRequest, use: CallUse, isStreamed = false) {
	const streamed = isStreamed ? { onDelta: () => undefined } : {};
	return await server.context.models.call(await idOf(name), request, use, {
		signal: new AbortController().signal,
		...streamed,
	});
}

const HELLO = { messages: [{ role: "user", content: "Hello" }] } as const;

it("E18 a model that refuses temperature is asked once with it and once without", async () => {
	const before = (await provider.requests()).length;
	const request: ModelRequest = {
		...{ ...HELLO, model: "m+refuses-temperature" },
		invocation_parameters: { type: "openai", openai: { temperature: 0.5, max_tokens: 9 } },
	};
	const result = await call("openai, Chat Completions", request, WORK);
	expect(result).toMatchObject({ attempts: 2, warnings: ["temperature was left out, because the model refuses it."] });
	const bodies = (await provider.requests()).slice(before).map(({ json }) => json);
	expect(bodies).toMatchObject([{ temperature: 0.5 }, { max_tokens: 9 }]);
	expect(bodies[1]).not.toHaveProperty("temperature");
});

it("E20 a refusal that repeats the key tells it to nobody, and the connection is failing", async () => {
	const name = "anthropic";
	const failure = await call(name, { ...HELLO, model: "m+status-401-echo" }, WORK);
	const key = "sk-ant-1234567890";
	if (!("error" in failure)) throw new Error("it did not fail");
	const path = `/v1/projects/wires/traces/${failure.trace?.traceId}/spans/${failure.trace?.spanId}`;
	const told = [failure.error.message, (await server.get(path)).text, (await server.get("/v1/model_connections")).text];
	expect(told[1]).toContain("[hidden]");
	expect(told.join(" ")).not.toContain(key);
	expect(failure).toMatchObject({ error: { code: "authentication" }, attempts: 1 });
	expect(await call(name, { ...HELLO, model: "m" }, WORK)).toMatchObject({
		...{ error: { code: "authentication" }, trace: undefined, attempts: 0 },
	});
});

it("E16 a stream that is cut is an error, with what came before in the span", async () => {
	const failure = await call("openai_compatible", { ...HELLO, model: "m+cut" }, USE, true);
	if (!("error" in failure)) throw new Error("it did not fail");
	expect(failure).toMatchObject({ error: { code: "interrupted" }, partial: { text: expect.stringMatching(/./) } });
	const path = `/v1/projects/wires/traces/${failure.trace?.traceId}/spans/${failure.trace?.spanId}`;
	expect((await server.get(path)).json.data).toMatchObject({
		status_code: "ERROR",
		semantic: { output_text: failure.partial?.text, error: { type: "interrupted" } },
	});
});

it("E19 an answer of more than 4 MiB arrives whole, and the span has its beginning and says so", async () => {
	const result = await call("openai_compatible", { ...HELLO, model: "m+flood-5" }, USE, true);
	if ("error" in result) throw result.error;
	const { text, finish_reason } = result.answer;
	expect([text.length > 5_000_000, finish_reason]).toEqual([true, "stop"]);
	const path = `/v1/projects/wires/traces/${result.traceId}/spans/${result.spanId}`;
	const { json } = await server.get(path);
	const { attributes, semantic } = json.data;
	expect(attributes).toMatchObject({
		"llm.finish_reason": "stop",
		"spanward.warnings": [expect.stringContaining("longer than 4 MiB")],
	});
	expect(semantic.output_text).toBe(text.slice(0, 4 * 1_024 * 1_024));
});

it("books what calls of before had reserved when it starts, where no other server can still make them", async () => {
	const connectionId = await idOf("openai_compatible");
	const { context } = server;
	const scopes = [budgetScope(connectionId, monthOf(0))];
	await context.db.write(async (transaction) => {
		const call = { connection_id: connectionId, purpose: "playground", model: "m", is_interactive: 1 } as const;
		const reserved = { scopes: JSON.stringify(scopes), reserved_nanos: 5, reserved_tokens: 5 };
		const times = { started_at: 1, expires_at: Date.now() * 1_000 + 60_000_000 };
		await transaction
			.insertInto("model_calls")
			.values({ ...call, ...reserved, ...times })
			.execute();
	});
	await using _again = await createCaller(context);
	expect(await context.db.read.selectFrom("model_calls").selectAll().execute()).toEqual([]);
	const [scope = ""] = scopes;
	expect(
		await context.db.read.selectFrom("money_spent").selectAll().where("scope", "=", scope).executeTakeFirst(),
	).toMatchObject({ spent_nanos: 5, reserved_nanos: -5 });
});
