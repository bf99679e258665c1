import { parseFilter } from "@spanward/filter-language";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { Abandoned } from "../../apps/server/src/base/fair-turns.ts";
import { cursorForm, decodeIdCursor, decodeKeyset, encodeKeyset, nextId } from "../../apps/server/src/http/cursors.ts";
import { type ClickHouseFailure, failureOf } from "../../apps/server/src/storage/clickhouse/failures.ts";
import type { Columns, RowOf } from "../../apps/server/src/storage/clickhouse/row-binary.ts";
import type { AskOptions } from "../../apps/server/src/storage/clickhouse/shard.ts";
import { HighestNumbers } from "../../apps/server/src/storage/traces/clickhouse/read/edges.ts";
import { RecentPlaces } from "../../apps/server/src/storage/traces/clickhouse/read/recent-places.ts";
import { ScatteredRows } from "../../apps/server/src/storage/traces/clickhouse/read/scattered-rows.ts";
import { TraceShards } from "../../apps/server/src/storage/traces/clickhouse/shards/trace-shards.ts";
import { ClickHouseTraceReader } from "../../apps/server/src/storage/traces/clickhouse/trace-reader.ts";
import {
	allPages,
	allSessions,
	allSpans,
	projectId,
} from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { spanHex, testSpan, traceHex } from "../../apps/server/src/storage/traces/test-spans.ts";
import type { Page, TraceReader } from "../../apps/server/src/storage/traces/trace-store.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { type ClickHouseUnderTest, openStore } from "./open-store.ts";

const test = testWith("clickhouse");
const HOUR_MICROS = 3_600_000_000;

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse({});
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
afterEach(() => clickhouse.heal());

test("K40 lists are the same with little memory, and fail only where the narrowest window does not fit", async () => {
	await using store = await openStore(clickhouse);
	await writeTraces(store, 2_000);
	const project = await projectId(store);
	const expected = await readAll(store.traces, project);
	await using shards = store.shardsWith(LITTLE_MEMORY);
	const { traces, reached } = counting(shards, store);
	expect(await readAll(traces, project)).toEqual(expected);
	expect(new Set(reached.map(({ kind }) => kind))).toEqual(new Set(["memory"]));
	await using least = store.shardsWith(1_000);
	const failing = counting(least, store).traces.listSpans({ ...PAGE, projectId: project });
	await expect(failing).rejects.toMatchObject({ name: "StorageUnavailable", reason: "too_large" });
});

test("K40 a window whose statement takes too long or too much is read again in narrower ones", async () => {
	await using store = await openStore(clickhouse);
	await writeTraces(store, 100);
	const project = await projectId(store);
	for (const code of [241, 159, 396]) {
		const { traces, reached } = counting(store.shards, store);
		// The first windows hold too few, so that the fourth is wide.
		await clickhouse.fail([{ match: "^select spans.project_id", skip: 3, times: 2, kind: "error", code }]);
		const page = await traces.listSpans({ ...PAGE, projectId: project });
		expect(reached.map((failure) => failure.code)).toEqual([code, code]);
		expect(await clickhouse.countFaults()).toBe(2);
		await clickhouse.heal();
		expect(page).toEqual(await store.traces.listSpans({ ...PAGE, projectId: project }));
		expect(page.items).toHaveLength(100);
	}
});

test("K40 spans by number that lie so far apart that much would be read are looked for first", async () => {
	await using store = await openStore(clickhouse);
	await writeTraces(store, 100);
	const query = { ...PAGE, sort: "id", order: "desc", projectId: await projectId(store) } as const;
	const { traces, reached } = counting(store.shards, store);
	await clickhouse.fail([{ match: "^select spans.project_id", times: 1, kind: "error", code: 158 }]);
	const page = await traces.listSpans(query);
	expect(reached.map(({ code }) => code)).toEqual([158]);
	expect(page).toEqual(await store.traces.listSpans(query));
	expect(page.items).toHaveLength(100);
});

test("a batch with 500 session ids of 20 KB finds its sessions, which are found by id", async () => {
	await using store = await openStore(clickhouse);
	const ids = Array.from({ length: 500 }, (_, index) => `${"long'\\é ".repeat(2_500)}${index}`);
	const spans = (first: number) =>
		ids.map((session, index) => testSpan({ trace: first + index, span: first + index, start: index, session }));
	await store.writer.write(spans(1), []);
	await store.writer.write(spans(1_001), []);
	const project = await projectId(store);
	const sessions = await allSessions(store, project);
	expect(sessions.map(({ sessionId, traceCount }) => [sessionId, traceCount]).sort()).toEqual(
		ids.map((id) => [id, 2]).sort(),
	);
	const found = await store.traces.findEntitiesById("session", [...ids, "another"]);
	expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
	expect(await store.traces.findSessionsBySessionId(present(ids[7]))).toHaveLength(1);
});

