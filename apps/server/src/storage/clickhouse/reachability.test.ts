import { afterEach, expect, test, vi } from "vitest";
import { ClickHouseFailure } from "./failures.ts";
import { Reachability } from "./reachability.ts";

const REFUSED = new ClickHouseFailure("refused", "ClickHouse answered 516 to query 1", 516);
const AWAY = new ClickHouseFailure("unreachable", "ClickHouse at here:8123 is silent");

afterEach(() => vi.useRealTimers());

/** A shard that is there or not, on a clock that only `advance` moves. */
function watch(shard: { isThere: boolean; refuses?: boolean }) {
	vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
	const told: string[] = [];
	const changes: boolean[] = [];
	const asked = { pings: 0, logIns: 0 };
	const reachability = new Reachability({
		name: "here:8123",
		answers: async () => {
			asked.pings += 1;
			return shard.isThere;
		},
		logIn: async () => {
			asked.logIns += 1;
			if (shard.refuses) throw REFUSED;
		},
		tell: (sentence) => told.push(sentence),
	});
	reachability.onChange((isReachable) => changes.push(isReachable));
	const advance = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);
	return { reachability, told, changes, asked, advance };
}

test("tells each change once, to its listeners and in a sentence, until it ends", async () => {
	const shard = { isThere: true };
	const { reachability, told, changes, asked, advance } = watch(shard);
	await advance(3);
	expect([told, changes, reachability.isReachable]).toEqual([[], [], true]);
	shard.isThere = false;
	await advance(3);
	expect([changes, reachability.isReachable]).toEqual([[false], false]);
	shard.isThere = true;
	await advance(1);
	expect(changes).toEqual([false, true]);
	expect(told).toEqual(["ClickHouse cannot be reached: no answer from here:8123", "ClickHouse can be reached again"]);
	await reachability[Symbol.asyncDispose]();
	const { pings } = asked;
	await advance(5);
	reachability.noteFailure(AWAY);
	expect(asked.pings).toBe(pings);
});

test("asks at once when a statement got no answer, and for nothing else that fails", async () => {
	const shard = { isThere: true };
	const { reachability, changes, asked, advance } = watch(shard);
	await advance(0);
	shard.isThere = false;
	reachability.noteFailure(new ClickHouseFailure("overloaded", "too much", 202));
	reachability.noteFailure(new Error("another"));
	await advance(0);
	expect([asked.pings, changes]).toEqual([1, []]);
	reachability.noteFailure(AWAY);
	reachability.noteFailure(AWAY);
	await advance(0);
	expect([asked.pings, changes]).toEqual([2, [false]]);
	await reachability[Symbol.asyncDispose]();
});

test("names the settings once a minute while it is refused, and not after", async () => {
	const shard = { isThere: true, refuses: true };
	const { reachability, told, changes, asked, advance } = watch(shard);
	for (let second = 0; second < 59; second += 1) {
		reachability.noteFailure(REFUSED);
		await advance(1);
	}
	expect(told).toEqual([expect.stringMatching(/516.*SERVICE_CLICKHOUSE_USER, SERVICE_CLICKHOUSE_PASSWORD/)]);
	await advance(6);
	expect(told).toHaveLength(2);
	expect(asked.logIns).toBeLessThan(10);
	shard.refuses = false;
	await advance(120);
	expect([told.length, changes]).toEqual([2, []]);
	await reachability[Symbol.asyncDispose]();
});
