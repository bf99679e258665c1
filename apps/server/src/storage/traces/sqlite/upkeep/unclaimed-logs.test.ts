import { expect, it } from "vitest";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { hashOfLog } from "#storage/traces/content/log-record.ts";
import type { ProjectsOfWrite } from "#storage/traces/span-batch.ts";
import { spanHex, testLog, testSpan } from "#storage/traces/test-spans.ts";
import { openTestStore } from "../test-store.ts";
import { UnclaimedLogs } from "./unclaimed-logs.ts";

it("deletes log records whose trace has not come within a week, once an hour", async () => {
	await using store = await openTestStore();
	await store.writer.write([testSpan({ trace: 1 })], [testLog({ trace: 1, content: "kept" })]);
	await store.writer.write([], [testLog({ trace: 2, content: "old" }), testLog({ trace: 3, content: "new" })]);
	const db = openForWriting(store.storage.writerOptions.path, 1);
	db.exec("update log_records set received_at = 0 where id < 3");
	const logs = new UnclaimedLogs(db);
	const now = Date.now();
	expect(logs.next(now)).toEqual([2]);
	logs.delete([2]);
	expect(logs.next(now)).toBeUndefined();
	expect(logs.next(now + 60_000)).toBeUndefined();
	expect(logs.next(now + 3_700_000)).toEqual([]);
	expect(
		db
			.prepare("select id from log_records order by id")
			.all()
			.map((row) => row["id"]),
	).toEqual([1, 3]);
	db.close();
});

it("gives log records of no project to the first trace of their id whose sender sees everything", async () => {
	await using store = await openTestStore();
	const log = testLog({ content: "of before" });
	await store.writer.write([], [log]);
	const db = openForWriting(store.storage.writerOptions.path, 1);
	db.prepare("update log_records set project_id = 0, hash = ?").run(hashOfLog(log.bytes));
	db.close();
	const limited: ProjectsOfWrite = { decidedBy: [], isUnlimited: false, makerOf: () => null };
	await store.writer.write([testSpan({ project: "limited" })], [], limited);
	await store.writer.write([testSpan({ project: "first" })], []);
	await store.writer.write([testSpan({ project: "second" })], []);
	const found = await store.traces.findSpansBySpanId(spanHex(1));
	expect(found.map(({ content }) => content.logs.length)).toEqual([0, 1, 0]);
});
