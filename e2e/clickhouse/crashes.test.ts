import { afterAll, beforeAll, beforeEach, expect, vi } from "vitest";
import { writeGroup } from "../../apps/server/src/ingest/group-writer.ts";
import { types } from "../../apps/server/src/storage/clickhouse/row-binary.ts";
import { type StatementDone, statementsDone } from "../../apps/server/src/storage/clickhouse/statement-channel.ts";
import { claimTraces, keepClaim } from "../../apps/server/src/storage/traces/clickhouse/only-server.ts";
import { cleanUp } from "../../apps/server/src/storage/traces/clickhouse/upkeep/clean-up.ts";
import { foldHours } from "../../apps/server/src/storage/traces/clickhouse/upkeep/fold-hours.ts";
import { pendingBytes } from "../../apps/server/src/storage/traces/clickhouse/upkeep/pending-deletes.ts";
import { repairBatches } from "../../apps/server/src/storage/traces/clickhouse/upkeep/repair.ts";
import { readLogs } from "../../apps/server/src/storage/traces/clickhouse/write/stored-traces.ts";
import { randomFrom, randomSpans } from "../../apps/server/src/storage/traces/conformance/random-spans.ts";
import {
	allSessions,
	allTraces,
	expectTotals,
	identities,
	projectId,
	storedIdentities,
} from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import type { NormalizedSpan } from "../../apps/server/src/storage/traces/span-batch.ts";
import { spanHex, testLog, testSpan } from "../../apps/server/src/storage/traces/test-spans.ts";
import { distinct } from "../../apps/server/src/storage/traces/test-totals.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { damageIn, reconcile } from "./damage.ts";
import { type ClickHouseUnderTest, openStore } from "./open-store.ts";

const test = testWith("clickhouse");

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse({});
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
beforeEach(() => clickhouse.heal());

/** Two halves of the same traces; the second has a trace and a session that the first has not. */
function halves(seed: number): [first: NormalizedSpan[], second: NormalizedSpan[]] {
	const spans = distinct(randomSpans(randomFrom(seed), 80, ["default"]));
	const other = testSpan({ trace: 99, session: "other", tokens: { prompt: 5 } });
	return [spans.filter((_, index) => index % 2 === 0), [...spans.filter((_, index) => index % 2 === 1), other]];
}

async function repair({ shards, db, metadata }: ClickHouseUnderTest) {
	await using turns = metadata.openTurns();
	return await repairBatches({ shards, db, turns }, 0);
}

test.each([
	["span_contents", "postgres", false],
	["trace_places", "postgres", false],
	["sessions", "postgres", false],
	["spans", "postgres", false],
	["traces", "postgres", true],
	["hours", "postgres", true],
	["sessions", "sqlite", false],
	["spans", "sqlite", false],
	["traces", "sqlite", true],
] as const)(
	"K20 K78 a batch of which the rows of %s are missing is completed or withdrawn, and nothing more is damaged, beside %s",
	async (table, metadata, isStored) => {
		await using store = await openStore(clickhouse, metadata);
		const [first, second] = halves(7);
		await store.writer.write(first, []);
		await clickhouse.fail([{ match: `insert into ${table} `, kind: "error", code: 241, times: 1_000 }]);
		await expect(store.writer.write(second, [])).rejects.toThrow();
		await clickhouse.heal();
		expect(await repair(store)).toMatchObject({ batches: 1 });
		await expectTotals(store, isStored ? [...first, ...second] : first);
		expect(await damageIn(store)).toEqual([]);
		expect(await repair(store)).toEqual({ batches: 0, traces: 0, hours: 0, orphans: 0 });
		const again = await store.writer.write(second, []);
		expect(again.written).toBe(isStored ? 0 : second.length);
		await expectTotals(store, [...first, ...second]);
		expect(await reconcile(store)).toEqual([]);
	},
);

