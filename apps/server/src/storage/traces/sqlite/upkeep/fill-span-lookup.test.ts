import { expect, it } from "vitest";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { projectId } from "#storage/traces/conformance/store-under-test.ts";
import { spanHex, testSpan } from "#storage/traces/test-spans.ts";
import { findRowsBySpanIds } from "../read/span-lookup.ts";
import { openTestStore } from "../test-store.ts";
import { dropDeadRun, hasDeadRun, SpanLookupFiller } from "./fill-span-lookup.ts";

it("finds spans by id alone, in runs and after them, and drops runs whose spans are deleted", async () => {
	await using store = await openTestStore();
	const spanOf = (index: number) =>
		testSpan({ trace: 1 + Math.floor(index / 500), span: 1 + ((index * 7_919) % 30_000) });
	for (let start = 0; start < 21_000; start += 3_000)
		await store.writer.write(
			Array.from({ length: 3_000 }, (_, index) => spanOf(start + index)),
			[],
		);
	const { path } = store.storage.writerOptions;
	const db = openForWriting(path, 4);
	const filler = new SpanLookupFiller(db);
	while (filler.prepare()) {
		db.exec("begin immediate");
		filler.write();
		db.exec("commit");
	}
	expect(db.prepare("select count(*) as runs from span_lookup_runs").get()?.["runs"]).toBe(1);
	await store.writer.write([testSpan({ trace: 100, span: 5 })], []);
	for (const span of [spanOf(0), spanOf(12_345), spanOf(20_999)]) {
		const rows = findRowsBySpanIds(db, [span.spanId]);
		expect(rows).toHaveLength(1);
		expect((await store.traces.findSpan(rows[0] ?? 0))?.summary).toMatchObject({
			spanId: span.spanId,
			traceId: span.traceId,
		});
	}
	expect(findRowsBySpanIds(db, [spanHex(5), spanHex(99_999)])).toHaveLength(2);
	expect(hasDeadRun(db)).toBe(false);
	await store.traces.deleteTracesBetween(await projectId(store), 0, Number.MAX_SAFE_INTEGER);
	if (hasDeadRun(db)) dropDeadRun(db);
	expect(findRowsBySpanIds(db, [spanHex(5)])).toEqual([]);
	expect(db.prepare("select count(*) as entries from span_lookup").get()?.["entries"]).toBe(0);
	db.close();
});
