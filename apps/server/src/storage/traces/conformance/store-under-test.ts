import { expect } from "vitest";
import type { Database } from "#storage/database.ts";
import type { SpendLedger } from "#storage/spend-ledger.ts";
import type { NormalizedSpan, TraceWriter } from "../span-batch.ts";
import { HOUR_0 } from "../test-spans.ts";
import {
	expectedCumulative,
	expectedMetrics,
	expectedSessions,
	expectedSpend,
	expectedTraces,
	identityOf,
} from "../test-totals.ts";
import type {
	Keyset,
	MetricsPoint,
	MetricsQuery,
	Page,
	SessionSummary,
	SpanSummary,
	TraceStore,
	TraceSummary,
} from "../trace-store.ts";
import { readSpend } from "./read-spend.ts";

/** An empty store for one test. */
export interface StoreUnderTest extends AsyncDisposable {
	readonly traces: TraceStore;
	readonly writer: TraceWriter;
	readonly db: Database;
	readonly spend: SpendLedger;
	/** How a name, id or text of lists reads after being stored; unchanged when absent. */
	readonly shown?: (sent: string) => string;
}

export type OpenStore = () => Promise<StoreUnderTest>;

export async function projectId({ db }: Pick<StoreUnderTest, "db">, name = "default"): Promise<number> {
	const { id } = await db.read.selectFrom("projects").select("id").where("name", "=", name).executeTakeFirstOrThrow();
	return id;
}

/** All items, page by page. */
export async function allPages<T>(list: (at: Keyset | undefined) => Promise<Page<T>>): Promise<T[]> {
	const items: T[] = [];
	for (let at: Keyset | undefined; ; ) {
		const page = await list(at);
		items.push(...page.items);
		expect(page.more).toBe(page.next !== undefined);
		if (page.next === undefined) return items;
		at = page.next;
	}
}

export function allTraces({ traces }: StoreUnderTest, project: number, limit = 1_000): Promise<TraceSummary[]> {
	return allPages((after) =>
		traces.listTraces({ projectId: project, sort: "start_time", order: "asc", limit, ...at("after", after) }),
	);
}

export function allSpans({ traces }: StoreUnderTest, project: number, limit = 1_000): Promise<SpanSummary[]> {
	return allPages((from) =>
		traces.listSpans({ projectId: project, sort: "start_time", order: "asc", limit, ...at("from", from) }),
	);
}

export function allSessions({ traces }: StoreUnderTest, project: number): Promise<SessionSummary[]> {
	return allPages((from) =>
		traces.listSessions({ projectId: project, sort: "id", order: "asc", limit: 1_000, ...at("from", from) }),
	);
}

function at<Name extends string>(name: Name, keyset: Keyset | undefined): Partial<Record<Name, Keyset>> {
	return keyset === undefined ? {} : ({ [name]: keyset } as Record<Name, Keyset>);
}

const HOUR = 3_600_000_000;
const ALL_TIME = { startMicros: 0, endMicros: HOUR_0 * 2 };
/** Around all spans: rows of spans are read step by step, and a century is many statements. */
const HOURS = { startMicros: HOUR_0 - HOUR, endMicros: HOUR_0 + 3 * HOUR };
const METRICS: readonly Omit<MetricsQuery, "projectId">[] = [
	{ ...ALL_TIME, bucket: "day" },
	{ ...ALL_TIME, bucket: "hour", groupBy: "kind" },
	{ ...ALL_TIME, bucket: "hour", groupBy: "model" },
	{ ...HOURS, bucket: "minute" },
	{ ...HOURS, bucket: "hour", groupBy: "name" },
];

