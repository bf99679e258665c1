import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { present } from "#base/present.ts";
import { openTestStorage, type TestStorage } from "#test-storage.ts";
import { budgetScope, monthOf } from "../connections/spending.ts";
import { ModelError } from "../model-error.ts";
import type { Asked, Begun } from "./asked-call.ts";
import { beginCalls, placesOfWork } from "./begin-call.ts";
import { CallPrices } from "./call-prices.ts";
import { type Ended, endCalls } from "./end-call.ts";
import { estimateCost } from "./estimate-cost.ts";
import { Ledger } from "./ledger.ts";
import { learn, listLessons } from "./lessons.ts";
import { findMeasures } from "./measures.ts";
import { formatDollars } from "./money.ts";
import { insertTestConnection, insertTestPrice } from "./test-connections.ts";
import { listUsage } from "./usage.ts";

let storage: TestStorage;
let names = 0;

beforeAll(async () => {
	storage = await openTestStorage();
	// A dollar for a million tokens of either kind.
	await insertTestPrice(storage.db, "priced", { input: 1, output: 1 });
	await insertTestPrice(storage.db, "free", { input: 0, output: 0 });
});
afterAll(async () => await storage[Symbol.asyncDispose]());

const NEVER = new AbortController().signal;
const FINE: Ended = { error: undefined, usage: { input: 10, output: 20 }, costNanos: 0, seconds: 1 };

async function connect(columns: Parameters<typeof insertTestConnection>[2] = {}): Promise<number> {
	names += 1;
	return await insertTestConnection(storage.db, `connection ${names}`, columns);
}

function openLedger(db = storage.db): Ledger {
	return new Ledger({ db, log: pino({ level: "silent" }), auth: { enabled: true } });
}

function asked(connectionId: number, more: Partial<Asked> = {}): Asked {
	return {
		...{ connectionId, model: "priced", purpose: "experiment", isInteractive: false, isAdmin: true, budgets: [] },
		size: { inputBytes: 2_000, images: 0, outputLimit: 1_000 },
		...more,
	};
}

const rules = () => ({
	...{ prices: new CallPrices(), needsConfirmed: true, isShared: storage.db.isShared },
	onSeen: () => undefined,
});

/** What one transaction answers, without waiting. */
async function begin(call: Asked) {
	const [beginning] = await storage.db.write((transaction) => beginCalls(transaction, [call], rules()));
	return present(beginning, "what became of the call");
}

async function begun(call: Asked): Promise<Begun> {
	const beginning = await begin(call);
	if (beginning.kind !== "begun") throw new Error(`it did not begin: ${JSON.stringify(beginning)}`);
	return beginning.call;
}

async function end(call: Begun, ended: Partial<Ended> = {}): Promise<void> {
	await storage.db.write((transaction) => endCalls(transaction, [{ call, ended: { ...FINE, ...ended } }], rules()));
}

async function refusal(call: Asked): Promise<ModelError> {
	const beginning = await begin(call);
	if (beginning.kind !== "refused") throw new Error(`it was not refused: ${beginning.kind}`);
	return beginning.error;
}

async function change(id: number, columns: object): Promise<void> {
	await storage.db.write((transaction) =>
		transaction.updateTable("model_connections").set(columns).where("id", "=", id).execute(),
	);
}

async function spending(scope: string) {
	const row = await storage.db.read
		.selectFrom("money_spent")
		.select(["spent_nanos", "reserved_nanos"])
		.where("scope", "=", scope)
		.executeTakeFirst();
	return row === undefined ? undefined : [row.spent_nanos, row.reserved_nanos];
}

const thisMonth = () => monthOf(Date.now() * 1_000);

