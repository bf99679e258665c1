import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Kysely, sql, type Transaction } from "kysely";
import { expect, test } from "vitest";
import { Abandoned } from "#base/fair-turns.ts";
import { readersGone } from "#base/readers-gone.ts";
import { createTestSchema, testWithPostgres } from "#storage/postgres/test-postgres.ts";
import type { Tables } from "#storage/schema.ts";
import { openTestApp, T0 } from "#test-app.ts";
import { askerOf } from "./asker.ts";
import { parseFilter } from "./filter-param.ts";

test("an asker has gone once the connection ends without the whole answer", async () => {
	await using server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const hangUp = new AbortController();
	const { port } = server.address() as AddressInfo;
	const asked = fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "{}", signal: hangUp.signal });
	const [request, raw] = (await once(server, "request")) as [NodeJS.ReadableStream, ServerResponse];
	const { name, gone } = askerOf({ principal: { kind: "anonymous" }, ip: "192.0.2.1" }, { raw });
	expect(name).toBe("address 192.0.2.1");
	// A request that was read completely closes, too.
	await Promise.all([once(request, "close"), request.resume()]);
	expect(gone?.aborted).toBe(false);
	hangUp.abort();
	await expect(asked).rejects.toThrow("aborted");
	await expect.poll(() => gone?.aborted).toBe(true);
	expect(askerOf({ principal: { kind: "anonymous" }, ip: "192.0.2.1" }, { raw }).gone?.aborted).toBe(true);
});

test("AG11 SQLite leaves a row that takes seconds, and what waits behind it, once the reader has gone", async () => {
	await using server = await openTestApp();
	const spans = Array.from({ length: 1_000 }, (_, at) => ({
		spanId: (at + 1).toString(16).padStart(16, "0"),
		startTimeUnixNano: `${T0}000000000`,
	}));
	await server.send(spans, "large");
	const { traces, db } = server.context;
	const { id } = await db.read
		.selectFrom("projects")
		.select("id")
		.where("name", "=", "large")
		.executeTakeFirstOrThrow();
	const { condition } = parseFilter(
		"trace",
		"any(any(any(x.latency_ms + y.latency_ms + z.latency_ms < 0 for z in spans) for y in spans) for x in spans)",
	);
	if (condition === undefined) throw new Error("the filter is none");
	const gone = new AbortController();
	const ask = () => traces.listTraces({ projectId: id, sort: "start_time", order: "desc", limit: 1, condition });
	const asked = readersGone.run(gone.signal, () => [
		ask(),
		ask(),
		db.read.selectFrom("projects").selectAll().execute(),
	]);
	setTimeout(() => gone.abort(new Abandoned()), 100);
	// To its end it would be too slow.
	for (const each of await Promise.allSettled(asked)) expect(each).toMatchObject({ reason: { name: "Abandoned" } });
	await expect(readersGone.run(gone.signal, ask)).rejects.toThrow(Abandoned);
	expect((await server.get("/v1/projects/large/traces")).json.data).toHaveLength(1);
});

testWithPostgres.each(["traces", "datasets"] as const)(
	"AG11 PostgreSQL ends a statement on %s once the connection of who asked has ended, and no other",
	async (table) => {
		await using schema = await createTestSchema();
		await using server = await openTestApp({
			...{ SERVICE_SQL_DATABASE_URL: schema.url, SERVICE_SQL_DATABASE_SCHEMA: schema.schema },
		});
		const { db } = server.context;
		const url = table === "traces" ? "/v1/projects/default/traces" : "/v1/datasets";
		const gone = new AbortController();
		const stays = await db.write(async (transaction) => {
			await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction);
			const leaves = server.app.inject({ url, signal: gone.signal });
			const other = server.app.inject({ url });
			await expect.poll(() => waiting(db.read, transaction)).toBe(2);
			gone.abort();
			await expect(leaves).rejects.toThrow();
			await expect.poll(() => waiting(db.read, transaction)).toBe(1);
			return { other };
		});
		expect((await stays.other).statusCode).toBe(200);
		expect((await server.get(url)).status).toBe(200);
	},
);

/** How many statements wait for a transaction. */
async function waiting(db: Kysely<Tables>, transaction: Transaction<Tables>): Promise<number | undefined> {
	const own = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
	const { rows } = await sql<{ number: number }>`
		select count(*) as number from pg_stat_activity where ${own.rows[0]?.pid} = any(pg_blocking_pids(pid))`.execute(db);
	return rows[0]?.number;
}