/** Compares everything that the store shows with what follows from `spans`, which has each stored identity once. */
export async function expectTotals(
	store: StoreUnderTest,
	spans: readonly NormalizedSpan[],
	projects: readonly string[] = ["default"],
): Promise<void> {
	for (const name of projects) {
		const project = await projectId(store, name);
		const own = spans.filter((span) => span.projectName === name);
		const traces = await allTraces(store, project);
		expect(
			byKey(
				traces.map((trace) => ({ ...withoutRows(trace), project: name })),
				"traceId",
			),
		).toEqual(byKey(expectedTraces(own), "traceId"));
		const sessions = (await allSessions(store, project)).filter((session) => session.traceCount > 0);
		expect(
			byKey(
				sessions.map((session) => ({ ...withoutRows(session), project: name })),
				"sessionId",
			),
		).toEqual(byKey(expectedSessions(own), "sessionId"));
		expect(await readSpend(store, project)).toEqual(expectedSpend(own));
		for (const query of METRICS) {
			const found = await store.traces.metrics({ projectId: project, ...query });
			expectMetrics(found, expectedMetrics(own, query));
		}
		const rows = await allSpans(store, project);
		const cumulative = await store.traces.findCumulative(rows);
		const found = new Map(rows.map((row) => [identityOfRow(name, row), cumulative.get(row.id)]));
		expect(found).toEqual(expectedCumulative(own));
		// Of few spans of a trace, only what they need is read: of one of each trace, and of one alone.
		const ofTraces = [...Map.groupBy(rows, ({ traceRowId }) => traceRowId).values()];
		const [last = [], before = []] = [-1, -2].map((place) => ofTraces.flatMap((each) => each.at(place) ?? []));
		for (const few of [last, before, last.slice(0, 1), before.slice(-1)]) {
			const again = await store.traces.findCumulative(few);
			expect(few.map(({ id }) => again.get(id))).toEqual(few.map(({ id }) => cumulative.get(id)));
		}
	}
}

function withoutRows<T extends TraceSummary | SessionSummary>(row: T): Record<string, unknown> {
	const { id: _id, projectId: _projectId, ...rest } = row;
	const rowIds = { sessionRowId: null, rootSpanRowId: 0 };
	const { sessionRowId: _sessionRowId, rootSpanRowId: _rootSpanRowId, ...shown } = { ...rowIds, ...rest };
	return shown;
}

function identityOfRow(project: string, row: SpanSummary): string {
	return `${project} ${row.traceId} ${row.spanId} ${row.start.micros} ${row.start.nanos}`;
}

function byKey(rows: readonly object[], key: "traceId" | "sessionId"): Map<unknown, object> {
	const map = new Map(rows.map((row) => [key in row ? row[key as never] : undefined, row]));
	expect(map.size).toBe(rows.length);
	return map;
}

function expectMetrics(found: readonly MetricsPoint[], expected: readonly MetricsPoint[]): void {
	const sorted = (points: readonly MetricsPoint[]) =>
		points
			.filter((point) => point.spanCount + point.traceCount > 0)
			.map((point) => [`${point.startMicros} ${JSON.stringify(point.group)}`, point] as const)
			.sort(([a], [b]) => (a < b ? -1 : 1));
	const counts = (points: readonly MetricsPoint[]) =>
		sorted(points).map(([key, { latencyMs, ...rest }]) => [key, { ...rest, hasLatency: latencyMs !== null }]);
	expect(counts(found)).toEqual(counts(expected));
	const exact = new Map(sorted(expected));
	for (const [key, { latencyMs }] of sorted(found)) {
		const want = exact.get(key)?.latencyMs;
		if (latencyMs === null || !want) continue;
		for (const share of ["p50", "p95", "p99"] as const)
			expect(Math.abs(latencyMs[share] - want[share])).toBeLessThanOrEqual(want[share] * 0.05 + 0.001);
	}
}

/** The identities in the store, with their number of occurrences. */
export async function storedIdentities(store: StoreUnderTest, project: string): Promise<string[]> {
	const rows = await allSpans(store, await projectId(store, project));
	return rows.map((row) => identityOfRow(project, row)).sort();
}

export function identities(spans: readonly NormalizedSpan[]): string[] {
	return spans.map(identityOf).sort();
}