describe("places", () => {
	it("E10 lets no more calls run than a connection allows, whichever server makes them", async () => {
		const id = await connect({ max_concurrency: 4 });
		await using one = openLedger();
		await using other = openLedger(storage.dbOfAnother());
		// A SQLite file has one server.
		const servers = storage.db.isShared ? [one, other] : [one];
		let running = 0;
		let most = 0;
		const { promise: allPlaces, resolve } = Promise.withResolvers<void>();
		const calls = Array.from({ length: 40 }, async (_, at) => {
			const server = servers[at % servers.length] ?? one;
			const call = await server.begin(asked(id, { isInteractive: true }), NEVER);
			running += 1;
			most = Math.max(most, running);
			if (running === 4) resolve();
			await allPlaces;
			running -= 1;
			await server.end(call, FINE);
		});
		await Promise.all(calls);
		expect(most).toBe(4);
		expect(await storage.db.read.selectFrom("model_calls").selectAll().execute()).toEqual([]);
	});

	it("keeps a quarter of the places, at least one, for people, who go first", async () => {
		expect([1, 2, 4, 8, 16].map(placesOfWork)).toEqual([1, 1, 3, 6, 12]);
		const id = await connect({ max_concurrency: 2 });
		await using ledger = openLedger();
		const work = await ledger.begin(asked(id), NEVER);
		expect(await begin(asked(id))).toMatchObject({ kind: "wait", key: "place of work" });
		const person = await ledger.begin(asked(id, { isInteractive: true }), NEVER);
		const order: string[] = [];
		const later = [false, false, true].map(async (isInteractive) => {
			const call = await ledger.begin(asked(id, { isInteractive }), NEVER);
			order.push(isInteractive ? "person" : "work");
			await ledger.end(call, FINE);
		});
		await ledger.end(work, FINE);
		await ledger.end(person, FINE);
		await Promise.all(later);
		expect(order).toEqual(["person", "work", "work"]);
	});

	it("begins calls of a group one after the other, and none before one that waits for the same", async () => {
		const [small, large] = [await connect({ max_concurrency: 2 }), await connect({ max_concurrency: 8 })];
		const all = [asked(small), asked(small), asked(large), asked(small, { isInteractive: true }), asked(large)];
		const beginnings = await storage.db.write((transaction) => beginCalls(transaction, all, rules()));
		const told = beginnings.map((one) => (one.kind === "wait" ? one.key : one.kind));
		expect(told).toEqual(["begun", "place of work", "begun", "begun", "begun"]);
		const calls = beginnings.flatMap((one) => (one.kind === "begun" ? [one.call] : []));
		const rows = await storage.db.read.selectFrom("model_calls").select(["id", "connection_id"]).execute();
		expect(rows.sort((a, b) => a.id - b.id)).toEqual(
			calls.map(({ id, connection }) => ({ id, connection_id: connection.id })),
		);
		const ends = calls.map((call) => ({ call, ended: { ...FINE, costNanos: 5 } }));
		await storage.db.write((transaction) => endCalls(transaction, ends, rules()));
		expect(await spending(budgetScope(large, thisMonth()))).toEqual([10, 0]);
		expect(await listUsage(storage.db.read, large, 1)).toMatchObject([{ calls: 2, input_tokens: 20, cost_nanos: 10 }]);
		expect(await findMeasures(storage.db.read, large, "priced")).toMatchObject({ calls: 2, output_tokens: 20 });
	});

	it("gives back nothing that was not taken when who waits gives up", async () => {
		const id = await connect({ max_concurrency: 1 });
		await using ledger = openLedger();
		const call = await ledger.begin(asked(id), NEVER);
		const giving = new AbortController();
		const waiting = ledger.begin(asked(id), giving.signal);
		giving.abort(new Error("gave up"));
		await expect(waiting).rejects.toThrow("gave up");
		const before = AbortSignal.abort(new Error("never asked"));
		await expect(ledger.begin(asked(id), before)).rejects.toThrow("never asked");
		await ledger.end(call, FINE);
		await ledger.end(await ledger.begin(asked(id), NEVER), FINE);
		expect(await spending(budgetScope(id, thisMonth()))).toEqual([0, 0]);
	});

	it("books what the calls of a killed server had reserved, once, and frees their places", async () => {
		const id = await connect({ max_concurrency: 1 });
		const budgets = [{ scope: "job:1", limitNanos: 1e9, what: "the job" }];
		const killed = await begun(asked(id, { budgets }));
		expect(await begin(asked(id))).toMatchObject({ kind: "wait", key: "place" });
		await storage.db.write((transaction) =>
			transaction.updateTable("model_calls").set({ expires_at: 1 }).where("id", "=", killed.id).execute(),
		);
		const next = await begun(asked(id));
		await end(next, { costNanos: 5 });
		expect(killed.reservedNanos).toBe(2_000_000);
		expect(await spending("job:1")).toEqual([2_000_000, 0]);
		expect(await spending(budgetScope(id, thisMonth()))).toEqual([2_000_005, 0]);
		// It was not killed after all, only silent for long.
		await end(killed, { costNanos: 7 });
		expect(await spending("job:1")).toEqual([2_000_000, 0]);
	});

	it("settles the budgets of others when the connection was deleted meanwhile", async () => {
		const id = await connect();
		const call = await begun(asked(id, { budgets: [{ scope: "job:2", limitNanos: 1e9, what: "the job" }] }));
		await storage.db.write((transaction) => transaction.deleteFrom("model_connections").where("id", "=", id).execute());
		await end(call, { costNanos: 7 });
		expect(await spending("job:2")).toEqual([7, 0]);
		expect((await refusal(asked(id))).code).toBe("connection_off");
	});
});