test("K19 an export that was refused in the middle is completed when it comes again, before anything is repaired", async () => {
	await using store = await openStore(clickhouse);
	const [first, second] = halves(8);
	await store.writer.write(first, []);
	await clickhouse.fail([{ match: "insert into (traces|hours) ", kind: "error", code: 241, times: 1_000 }]);
	await expect(store.writer.write(second, [])).rejects.toThrow();
	await clickhouse.heal();
	expect(await store.writer.write(second, [])).toMatchObject({ written: 0, duplicates: second.length });
	const project = await projectId(store);
	const spans = (await allTraces(store, project)).reduce((sum, { spanCount }) => sum + spanCount, 0);
	expect(spans).toBe(first.length + second.length);
	// Charts are completed by the repair, also of the export that met what was left behind.
	expect((await repair(store)).batches).toBe(2);
	await expectTotals(store, [...first, ...second]);
});

test("K20 all of several batches that were left behind is withdrawn", async () => {
	await using store = await openStore(clickhouse);
	const [first, second] = halves(14);
	await clickhouse.fail([{ match: "insert into spans ", kind: "error", code: 241, times: 1_000 }]);
	await expect(store.writer.write(first, [])).rejects.toThrow();
	await expect(store.writer.write(second, [])).rejects.toThrow();
	await clickhouse.heal();
	const contents = distinct([...first, ...second]).length;
	const statements: string[] = [];
	const listen = (message: unknown) => void statements.push((message as StatementDone).sql);
	statementsDone.subscribe(listen);
	const { batches, orphans } = await repair(store);
	statementsDone.unsubscribe(listen);
	expect(batches).toBe(2);
	expect(orphans).toBeGreaterThanOrEqual(contents);
	// They are looked for once, whatever the number of batches.
	expect(statements.filter((sql) => /from span_contents where batch/.test(sql))).toHaveLength(1);
	const [rows] = await store.shard.select(
		"select (select count() from span_contents final) as contents, (select count() from sessions final) as sessions",
		{ contents: types.Nullable(types.Count), sessions: types.Nullable(types.Count) },
	);
	expect(rows).toEqual({ contents: 0, sessions: 0 });
	await store.writer.write([...first, ...second], []);
	await expectTotals(store, [...first, ...second]);
});

test.each([1, -1])(
	"K20 spans that are left behind are found however far from the others they start (%i)",
	async (sign) => {
		await using store = await openStore(clickhouse);
		const daysApart = sign * 3 * 86_400_000_000;
		const first = testSpan({ trace: 1, span: 1, start: Math.max(0, -daysApart) });
		const second = testSpan({ trace: 1, span: 2, parent: 1, start: Math.max(0, daysApart) });
		await store.writer.write([first], []);
		await clickhouse.fail([{ match: "insert into (traces|hours) ", kind: "error", code: 241, times: 1_000 }]);
		await expect(store.writer.write([second], [])).rejects.toThrow();
		await clickhouse.heal();
		// A repeat finds it, too.
		expect(await store.writer.write([second], [])).toMatchObject({ written: 0, duplicates: 1 });
		await repair(store);
		await expectTotals(store, [first, second]);
	},
);

test.each(["postgres", "sqlite"] as const)(
	"K53 K78 a deletion that was refused in the middle is completed, beside %s",
	async (metadata) => {
		await using store = await openStore(clickhouse, metadata);
		const [first] = halves(9);
		const project = await projectId(store);
		await store.writer.write(first, []);
		const [trace] = await allTraces(store, project);
		if (trace === undefined) throw new Error("there are traces");
		const { traceId } = trace;
		const [span] = first.filter((each) => each.traceId === traceId);
		const log = { ...testLog({ content: "why?" }), traceId, spanId: span?.spanId ?? "" };
		await store.writer.write([], [log]);
		await clickhouse.fail([{ match: "insert into traces ", kind: "error", code: 241, times: 1_000 }]);
		await expect(store.traces.deleteTrace(trace.id)).rejects.toThrow();
		await clickhouse.heal();
		await repair(store);
		await expectTotals(
			store,
			first.filter((span) => span.traceId !== trace.traceId),
		);
		expect(await readLogs(store.shards, [traceId])).toEqual([]);
		expect(await reconcile(store)).toEqual([]);
	},
);

