import { sql } from "kysely";
import { expect } from "vitest";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { allTraces, projectId } from "#storage/traces/conformance/store-under-test.ts";
import { testLog, testSpan, traceHex } from "#storage/traces/test-spans.ts";
import { openTestStore } from "../test-store.ts";

testWithPostgres(
	"goes on with large traces that a stopped process left half deleted, and unclaimed log records",
	async () => {
		await using store = await openTestStore();
		const [upkeep, logs] = ["deleted traces", "log records without spans"].map((name) =>
			store.storage.upkeep.find((piece) => piece.name === name),
		);
		const large = Array.from({ length: 2_500 }, (_, index) => testSpan({ span: index + 1, start: index }));
		await store.writer.write([...large, testSpan({ trace: 4, start: 9_000, kind: "LLM" })], []);
		await store.writer.write([], [testLog({ trace: 1, content: "of the large one" })]);
		await store.writer.write([], [testLog({ trace: 2, content: "old" }), testLog({ trace: 3, content: "new" })]);
		await store.writer.write([], [testLog({ trace: 4, content: "kept" })]);
		await sql`update log_records set received_at = 0 where trace_id in (${bytes(2)}, ${bytes(4)})`.execute(
			store.db.read,
		);
		const rule = { projectId: await projectId(store), keepNewest: 1, keepAnnotated: false };
		await store.traces.deleteExpired(rule, async () => false);

		const count = async (table: string) => {
			const { rows } = await sql<{ number: number }>`select count(*) as number from ${sql.table(table)}`.execute(
				store.db.read,
			);
			return rows[0]?.number;
		};
		const { signal } = new AbortController();
		const left = (await allTraces(store, rule.projectId)).length;
		expect(await count("traces")).toBe(2);
		expect(left).toBe(1);
		// A half-deleted trace is in nobody's way.
		await store.writer.write(large, []);
		const [again] = await store.traces.findTracesByTraceIds([traceHex(1)], rule.projectId);
		expect(again).toMatchObject({ spanCount: 2_500 });
		expect(await store.traces.deleteTrace(again?.id ?? 0)).toBe(true);
		await store.writer.write(large, []);
		await store.traces.deleteExpired(rule, async () => false);
		await upkeep?.run(signal);
		expect(await count("traces")).toBe(1);
		expect(await count("spans")).toBe(1);
		expect(await count("blocks")).toBe(1);
		expect(await count("hours")).toBe(1);
		expect(await count("log_records")).toBe(3);
		await logs?.run(signal);
		expect(await count("log_records")).toBe(2);
	},
);

function bytes(trace: number): Buffer {
	return Buffer.from(traceHex(trace), "hex");
}
