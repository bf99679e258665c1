import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { groupErrors } from "#resources/error-grouping/error-grouping.ts";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";
import { WITH_CLICKHOUSE } from "#test-storage.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterAll(() => server[Symbol.asyncDispose]());

const RANGE = `start_time=${T0}&end_time=${T0 + 86_400}`;

interface TestTrace {
	readonly number: number;
	readonly user?: string;
	readonly session?: string;
	/** Seconds after T0. */
	readonly at?: number;
	readonly seconds?: number;
	readonly tokens?: number;
	readonly hasFailed?: boolean;
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");

function spanOf({ number, user, session, at = number, seconds = 1, tokens = 0, hasFailed = false }: TestTrace) {
	return {
		...{ traceId: hex(number + 1, 32), spanId: hex(number + 1, 16), name: "chat" },
		startTimeUnixNano: String(BigInt(Math.round((T0 + at) * 1_000)) * 1_000_000n),
		endTimeUnixNano: String(BigInt(Math.round((T0 + at + seconds) * 1_000)) * 1_000_000n),
		...(hasFailed ? { status: { code: 2, message: "broke" } } : {}),
		attributes: {
			"openinference.span.kind": text("LLM"),
			"llm.model_name": text("gpt-4o"),
			"llm.token_count.prompt": { intValue: String(tokens) },
			...(user === undefined ? {} : { "user.id": text(user) }),
			...(session === undefined ? {} : { "session.id": text(session) }),
		},
	};
}

async function list(project: string, query: Readonly<Record<string, string>> = {}) {
	const search = new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(RANGE)), ...query });
	const { status, json, text: body } = await server.get(`/v1/projects/${project}/end_users?${search}`);
	if (status !== 200) throw new Error(`${search}: ${status} ${body}`);
	return json;
}

const one = (project: string, user: string, query = RANGE) =>
	server.get(`/v1/projects/${project}/end_users/${encodeURIComponent(user)}?${query}`);

test("W34 users of any id are listed and found, and agree with a count of traces", async () => {
	const users = ["a/b?c#d", "😀", "x".repeat(1_000), "%2F & \"'\\", "../up"];
	const traces = users.flatMap((user, index) =>
		Array.from({ length: index + 1 }, (_, number) => spanOf({ number: index * 10 + number, user })),
	);
	await server.send(traces, "odd");
	const { data } = await list("odd", { sort: "traces" });
	expect(data.map(({ user_id }: { user_id: string }) => user_id)).toEqual(users.toReversed());
	for (const item of data) {
		const { status, json } = await one("odd", item.user_id);
		expect([status, json.data]).toEqual([200, item]);
		const found = await server.get(`/v1/projects/odd/traces?user_id=${encodeURIComponent(item.user_id)}`);
		expect(found.json.data).toHaveLength(item.trace_count);
	}
	expect((await list("odd", { q: "B?C" })).data).toMatchObject([{ user_id: "a/b?c#d", trace_count: 1 }]);
});

describe("figures", () => {
	const TRACES: readonly TestTrace[] = [
		{ number: 1000, user: "ann", session: "s1", at: -40 * 86_400, tokens: 1 },
		{ number: 1001, user: "ann", session: "s1", at: 10, seconds: 1, tokens: 1_000 },
		{ number: 1002, user: "ann", session: "s2", at: 20, seconds: 2, tokens: 2_000, hasFailed: true },
		{ number: 1003, user: "ann", at: 30, seconds: 3, tokens: 3_000 },
		{ number: 1004, user: "bob", session: "s1", at: 40, tokens: 500 },
		{ number: 1005, at: 50 },
		{ number: 1006, at: 60 },
	];
	beforeAll(async () => {
		await server.send(TRACES.map(spanOf), "figures");
		const scored = [
			...[
				{ trace: 1001, score: 1 },
				{ trace: 1002, score: 0 },
				{ trace: 1004, score: 0.5 },
			],
			{ trace: 1000, score: 0 },
		];
		const { status } = await server.call("POST", "/v1/trace_annotations?sync=true", {
			data: scored.map(({ trace, score }) => ({
				...{ name: "quality", annotator_kind: "HUMAN", trace_id: hex(trace + 1, 32), result: { score } },
			})),
		});
		expect(status).toBe(200);
	});

	test("are those of the range, but when the user came first", async () => {
		const { data, traces_without_user, is_partial, next_cursor } = await list("figures");
		expect([traces_without_user, is_partial, next_cursor]).toEqual([2, false, null]);
		const [ann, bob] = data;
		expect(ann).toMatchObject({
			user_id: "ann",
			first_seen: "2023-10-05T22:13:20+00:00",
			last_seen: "2023-11-14T22:13:50+00:00",
			...{ session_count: 2, trace_count: 3, error_count: 1, failed_count: 1 },
			...{ tokens_prompt: 6_000, tokens_completion: 0, tokens_total: 6_000 },
			scores: [{ name: "quality", average: 0.5, count: 2 }],
		});
		expect(ann.cost_total).toBeCloseTo(6_000 * 2.5e-6, 9);
		expect(Math.abs(ann.latency_p95 - 3_000)).toBeLessThan(150);
		expect(bob).toMatchObject({ user_id: "bob", trace_count: 1, scores: [{ average: 0.5, count: 1 }] });
	});

	test("count the open groups of the failures of the range", async () => {
		await using _work = groupErrors(server.context, { quietMs: 0, longestMs: 0 });
		const open = async () =>
			(await list("figures")).data.map((item: { error_groups_open: number }) => item.error_groups_open);
		await expect.poll(open).toEqual([1, 0]);
		const { json } = await server.get("/v1/projects/figures/error_groups");
		const [{ id }] = json.data;
		expect((await one("figures", "ann")).json.data.error_groups_open).toBe(1);
		const before = `start_time=${T0}&end_time=${T0 + 15}`;
		expect((await one("figures", "ann", before)).json.data.error_groups_open).toBe(0);
		const { headers } = await server.get(`/v1/error_groups/${id}`);
		const tag = { "if-match": String(headers["etag"]) };
		const resolved = await server.call("PATCH", `/v1/error_groups/${id}`, { state: "resolved" }, tag);
		expect(resolved.status, resolved.text).toBe(200);
		expect(await open()).toEqual([0, 0]);
	});

	test("are those of the traces that fit a filter", async () => {
		const { data, traces_without_user } = await list("figures", { filter: "error_count > 0" });
		expect(data).toMatchObject([{ user_id: "ann", trace_count: 1, first_seen: "2023-10-05T22:13:20+00:00" }]);
		expect(traces_without_user).toBe(0);
	});

	test("of one who was not there in the range are nought; of one who never was there are none", async () => {
		const { json } = await one("figures", "bob", `start_time=${T0 + 100}&end_time=${T0 + 200}`);
		expect(json.data).toMatchObject({ user_id: "bob", last_seen: null, trace_count: 0, latency_p95: null });
		expect((await one("figures", "nobody")).status).toBe(404);
		expect((await one("nowhere", "bob")).status).toBe(404);
	});
});

