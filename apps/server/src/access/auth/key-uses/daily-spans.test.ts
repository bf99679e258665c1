import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";
import { DailySpans } from "./daily-spans.ts";

const DAY_MICROS = 86_400_000_000;
const NOON = 20_000 * DAY_MICROS + DAY_MICROS / 2;
/** Longer than servers take to tell each other. */
const SHARED_MS = 5_000;

test("R29 two servers count a key's spans together within seconds, and both begin anew at midnight UTC", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { db } = server.context;
	const { rowId } = await server.signedIn("MEMBER", "key");
	let now = NOON;
	const onError = (error: unknown) => expect(error).toBeUndefined();
	const [one, two] = [new DailySpans(db, () => now, onError), new DailySpans(db, () => now, onError)];
	expect([await one.count(rowId), await two.count(rowId)]).toEqual([0, 0]);
	one.add(rowId, 6_000);
	two.add(rowId, 5_000);
	one.add(rowId, 1);
	expect(await one.count(rowId)).toBe(6_001);
	await expect.poll(() => one.count(rowId)).toBe(11_001);
	await expect.poll(() => two.count(rowId)).toBe(11_001);
	expect(one.secondsLeft()).toBe(43_200);

	one.add(rowId, 10);
	now += DAY_MICROS / 2;
	expect([await one.count(rowId), await two.count(rowId)]).toEqual([0, 0]);
	two.add(rowId, 3);
	await sleep(SHARED_MS);
	await expect.poll(async () => [await one.count(rowId), await two.count(rowId)]).toEqual([3, 3]);
	await one[Symbol.asyncDispose]();
	await two[Symbol.asyncDispose]();
	// What was sent before midnight and written after it counts for the day before, which is forgotten with the next.
	const rows = await db.read.selectFrom("api_key_days").selectAll().where("key_id", "=", rowId).execute();
	expect(rows.find(({ day }) => day === 20_001)?.spans).toBe(3);
});

test("spans of a key that was deleted are forgotten", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { db, now } = server.context;
	const { rowId } = await server.signedIn("MEMBER", "key");
	const counted = new DailySpans(db, now, (error) => expect(error).toBeUndefined());
	counted.add(rowId, 5);
	await db.write((transaction) => transaction.deleteFrom("api_keys").where("id", "=", rowId).execute());
	await counted[Symbol.asyncDispose]();
	expect(await db.read.selectFrom("api_key_days").selectAll().execute()).toEqual([]);
});
