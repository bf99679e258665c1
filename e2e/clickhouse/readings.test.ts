import { type FilterTarget, parseFilter } from "@spanward/filter-language";
import { decodeSpan, toPlainMap } from "@spanward/otlp";
import { READING, readFacts } from "@spanward/semconv";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { ClickHouseMetrics } from "../../apps/server/src/operations/metrics/clickhouse-metrics.ts";
import { toText } from "../../apps/server/src/operations/metrics/exposition.ts";
import { readTracesHealth } from "../../apps/server/src/operations/storage-capacity/traces-health.ts";
import { SpanPrices } from "../../apps/server/src/pricing/price-of.ts";
import { ClickHousePlace } from "../../apps/server/src/storage/traces/clickhouse/clickhouse-place.ts";
import { noteFact, readFact } from "../../apps/server/src/storage/traces/clickhouse/facts.ts";
import { countOlderRows } from "../../apps/server/src/storage/traces/clickhouse/readings/count-older.ts";
import { renewReadings } from "../../apps/server/src/storage/traces/clickhouse/upkeep/renew-readings.ts";
import { repairBatches } from "../../apps/server/src/storage/traces/clickhouse/upkeep/repair.ts";
import {
	allPages,
	allSpans,
	expectTotals,
	projectId,
} from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import type { NormalizedSpan } from "../../apps/server/src/storage/traces/span-batch.ts";
import { StorageUnavailable } from "../../apps/server/src/storage/traces/span-batch.ts";
import { testSpan } from "../../apps/server/src/storage/traces/test-spans.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { damageIn, reconcile } from "./damage.ts";
import { type ClickHouseUnderTest, openStore } from "./open-store.ts";

/** Statements are made to fail. */
const test = testWith("clickhouse");

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse({});
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
beforeEach(() => clickhouse.heal());

const TRACES = 12;
const prices = new SpanPrices();

/** A trace of an agent and its call of a model, as they are sent; every third one has no session. */
function traceOf(trace: number): NormalizedSpan[] {
	const session = { "session.id": `session ${trace % 3}` };
	const call = { "llm.model_name": trace % 2 ? "gpt-4o" : "of my own", "llm.token_count.prompt": 10 * trace };
	return [
		testSpan({
			...{ trace, span: 1, start: trace * 10_000, kind: "AGENT", input: `question ${trace}`, output: "answer" },
			attributes: { "user.id": `user ${trace % 2}`, release: `1.${trace % 2}`, ...(trace % 3 === 0 ? {} : session) },
		}),
		testSpan({
			...{ trace, span: 2, parent: 1, start: trace * 10_000 + 1, kind: "LLM", input: "prompt" },
			attributes: { ...call, "llm.token_count.completion": 5, ...(trace === 4 ? { "llm.cost.total": 0.5 } : {}) },
		}),
	].map(readNow);
}

/** With what the current reading finds in the attributes. */
function readNow(span: NormalizedSpan): NormalizedSpan {
	const facts = readFacts(span.name, "test", toPlainMap(decodeSpan(span.bytes).attributes));
	return { ...span, facts, cost: prices.priceOf(facts, span.start.micros) };
}

/** With the little that a former reading found: a session, which it took for another one in the second trace. */
function readBefore(span: NormalizedSpan): NormalizedSpan {
	const { session_id } = span.facts;
	const session = span.traceId.endsWith("2") ? "session of before" : session_id;
	return {
		...span,
		facts: {
			...{ convention: "plain", kind: "UNKNOWN", tokens: {}, tokens_are_aggregate: false },
			...(session === undefined ? {} : { session_id: session }),
		},
		cost: null,
		texts: () => ({ input: undefined, output: undefined }),
	};
}

/** A store with traces that the reading before all others has made, one of which has got another span since. */
async function openOld() {
	const store = await openStore(clickhouse);
	const old = Array.from({ length: TRACES }, (_, index) => traceOf(index + 1)).flat();
	await store.writer.write(old.map(readBefore), []);
	for (const table of ["spans", "traces"])
		await store.shard.execute(`alter table ${table} update reading = 0 where true`, {
			settings: { mutations_sync: "2" },
		});
	await noteFact(store.shard, "reading", "0");
	await store.readings.look();
	expect(store.readings.hasOlder).toBe(true);
	const late = testSpan({
		...{ trace: 1, span: 3, parent: 1, start: 10_002, kind: "LLM" },
		attributes: { "llm.model_name": "gpt-4o", "llm.token_count.prompt": 7 },
	});
	const added = [readNow(late), ...traceOf(TRACES + 1)];
	await store.writer.write(added, []);
	return { store, spans: [...old, ...added] };
}

const FILTERS: readonly (readonly [target: FilterTarget, filter: string])[] = [
	["span", "release == '1.0'"],
	["span", "user_id == 'user 1' and session_id != 'session 1'"],
	["trace", "release == '1.1'"],
	["span", "span_kind == 'LLM'"],
	["span", "span_kind == 'UNKNOWN'"],
	["span", "not (model == 'gpt-4o')"],
	["span", "llm_token_count_total > 50 and model == 'gpt-4o'"],
	["span", "total_cost == 0.5"],
	["span", "cumulative_llm_token_count_prompt > 60"],
	["trace", "user_id == 'user 1'"],
	["trace", "session_id is None"],
	["trace", "session_id == 'session 1'"],
	["trace", "token_count_prompt > 60"],
	["trace", "any(s.model == 'of my own' and s.llm_token_count_prompt > 60 for s in spans)"],
	["session", "session_id == 'session 1' and token_count_total > 150"],
];