test("50,000 ids are looked up", async () => {
	await using store = await openStore(clickhouse);
	await writeTraces(store, 100);
	const project = await projectId(store);
	const spans = await allSpans(store, project);
	const numbers = Array.from({ length: 50_000 }, (_, index) => 10 ** 15 + index);
	const rowIds = [...numbers, ...spans.map(({ id }) => id)];
	expect(await store.traces.findEntities("span", rowIds)).toHaveLength(600);
	const traceIds = numbers.map((number) => traceHex(number));
	expect(await store.traces.findTracesByTraceIds([...traceIds, traceHex(10)])).toHaveLength(1);
	const pairs = numbers.map((number) => ({ traceId: traceHex(number), spanId: spanHex(number) }));
	const own = { traceId: traceHex(10), spanId: spanHex(1) };
	expect(await store.traces.findExistingSpans(project, [...pairs, own])).toEqual([own]);
	const list = { ...PAGE, projectId: project, sort: "id", limit: 1_000 } as const;
	expect((await store.traces.listSpans({ ...list, rowIds })).items).toHaveLength(600);
	expect((await store.traces.listSpans({ ...list, traceIds: [...traceIds, traceHex(11)] })).items).toHaveLength(5);
});

test("K35 a search in a slow ClickHouse answers in time with where to go on, and going on ends", async () => {
	await using store = await openStore(clickhouse);
	await writeTraces(store, 20);
	const first = testSpan({ trace: 5_000, span: 50_000, start: -HOUR_MICROS, input: "a needle" });
	await store.writer.write([first], []);
	const project = await projectId(store);
	const search = { ...PAGE, projectId: project, text: "needle" } as const;
	await clickhouse.fail([{ match: "from span_contents", times: 10_000, kind: "delay", ms: 450 }]);
	let pages = 0;
	const found = await allPages(async (from) => {
		const begun = performance.now();
		const page = await store.traces.listSpans({ ...search, ...(from === undefined ? {} : { from }) });
		expect(performance.now() - begun).toBeLessThan(15_000);
		pages += 1;
		return page;
	});
	expect(found.map(({ traceId }) => traceId)).toEqual([first.traceId]);
	expect(pages).toBeGreaterThan(1);
	for (const kind of ["listTraces", "listSessions"] as const) {
		await clickhouse.fail([{ match: "from span_contents", times: 10_000, kind: "delay", ms: 300 }]);
		const list = store.traces[kind].bind(store.traces) as TraceReader["listTraces"];
		const at = kind === "listTraces" ? "after" : "from";
		const order = kind === "listTraces" ? "desc" : "asc";
		const rows = await allPages(async (key) =>
			throughCursor(await list({ ...search, order, ...(key === undefined ? {} : { [at]: key }) })),
		);
		expect(rows).toHaveLength(kind === "listTraces" ? 1 : 0);
	}
	const byId = { ...search, sort: "id" } as const;
	const again = await allPages(async (from) => {
		const { next, ...page } = await store.traces.listSpans({ ...byId, ...(from === undefined ? {} : { from }) });
		const id = next && decodeIdCursor("Span", nextId("Span", { ...page, next }) ?? "");
		return { ...page, ...(id === undefined ? {} : { next: { value: id, id } }) };
	});
	expect(again.map(({ traceId }) => traceId)).toEqual([first.traceId]);
});

/** As who follows the cursor gets it. */
function throughCursor<T>({ next, ...page }: Page<T>): Page<T> {
	const form = cursorForm("start_time");
	const read = next && decodeKeyset(form, encodeKeyset(form, next));
	return { ...page, ...(read === undefined ? {} : { next: read }) };
}

test("K35 a first window that hangs is read again in a narrower one, in time", async () => {
	await using store = await openStore(clickhouse);
	await writeTraces(store, 10);
	const project = await projectId(store);
	await clickhouse.fail([{ match: "from span_contents", kind: "delay", ms: 60_000 }]);
	const begun = performance.now();
	const page = await store.traces.listSpans({ ...PAGE, projectId: project, text: "question 59" });
	expect(performance.now() - begun).toBeLessThan(30_000);
	expect(page.items.map(({ spanId }) => spanId)).toEqual([spanHex(60)]);
});

test("K41 a list ends when its caller has gone", async () => {
	await using store = await openStore(clickhouse);
	await writeTraces(store, 10);
	const project = await projectId(store);
	await clickhouse.fail([{ match: "^select spans.project_id", kind: "delay", ms: 60_000 }]);
	const gone = new AbortController();
	const caller = { name: "somebody", gone: gone.signal };
	const asked = store.traces.listStoredSpans({ ...PAGE, projectId: project, caller });
	await expect.poll(() => clickhouse.countFaults()).toBe(1);
	gone.abort();
	const begun = performance.now();
	await expect(asked).rejects.toThrow(Abandoned);
	expect(performance.now() - begun).toBeLessThan(10_000);
});

