import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect } from "vitest";
import { ClickHouseFailure } from "../../apps/server/src/storage/clickhouse/failures.ts";
import type { ClickHouseAccess } from "../../apps/server/src/storage/clickhouse/node.ts";
import { RowWriter, types, writeRow } from "../../apps/server/src/storage/clickhouse/row-binary.ts";
import { TraceShard } from "../../apps/server/src/storage/traces/clickhouse/trace-shard.ts";
import { StorageUnavailable } from "../../apps/server/src/storage/traces/span-batch.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { freePort } from "../server.ts";

const test = testWith("clickhouse");

const PASSWORD = "a-password-nobody-may-see";
const ACCESS: ClickHouseAccess = {
	user: "writer",
	password: PASSWORD,
	database: "default",
	connections: 2,
	statementTimeoutMs: 300_000,
	queryMemoryBytes: 512 * 1024 * 1024,
};
const ONE = { one: types.UInt8 };
const COLUMNS = { id: types.UInt64 };

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse({ users: [`writer:${PASSWORD}`] });
	await using shard = new TraceShard([new URL(clickhouse.url)], ACCESS);
	await shard.execute("create table noted (id UInt64) engine = MergeTree order by id");
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
beforeEach(() => clickhouse.heal());

function read(shard: TraceShard): Promise<unknown> {
	return shard.select("select 1 as one from noted limit 0", ONE);
}

function insert(shard: TraceShard): Promise<void> {
	const to = new RowWriter();
	writeRow(COLUMNS, to, { id: 1n });
	return shard.insert("noted", COLUMNS, to.bytes(), { token: "outages" });
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
	return await work.then(
		() => undefined,
		(reason: unknown) => reason,
	);
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
	const began = performance.now();
	return { result: await work(), seconds: (performance.now() - began) / 1_000 };
}

/** A shard that is watched, with what it has told. */
function watch(urls: readonly URL[], access = ACCESS) {
	const told: string[] = [];
	const changes: boolean[] = [];
	const shard = new TraceShard(urls, access, (sentence) => told.push(sentence));
	shard.onReachable((isReachable) => changes.push(isReachable));
	return { shard, told, changes, [Symbol.asyncDispose]: () => shard[Symbol.asyncDispose]() };
}

describe("what fails", () => {
	test.each([
		[202, "traces_busy"],
		[252, "traces_busy"],
		[319, "traces_busy"],
		[241, "too_large"],
		[159, "too_slow"],
		[242, "read_only"],
		[243, "full"],
		[497, "traces_refused"],
		[516, "traces_refused"],
	])("with %i is the storage's, whatever was asked: %s", async (code, reason) => {
		await using shard = new TraceShard([new URL(clickhouse.url)], ACCESS);
		await clickhouse.fail([{ match: "noted", times: 99, kind: "error", code, text: "planted words (SOME_NAME)" }]);
		const asked = [read(shard), shard.execute("truncate table noted"), insert(shard)];
		for (const error of await Promise.all(asked.map(failureOf))) {
			expect(error).toBeInstanceOf(StorageUnavailable);
			expect(error).toMatchObject({ reason, cause: expect.any(ClickHouseFailure) });
			expect(JSON.stringify(error) + (error as Error).stack).not.toMatch(/planted/);
		}
	});

	test("for what a statement says is not, and quotes nothing of it", async () => {
		await using shard = new TraceShard([new URL(clickhouse.url)], ACCESS);
		const error = await failureOf(shard.execute("select a secret text"));
		expect(error).toMatchObject({ name: "ClickHouseFailure", kind: "statement" });
		expect((error as Error).stack).not.toContain("secret");
	});

	test("as the answer is a proxy's is that it cannot be reached", async () => {
		await using shard = new TraceShard([new URL(clickhouse.url)], ACCESS);
		await clickhouse.fail([{ match: "noted", times: 99, kind: "status", status: 200, text: "<html>" }]);
		expect(await failureOf(read(shard))).toMatchObject({ reason: "traces_unreachable" });
	});
});

describe("a shard that is away", () => {
	test.each(["silent", "killed"])(
		"fails within 3 s, at once while it is known, and is back within 2 s: %s",
		async (how) => {
			await using watched = watch([new URL(clickhouse.url)]);
			const { shard, told, changes } = watched;
			await read(shard);
			const back = how === "silent" ? await clickhouse.freeze() : await clickhouse.kill();
			const first = await timed(() => failureOf(read(shard)));
			expect(first.result).toMatchObject({ name: "StorageUnavailable", reason: "traces_unreachable" });
			expect(first.seconds).toBeLessThan(35);
			await expect.poll(() => changes).toEqual([false]);
			for (const ask of [read, insert]) {
				const known = await timed(() => failureOf(ask(shard)));
				expect(known.result).toMatchObject({ reason: "traces_unreachable" });
				expect(known.seconds).toBeLessThan(5);
			}
			if (back === undefined) await clickhouse.start();
			else back[Symbol.dispose]();
			const again = await timed(() => expect.poll(() => changes, { interval: 20 }).toEqual([false, true]));
			expect(again.seconds).toBeLessThan(25);
			await read(shard);
			expect(told).toEqual([
				`ClickHouse cannot be reached: no answer from ${new URL(clickhouse.url).host}`,
				"ClickHouse can be reached again",
			]);
		},
	);

	test("is not one of which only the first replica is away", async () => {
		await using watched = watch([new URL(`http://127.0.0.1:${await freePort()}`), new URL(clickhouse.url)]);
		await read(watched.shard);
		await sleep(1_500);
		expect(watched.changes).toEqual([]);
	});

	test("is not one whose connections are all in use, for whoever waits for one", async () => {
		await using watched = watch([new URL(clickhouse.url)]);
		await clickhouse.fail([{ match: "noted", times: 2, kind: "delay", ms: 4_000 }]);
		await Promise.all([1, 2, 3].map(() => read(watched.shard)));
		expect(watched.changes).toEqual([]);
	});
});

test("who is refused hears so, and the log says once which settings to look at", async () => {
	await using watched = watch([new URL(clickhouse.url)], { ...ACCESS, password: "another-password" });
	const { shard, told, changes } = watched;
	// Nobody has asked yet: who only sends spans has to hear of it as well.
	await expect.poll(() => told).toHaveLength(1);
	for (let count = 0; count < 3; count++)
		expect(await failureOf(read(shard))).toMatchObject({ name: "StorageUnavailable", reason: "traces_refused" });
	expect(told).toHaveLength(1);
	expect(told[0]).toMatch(/516.*SERVICE_CLICKHOUSE_USER, SERVICE_CLICKHOUSE_PASSWORD/);
	expect(told.join()).not.toContain("another-password");
	expect(changes).toEqual([]);
});