/** What lists with and without conditions on attributes show, by their names. */
async function answers(store: ClickHouseUnderTest) {
	const project = { projectId: await projectId(store) };
	const { traces } = store;
	const bySpan = { ...project, sort: "start_time", order: "asc", limit: 4 } as const;
	const spanPages = (query: object) =>
		allPages((from) => traces.listSpans({ ...bySpan, ...query, ...(from === undefined ? {} : { from }) }));
	const tracePages = (query: object) =>
		allPages((after) => traces.listTraces({ ...bySpan, ...query, ...(after === undefined ? {} : { after }) }));
	const sessionPages = (query: object) =>
		allPages((from) => traces.listSessions({ ...bySpan, ...query, ...(from === undefined ? {} : { from }) }));
	const found: Record<string, readonly object[]> = {
		"spans of kinds": await spanPages({ kinds: ["LLM", "AGENT"] }),
		"spans of a model": await spanPages({ models: ["gpt-4o"] }),
		"spans of a user": await spanPages({ userIds: ["user 1"] }),
		"spans of sessions": await spanPages({ sessionIds: ["session 1", "session 2"] }),
		"traces of a user": await tracePages({ userIds: ["user 0"] }),
		spans: await allSpans(store, project.projectId),
	};
	for (const [target, filter] of FILTERS) {
		const { condition } = parseFilter(target, filter);
		const pages = { span: spanPages, trace: tracePages, session: sessionPages }[target];
		found[`${target}s with ${filter}`] = await pages({ condition });
	}
	return found;
}

/** What changes only as rows are written: which row of a session a trace has. */
function withoutSessionRows(found: Readonly<Record<string, readonly object[]>>) {
	return Object.entries(found).map(([name, rows]) => ({
		name,
		rows: rows.map((row) => Object.fromEntries(Object.entries(row).filter(([field]) => field !== "sessionRowId"))),
	}));
}

/** What a scrape and Settings → Storage say of rows that are left. */
async function readProgress({ shards, readings }: ClickHouseUnderTest) {
	const place = new ClickHousePlace(shards, { insertIntervalMs: 20 }, readings);
	const ingest = {
		...{ health: () => ({ duplicateSpans: 0 }) as never, insertIntervalMs: () => 20 },
		storageRefusal: undefined,
	};
	using metrics = new ClickHouseMetrics({ SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS: 20 }, place, ingest);
	const lines = toText(await metrics.families()).split("\n");
	const { olderRows } = await readTracesHealth({ ingest, place });
	return { metric: lines.filter((line) => line.startsWith("spanward_clickhouse_older_rows")), page: olderRows };
}

/** With so many left. */
function progressOf(spans: number, traces: number) {
	const metric = [
		`spanward_clickhouse_older_rows{table="spans"} ${spans}`,
		`spanward_clickhouse_older_rows{table="traces"} ${traces}`,
	];
	return { metric, page: spans + traces };
}

test("K44 what a former reading has stored is filtered by the current one at once, and made anew behind", async () => {
	const { store, spans } = await openOld();
	await using _ = store;
	const before = withoutSessionRows(await answers(store));
	const empty = before.filter(({ rows }) => rows.length === 0).map(({ name }) => name);
	expect(empty).toEqual(["spans with span_kind == 'UNKNOWN'"]);
	expect(await readProgress(store)).toEqual(progressOf(2 * TRACES, TRACES));
	expect(await damageIn(store)).toEqual([]);
	const sentences: string[] = [];
	const renew = async (stopped = new AbortController().signal) => {
		await using turns = store.metadata.openTurns();
		const { shards, db } = store;
		return await renewReadings({ shards, db, turns, tell: (sentence) => sentences.push(sentence) }, stopped);
	};

	// It dies between the rows of spans and those of their traces.
	await clickhouse.fail([{ match: "^insert into traces ", kind: "error", code: 241, times: 20 }]);
	await expect(renew()).rejects.toThrow(StorageUnavailable);
	await clickhouse.heal();
	await store.readings.look();
	expect(store.readings.hasOlder).toBe(true);
	expect(await readProgress(store)).toEqual(progressOf(0, TRACES));
	expect(withoutSessionRows(await answers(store))).toEqual(before);
	{
		await using turns = store.metadata.openTurns();
		await repairBatches({ shards: store.shards, db: store.db, turns }, 0);
	}
	expect(withoutSessionRows(await answers(store))).toEqual(before);
	await renew();
	expect(await countOlderRows(store.shards)).toEqual({ spans: 0, traces: 0 });
	expect(await readFact(store.shard, "reading")).toBe(String(READING));
	await store.readings.look();
	expect(store.readings.hasOlder).toBe(false);
	expect(await readProgress(store)).toEqual(progressOf(0, 0));
	expect(withoutSessionRows(await answers(store))).toEqual(before);
	await expectTotals(store, spans);
	expect(await damageIn(store)).toEqual([]);
	expect(await reconcile(store)).toEqual([]);
	expect(await renew()).toBe(0);
});