test.each(["postgres", "sqlite"] as const)(
	"a project that gets spans while it is deleted goes with them, beside %s",
	async (metadata) => {
		await using store = await openStore(clickhouse, metadata);
		await store.writer.write([testSpan({ project: "gone", trace: 1 })], []);
		const before = await projectId(store, "gone");
		await clickhouse.fail([{ match: "insert into spans ", kind: "delay", ms: 1_000 }]);
		const late = testSpan({ project: "gone", trace: 2, session: "s" });
		const writing = store.writer.write([late], []);
		await expect.poll(() => clickhouse.countFaults()).toBe(1);
		const deleting = store.traces.deleteProject(before);
		expect(await Promise.all([writing, deleting])).toMatchObject([{ written: 1 }, true]);
		const [rows] = await store.shard.select("select count() as count from spans final", { count: types.Count });
		expect(rows).toEqual({ count: 0 });
		expect(await store.traces.deleteProject(before)).toBe(false);
		await store.writer.write([late], []);
		expect(await projectId(store, "gone")).not.toBe(before);
		await expectTotals(store, [late]);
	},
);

test.each(["drop_after", "drop_before"] as const)(
	"K12 K13 an insert whose connection ends is stored once: %s",
	async (kind) => {
		await using store = await openStore(clickhouse);
		const [first, second] = halves(10);
		await store.writer.write(first, []);
		await clickhouse.fail(
			["span_contents", "spans", "traces", "hours"].map((table) => ({
				match: `insert into ${table} `,
				kind,
				times: 1,
			})),
		);
		await store.writer.write(second, []);
		expect(await clickhouse.countFaults()).toBe(4);
		await expectTotals(store, [...first, ...second]);
		expect(await repair(store)).toMatchObject({ batches: 0 });
	},
);

test("K15 K24 the same export eight times at once through several writers is stored once", async () => {
	await using store = await openStore(clickhouse);
	const [spans] = halves(11);
	const writers = [store.writer, await store.newWriter(), await store.newWriter(), await store.newWriter()];
	const results = await Promise.all([...writers, ...writers].map((writer) => writer.write(spans, [])));
	await Promise.all(writers.slice(1).map((writer) => writer[Symbol.asyncDispose]()));
	expect(results.reduce((sum, { written }) => sum + written, 0)).toBe(spans.length);
	expect(await storedIdentities(store, "default")).toEqual(identities(spans));
	await expectTotals(store, spans);
});

test("K17 K23 spans of the same traces through several writers at once have one row and right totals", async () => {
	await using store = await openStore(clickhouse);
	const writers = [store.writer, await store.newWriter(), await store.newWriter()];
	const spans = Array.from({ length: 40 * 9 }, (_, index) => {
		const [trace, span] = [1 + (index % 40), 1 + Math.floor(index / 40)];
		return testSpan({
			...{ trace, span, start: 1_000 * span, session: `s${trace % 5}` },
			...(span === 1 ? {} : { parent: 1 + Math.floor(span / 2) - (span === 2 ? 0 : 1) }),
			...(span % 2 === 0 ? { tokens: { prompt: 10 * span } } : {}),
		});
	});
	const parts = Map.groupBy(spans, (_, index) => Math.floor(index / 40));
	await Promise.all([...parts.values()].map((part, index) => writers[index % 3]?.write(part, [])));
	await Promise.all(writers.slice(1).map((writer) => writer[Symbol.asyncDispose]()));
	expect(await allTraces(store, await projectId(store))).toHaveLength(40);
	await expectTotals(store, spans);
});

test("totals by hour are folded into few rows, which repairs and deletions correct like others", async () => {
	await using store = await openStore(clickhouse);
	const spans = distinct(randomSpans(randomFrom(12), 60, ["default"]));
	for (let at = 0; at < spans.length; at += 6) await store.writer.write(spans.slice(at, at + 6), []);
	await using turns = store.metadata.openTurns();
	const before = await countHours(store);
	const folded = await foldHours(store.shards, turns);
	expect(folded).toBeGreaterThan(0);
	expect(await countHours(store)).toBe(before - folded);
	expect(await foldHours(store.shards, turns)).toBe(0);
	await expectTotals(store, spans);

	const [trace, other] = await allTraces(store, await projectId(store));
	await store.traces.deleteTrace(trace?.id ?? 0);
	const left = spans.filter(({ traceId }) => traceId !== trace?.traceId);
	await expectTotals(store, left);
	await clickhouse.fail([{ match: "insert into hours ", kind: "error", code: 241, times: 1_000 }]);
	await expect(store.traces.deleteTrace(other?.id ?? 0)).rejects.toThrow();
	await clickhouse.heal();
	// What an incomplete batch may still correct is not folded.
	await foldHours(store.shards, turns);
	expect(await repair(store)).toMatchObject({ batches: 1 });
	await foldHours(store.shards, turns);
	await expectTotals(
		store,
		left.filter(({ traceId }) => traceId !== other?.traceId),
	);
});

