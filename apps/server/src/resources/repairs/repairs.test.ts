import { sql } from "kysely";
import { afterAll, afterEach, expect, test } from "vitest";
import type { WritingContext } from "#context.ts";
import type { RepairWanted, TraceRepairs } from "#storage/trace-repairs.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { openTestApp, T0, text } from "#test-app.ts";
import { carryOutRepairs } from "./carry-out.ts";

const server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
const { headers } = await server.signedIn("ADMIN");
afterAll(() => server[Symbol.asyncDispose]());
afterEach(async () => {
	await server.context.db.write((transaction) => transaction.deleteFrom("repair_runs").execute());
});

/** There, e2e/clickhouse/integrity.test.ts has damage of every kind. */
const isInClickHouse = server.context.place.kind === "clickhouse";

const REPAIRS = "/v1/storage/repairs";

async function start(body: object, more: Record<string, string> = {}) {
	return await server.call("POST", REPAIRS, body, { ...headers, ...more });
}

/** A trace of a session. */
async function send(): Promise<void> {
	const times = { startTimeUnixNano: `${T0}000000000`, endTimeUnixNano: `${T0 + 1}000000000` };
	const span = { traceId: "a".repeat(32), spanId: "b".repeat(16), name: "call", kind: 1, ...times };
	const spans = [{ ...span, attributes: [{ key: "session.id", value: text("s") }] }];
	const body = { resourceSpans: [{ scopeSpans: [{ scope: { name: "test" }, spans }] }] };
	expect((await server.call("POST", "/v1/traces", body, headers)).status).toBe(200);
}

/** Carries out what waits by `repairs`, as a server does, until it has ended. */
async function ended(id: string, repairs: TraceRepairs, context: WritingContext = server.context) {
	await using _work = carryOutRepairs({ ...context, repairs });
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	let data: any;
	await expect
		.poll(async () => {
			data = (await server.get(`${REPAIRS}/${id}`, headers)).json.data;
			return data.status;
		})
		.not.toMatch(/queued|running/);
	return data;
}

test("a repair of everything finds nothing in what was only sent", async () => {
	await send();
	const created = await start({ kind: "all" });
	expect(created.status, created.text).toBe(202);
	expect(created.json.data).toMatchObject({
		...{ kind: "all", project_id: null, start_time: null, end_time: null, dry_run: false, status: "queued" },
		...{ looked_at: 0, found: 0, repaired: 0, created_by: expect.any(String), finished_at: null, error: null },
	});
	const done = await ended(created.json.data.id, server.context.repairs);
	expect(done).toMatchObject({ status: "completed", found: 0, repaired: 0, finished_at: expect.any(String) });
	expect(done.looked_at).toBeGreaterThan(0);
	expect((await server.get(REPAIRS, headers)).json).toEqual({ data: [done], next_cursor: null });
});

async function putTotalsRight(): Promise<void> {
	const { db } = server.context;
	await send();
	const read = async () =>
		await Promise.all(
			["traces", "sessions", "hours"].map(async (table) => {
				const { rows } =
					await sql`select span_count, error_count, tokens_total from ${sql.table(table)} order by 1, 2, 3`.execute(
						db.read,
					);
				return rows;
			}),
		);
	const right = await read();
	await db.write(async (transaction) => {
		await sql`update traces set span_count = span_count + 3`.execute(transaction);
		await sql`update sessions set error_count = error_count + 2`.execute(transaction);
		await sql`update hours set tokens_total = tokens_total + 1`.execute(transaction);
	});
	const wrong = await read();
	const looked = await ended((await start({ kind: "all", dry_run: true })).json.data.id, server.context.repairs);
	expect(looked).toMatchObject({ status: "completed", found: 2, repaired: 0 });
	expect(await read()).toEqual(wrong);
	const repaired = await ended((await start({ kind: "totals" })).json.data.id, server.context.repairs);
	expect(repaired).toMatchObject({ status: "completed", found: 2, repaired: 2 });
	expect(await read()).toEqual(right);
	const moves = await ended((await start({ kind: "moves" })).json.data.id, server.context.repairs);
	expect(moves).toMatchObject({ status: "completed", looked_at: 0, found: 0 });
}

if (!isInClickHouse) test("totals that differ from their spans are found, and put right", putTotalsRight);

