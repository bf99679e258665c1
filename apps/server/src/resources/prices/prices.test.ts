import { afterAll, beforeEach, expect, test } from "vitest";
import { ALL_RIGHTS } from "#http/rights.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { openTestApp, T0, text } from "#test-app.ts";
import { advanceRecomputation, endRecomputation, getRecomputation } from "./recomputations.ts";
import { runRecomputations } from "./run-recomputations.ts";

const server = await openTestApp();
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
	await server.clear();
	const { json } = await server.get("/v1/model_prices?origin=own&limit=1000");
	for (const { id } of json.data) await server.call("DELETE", `/v1/model_prices/${id}`);
});

const MILLION = { intValue: "1000000" };

/** A span that used a million tokens of input. */
function llmSpan(id: number, model: string, extra: object = {}) {
	return {
		traceId: String(id).padStart(32, "0"),
		spanId: String(id).padStart(16, "0"),
		attributes: {
			"openinference.span.kind": text("LLM"),
			"llm.model_name": text(model),
			"llm.token_count.prompt": MILLION,
			...extra,
		},
	};
}

async function costs(project = "default"): Promise<(number | null)[]> {
	const { json } = await server.get(`/v1/projects/${project}/spans?sort=start_time&order=asc&limit=1000`);
	return json.data
		.map((span: { id: string; total_cost?: number | null }) => span)
		.sort((a: { context: { span_id: string } }, b: { context: { span_id: string } }) =>
			a.context.span_id < b.context.span_id ? -1 : 1,
		)
		.map((span: { total_cost?: number | null }) => span.total_cost ?? null);
}

async function create(body: object) {
	return await server.call("POST", "/v1/model_prices", body);
}

test("creates, shows, changes and deletes an own price", async () => {
	const created = await create({
		pattern: "My-Model",
		provider: "Local",
		start_time: "2024-01-01T00:00:00Z",
		prices: { input: 1.5, output: 2, reasoning: null },
	});
	expect(created.status).toBe(201);
	expect(created.json.data).toMatchObject({
		origin: "own",
		name: "My-Model",
		match: "exact",
		pattern: "my-model",
		provider: "Local",
		start_time: "2024-01-01T00:00:00+00:00",
		prices: { input: 1.5, output: 2 },
		tiers: [],
		user_id: null,
	});
	const url = `/v1/model_prices/${created.json.data.id}`;
	const { headers, json } = await server.get(url);
	expect(json).toEqual(created.json);
	const etag = { "if-match": String(headers["etag"]) };
	const changed = await server.call("PATCH", url, { match: "regex", pattern: "^My-", provider: null }, etag);
	expect(changed.json.data).toMatchObject({ match: "regex", pattern: "^My-", provider: null, prices: { input: 1.5 } });
	expect((await server.call("PATCH", url, { name: "late" }, etag)).status).toBe(412);
	expect((await server.call("DELETE", url, undefined, etag)).status).toBe(412);
	expect((await server.call("DELETE", url)).status).toBe(204);
	expect((await server.get(url)).status).toBe(404);
	expect((await server.call("DELETE", url)).status).toBe(404);
});

test.each([
	[{ pattern: "", prices: { input: 1 } }],
	[{ pattern: "a\u0000b", prices: { input: 1 } }],
	[{ pattern: "x".repeat(201), prices: { input: 1 } }],
	[{ pattern: "m", prices: {} }],
	[{ pattern: "m", prices: { reasoning: 1 } }],
	[{ pattern: "m", prices: { input: -1 } }],
	[{ pattern: "m", prices: { input: 1e9 } }],
	[{ pattern: "m", prices: { input: "1" } }],
	[{ pattern: "(", match: "regex", prices: { input: 1 } }],
	[{ pattern: "(?=x)", match: "regex", prices: { input: 1 } }],
	[{ pattern: "m", match: "like", prices: { input: 1 } }],
	[{ pattern: "m", start_time: "soon", prices: { input: 1 } }],
	[{ pattern: "m" }],
])("refuses %j", async (body) => {
	const { status, json } = await create(body);
	expect(status).toBe(422);
	expect(json.detail[0].loc[0]).toBe("body");
});

test("refuses a second price with the same pattern, provider and start", async () => {
	const body = { pattern: "twice", prices: { input: 1 } };
	const [first, second] = await Promise.all([create(body), create(body)]);
	expect([first.status, second.status].sort()).toEqual([201, 409]);
	const later = await create({ ...body, start_time: "2025-01-01" });
	expect(later.status).toBe(201);
	const url = `/v1/model_prices/${later.json.data.id}`;
	expect((await server.call("PATCH", url, { start_time: null })).status).toBe(409);
	expect((await server.call("PATCH", url, { start_time: "2025-01-02" })).status).toBe(200);
});

