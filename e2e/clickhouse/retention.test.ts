import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { types } from "../../apps/server/src/storage/clickhouse/row-binary.ts";
import { forgetUnclaimedLogs } from "../../apps/server/src/storage/traces/clickhouse/mutate/forget-logs.ts";
import { repairBatches } from "../../apps/server/src/storage/traces/clickhouse/upkeep/repair.ts";
import { insertAnnotation } from "../../apps/server/src/storage/traces/conformance/annotations.ts";
import {
	allSessions,
	allTraces,
	expectTotals,
	projectId,
} from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { LOG_WAIT_MICROS } from "../../apps/server/src/storage/traces/content/log-record.ts";
import { HOUR_0, testLog, testSpan } from "../../apps/server/src/storage/traces/test-spans.ts";
import type { RetentionRule } from "../../apps/server/src/storage/traces/trace-store.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { damageIn } from "./damage.ts";
import { type ClickHouseUnderTest, openStore } from "./open-store.ts";

const test = testWith("clickhouse");

const HOUR = 3_600_000_000;
const DAY = 24 * HOUR;
/** Noon of the day on which `HOUR_0` is, counted from it. */
const NOON = -10 * HOUR;

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse();
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
beforeEach(() => clickhouse.heal());

/** Traces of two spans on four days, two projects and sessions that go on from day to day. */
const FOUR_DAYS = [0, 1, 2, 3].flatMap((day) =>
	["default", "other"].flatMap((project, at) => {
		const start = NOON + day * DAY;
		const number = 10 * (day + 1) + at;
		const common = { project, trace: number, session: day < 2 ? "early" : "long" };
		return [
			testSpan({ ...common, span: number, start, tokens: { prompt: day } }),
			testSpan({ ...common, span: 100 + number, parent: number, start: start + HOUR, kind: "LLM", model: "m" }),
		];
	}),
);

test("K50 days of which no project keeps anything are dropped whole, with what reaches out of them", async () => {
	await using store = await openStore(clickhouse);
	// The last one starts on the first day and ends on the second.
	const crossing = [
		testSpan({ trace: 90, span: 90, start: NOON + 11 * HOUR }),
		testSpan({ trace: 90, span: 91, parent: 90, start: NOON + 13 * HOUR }),
	];
	const logs = [testLog({ trace: 10, span: 10, content: "gone" }), testLog({ trace: 40, span: 40, content: "stays" })];
	await store.writer.write([...FOUR_DAYS, ...crossing], logs);
	const rules = await rulesFor(store, { before: NOON + 2 * DAY, keepAnnotated: false });
	await insertAnnotation(store, { on: "span", trace: 10, span: 10, name: "liked" });
	await insertAnnotation(store, { on: "session", project: "other", session: "early", name: "liked" });
	const parts = await partsOf(store);
	const deleted = await drop(store, rules);
	expect(deleted).toEqual(new Map(rules.map(({ projectId }, index) => [projectId, index === 0 ? 3 : 2])));
	// Not as rows that say so: the partitions are gone.
	expect(await partsOf(store)).toEqual(parts.filter((_, index) => index >= 2));
	await expectTotals(store, FOUR_DAYS.slice(8), ["default", "other"]);
	for (const { projectId } of rules) expect(await allSessions(store, projectId)).toHaveLength(1);
	expect(await store.db.read.selectFrom("annotations").select("id").execute()).toEqual([]);
	expect(await countOf(store, "log_records")).toBe(1);
	expect(await damageIn(store)).toEqual([]);
	// What is sent again afterwards is stored anew.
	const again = FOUR_DAYS.slice(0, 2);
	await store.writer.write(again, [testLog({ trace: 10, span: 10, content: "gone" })]);
	await expectTotals(store, [...again, ...FOUR_DAYS.slice(8)], ["default", "other"]);
	expect(await damageIn(store)).toEqual([]);
});