/** What the statements below need in narrow windows, and not in wide ones. */
const LITTLE_MEMORY = 4 * 1024 * 1024;
const PAGE = { sort: "start_time", order: "desc", limit: 100 } as const;

/** Traces of 6 spans, some hours apart, four to a session; a model in one, and one long trace over all of them. */
async function writeTraces({ writer }: ClickHouseUnderTest, count: number): Promise<void> {
	const spans = Array.from({ length: 6 * count }, (_, index) => {
		const trace = Math.floor(index / 6);
		return testSpan({
			...{ trace: index % 6 === 5 ? 1 : 10 + trace, span: index + 1, name: `span ${index % 50}` },
			...{ start: trace * 2 * HOUR_MICROS + index, duration: 1 + ((index * 7_919) % 90_001) },
			...{ session: index % 6 === 5 ? "long" : `session ${Math.floor(trace / 4)}` },
			...({ input: `question ${index} `.repeat(100), status: index % 17 === 0 ? 2 : 1 } as const),
		});
	});
	for (let at = 0; at < spans.length; at += 2_000) await writer.write(spans.slice(at, at + 2_000), []);
}

/** First pages of all lists, and everything that reads much. */
async function readAll(traces: TraceReader, project: number) {
	const shared = { projectId: project, limit: 50 } as const;
	const condition = (target: "span" | "trace", filter: string) => parseFilter(target, filter).condition;
	const none = { condition: present(condition("span", "name == 'nothing' or latency_ms > 1e9")) };
	const ids = async (page: Promise<{ readonly items: readonly { readonly id: number }[] }>) =>
		(await page).items.map(({ id }) => id);
	const [longest] = (await traces.listTraces({ ...shared, sort: "span_count", order: "desc" })).items;
	if (longest === undefined) throw new Error("expected a trace");
	const spansOfLongest = await allPages((after) =>
		traces.listTraceSpans(longest.id, { limit: 500, ...(after === undefined ? {} : { after }) }),
	);
	return {
		byStart: await ids(traces.listTraces({ ...shared, sort: "start_time", order: "desc" })),
		byCost: await ids(traces.listTraces({ ...shared, sort: "token_count_total", order: "asc" })),
		spans: await ids(traces.listSpans({ ...shared, sort: "start_time", order: "asc" })),
		numbers: await ids(traces.listSpans({ ...shared, sort: "id", order: "desc" })),
		latencies: await ids(traces.listSpans({ ...shared, sort: "latency_ms", order: "desc" })),
		errors: await ids(traces.listSpans({ ...shared, sort: "start_time", order: "desc", error: true })),
		none: await allPages((from) =>
			traces.listSpans({ ...shared, ...none, sort: "start_time", order: "desc", ...(from ? { from } : {}) }),
		),
		sessions: await ids(traces.listSessions({ ...shared, sort: "start_time", order: "desc" })),
		sessionsBySpans: await ids(traces.listSessions({ ...shared, sort: "span_count", order: "desc" })),
		texts: (await traces.listSessions({ ...shared, sort: "id", order: "asc" })).items.map((item) => item.firstInput),
		spansOfLongest: spansOfLongest.map(({ id }) => id),
		cumulative: (await traces.findCumulative(spansOfLongest.slice(0, 1))).size,
		content: (await traces.listStoredSpans({ ...shared, sort: "id", order: "asc" })).items.map(
			({ content }) => content.span.length,
		),
		count: await traces.countSpans({ projectId: project }),
		metrics: await traces.metrics({
			...{ projectId: project, groupBy: "name", bucket: "day" },
			...{ startMicros: 0, endMicros: 4_000_000_000_000_000 },
		}),
	};
}

/** A reader that notes which bounds its statements reached. */
function counting({ list }: TraceShards, store: ClickHouseUnderTest) {
	const shards = new CountingShards(list);
	const sources = {
		shard: shards,
		shards,
		db: store.db.read,
		highest: new HighestNumbers(),
		scattered: new ScatteredRows(),
		recent: new RecentPlaces(),
		hasTextIndex: false,
		readings: store.readings,
	};
	return { reached: shards.reached, traces: new ClickHouseTraceReader(sources, 2) };
}

class CountingShards extends TraceShards {
	readonly reached: ClickHouseFailure[] = [];

	override async select<Of extends Columns>(
		statement: string,
		columns: Of,
		options?: AskOptions,
	): Promise<RowOf<Of>[]> {
		try {
			return await super.select(statement, columns, options);
		} catch (error) {
			const failure = failureOf(error);
			if (failure !== undefined) this.reached.push(failure);
			throw error;
		}
	}
}

function present<T>(value: T | undefined): T {
	if (value === undefined) throw new Error("expected a value");
	return value;
}