test.each([
	["merges drop it", []],
	["ClickHouse allows no experimental settings", [{ match: "create table .*cleanup", kind: "error", code: 164 }]],
] as const)("K46 K49 what was deleted leaves the disk, and nothing else does, where %s", async (_where, faults) => {
	await clickhouse.fail(faults);
	await using store = await openStore(clickhouse);
	expect(await clickhouse.countFaults()).toBe(faults.length);
	await using turns = store.metadata.openTurns();
	const spans = distinct(randomSpans(randomFrom(13), 60, ["default"]));
	await store.writer.write(spans, [testLog({ trace: 1, span: 1, content: "why?" })]);
	const [trace, ...left] = await allTraces(store, await projectId(store));
	await store.traces.deleteTrace(trace?.id ?? 0);
	expect(await pendingBytes(store.shard)).toBeGreaterThan(0);
	if (faults.length > 0) {
		// Another merge is under way, without which nothing may go.
		await clickhouse.fail([{ match: "final$", kind: "error", code: 388, times: 1_000 }]);
		expect(await cleanUp({ ...store, turns }, new AbortController().signal)).toBe(0);
		expect(await pendingBytes(store.shard)).toBeGreaterThan(0);
		await clickhouse.heal();
	}
	expect(await cleanUp({ ...store, turns }, new AbortController().signal)).toBeGreaterThan(0);
	expect(await pendingBytes(store.shard)).toBe(0);
	const remaining = spans.filter(({ traceId }) => traceId !== trace?.traceId);
	const [rows] = await store.shard.select(
		"select (select count() from spans) as spans, (select count() from span_contents) as contents, (select count() from traces) as traces",
		{ spans: types.Nullable(types.Count), contents: types.Nullable(types.Count), traces: types.Nullable(types.Count) },
	);
	expect(rows).toEqual({ spans: remaining.length, contents: remaining.length, traces: left.length });
	await expectTotals(store, remaining);
	await store.writer.write(spans, []);
	await expectTotals(store, spans);
	expect(await cleanUp({ ...store, turns }, AbortSignal.abort())).toBe(0);
});

test("K79 a server that is silent for long is followed by another one, and stops when it comes back", async () => {
	await using store = await openStore(clickhouse, "sqlite");
	const { shard, writerOptions } = store;
	const told: string[] = [];
	const as = (folder: string) => ({
		...{ shard, claim: { folder, server: `server of ${folder}` }, everyMs: 2_000 },
		tell: (sentence: string) => told.push(sentence),
	});
	const claim = (folder: string) => claimTraces(as(folder), writerOptions.clickhouse);
	await claim("first");
	const kept = keepClaim(as("first"), () => told.push("lost"));
	await expect(claim("second")).rejects.toThrow("another server, with a copy of SERVICE_WORKING_DIR, uses the traces");
	await kept[Symbol.asyncDispose]();
	told.length = 0;
	await claim("second");
	expect(told).toEqual([]);
	await claim("first");
	await using _back = keepClaim(as("second"), () => told.push("lost"));
	await expect.poll(() => told).toEqual([expect.stringContaining("waiting"), expect.stringContaining("stops"), "lost"]);
});

async function countHours({ shard }: ClickHouseUnderTest): Promise<number> {
	const [row] = await shard.select("select count() as count from hours final", { count: types.Count });
	return row?.count ?? 0;
}

