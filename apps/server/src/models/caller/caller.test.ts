import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listOwnPrices } from "#storage/own-prices.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { CallFailure, CallResult, CallUse } from "../call-model.ts";
import { budgetScope, monthOf } from "../connections/spending.ts";
import { insertTestConnection, insertTestPrice } from "../ledger/test-connections.ts";
import type { ModelDelta, ModelRequest } from "../model-request.ts";
import { Caller } from "./caller.ts";
import { type Answerer, delta, end, refuse, startTestProvider, type TestProvider } from "./test-provider.ts";

let server: TestApp;
let provider: TestProvider;
let caller: Caller;
let answer: Answerer;
let names = 0;

beforeAll(async () => {
	server = await openTestApp({ SERVICE_OTLP_MAX_INFLATED_BYTES: "65536" });
	provider = await startTestProvider((request, response, count) => answer(request, response, count));
	caller = new Caller(server.context, provider);
	await insertTestPrice(server.context.db, "priced", { input: 1, output: 2 });
	await server.context.ingest.usePrices(() => listOwnPrices(server.context.db.read));
});
afterAll(async () => {
	await caller[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

const USE: CallUse = { purpose: "experiment", isInteractive: false, project: "calls", budgets: [], isAdmin: true };
const PERSON: CallUse = { ...USE, purpose: "playground", isInteractive: true };
const REQUEST: ModelRequest = { model: "priced", messages: [{ role: "user", content: "2 + 2" }] };
const NEVER = new AbortController().signal;

async function connect(columns: Parameters<typeof insertTestConnection>[2] = {}): Promise<number> {
	names += 1;
	provider.received.length = 0;
	return await insertTestConnection(server.context.db, `connection ${names}`, columns);
}

async function succeed(
	id: number,
	{ request = REQUEST, use = USE, ...options }: { request?: ModelRequest; use?: CallUse; signal?: AbortSignal } = {},
): Promise<CallResult> {
	const outcome = await caller.call(id, request, use, { signal: NEVER, ...options });
	if ("error" in outcome) throw outcome.error;
	return outcome;
}

async function fail(
	id: number,
	{ request = REQUEST, use = USE }: { request?: ModelRequest; use?: CallUse } = {},
): Promise<CallFailure> {
	const outcome = await caller.call(id, request, use, { signal: NEVER });
	if (!("error" in outcome)) throw new Error("it did not fail");
	return outcome;
}

/** The span of a call with what it means; the price table is the one of receiving. */
async function readSpan(trace: { traceId: string; spanId: string } | undefined, project = "calls") {
	const { status, json } = await server.get(`/v1/projects/${project}/traces/${trace?.traceId}/spans/${trace?.spanId}`);
	expect(status).toBe(200);
	return json.data;
}

async function spent(id: number) {
	const scope = budgetScope(id, monthOf(Date.now() * 1_000));
	const { db } = server.context;
	const row = await db.read.selectFrom("money_spent").selectAll().where("scope", "=", scope).executeTakeFirst();
	return [row?.spent_nanos, row?.reserved_nanos];
}

describe("spans", () => {
	it("E15 has tokens and cost as the provider counted them, and everything that was sent and came", async () => {
		const id = await connect({ kind: "openai" });
		answer = (_, response) =>
			end(response, {
				...{ text: "sunny", reasoning: "the tool says so", finish_reason: "tool_calls", model: "priced-2026" },
				tool_calls: [{ id: "c2", name: "weather", arguments: '{"city":"Rome"}' }],
				usage: { input: 1_000, output: 500, cache_read: 200, cache_write: 100, reasoning: 300 },
				warnings: ["seed is not sent"],
			});
		const call = { type: "function", name: "weather", arguments: "{}" } as const;
		const request: ModelRequest = {
			model: "priced",
			messages: [
				{ role: "system", content: "be brief" },
				{
					role: "user",
					content: [
						{ type: "text", text: "and this?" },
						{ type: "image", media_type: "image/png", data: "iVBORw0KGgo=" },
					],
				},
				{ role: "assistant", content: [{ type: "tool_call", tool_call_id: "c1", tool_call: call }] },
				{ role: "tool", content: [{ type: "tool_result", tool_call_id: "c1", tool_result: { degrees: 21 } }] },
			],
			invocation_parameters: { type: "openai", openai: { temperature: 0.5, max_tokens: 64 } },
			tools: {
				type: "tools",
				tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }],
				tool_choice: { type: "one_or_more" },
			},
		};
		const parent = { traceId: "ab".repeat(16), spanId: "cd".repeat(8) };
		const use = { ...USE, promptVersionId: "UHJvbXB0VmVyc2lvbjox", name: "judge", parent };
		const result = await succeed(id, { request, use });
		expect(provider.received[0]?.request).toEqual(request);
		const span = await readSpan(result);
		expect(span).toMatchObject({
			...{ name: "judge", parent_id: parent.spanId, status_code: "OK" },
			semantic: {
				...{
					kind: "LLM",
					model: "priced-2026",
					request_model: "priced",
					provider: "openai",
					input_text: '{"degrees":21}',
				},
				tokens: { prompt: 1_000, completion: 500, total: 1_500, cache_read: 200, cache_write: 100, reasoning: 300 },
				invocation_parameters: { temperature: 0.5, max_tokens: 64, tool_choice: "required" },
				tool_definitions: ["weather"],
				finish_reason: "tool_calls",
				input_messages: [
					{ role: "system", text: "be brief" },
					{ role: "user", text: "and this?", image_urls: ["data:image/png;base64,iVBORw0KGgo="] },
					{ role: "assistant", tool_calls: [{ id: "c1", name: "weather", arguments: {} }] },
					{ role: "tool", tool_call_id: "c1", text: '{"degrees":21}' },
				],
				output_messages: [
					{
						...{ role: "assistant", text: "sunny", reasoning: "the tool says so" },
						tool_calls: [{ id: "c2", name: "weather", arguments: { city: "Rome" } }],
					},
				],
			},
			attributes: {
				"spanward.origin": "experiment",
				"spanward.prompt_version.id": "UHJvbXB0VmVyc2lvbjox",
				"spanward.warnings": ["seed is not sent"],
			},
		});
		// 1,000 tokens in at $1, 500 out at $2 for a million.
		expect(span.cost.total).toBeCloseTo(0.002, 12);
		expect(result).toMatchObject({ costUsd: span.cost.total, warnings: ["seed is not sent"], attempts: 1 });
		expect(await spent(id)).toEqual([2_000_000, 0]);
	});

	it("E25 ends the provider's request when a call is cancelled, and keeps what came before", async () => {
		const id = await connect();
		const cancelling = new AbortController();
		const deltas: ModelDelta[] = [];
		answer = (_, response) => delta(response, "the answer is");
		const outcome = await caller.call(id, REQUEST, PERSON, {
			signal: cancelling.signal,
			onDelta(piece) {
				deltas.push(piece);
				cancelling.abort();
			},
		});
		await provider.aborted;
		expect(deltas).toEqual([{ type: "text", text: "the answer is" }]);
		expect(outcome).toMatchObject({ error: { code: "cancelled" }, partial: { text: "the answer is" }, attempts: 1 });
		const span = await readSpan("error" in outcome ? outcome.trace : undefined);
		expect(span).toMatchObject({
			status_code: "ERROR",
			semantic: { output_text: "the answer is", error: { type: "cancelled" } },
			attributes: { "spanward.origin": "playground" },
		});
		// What the provider takes for it is not known: the most that it may cost is booked.
		expect((await spent(id))[0]).toBeGreaterThan(4_096 * 2_000);
	});

	it("leaves out of the span what is too large for it", async () => {
		const id = await connect();
		answer = (_, response) => end(response);
		const image = { type: "image", media_type: "image/png", data: "A".repeat(100_000) } as const;
		const request = { ...REQUEST, messages: [{ role: "user", content: [image] } as const] };
		const { input_messages: messages } = (await readSpan(await succeed(id, { request }))).semantic;
		expect(messages[0].text).toContain("(image/png, too large to be kept)");
	});
});

describe("retries", () => {
	const passing = { code: "bad_response", isPassing: true };

	it("tries again what may pass, and never for a person", async () => {
		const id = await connect();
		answer = (_, response, count) =>
			count === 1 ? refuse(response, 503, passing, { "retry-after": "0" }) : end(response);
		const result = await succeed(id);
		expect([result.attempts, provider.received.length]).toEqual([2, 2]);
		provider.received.length = 0;
		answer = (_, response) => refuse(response, 503, passing, { "retry-after": "0" });
		expect(await fail(id, { use: PERSON })).toMatchObject({ error: { status: 503 }, attempts: 1 });
		expect((await fail(id)).attempts).toBe(8);
		expect(provider.received).toHaveLength(9);
		provider.received.length = 0;
		answer = (_, response) => refuse(response, 400, { code: "bad_request" });
		expect((await fail(id)).attempts).toBe(1);
	});

	it("E17 sends nothing for a model in the seconds that its provider asked for, and loses no call", async () => {
		const id = await connect({ max_concurrency: 4 });
		let limitedAt = 0;
		answer = (_, response) => {
			if (limitedAt > 0) return end(response);
			limitedAt = performance.now();
			refuse(response, 429, { code: "rate_limited", isPassing: true }, { "retry-after": "3" });
		};
		const results = await Promise.all(Array.from({ length: 10 }, () => succeed(id)));
		expect(results.map(({ attempts }) => attempts).sort()).toEqual([...Array(9).fill(1), 2]);
		// Those that were sent before the answer came are not held back.
		const held = provider.received.filter(({ at }) => at > limitedAt + 1_000 && at < limitedAt + 3_000);
		expect(held).toEqual([]);
	});

	it("E18 sends once more without the parameter that the model refuses, notes it and remembers it", async () => {
		const id = await connect();
		const request: ModelRequest = {
			...REQUEST,
			invocation_parameters: { type: "openai", openai: { temperature: 0.5, max_tokens: 64 } },
		};
		const refused: Record<string, unknown>[] = [];
		answer = ({ invocation_parameters: sent }, response) => {
			const parameters: Record<string, unknown> = sent?.type === "openai" ? sent.openai : {};
			const parameter = ["temperature", "max_tokens"].find((name) => name in parameters);
			if (parameter === undefined) return end(response);
			refused.push(parameters);
			refuse(response, 400, { code: "unsupported_parameter", parameter });
		};
		const result = await succeed(id, { request });
		expect(result.attempts).toBe(3);
		expect(result.warnings).toEqual([
			"temperature was left out, because the model refuses it.",
			"max_tokens was sent as max_completion_tokens, because the model refuses max_tokens.",
		]);
		expect((await readSpan(result)).attributes["spanward.warnings"]).toEqual(result.warnings);
		expect(refused).toHaveLength(2);
		expect(await succeed(id, { request })).toMatchObject({ attempts: 1, warnings: result.warnings });
		// A person is told, and decides.
		const failure = await fail(id, { request, use: PERSON });
		expect([failure.error.code, failure.error.parameter]).toEqual(["unsupported_parameter", "temperature"]);
		const limited = { ...request, invocation_parameters: { type: "anthropic", anthropic: { max_tokens: 5 } } } as const;
		const budgets = [{ scope: "job:9", limitNanos: 1e9, what: "the job" }];
		expect((await fail(id, { request: limited, use: { ...USE, budgets } })).error.message).toContain(
			"refuses every limit of its answer",
		);
	});
});

describe("limits", () => {
	it("E10 keeps within the concurrency of a connection", async () => {
		const id = await connect({ max_concurrency: 2 });
		const { promise: allPlaces, resolve } = Promise.withResolvers<void>();
		await using other = await startTestProvider(async (_, response, count) => {
			if (count === 2) resolve();
			await allPlaces;
			end(response);
		});
		await using calling = new Caller(server.context, other);
		await Promise.all(Array.from({ length: 8 }, () => calling.call(id, REQUEST, PERSON, { signal: NEVER })));
		expect([other.most(), other.received.length]).toEqual([2, 8]);
	});

	it("E12 sends nothing for a model without a price under a budget, and a limit of tokens otherwise", async () => {
		const id = await connect({ kind: "anthropic", monthly_budget_nanos: 1e9 });
		answer = (_, response) => end(response);
		const unpriced = { ...REQUEST, model: "nobody knows its price" };
		expect(await fail(id, { request: unpriced })).toMatchObject({
			...{ error: { code: "price_unknown" }, trace: undefined, attempts: 0 },
		});
		expect(provider.received).toEqual([]);
		await succeed(id);
		expect(provider.received[0]?.request.invocation_parameters).toEqual({
			...{ type: "anthropic", anthropic: { max_tokens: 4_096 } },
		});
	});

	it("E11 ends before the budget of whoever calls is passed", async () => {
		const id = await connect();
		answer = (_, response) => end(response, { usage: { input: 10, output: 495 } });
		const request: ModelRequest = {
			...REQUEST,
			invocation_parameters: { type: "openai", openai: { max_tokens: 500 } },
		};
		const use = { ...USE, budgets: [{ scope: "job:8", limitNanos: 3_500_000, what: "this job" }] };
		const outcomes = await Promise.all(
			Array.from({ length: 6 }, () => caller.call(id, request, use, { signal: NEVER })),
		);
		const failed = outcomes.filter((outcome) => "error" in outcome);
		expect(failed).toHaveLength(3);
		expect(failed[0]?.error.message).toMatch(
			/^The budget of this job has \$0\.0005 left, and this call may cost up to/,
		);
		expect(await spent(id)).toEqual([3_000_000, 0]);
	});

	it("refuses a call through a connection that is off, with nothing sent", async () => {
		const id = await connect({ is_enabled: 0 });
		expect(await fail(id)).toMatchObject({ error: { code: "connection_off" }, attempts: 0 });
		expect((await fail(1_000_000)).error.code).toBe("connection_off");
		expect(provider.received).toEqual([]);
	});

	it("E21 sends nothing while calls are switched off", async () => {
		const id = await connect();
		const config = { ...server.context.config, SERVICE_ENABLE_MODEL_CALLS: false };
		await using off = new Caller({ ...server.context, config }, provider);
		expect(await off.call(id, REQUEST, USE, { signal: NEVER })).toMatchObject({ error: { code: "calls_off" } });
		expect(provider.received).toEqual([]);
	});

	it("E71 sends nothing whose result could not be kept", async () => {
		const id = await connect();
		const { ingest } = server.context;
		const withRefusal = (storageRefusal: "full" | "read_only") =>
			new Caller(
				{ ...server.context, ingest: Object.create(ingest, { storageRefusal: { value: storageRefusal } }) },
				provider,
			);
		await using full = withRefusal("full");
		await expect(full.call(id, REQUEST, USE, { signal: NEVER })).rejects.toMatchObject({ code: "storage_full" });
		await using readOnly = withRefusal("read_only");
		await expect(readOnly.call(id, REQUEST, USE, { signal: NEVER })).rejects.toMatchObject({ reason: "read_only" });
		expect(provider.received).toEqual([]);
	});

	it("ends what runs, and books it, when the server stops", async () => {
		const id = await connect();
		const { promise: asked, resolve } = Promise.withResolvers<void>();
		await using silent = await startTestProvider(() => resolve());
		const stopping = new Caller(server.context, silent);
		const call = stopping.call(id, REQUEST, USE, { signal: NEVER });
		await asked;
		await stopping[Symbol.asyncDispose]();
		expect(await call).toMatchObject({ error: { code: "cancelled" } });
		expect((await spent(id))[1]).toBe(0);
	});
});

it("throws what is a fault of the server, after booking the call", async () => {
	const id = await connect();
	const broken = { ...provider, ask: () => Promise.reject(new TypeError("x is undefined")) };
	await using faulty = new Caller(server.context, broken);
	await expect(faulty.call(id, REQUEST, USE, { signal: NEVER })).rejects.toThrow("x is undefined");
	expect((await spent(id))[1]).toBe(0);
});

it("counts calls for metrics", async () => {
	const name = `connection ${names + 1}`;
	const id = await connect();
	answer = (_, response) => end(response);
	await succeed(id);
	const text = await server.context.metrics.text();
	const labels = `connection="${name}",purpose="experiment"`;
	expect(text).toContain(`spanward_model_calls_total{${labels},outcome="ok"} 1`);
	expect(text).toContain(`spanward_model_tokens_total{connection="${name}",direction="output"} 20`);
	expect(text).toContain(`spanward_model_cost_usd_total{${labels}} 0.00005`);
	expect(text).toContain(`spanward_model_call_seconds_count{connection="${name}"} 1`);
});
