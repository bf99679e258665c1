import pg from "pg";
import { expect } from "vitest";
import { connectionConfig } from "#storage/postgres/connection.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { spanHex, testSpan } from "#storage/traces/test-spans.ts";
import { ensureMonths } from "../partitions.ts";
import { openTestStore } from "../test-store.ts";

testWithPostgres("finds the content of a span that moves to the new partition of its month meanwhile", async () => {
	await using store = await openTestStore();
	const span = testSpan({ input: "asked" });
	await store.writer.write([span], []);
	const { settings } = store;
	const client = new pg.Client(connectionConfig(settings, settings.primary, { name: "test" }));
	await client.connect();
	try {
		await client.query("begin");
		await ensureMonths(client, span.start.micros, span.start.micros);
		const found = store.traces.findSpansBySpanId(spanHex(1));
		const waiting = async () =>
			(await client.query("select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))"))
				.rowCount;
		await expect.poll(waiting).toBe(1);
		await client.query("commit");
		expect((await found).map(({ content }) => Buffer.from(content.span))).toEqual([Buffer.from(span.bytes)]);
	} finally {
		await client.end();
	}
});