test("K29 one span that ClickHouse refuses among 512 is left out and named, and all others are stored", async () => {
	await using store = await openStore(clickhouse);
	const spans = Array.from({ length: 512 }, (_, index) =>
		testSpan({ trace: 1 + (index % 8), span: index + 1, start: index, name: `span ${index}` }),
	);
	// The first is the bad one: all of the group, all of the export, then halves down to it alone.
	const refused = 2 + Math.log2(spans.length);
	await clickhouse.fail([{ match: "insert into spans ", kind: "error", code: 117, times: refused }]);
	const decoded = { spans, logs: [], ignoredLogRecords: 0, rejections: [], message: new Uint8Array() };
	const { answers, written, errors } = await writeGroup([{ id: 1, decoded }], async () => store.writer);
	expect(await clickhouse.countFaults()).toBe(refused);
	await clickhouse.heal();
	expect({ written, errors }).toEqual({ written: 511, errors: [expect.stringContaining("117")] });
	expect(answers).toMatchObject([{ id: 1, answer: { status: 200, rejected: 1 } }]);
	expect(JSON.stringify(answers)).toContain(`Span ${spanHex(1)} (\\"span 0\\") was left out`);
	await repair(store);
	await expectTotals(store, spans.slice(1));
	expect(await damageIn(store)).toEqual([]);
});

test("K47 a span that is deleted while its trace receives others through another server leaves right totals", async () => {
	await using store = await openStore(clickhouse);
	await using other = await store.newWriter();
	const spans = Array.from({ length: 24 }, (_, index) =>
		testSpan({
			...{ trace: 1, span: index + 1, start: 1_000 * index, session: "s", tokens: { prompt: index } },
			...(index === 0 ? {} : { parent: Math.ceil(index / 2) }),
		}),
	);
	const deleted = spans.slice(2, 8);
	await store.writer.write(spans.slice(0, 12), []);
	const rows = await Promise.all(deleted.map(({ spanId }) => store.traces.findSpansBySpanId(spanId)));
	const deleting = async () => {
		for (const [row] of rows) await store.traces.deleteSpan(row?.summary.id ?? 0);
	};
	const receiving = async () => {
		for (const span of spans.slice(12)) await other.write([span], []);
	};
	await Promise.all([deleting(), receiving()]);
	await expectTotals(
		store,
		spans.filter((span) => !deleted.includes(span)),
	);
	expect(await damageIn(store)).toEqual([]);
});

test("K52 costs that are computed anew are right once when that was interrupted, and a repeat changes nothing", async () => {
	await using store = await openStore(clickhouse);
	const spans = Array.from({ length: 40 }, (_, index) =>
		testSpan({
			...{ trace: 1 + (index % 5), span: index + 1, start: index, session: "s", kind: "LLM", model: "m" },
			tokens: { prompt: 1_000 },
		}),
	);
	await store.writer.write(spans, []);
	const project = await projectId(store);
	const { lastSpan } = await store.traces.countSpans({ projectId: project });
	const price = { id: 1, match: "exact", pattern: "m", provider: null, startsAt: null } as const;
	const recompute = (input: number) =>
		store.traces.recomputeCosts({
			...{ projectId: project, afterSpan: 0, lastSpan },
			ownPrices: [{ ...price, prices: { input } }],
		});
	const cost = { total: 0.002, prompt: 0.002, completion: 0, source: "table" as const };
	const priced = spans.map((span) => ({ ...span, cost }));
	for (const [index, table] of ["spans", "traces", "hours"].entries()) {
		await clickhouse.fail([{ match: `insert into ${table} `, kind: "error", code: 241, times: 1_000 }]);
		await expect(recompute(3 + index)).rejects.toThrow();
		await clickhouse.heal();
		await repair(store);
	}
	expect(await recompute(2)).toEqual({ afterSpan: lastSpan, seen: 40, changed: 40 });
	expect(await recompute(2)).toMatchObject({ changed: 0 });
	await expectTotals(store, priced);
	expect(await store.writer.write(spans, [])).toMatchObject({ written: 0, duplicates: 40 });
	await expectTotals(store, priced);
	expect(await damageIn(store)).toEqual([]);
});

test("K74 with the server's clock a day ahead, and right again, totals and repeats are right", async () => {
	await using store = await openStore(clickhouse);
	const spans = distinct(randomSpans(randomFrom(74), 60, ["default"]));
	await store.writer.write(spans.slice(0, 20), []);
	vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
	try {
		await store.writer.write(spans.slice(10, 40), []);
		await expectTotals(store, spans.slice(0, 40));
	} finally {
		vi.useRealTimers();
	}
	expect(await store.writer.write(spans, [])).toMatchObject({ written: 20, duplicates: 40 });
	await expectTotals(store, spans);
	// What is written now is not taken for what a process left behind a day ago.
	expect(await repair(store)).toMatchObject({ batches: 0 });
	expect(await reconcile(store)).toEqual([]);
});