describe("W35 sorted by each column and paged, nobody is missing or twice while spans arrive", () => {
	const USERS = 60;
	let sent = 0;
	const arriving = (count: number) =>
		Array.from({ length: count }, (): TestTrace => {
			sent += 1;
			const user = `user-${(sent * 7) % USERS}`;
			const more = { session: `s${sent % 23}`, hasFailed: sent % 5 === 0, tokens: (sent * 37) % 900 };
			return { number: sent, user, at: sent, seconds: 1 + (sent % 9), ...more };
		}).map(spanOf);
	// As many as SQLite adds up from an index.
	beforeAll(() => server.send(arriving(2_400), "paged"));

	it.each([
		["cost_total", "cost_total", "desc"],
		["last_seen", "last_seen", "desc"],
		["first_seen", "first_seen", "asc"],
		["traces", "trace_count", "desc"],
		["sessions", "session_count", "asc"],
		["errors", "error_count", "desc"],
		["tokens_total", "tokens_total", "asc"],
		["latency_p95", "latency_p95", "desc"],
	])("%s", async (sort, field, usual) => {
		// Each page of ClickHouse is several statements: there each column in one order.
		for (const order of WITH_CLICKHOUSE ? [usual] : ["desc", "asc"]) {
			const whole = await list("paged", { sort, order, limit: "1000" });
			const values = whole.data.map((user: Record<string, number | string>) => user[field]);
			const compare = (a: number | string, b: number | string) => Number(a > b) - Number(a < b);
			expect(values).toEqual(values.toSorted((a: string, b: string) => (order === "asc" ? 1 : -1) * compare(a, b)));
			const paged: { user_id: string }[] = [];
			for (let cursor: string | null = ""; cursor !== null; ) {
				const page = await list("paged", { sort, order, limit: "17", ...(cursor === "" ? {} : { cursor }) });
				paged.push(...page.data);
				cursor = page.next_cursor;
				await server.send([...arriving(5), spanOf({ number: 50_000 + sent, user: `new-${sent}`, at: sent })], "paged");
			}
			expect(paged.length).toBeGreaterThanOrEqual(USERS);
			expect(paged.map(({ user_id }) => user_id)).toEqual(
				whole.data.map(({ user_id }: { user_id: string }) => user_id),
			);
		}
	});

	test("a cursor is of one order", async () => {
		const { next_cursor: cursor } = await list("paged", { limit: "5" });
		const path = `/v1/projects/paged/end_users?cursor=${encodeURIComponent(cursor)}`;
		expect((await server.get(path)).status).toBe(200);
		for (const bad of [`${path}&order=asc`, `${path}&sort=traces`, "/v1/projects/paged/end_users?cursor=e30="])
			expect((await server.get(bad)).status, bad).toBe(422);
	});
});

describe("what is misspelt is refused", () => {
	it.each([
		["end_users?srot=traces", "sort"],
		["end_users?sort=cost", "cost_total"],
		["end_users/ann?q=x", "extra_forbidden"],
		["end_users?range=9", "7d"],
	])("%s", async (path, meant) => {
		const { status, text: body } = await server.get(`/v1/projects/figures/${path}`);
		expect([status, body]).toEqual([422, expect.stringContaining(meant)]);
	});
});
