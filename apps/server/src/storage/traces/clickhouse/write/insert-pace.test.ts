import { expect, test } from "vitest";
import { ClickHouseFailure } from "#storage/clickhouse/failures.ts";
import { Shard } from "#storage/clickhouse/shard.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { testSpan } from "#storage/traces/test-spans.ts";
import { InsertPace, nextInterval } from "./insert-pace.ts";

const ACCESS = { user: "", password: "", database: "", connections: 1, statementTimeoutMs: 1_000, queryMemoryBytes: 1 };

/** The pace of a writer whose server is away, so that no look tells anything. */
function openPace() {
	const shard = new Shard([new URL("http://127.0.0.1:1")], ACCESS);
	return new InsertPace(shard, { insertIntervalMs: 200, insertRows: 100 });
}

test("the interval doubles while there are too many parts, up to 5 s, and halves again down to the shortest", () => {
	const strained = { shortestMs: 200, strain: 1.2, wasRefused: false };
	const eased = { ...strained, strain: 0.9 };
	expect([200, 400, 3_000, 5_000].map((ms) => nextInterval(ms, strained))).toEqual([400, 800, 5_000, 5_000]);
	expect([5_000, 400, 300, 200].map((ms) => nextInterval(ms, eased))).toEqual([2_500, 200, 200, 200]);
});

test("the interval stays while nobody tells how many parts there are, and after a refusal", () => {
	expect(nextInterval(800, { shortestMs: 200, strain: undefined, wasRefused: false })).toBe(800);
	expect(nextInterval(800, { shortestMs: 200, strain: 0.1, wasRefused: true })).toBe(800);
	// The refusal itself has doubled it.
	expect(nextInterval(800, { shortestMs: 200, strain: 1.5, wasRefused: true })).toBe(800);
});

test("a shortest interval beyond 5 s stays as it is", () => {
	expect(nextInterval(6_000, { shortestMs: 6_000, strain: 2, wasRefused: false })).toBe(6_000);
});

test("each write that is refused for too many parts doubles the interval, others do not", async () => {
	await using pace = openPace();
	const refused = new ClickHouseFailure("overloaded", "too many parts", 252);
	const fail = (error: Error) => expect(pace.watch(() => Promise.reject(error))).rejects.toBe(error);
	expect(await pace.watch(async () => "stored")).toBe("stored");
	await fail(new ClickHouseFailure("full", "no space", 243));
	await fail(new TypeError("a mistake"));
	expect(pace.intervalMs).toBe(200);
	await fail(refused);
	expect(pace.intervalMs).toBe(400);
	await fail(new StorageUnavailable("busy", refused));
	expect(pace.intervalMs).toBe(800);
	for (let again = 0; again < 5; again += 1) await fail(refused);
	expect(pace.intervalMs).toBe(5_000);
});

test("spans of these days are near, whatever the hour; others are far, by the day of their start", async () => {
	await using pace = openPace();
	const day = 86_400_000_000;
	const at = (micros: number) => pace.farPartitionOf({ ...testSpan({}), start: { micros, nanos: 0 } });
	const now = Date.now() * 1_000;
	expect([now, now - day, now + day].map(at)).toEqual([undefined, undefined, undefined]);
	expect(at(now - 3 * day)).toBeTypeOf("number");
	expect(at(now - 4 * day)).not.toBe(at(now - 3 * day));
	expect(at(0)).toBe(0);
	expect(at(9_000_000_000_000_000)).toBeLessThan(3_650);
});
