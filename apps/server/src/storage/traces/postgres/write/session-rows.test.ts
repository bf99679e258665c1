import pg from "pg";
import { expect } from "vitest";
import { connectionConfig } from "#storage/postgres/connection.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { allTraces, projectId } from "#storage/traces/conformance/store-under-test.ts";
import { testSpan } from "#storage/traces/test-spans.ts";
import { damageOf, openTestStore, type PostgresUnderTest } from "../test-store.ts";

testWithPostgres("a session that gains a trace while it loses another has both in its totals", async () => {
	await using store = await openTestStore();
	await store.writer.write([testSpan({ trace: 1, session: "both" })], []);
	const [first] = await allTraces(store, await projectId(store));
	const writing = await holdHours(store);
	try {
		const written = store.writer.write([testSpan({ trace: 2, span: 2, session: "both" })], []);
		const [writer] = await writing.blocked();
		const deleted = store.traces.deleteTrace(first?.id ?? 0);
		await writing.blocked(writer);
		await writing.release();
		expect((await written).written).toBe(1);
		expect(await deleted).toBe(true);
	} finally {
		await writing.release();
	}
	expect(await store.traces.findSessionsBySessionId("both")).toMatchObject([{ traceCount: 1, spanCount: 1 }]);
	expect(await damageOf(store)).toEqual([]);
});

/** Blocks writers at the last step before their commit. */
async function holdHours({ settings }: PostgresUnderTest) {
	const client = new pg.Client(connectionConfig(settings, settings.primary, { name: "test" }));
	await client.connect();
	await client.query("begin");
	await client.query("select from hours for update");
	const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
	let ended: Promise<void> | undefined;
	return {
		/** Who waits for the backend `pid`, by default that of this test. */
		async blocked(pid = rows[0]?.pid): Promise<number[]> {
			const waiting = async () => {
				const found = await client.query<{ pid: number }>(
					"select pid from pg_locks where not granted and $1::int = any(pg_blocking_pids(pid))",
					[pid],
				);
				return found.rows.map((row) => row.pid);
			};
			await expect.poll(waiting).toHaveLength(1);
			return await waiting();
		},
		release: () => (ended ??= client.end()),
	};
}
