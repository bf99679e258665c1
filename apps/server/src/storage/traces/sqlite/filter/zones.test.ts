import { parseFilter } from "@spanward/filter-language";
import { expect, test } from "vitest";
import { randomFrom } from "#storage/traces/conformance/random-spans.ts";
import { allPages, projectId } from "#storage/traces/conformance/store-under-test.ts";
import { HOUR_0, type TestSpan, testSpan } from "#storage/traces/test-spans.ts";
import type { SpanQuery, SpanSummary } from "#storage/traces/trace-store.ts";
import { spansInZones } from "../read/span-zones.ts";
import { openTestStore, type SqliteUnderTest } from "../test-store.ts";
import { withWriter } from "../text/test-signatures.ts";
import { SpanZoneFiller } from "../upkeep/fill-span-zones.ts";
import { zoneCondition } from "./zones.ts";

type Check = (span: SpanSummary) => boolean;

const latency = ({ start, end }: SpanSummary) => (end.micros - start.micros) / 1_000;
const total = ({ tokens: { prompt, completion, total: sent } }: SpanSummary) =>
	sent ?? (prompt === undefined && completion === undefined ? -1 : (prompt ?? 0) + (completion ?? 0));

const byCondition = (filter: string): Partial<SpanQuery> => {
	const { condition } = parseFilter("span", filter);
	return condition === undefined ? {} : { condition };
};

const QUERIES: readonly (readonly [Partial<SpanQuery>, Check])[] = [
	[byCondition("llm.token_count.prompt > 950"), ({ tokens }) => (tokens.prompt ?? 0) > 950],
	[byCondition("990 <= llm_token_count_completion"), ({ tokens }) => (tokens.completion ?? 0) >= 990],
	[byCondition("llm_token_count_total >= 1900"), (span) => total(span) >= 1_900],
	[byCondition("llm.token_count.total == 7"), ({ tokens }) => tokens.total === 7],
	[byCondition("latency_ms > 99.5 and name == 'step'"), (span) => latency(span) > 99.5],
	[byCondition("latency_ms > 99.8 or status_code == 'error'"), (span) => latency(span) > 99.8 || span.statusCode === 2],
	[byCondition("not (latency_ms > 0.5)"), (span) => latency(span) <= 0.5],
	[byCondition("latency_ms < 0.5"), (span) => latency(span) < 0.5],
	[byCondition("status_code == 'ERROR' and latency_ms == 50"), (span) => span.statusCode === 2 && latency(span) === 50],
	[{ error: true }, ({ statusCode }) => statusCode === 2],
	[{ statusCodes: [2] }, ({ statusCode }) => statusCode === 2],
	[{ minLatencyMs: 99.9 }, (span) => latency(span) >= 99.9],
];

test("a list by values that zones know finds what looking at each span finds", async () => {
	const seed = Math.floor(Math.random() * 1e9);
	const random = randomFrom(seed);
	await using store = await openTestStore();
	await writeSpans(store, 3_000, random);
	fillZones(store);
	const traces = await store.traces.listTraces({ projectId: 1, sort: "start_time", order: "asc", limit: 200 });
	for (const trace of traces.items.slice(0, 100)) await store.traces.deleteTrace(trace.id);
	await writeSpans(store, 500, random);
	fillZones(store);
	await writeSpans(store, 50, random);
	const project = await projectId(store);
	const list = (query: Partial<SpanQuery>, order: "asc" | "desc") =>
		allPages((from) =>
			store.traces.listSpans({
				...query,
				projectId: project,
				sort: "id",
				order,
				limit: 7,
				...(from === undefined ? {} : { from }),
			}),
		);
	const all = await list({}, "asc");
	for (const [index, [query, check]] of QUERIES.entries()) {
		const wanted = all.filter(check).map(({ id }) => id);
		const ids = async (order: "asc" | "desc") => (await list(query, order)).map(({ id }) => id);
		expect(await ids("asc"), `query ${index}, seed ${seed}`).toEqual(wanted);
		expect(await ids("desc"), `query ${index}, seed ${seed}`).toEqual(wanted.toReversed());
	}
});