describe("rates", () => {
	it("E10 begins as many calls a minute as are allowed, over all servers", async () => {
		const id = await connect({ requests_per_minute: 3 });
		for (let calls = 0; calls < 3; calls += 1) await end(await begun(asked(id)));
		const wait = await begin(asked(id));
		expect(wait).toMatchObject({ kind: "wait", key: "rate", isFreed: false });
		expect("forMs" in wait && wait.forMs).toBeGreaterThan(50_000);
		expect("forMs" in wait && wait.forMs).toBeLessThanOrEqual(61_000);
		await storage.db.write((transaction) =>
			transaction
				.updateTable("model_rates")
				.set((set) => ({ second: set("second", "-", 61) }))
				.where("connection_id", "=", id)
				.execute(),
		);
		await end(await begun(asked(id)));
	});

	it("counts the tokens that calls took once they are known, and lets a call larger than the limit go alone", async () => {
		const id = await connect({ tokens_per_minute: 2_500 });
		const first = await begun(asked(id));
		expect(await begin(asked(id))).toMatchObject({ kind: "wait", key: "rate" });
		await end(first, { usage: { input: 100, output: 100 } });
		await end(await begun(asked(id)), { usage: { input: 1_000, output: 1_000 } });
		expect(await begin(asked(id))).toMatchObject({ kind: "wait", key: "rate" });
		const small = await connect({ tokens_per_minute: 10 });
		await begun(asked(small));
	});
});

describe("budgets", () => {
	it("E11 never passes a budget, and says what is left and what the next call may cost", async () => {
		const id = await connect({ max_concurrency: 8, monthly_budget_nanos: 50_000_000 });
		await using one = openLedger();
		await using other = openLedger(storage.dbOfAnother());
		const servers = storage.db.isShared ? [one, other] : [one];
		// At most $0.01 each, and $0.004 in the end.
		const size = { inputBytes: 2_000, images: 0, outputLimit: 9_000 };
		const outcomes = await Promise.all(
			Array.from({ length: 30 }, async (_, at) => {
				const server = servers[at % servers.length] ?? one;
				try {
					const call = await server.begin(asked(id, { size }), NEVER);
					const seen = await spending(budgetScope(id, thisMonth()));
					expect((seen?.[0] ?? 0) + (seen?.[1] ?? 0)).toBeLessThanOrEqual(50_000_000);
					await server.end(call, { ...FINE, costNanos: 4_000_000 });
					return "ok";
				} catch (error) {
					if (!(error instanceof ModelError)) throw error;
					return error.message;
				}
			}),
		);
		// 0.05 - 11 × 0.004 is less than 0.01.
		expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(11);
		expect(await spending(budgetScope(id, thisMonth()))).toEqual([44_000_000, 0]);
		expect((await refusal(asked(id, { size }))).code).toBe("budget_exhausted");
		expect(outcomes).toContainEqual(expect.stringContaining("has $0.006 left, and this call may cost up to $0.01:"));
	});

	it("limits the answer where a budget applies and the request does not", async () => {
		const size = { inputBytes: 2_000, images: 1, outputLimit: undefined };
		const limited = await begun(asked(await connect({ monthly_budget_nanos: 1e9 }), { size }));
		expect([limited.outputLimit, limited.reservedNanos]).toEqual([4_096, 1_000 * (1_000 + 3_000 + 4_096)]);
		const unlimited = await begun(asked(await connect(), { size }));
		expect([unlimited.outputLimit, unlimited.reservedNanos]).toEqual([undefined, limited.reservedNanos]);
		await Promise.all([end(limited), end(unlimited)]);
	});

	it("E12 refuses a model without a price under any budget, and takes a price of 0", async () => {
		const limited = await connect({ monthly_budget_nanos: 1 });
		expect((await refusal(asked(limited, { model: "own" }))).code).toBe("price_unknown");
		const budgets = [{ scope: "job:3", limitNanos: 1, what: "the job" }];
		const unlimited = await connect();
		expect((await refusal(asked(unlimited, { model: "own", budgets }))).code).toBe("price_unknown");
		await end(await begun(asked(unlimited, { model: "own" })));
		await end(await begun(asked(limited, { model: "free", budgets })));
		await insertTestPrice(storage.db, "own", { input: 0, output: 0 });
		await end(await begun(asked(limited, { model: "own" })));
	});

	it("reserves by the dearest price that the tokens may have", async () => {
		const prices = { input: 1, output: 1, cache_write: 2, reasoning: 3 };
		await insertTestPrice(storage.db, "cached", prices);
		const call = await begun(asked(await connect(), { model: "cached" }));
		expect(call.reservedNanos).toBe(1_000 * 2_000 + 1_000 * 3_000);
		await end(call);
	});

	it("writes dollars with the digits that it takes to see them", () => {
		expect([0, 4_000_000, 12_345_678_900, 1_000_000_000, 500].map(formatDollars)).toEqual(
			"$0.00 $0.004 $12.35 $1.00 $0.0000005".split(" "),
		);
	});
});