test("lists own prices before built-in ones, page by page, none twice", async () => {
	for (const pattern of ["a", "b", "c"]) await create({ pattern: `own-${pattern}`, prices: { input: 1 } });
	const names: string[] = [];
	let cursor: string | null = "";
	let pages = 0;
	do {
		const { json } = await server.get(`/v1/model_prices?limit=500&cursor=${encodeURIComponent(cursor ?? "")}`);
		names.push(...json.data.map(({ id }: { id: string }) => id));
		if (pages === 0) {
			expect(json.data.slice(0, 4).map(({ origin }: { origin: string }) => origin)).toEqual([
				"own",
				"own",
				"own",
				"built_in",
			]);
		}
		cursor = json.next_cursor;
		pages += 1;
	} while (cursor !== null);
	expect(new Set(names).size).toBe(names.length);
	expect(names.length).toBeGreaterThan(2_000);
	const own = await server.get("/v1/model_prices?origin=own&limit=2");
	expect(own.json.data.map(({ pattern }: { pattern: string }) => pattern)).toEqual(["own-c", "own-b"]);
	const rest = await server.get(`/v1/model_prices?origin=own&limit=2&cursor=${own.json.next_cursor}`);
	expect(rest.json).toMatchObject({ data: [{ pattern: "own-a" }], next_cursor: null });
	const found = await server.get("/v1/model_prices?name_contains=GPT-4O-mini&origin=built_in");
	expect(found.json.data[0]).toMatchObject({ origin: "built_in", name: "gpt-4o-mini" });
	expect((await server.get("/v1/model_prices?cursor=UHJvamVjdDox")).status).toBe(422);
});

test("shows a built-in price and refuses to change it", async () => {
	const { json } = await server.get("/v1/model_prices?name_contains=gpt-4o&origin=built_in&limit=1");
	const [{ id, prices }] = json.data;
	const url = `/v1/model_prices/${encodeURIComponent(id)}`;
	expect((await server.get(url)).json.data.prices).toEqual(prices);
	expect((await server.call("PATCH", url, { name: "mine" })).status).toBe(403);
	expect((await server.call("DELETE", url)).status).toBe(403);
	expect((await server.call("DELETE", "/v1/model_prices/nonsense")).status).toBe(422);
});

test("setting, changing or deleting an own price affects the spans that arrive afterwards", async () => {
	await server.send([llmSpan(1, "gpt-4o")]);
	const { json } = await create({ pattern: "gpt-4o", prices: { input: 100 } });
	await server.send([llmSpan(2, "gpt-4o")]);
	await server.call("PATCH", `/v1/model_prices/${json.data.id}`, { prices: { input: 200 } });
	await server.send([llmSpan(3, "gpt-4o")]);
	await server.call("DELETE", `/v1/model_prices/${json.data.id}`);
	await server.send([llmSpan(4, "gpt-4o")]);
	expect(await costs()).toEqual([2.5, 100, 200, 2.5]);
});

test("an own price that starts after the span does not apply", async () => {
	const after = new Date((T0 + 1) * 1_000).toISOString();
	await create({ pattern: "gpt-4o", start_time: after, prices: { input: 100 } });
	await server.send([llmSpan(1, "gpt-4o")]);
	expect(await costs()).toEqual([2.5]);
});

test("recomputes costs on demand, and shows the progress", async () => {
	await using _work = runRecomputations(server.context);
	await server.send([
		llmSpan(1, "house-model"),
		llmSpan(2, "house-model", { "llm.cost.total": { doubleValue: 9 } }),
		llmSpan(3, "gpt-4o"),
	]);
	expect(await costs()).toEqual([null, 9, 2.5]);
	await create({ pattern: "house", match: "prefix", prices: { input: 4 } });
	const asked = await server.call("POST", "/v1/projects/default/cost_recomputations", {});
	expect(asked).toMatchObject({ status: 202, json: { data: { state: "waiting", total_spans: 3, seen_spans: 0 } } });
	const done = await until(asked.json.data.id);
	expect(done).toMatchObject({ state: "done", seen_spans: 3, changed_spans: 1, progress: 1, error: null });
	expect(await costs()).toEqual([4, 9, 2.5]);
	const { json } = await server.get("/v1/projects/default/traces?limit=10");
	expect(json.data.map(({ total_cost }: { total_cost: number }) => total_cost).sort()).toEqual([2.5, 4, 9]);
	const list = await server.get("/v1/projects/default/cost_recomputations");
	expect(list.json.data[0]).toEqual(done);
});

test("a recomputation of an empty project is done at once, and an ended one cannot be cancelled", async () => {
	await using _work = runRecomputations(server.context);
	await server.call("POST", "/v1/projects", { name: "empty" });
	const { json } = await server.call("POST", "/v1/projects/empty/cost_recomputations");
	expect(await until(json.data.id)).toMatchObject({ state: "done", total_spans: 0, progress: 1 });
	expect((await server.call("DELETE", `/v1/cost_recomputations/${json.data.id}`)).status).toBe(204);
	expect(await until(json.data.id)).toMatchObject({ state: "done" });
});