test("one of a kind at a time; the same request sent again starts no other", async () => {
	const key = { "idempotency-key": "once" };
	const [first, again] = [
		await start({ kind: "totals", dry_run: true }, key),
		await start({ kind: "totals", dry_run: true }, key),
	];
	expect([first.status, again.status, again.json.data.id]).toEqual([202, 202, first.json.data.id]);
	const third = await start({ kind: "totals" });
	expect([third.status, third.text]).toEqual([409, expect.stringContaining("A repair of this kind waits or runs")]);
	expect((await start({ kind: "moves" })).status).toBe(202);
	const page = await server.get(`${REPAIRS}?limit=1`, headers);
	expect(page.json.data.map(({ kind }: { kind: string }) => kind)).toEqual(["moves"]);
	const next = await server.get(`${REPAIRS}?limit=1&cursor=${page.json.next_cursor}`, headers);
	expect(next.json).toEqual({ data: [first.json.data], next_cursor: null });
});

test("a server that stopped within a repair leaves it to the next one, which counts nothing twice", async () => {
	const { json } = await start({ kind: "orphans", project_id: "default", start_time: "2026-01-01T00:00:00Z" });
	const asked: RepairWanted[] = [];
	const repairs: TraceRepairs = {
		async *run(wanted) {
			asked.push(wanted);
			if (wanted.after === undefined) {
				yield { lookedAt: 5, found: 2, repaired: 1, completed: "rows" };
				yield { lookedAt: 7, found: 1, repaired: 1 };
				throw new StorageUnavailable("traces_unreachable", new Error("planted"));
			}
			yield { lookedAt: 8, found: 1, repaired: 1, completed: "hours" };
		},
	};
	const interrupted = carryOutRepairs({ ...server.context, repairs });
	await expect.poll(() => asked.length).toBe(1);
	await interrupted[Symbol.asyncDispose]();
	const done = await ended(json.data.id, repairs);
	expect(done).toMatchObject({ status: "completed", looked_at: 13, found: 3, repaired: 2 });
	const limits = {
		kind: "orphans",
		isDryRun: false,
		projectId: expect.any(Number),
		startMicros: 1_767_225_600_000_000,
	};
	expect(asked).toEqual([limits, { ...limits, after: "rows" }]);
});

test("a cancelled repair ends, and one that fails says so", async () => {
	const cancelled = (await start({ kind: "all" })).json.data;
	let steps = 0;
	await using _work = carryOutRepairs({
		...server.context,
		repairs: {
			async *run({ kind }) {
				if (kind === "moves") throw new Error("planted");
				for (; ; steps += 1) yield { lookedAt: 1, found: 0, repaired: 0, completed: String(steps) };
			},
		},
	});
	await expect.poll(() => steps).toBeGreaterThan(2);
	expect((await server.call("DELETE", `${REPAIRS}/${cancelled.id}`, undefined, headers)).status).toBe(204);
	expect((await server.get(`${REPAIRS}/${cancelled.id}`, headers)).json.data.status).toBe("cancelled");
	const failing = (await start({ kind: "moves" })).json.data;
	await expect
		.poll(async () => (await server.get(`${REPAIRS}/${failing.id}`, headers)).json.data)
		.toMatchObject({
			...{ status: "failed", error: expect.stringMatching(/log says why/) },
		});
	const { json } = await server.get("/v1/audit_events?action=repair.start&action=repair.cancel&limit=3", headers);
	expect(json.data.map(({ action, target }: { action: string; target: object }) => ({ action, target }))).toEqual([
		{ action: "repair.start", target: { type: "repair", id: failing.id } },
		{ action: "repair.cancel", target: { type: "repair", id: cancelled.id } },
		{ action: "repair.start", target: { type: "repair", id: cancelled.id } },
	]);
});

test("what cannot be, is refused", async () => {
	const statuses = [
		await start({ kind: "all", start_time: "2026-01-02T00:00:00Z", end_time: "2026-01-01T00:00:00Z" }),
		await start({ kind: "all", project_id: "nowhere" }),
		await server.get(`${REPAIRS}/meaningless`, headers),
		await server.get(`${REPAIRS}/${Buffer.from("StorageRepair:999").toString("base64")}`, headers),
	].map(({ status }) => status);
	expect(statuses).toEqual([422, 404, 422, 404]);
});

test("K85 only admins see and start repairs, by their session or the admin secret", async () => {
	const asKey = await server.signedIn("ADMIN", "key");
	expect((await server.get(REPAIRS, asKey.headers)).status).toBe(200);
	for (const [role, as] of [
		["ADMIN", "key"],
		["MEMBER", "session"],
		["VIEWER", "session"],
		["SYSTEM", "key"],
	] as const) {
		const caller = await server.signedIn(role, as);
		expect((await server.call("POST", REPAIRS, { kind: "all" }, caller.headers)).status).toBe(403);
		if (role !== "ADMIN") expect((await server.get(REPAIRS, caller.headers)).status).toBe(403);
	}
});