describe("holds", () => {
	const limited = (retryAfterMs?: number) =>
		new ModelError("rate_limited", "slow down", {
			status: 429,
			isPassing: true,
			...(retryAfterMs && { retryAfterMs }),
		});

	it("E17 holds a model for as long as its provider asks, on all servers, and no other model", async () => {
		const id = await connect({ max_concurrency: 8 });
		const [first, second] = [await begun(asked(id)), await begun(asked(id))];
		await end(first, { error: limited(9_000), holdMs: 9_000 });
		const wait = await begin(asked(id));
		expect(wait).toMatchObject({ kind: "wait", key: "model priced", isFreed: false });
		expect("forMs" in wait && wait.forMs).toBeGreaterThan(2_000);
		expect("forMs" in wait && wait.forMs).toBeLessThanOrEqual(9_000);
		await end(await begun(asked(id, { model: "free" })));
		expect(await begin(asked(id, { isInteractive: true }))).toMatchObject({ kind: "wait" });
		// One that was under way halves nothing again.
		await end(second, { error: limited(300_000), holdMs: 300_000 });
		const hold = () =>
			storage.db.read.selectFrom("model_holds").selectAll().where("connection_id", "=", id).executeTakeFirst();
		expect((await hold())?.concurrency).toBe(4);
		expect((await refusal(asked(id, { isInteractive: true }))).message).toMatch(/try again in (2[6-9]\d|300) seconds/);
		// Held until a while ago: four at a time, and one more for each that succeeds.
		await storage.db.write((transaction) =>
			transaction.updateTable("model_holds").set({ held_until: 1 }).where("connection_id", "=", id).execute(),
		);
		const calls = [];
		for (let count = 0; count < 4; count += 1) calls.push(await begun(asked(id)));
		expect(await begin(asked(id))).toMatchObject({ kind: "wait", key: "model priced", isFreed: true });
		for (const call of calls) await end(call);
		expect(await hold()).toBeUndefined();
	});
});

describe("failing connections", () => {
	const failure = async (id: number) =>
		await storage.db.read
			.selectFrom("model_connections")
			.select(["failing_code", "failing_reason", "failing_since", "failing_tried_at"])
			.where("id", "=", id)
			.executeTakeFirstOrThrow();

	it("refuses calls of work after a refused key, tries again with one every five minutes, and recovers", async () => {
		const id = await connect();
		const error = new ModelError("authentication", "the key is wrong", { status: 401 });
		await end(await begun(asked(id)), { error });
		expect(await failure(id)).toMatchObject({ failing_code: "authentication", failing_reason: "the key is wrong" });
		const refused = await refusal(asked(id));
		expect([refused.code, refused.message]).toEqual([
			"authentication",
			expect.stringContaining("is failing, and is tried again every five minutes: the key is wrong"),
		]);
		// A person may try at any time.
		await end(await begun(asked(id, { isInteractive: true })), { error });
		await change(id, { failing_tried_at: 1 });
		const probe = await begun(asked(id));
		expect((await refusal(asked(id))).code).toBe("authentication");
		await end(probe);
		expect(await failure(id)).toMatchObject({ failing_code: null, failing_since: null });
		await end(await begun(asked(id)));
	});

	it("takes silence for a failure after five minutes, and any answer for its end", async () => {
		const id = await connect();
		const silent = new ModelError("unreachable", "nothing answers", { isPassing: true });
		await end(await begun(asked(id)), { error: silent });
		await end(await begun(asked(id)), { error: silent });
		const since = (await failure(id)).failing_since ?? 0;
		await change(id, { failing_since: since - 300_000_000 });
		const refused = await refusal(asked(id));
		expect([refused.code, refused.isPassing]).toEqual(["unreachable", true]);
		await change(id, { failing_tried_at: 1 });
		await end(await begun(asked(id)), { error: new ModelError("bad_request", "no", { status: 400 }) });
		expect(await failure(id)).toMatchObject({ failing_code: null });
	});
});