test("only zones with a large enough value are read, and those that are not known yet", async () => {
	await using store = await openTestStore();
	const writeBatch = (from: number, count: number) =>
		store.writer.write(
			Array.from({ length: count }, (_, index) =>
				testSpan({ span: from + index, tokens: { prompt: from + index === 700 ? 5_000 : 10 } }),
			),
			[],
		);
	await writeBatch(1, 1_023);
	fillZones(store);
	await writeBatch(1_024, 100);
	const query = { ...byCondition("llm.token_count.prompt > 4000"), projectId: 1 } as SpanQuery;
	const zones = zoneCondition(query);
	const ranges = withWriter(store, (db) => zones && spansInZones(db, zones, { first: 0, last: 1_100 }, 10_000));
	expect(ranges).toEqual([
		{ first: 640, last: 767 },
		{ first: 1_024, last: 1_100 },
	]);
});

test("a span that ends after its zone became known is found by its new values", async () => {
	await using store = await openTestStore();
	const spanOf = (number: number) => ({ span: number + 1, trace: number, start: number });
	const running = Array.from({ length: 500 }, (_, number) => ({ ...spanOf(number), isRunning: number % 100 === 7 }));
	await store.writer.write(running.map(testSpan), []);
	fillZones(store);
	const ended = { duration: 900_000, status: 2, tokens: { prompt: 5_000 } } as const;
	await store.writer.write(
		[7, 407].map((number) => testSpan({ ...spanOf(number), ...ended })),
		[],
	);
	for (const query of [
		byCondition("llm.token_count.prompt > 4000"),
		byCondition("latency_ms > 800"),
		{ error: true },
	]) {
		const list = { projectId: 1, sort: "id", order: "asc", limit: 10, ...query } as const;
		const { items } = await store.traces.listSpans(list);
		expect(items.map(({ start }) => start.micros - HOUR_0)).toEqual([7, 407]);
	}
});

test("zones of deleted spans go once no earlier span is left", async () => {
	await using store = await openTestStore();
	await writeSpans(store, 1_000, randomFrom(1));
	fillZones(store);
	for (const name of ["default", "other"])
		await store.traces.deleteTracesBetween(await projectId(store, name), 0, Number.MAX_SAFE_INTEGER);
	await writeSpans(store, 1_000, randomFrom(2));
	fillZones(store);
	const first = withWriter(store, (db) => db.prepare("select min(zone) as zone from span_zones").get()?.["zone"]);
	expect(first).toBe(Math.floor(1_001 / 128));
});

function fillZones(store: SqliteUnderTest): void {
	withWriter(store, (db, write) => {
		const filler = new SpanZoneFiller(db, 1);
		while (filler.prepare()) write(() => filler.write());
	});
}

let traces = 0;

/** Of two projects; large values come together. */
async function writeSpans(store: SqliteUnderTest, count: number, random: () => number): Promise<void> {
	const below = (limit: number) => Math.floor(random() * limit);
	for (let written = 0; written < count; written += 50) {
		traces += 1;
		const isLarge = random() < 0.1;
		const most = isLarge ? 1_001 : 500;
		const spans = Array.from(
			{ length: Math.min(50, count - written) },
			(_, index): TestSpan => ({
				project: random() < 0.9 ? "default" : "other",
				trace: traces * 100 + below(5),
				span: index + 1,
				start: traces,
				duration: below(most) * 100,
				status: isLarge && random() < 0.1 ? 2 : below(2) === 0 ? 0 : 1,
				...(random() < 0.5
					? {
							tokens: {
								...(random() < 0.8 ? { prompt: below(most) } : {}),
								...(random() < 0.8 ? { completion: below(most) } : {}),
								...(random() < 0.1 ? { total: below(12) } : {}),
							},
						}
					: {}),
			}),
		);
		await store.writer.write(spans.map(testSpan), []);
	}
}