test("K14 an insert that is answered after its sender has sent again through another server is stored once", async () => {
	await using store = await openStore(clickhouse);
	await using other = await store.newWriter();
	const [spans] = halves(11);
	await clickhouse.fail([{ match: "insert into (spans|span_contents) ", kind: "delay", ms: 1_500, times: 2 }]);
	const late = store.writer.write(spans, []);
	await expect.poll(() => clickhouse.countFaults()).toBeGreaterThan(0);
	expect(await other.write(spans, [])).toMatchObject({ written: 0, duplicates: spans.length });
	expect(await late).toMatchObject({ written: spans.length, duplicates: 0 });
	await expectTotals(store, spans);
	expect(await storedIdentities(store, "default")).toEqual(identities(spans));
});

test("K18 tokens of a span count no more when a descendant with tokens comes later", async () => {
	await using store = await openStore(clickhouse);
	const common = { trace: 1, session: "s", kind: "LLM", model: "m" } as const;
	const spans = [
		testSpan({ ...common, span: 1, start: 0, duration: 9, tokens: { prompt: 100 } }),
		testSpan({ ...common, span: 2, parent: 1, start: 1, tokens: { prompt: 20 } }),
		testSpan({ ...common, span: 3, parent: 2, start: 2, tokens: { prompt: 3 } }),
	];
	for (const span of spans) await store.writer.write([span], []);
	await expectTotals(store, spans);
	const project = await projectId(store);
	expect(await allTraces(store, project)).toMatchObject([{ tokens: { prompt: 3 } }]);
	expect(await allSessions(store, project)).toMatchObject([{ tokens: { prompt: 3 } }]);
	const hours = await store.shard.select("select sum(tokens_prompt) as sum from hours final", { sum: types.Float64 });
	expect(hours).toEqual([{ sum: 3 }]);
});

test("K48 traces that are deleted one by one beside receiving make no mutations", async () => {
	await using store = await openStore(clickhouse);
	await using other = await store.newWriter();
	const [first, second] = halves(12);
	await store.writer.write(first, []);
	const gone = (await allTraces(store, await projectId(store))).slice(0, 4);
	const received = (async () => {
		for (const span of second.slice(0, 8)) await other.write([span], []);
	})();
	for (const { id } of gone) expect(await store.traces.deleteTrace(id)).toBe(true);
	await received;
	const [mutations] = await store.shard.select(
		"select count() as count from system.mutations where database = currentDatabase()",
		{ count: types.Count },
	);
	expect(mutations?.count).toBe(0);
	await using turns = store.metadata.openTurns();
	expect(await turns.hasLeftBehind(0)).toBe(false);
	expect(await damageIn(store)).toEqual([]);
});

test("K31 a batch with more content than one insert may have is stored", async () => {
	await using store = await openStore(clickhouse);
	const large = Buffer.alloc(15 * 1024 * 1024, "large ");
	const spans = Array.from({ length: 5 }, (_, index) => ({
		...testSpan({ span: index + 1, start: index }),
		bytes: large.subarray(index),
	}));
	expect(await store.writer.write(spans, [])).toMatchObject({ written: 5 });
	const query = { projectId: await projectId(store), sort: "id", order: "asc", limit: 10 } as const;
	const { items } = await store.traces.listStoredSpans(query);
	expect(items.map(({ content }) => content.span.length)).toEqual(spans.map(({ bytes }) => bytes.length));
});

test("K28 an export with spans of more days than one insert may have is stored, with right totals", async () => {
	await using store = await openStore(clickhouse);
	const day = 86_400_000_000;
	const spans = Array.from({ length: 130 }, (_, index) =>
		testSpan({ trace: 1 + (index % 3), span: index + 1, start: index * day, duration: 1_000 }),
	);
	expect(await store.writer.write(spans, [])).toMatchObject({ written: 130 });
	expect(await storedIdentities(store, "default")).toEqual(identities(spans));
	expect((await allTraces(store, await projectId(store))).map(({ spanCount }) => spanCount)).toEqual([44, 43, 43]);
});