test("a cancelled recomputation is not started, and the number of waiting ones per project is bounded", async () => {
	await server.send([llmSpan(1, "gpt-4o")], "busy");
	const ask = () => server.call("POST", "/v1/projects/busy/cost_recomputations", { start_time: null });
	const ids: string[] = [];
	for (let index = 0; index < 10; index += 1) ids.push((await ask()).json.data.id);
	expect(await ask()).toMatchObject({ status: 409 });
	for (const id of ids) await server.call("DELETE", `/v1/cost_recomputations/${id}`);
	expect(await until(ids[0] ?? "")).toMatchObject({ state: "cancelled", seen_spans: 0 });
	expect((await ask()).status).toBe(202);
});

test("continues recomputations that a stopped server left", async () => {
	await server.send([llmSpan(1, "late-model")]);
	await create({ pattern: "late-model", prices: { input: 3 } });
	const { json } = await server.call("POST", "/v1/projects/default/cost_recomputations", {});
	const { isShared, read } = server.context.db;
	const write = async () => {
		throw new StorageUnavailable("unreachable", new Error("as this test wants it"));
	};
	const check = async () => {};
	{
		// It ends after writing the costs and before recording the progress.
		await using _work = runRecomputations({
			...server.context,
			db: { isShared, read, write, check, [Symbol.asyncDispose]: check },
		});
		await expect.poll(() => costs()).toEqual([3]);
	}
	await using _work = runRecomputations(server.context);
	expect(await until(json.data.id)).toMatchObject({ state: "done", seen_spans: 1, changed_spans: 1 });
});

test("accepts times in the far past and future", async () => {
	await using _work = runRecomputations(server.context);
	await server.send([llmSpan(1, "gpt-4o")]);
	const range = { start_time: "0001-01-01", end_time: "9999-12-31T23:59:59Z" };
	const { json } = await server.call("POST", "/v1/projects/default/cost_recomputations", range);
	expect(await until(json.data.id)).toMatchObject({ state: "done", seen_spans: 1 });
	const { status } = await create({ pattern: "gpt-4o", start_time: "9999-12-31", prices: { input: 1 } });
	expect(status).toBe(201);
	expect((await server.get("/v1/model_prices?origin=own")).json.data).toHaveLength(1);
});

test("refuses a time range that ends before it starts", async () => {
	const range = { start_time: "2026-02-01T00:00:00Z", end_time: "2026-01-01T00:00:00Z" };
	const { status, text } = await server.call("POST", "/v1/projects/default/cost_recomputations", range);
	expect([status, text]).toEqual([422, "`start_time` must be strictly earlier than `end_time`."]);
});

test("refuses a range of days that ends before it starts", async () => {
	const range = { start_time: "2026-02-01", end_time: "2026-01-01" };
	const { status, text } = await server.call("POST", "/v1/projects/default/cost_recomputations", range);
	expect([status, text]).toEqual([422, "`start_time` must be strictly earlier than `end_time`."]);
});

test("recomputes only spans in the time range", async () => {
	await using _work = runRecomputations(server.context);
	await server.send([llmSpan(1, "ranged"), { ...llmSpan(2, "ranged"), startTimeUnixNano: `${T0 + 60}000000000` }]);
	await create({ pattern: "ranged", prices: { input: 3 } });
	const at = new Date((T0 + 60) * 1_000).toISOString();
	const { json } = await server.call("POST", "/v1/projects/default/cost_recomputations", { start_time: at });
	expect(await until(json.data.id)).toMatchObject({ total_spans: 1, seen_spans: 1, changed_spans: 1 });
	expect(await costs()).toEqual([null, 3]);
	const before = await server.call("POST", "/v1/projects/default/cost_recomputations", { end_time: at });
	expect(await until(before.json.data.id)).toMatchObject({ total_spans: 1, changed_spans: 1 });
	expect(await costs()).toEqual([3, 3]);
});

test("a process that lost its lease neither sets the progress back nor ends the recomputation", async () => {
	await server.send([{ name: "stored" }]);
	const { json } = await server.call("POST", "/v1/projects/default/cost_recomputations", {});
	const { db } = server.context;
	const row = await db.read
		.selectFrom("cost_recomputations")
		.selectAll()
		.orderBy("id", "desc")
		.executeTakeFirstOrThrow();
	const step = { isDone: false, now: 1 };
	await db.write((transaction) => advanceRecomputation(transaction, row, { ...step, afterSpan: 7, seen: 7 }));
	await db.write((transaction) => advanceRecomputation(transaction, row, { ...step, afterSpan: 4, seen: 4 }));
	await db.write((transaction) => endRecomputation(transaction, row, "It failed", 1));
	const now = await getRecomputation(
		db.read,
		{ rights: ALL_RIGHTS, enter: () => undefined, noteHidden: () => undefined },
		row.id,
	);
	expect(now).toMatchObject({ state: "running", after_span: 7, seen_spans: 7, error: null });
	await server.call("DELETE", `/v1/cost_recomputations/${json.data.id}`);
});

/** The recomputation, once it has ended. */
async function until(id: string) {
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	let data: any;
	await expect
		.poll(async () => {
			data = (await server.get(`/v1/cost_recomputations/${id}`)).json.data;
			return data.state;
		})
		.toMatch(/done|failed|cancelled/);
	return data;
}
