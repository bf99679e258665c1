import { sql } from "kysely";
import { expect } from "vitest";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { insertAnnotation } from "#storage/traces/conformance/annotations.ts";
import { allTraces, projectId } from "#storage/traces/conformance/store-under-test.ts";
import { HOUR_0, testSpan } from "#storage/traces/test-spans.ts";
import { openTestStore } from "../test-store.ts";

testWithPostgres("keeps a trace whose session is being annotated at that moment", async () => {
	await using store = await openTestStore();
	await store.writer.write([testSpan({ session: "s" }), testSpan({ trace: 2, span: 2 })], []);
	const project = await projectId(store);
	const deleted: number[] = [];
	let deleting: Promise<void> | undefined;
	await store.db.write(async (transaction) => {
		// The row exists and locks what it refers to, but is not visible to others yet.
		const write: typeof store.db.write = (work) => work(transaction);
		const annotating = { ...store, db: { ...store.db, write } };
		await insertAnnotation(annotating, { on: "session", session: "s", name: "liked" });
		const rule = { projectId: project, beforeMicros: HOUR_0 + 1, keepAnnotated: true };
		deleting = store.traces.deleteExpired(rule, async (batch) => deleted.push(batch.deleted) > 0);
		const waiting = async () => {
			const { rows } = await sql`select pid from pg_locks
				where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(transaction);
			return rows.length;
		};
		await expect.poll(waiting).toBe(1);
	});
	await deleting;
	expect(deleted).toEqual([1]);
	expect((await allTraces(store, project)).map(({ traceId }) => Number(traceId))).toEqual([1]);
	expect(await store.db.read.selectFrom("annotations").select("id").execute()).toHaveLength(1);
});