test("K50 a day stays of which a project keeps something, or that traces reach out of which are kept", async () => {
	await using store = await openStore(clickhouse);
	const reaching = testSpan({ trace: 90, span: 91, start: NOON + DAY + HOUR });
	await store.writer.write([...FOUR_DAYS, testSpan({ trace: 90, span: 90, start: NOON + HOUR }), reaching], []);
	const [ofDefault] = await rulesFor(store, { before: NOON + 3 * DAY, keepAnnotated: true });
	const rules = await rulesFor(store, { before: NOON + 3 * DAY, keepAnnotated: true });
	expect(
		await drop(
			store,
			[ofDefault ?? rules[0]].flatMap((rule) => rule ?? []),
		),
	).toEqual(new Map());
	// It has spans on the first day and the second.
	await insertAnnotation(store, { on: "span", trace: 90, span: 91, name: "liked" });
	const parts = await partsOf(store);
	expect(await drop(store, rules)).toEqual(new Map(rules.map(({ projectId }) => [projectId, 1])));
	expect(await partsOf(store)).toEqual(parts.filter((_, index) => index !== 2));
	expect(await damageIn(store)).toEqual([]);
});

test("K50 what ClickHouse fails to drop half way is dropped later, right", async () => {
	await using store = await openStore(clickhouse);
	await store.writer.write(FOUR_DAYS, []);
	const rules = await rulesFor(store, { before: NOON + 2 * DAY, keepAnnotated: false });
	const sum = new Map<number, number>();
	for (const table of ["span_contents", "spans", "traces", "trace_places"]) {
		const isPlaces = table === "trace_places";
		const match = isPlaces ? "insert into trace_places" : `alter table ${table} drop`;
		await clickhouse.fail([{ match, kind: "error", code: 241, times: 10 }]);
		await expect(drop(store, rules, sum)).rejects.toThrow();
		await clickhouse.heal();
	}
	await drop(store, rules, sum);
	expect(sum).toEqual(new Map(rules.map(({ projectId }) => [projectId, 2])));
	// As a server does behind what has failed: what was spent on these days is of no stored spans any more.
	await using turns = store.metadata.openTurns();
	await repairBatches({ shards: store.shards, db: store.db, turns }, 0);
	await expectTotals(store, FOUR_DAYS.slice(8), ["default", "other"]);
	const places = (await damageIn(store)).filter((wrong) => !wrong.includes("was begun and not completed"));
	expect(places).toEqual([]);
});

test("log records whose span has not come within a week are deleted, others stay", async () => {
	await using store = await openStore(clickhouse);
	const logs = [1, 2].map((trace) => testLog({ trace, span: 1, content: "said" }));
	await store.writer.write([testSpan({ trace: 1 })], logs);
	await using turns = store.metadata.openTurns();
	const forget = (at: number) => forgetUnclaimedLogs(store.shards, turns, at, new AbortController().signal);
	await forget(Date.now() * 1_000);
	expect(await countOf(store, "log_records")).toBe(2);
	await forget(Date.now() * 1_000 + LOG_WAIT_MICROS + 1);
	expect(await countOf(store, "log_records")).toBe(1);
	expect((await allTraces(store, await projectId(store)))[0]?.spanCount).toBe(1);
});

/** A rule for each project. @param before after `HOUR_0` */
async function rulesFor(
	store: ClickHouseUnderTest,
	{ before, keepAnnotated }: { readonly before: number; readonly keepAnnotated: boolean },
): Promise<RetentionRule[]> {
	const projects = [await projectId(store), await projectId(store, "other")];
	return projects.map((projectId) => ({ projectId, beforeMicros: HOUR_0 + before, keepAnnotated }));
}

/** @returns how many traces of each project were deleted */
async function drop(
	{ traces }: ClickHouseUnderTest,
	rules: readonly RetentionRule[],
	sum = new Map<number, number>(),
): Promise<ReadonlyMap<number, number>> {
	await traces.dropExpired?.(rules, async (deleted) => {
		for (const [id, count] of deleted) sum.set(id, (sum.get(id) ?? 0) + count);
		return true;
	});
	return sum;
}

/** The partitions of spans that have parts. */
async function partsOf({ shard }: ClickHouseUnderTest): Promise<string[]> {
	const rows = await shard.select("select distinct _partition_id as id from spans order by id", { id: types.Text });
	return rows.map(({ id }) => id);
}

async function countOf({ shard }: ClickHouseUnderTest, table: string): Promise<number> {
	const rows = await shard.select(`select count() as count from ${table} final`, { count: types.Count });
	return rows[0]?.count ?? 0;
}