it("says why a connection may not be used", async () => {
	const id = await connect({ models: '["priced"]', use_by: "admins", is_confirmed: 0 });
	const code = async (call: Asked) => (await refusal(call)).code;
	expect(await code(asked(id))).toBe("connection_unconfirmed");
	await change(id, { is_confirmed: 1 });
	expect(await code(asked(id, { model: "other" }))).toBe("model_not_found");
	expect(await code(asked(id, { isAdmin: false }))).toBe("connection_off");
	await end(await begun(asked(id)));
	await change(id, { is_enabled: 0 });
	expect(await code(asked(id))).toBe("connection_off");
});

it("counts calls by month, purpose, model and outcome, and unknown models together", async () => {
	const id = await connect();
	for (const model of ["made up", "made up too"]) {
		await end(await begun(asked(id, { model })), {
			error: new ModelError("model_not_found", "there is no such model", { status: 404 }),
			usage: undefined,
		});
	}
	await end(await begun(asked(id)), { costNanos: 30 });
	await end(await begun(asked(id)), { costNanos: 30 });
	expect(await listUsage(storage.db.read, id, 12)).toMatchObject([
		{ month: thisMonth(), purpose: "experiment", model: "", outcome: "model_not_found", calls: 2, input_tokens: 0 },
		{ model: "priced", outcome: "ok", calls: 2, input_tokens: 20, output_tokens: 40, cost_nanos: 60 },
	]);
});

it("estimates from what the last calls took, and says on how many it rests", async () => {
	const id = await connect();
	const prices = new CallPrices();
	await prices.refresh(storage.db.read);
	const priced = { prices, priced: { provider: undefined, model: "priced" }, micros: 0 };
	const planned = { calls: 10, inputBytes: 4_000, images: 0, outputLimit: 100 };
	expect(estimateCost(planned, await findMeasures(storage.db.read, id, "priced"), priced)).toEqual({
		inputTokens: { low: 500, high: 2_000 },
		outputTokens: { low: 10, high: 1_000 },
		costUsd: { low: expect.closeTo(0.00051, 9), high: expect.closeTo(0.003, 9) },
		...{ secondsPerCall: undefined, measuredCalls: 0 },
	});
	const size = { inputBytes: 400, images: 0, outputLimit: 100 };
	for (const output of [20, 40]) {
		await end(await begun(asked(id, { size })), { usage: { input: 80, output }, seconds: output / 10 });
	}
	const estimate = estimateCost(planned, await findMeasures(storage.db.read, id, "priced"), priced);
	expect(estimate).toMatchObject({
		inputTokens: { low: 400, high: 1_600 },
		outputTokens: { low: 150, high: 600 },
		...{ secondsPerCall: 3, measuredCalls: 2 },
	});
	const unknown = { ...priced, priced: { provider: undefined, model: "without a price" } };
	expect(estimateCost(planned, undefined, unknown).costUsd).toBeUndefined();
});

it("remembers a lesson for a day", async () => {
	const id = await connect();
	const lesson = "refuses temperature";
	const of = { connectionId: id, model: "priced" };
	await storage.db.write((transaction) => learn(transaction, { ...of, lesson }));
	expect(await listLessons(storage.db.read, of)).toEqual([lesson]);
	const yesterday = (Date.now() - 24 * 3_600_000) * 1_000;
	await storage.db.write((transaction) =>
		transaction.updateTable("model_lessons").set({ learned_at: yesterday }).where("connection_id", "=", id).execute(),
	);
	expect(await listLessons(storage.db.read, of)).toEqual([]);
	await storage.db.write((transaction) => learn(transaction, { ...of, connectionId: 1_000_000, lesson }));
});
