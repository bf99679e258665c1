import { pino } from "pino";
import { expect, test } from "vitest";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { openTestApp } from "#test-app.ts";
import { IngestHistory } from "./ingest-history.ts";
import { deleteIngestMinutes, firstIngestMinute, listIngestMinutes } from "./queries.ts";

const log = pino({ level: "silent" });
const MINUTE = 60_000_000;
const ALL = { from: 0, to: 1_000 };

test("adds up by minute and reason, keeps what could not be written, and makes no row for each invented reason", async () => {
	await using server = await openTestApp();
	const { db } = server.context;
	let minute = 5;
	let isAway = true;
	let tries = 0;
	const unreliable: typeof db = Object.create(db, {
		write: {
			value: (...work: Parameters<typeof db.write>) => {
				tries += 1;
				return isAway
					? Promise.reject(new StorageUnavailable("unreachable", new Error("away")))
					: Reflect.apply(db.write, db, work);
			},
		},
	});
	const history = new IngestHistory({ db: unreliable, log, now: () => minute * MINUTE }, "a:1", 1);
	history.note({ acceptedSpans: 2, duplicateSpans: 1, rejectedSpans: { bad: 3 } });
	await expect.poll(() => tries).toBeGreaterThan(1);
	minute = 6;
	history.note({ acceptedSpans: 4, refused: "queue_full" });
	history.note({ acceptedSpans: 0 });
	for (let number = 0; number < 300; number += 1) history.note({ refused: `reason ${number}` });
	isAway = false;
	await history[Symbol.asyncDispose]();
	const rows = await listIngestMinutes(db.read, ALL);
	const counts = (of: number, reason: string) => rows.find((row) => row.minute === of && row.reason === reason);
	expect(counts(5, "")).toMatchObject({ server: "a:1", accepted_spans: 2, duplicate_spans: 1 });
	expect(counts(5, "bad")).toMatchObject({ rejected_spans: 3 });
	expect(counts(6, "")).toMatchObject({ accepted_spans: 4 });
	expect(rows.length).toBeLessThanOrEqual(110);
	expect(rows.reduce((sum, row) => sum + row.refused_requests, 0)).toBe(301);
	const again = new IngestHistory({ db, log, now: () => minute * MINUTE }, "a:1");
	again.note({ acceptedSpans: 1 });
	await again[Symbol.asyncDispose]();
	expect((await listIngestMinutes(db.read, ALL)).find((row) => row.minute === 6 && row.reason === "")).toMatchObject({
		accepted_spans: 5,
	});
	await db.write((transaction) => deleteIngestMinutes(transaction, 6));
	expect(await firstIngestMinute(db.read)).toBe(6);
});
