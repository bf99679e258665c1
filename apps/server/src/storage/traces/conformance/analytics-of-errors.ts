import { parseFilter } from "@spanward/filter-language";
import { expect, it } from "vitest";
import type { Tables } from "#storage/schema.ts";
import type { AnalyticsQuery, GroupBy, NumberValue } from "../analytics/analytics-query.ts";
import { firstTraces } from "../analytics/analyze-lists.ts";
import { MEASURES, type Measure } from "../analytics/measures.ts";
import { type TestRow, testRows, valuesOf } from "../analytics/test-analytics.ts";
import type { NormalizedSpan } from "../span-batch.ts";
import { HOUR_0, testSpan } from "../test-spans.ts";
import { distinct, identityOf } from "../test-totals.ts";
import { expectAnswer, type Question, withAttributes } from "./analytics.ts";
import { batches, randomFrom, randomTestSpans } from "./random-spans.ts";
import {
	allPages,
	allSessions,
	allSpans,
	allTraces,
	type OpenStore,
	projectId,
	type StoreUnderTest,
} from "./store-under-test.ts";

const QUESTIONS = 25;
const PROJECTS = ["default", "other"];
const HOUR = 3_600_000_000;
const MINUTE = 60_000_000;
const KINDS = ["provider_error", "tool_failure", "error"] as const;
const FINGERPRINTS = ["a", "b", "c"].map((digit) => digit.repeat(32));
/** Of two fingerprints that are in one group, the one that the group is called by. */
const MERGED = new Map([["c".repeat(32), "a".repeat(32)]]);

/** Filters of spans, with what they mean for the span of an occurrence. */
const FILTERS: readonly (readonly [filter: string, fits: (row: TestRow) => boolean])[] = [
	["span_kind == 'LLM'", ({ kind }) => kind === "LLM"],
	["attributes['tier'] == 'gold'", ({ attributes }) => attributes["tier"] === "gold"],
	["error_kind == 'error'", ({ occurrence }) => occurrence?.error_kind === "error"],
	[`error_group == '${FINGERPRINTS[0]}'`, ({ occurrence }) => occurrence?.error_group === FINGERPRINTS[0]],
	[
		"error_tool in ['search', 'x'] or name == 'step 1'",
		(row) => row.occurrence?.tool === "search" || row.name === "step 1",
	],
];

export function conformsInAnalyticsOfErrors(open: OpenStore, questions = QUESTIONS): void {
	it("answers any question about errors as counting them one by one does", { timeout: 180_000 }, async () => {
		const seed = Math.floor(Math.random() * 1e9);
		const random = randomFrom(seed);
		await using store = await open();
		const sent = withAttributes(randomTestSpans(random, 300, PROJECTS), random);
		const spans = sent.map(testSpan);
		const attributes = new Map(spans.map((span, index) => [span, sent[index]?.attributes ?? {}]));
		for (const batch of batches(spans, 60, random)) await store.writer.write(batch, []);
		const projects = new Map(
			await Promise.all(PROJECTS.map(async (name) => [name, await projectId(store, name)] as const)),
		);
		const rows = await fail(store, distinct(spans), (span) => attributes.get(span) ?? {}, projects, random);
		await deleteMarks(store);
		for (let number = 0; number < questions; number += 1) {
			const asked = randomQuestion(random, [...projects.values()]);
			await expectAnswer(store, asked, rows, projects, `seed ${seed}, ${JSON.stringify(asked.query)}`, new Set());
		}
		await expectValues(store, rows, projects.get("default") ?? 0, `seed ${seed}`);
		for (const project of projects.values()) await expectGroups(store, project, `seed ${seed}`);
	});

	it("says how far it came with errors, and when some are not grouped yet", async () => {
		await using store = await open();
		const spans = Array.from({ length: 5_000 }, (_, number) =>
			testSpan({ trace: 1 + Math.floor(number / 100), span: 1 + number, start: number * 1_000_000 }),
		);
		for (const batch of batches(spans, 2_000, randomFrom(1))) await store.writer.write(batch, []);
		const project = await projectId(store);
		await fail(
			store,
			spans,
			() => ({}),
			new Map([["default", project]]),
			() => 0,
		);
		await deleteMarks(store);
		const edges = Array.from({ length: 6 }, (_, bucket) => HOUR_0 + bucket * 1_000 * 1_000_000);
		const query: AnalyticsQuery = {
			...{ of: "errors", projectIds: [project], edges, groupBy: [], limit: 10, timeoutMs: 60_000 },
			measures: [{ type: "named", name: "count" }],
			sort: { by: 0, descending: true },
		};
		const whole = await store.traces.analyze(query);
		expect(whole.all.values[0]).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
		expect([whole.coveredMicros, whole.isBehind]).toEqual([undefined, undefined]);
		const part = await store.traces.analyze({ ...query, timeoutMs: 0 });
		const covered = part.coveredMicros ?? 0;
		expect(covered).toBeGreaterThan(HOUR_0);
		expect(part.all.values[0]).toEqual(edges.slice(0, -1).map((start) => (start >= covered ? 1_000 : null)));

		// As after an upgrade, while older failures are still being noted.
		const before = HOUR_0 + 1_500 * 1_000_000;
		await store.db.write(async (transaction) => {
			await transaction
				.insertInto("state")
				.values({ name: "error_backfill", value: JSON.stringify({ before }) })
				.execute();
		});
		const known = await store.traces.analyze(query);
		expect(known.coveredMicros).toBe(before);
		expect(known.all.values[0]).toEqual([null, null, 1_000, 1_000, 1_000]);
		expect(known.all.totals).toEqual([3_500]);
		const later = await store.traces.analyze({ ...query, edges: edges.slice(2) });
		expect(later.coveredMicros).toBeUndefined();
		const values = { of: "errors", projectId: project, limit: 10, timeoutMs: 60_000 } as const;
		const fields: readonly GroupBy[] = [{ type: "field", name: "name" }];
		const range = { startMicros: HOUR_0, endMicros: edges.at(-1) ?? 0 };
		expect(await store.traces.countValues({ ...values, ...range, fields })).toEqual([
			{ values: [{ value: "step", rows: 3_500 }], distinct: 1, isPartial: true },
		]);
		await store.db.write(async (transaction) => {
			await transaction.deleteFrom("state").where("name", "=", "error_backfill").execute();
		});

		const { items } = await store.traces.listSpans({
			...{ projectId: project, sort: "start_time", order: "asc", limit: 1 },
		});
		await store.db.write(async (transaction) => {
			await transaction
				.insertInto("error_backlog")
				.values({ trace_row_id: items[0]?.traceRowId ?? 0, first_at: 1, last_at: 1, generation: 1 })
				.execute();
		});
		const waits = await store.traces.analyze(query);
		expect([waits.isBehind, waits.all.totals[0]]).toEqual([true, 5_000]);
		const others = { ...query, edges: edges.slice(1) };
		expect((await store.traces.analyze(others)).isBehind).toBeUndefined();
		expect((await store.traces.analyze({ ...query, projectIds: [project + 1_000] })).isBehind).toBeUndefined();
		const grouped = { ...query, of: "spans", groupBy: [{ type: "field", name: "error_group" }] } as const;
		expect((await store.traces.analyze(grouped)).isBehind).toBe(true);
		expect((await store.traces.analyze({ ...grouped, groupBy: [] })).isBehind).toBeUndefined();
		const compared = { ...others, previousEdges: edges.slice(0, -1) };
		expect((await store.traces.analyze(compared)).isBehind).toBe(true);
		const [counted] = await store.traces.countValues({ ...values, ...range, fields });
		expect(counted?.isPartial).toBe(true);
	});
}

/** Spans that are read later are not among the failures that wait. */
async function deleteMarks({ db }: StoreUnderTest): Promise<void> {
	await db.write(async (transaction) => {
		await transaction.deleteFrom("error_backlog").execute();
	});
}

/** Makes about half of the spans failures, in groups of each project. @param random below 0.5 for a span that fails */
async function fail(
	store: StoreUnderTest,
	spans: readonly NormalizedSpan[],
	attributesOf: (span: NormalizedSpan) => Readonly<Record<string, unknown>>,
	projects: ReadonlyMap<string, number>,
	random: () => number,
): Promise<TestRow[]> {
	const groupIds = await insertGroups(store, [...projects.values()]);
	const rows = testRows("spans", spans, attributesOf);
	const found: TestRow[] = [];
	const stored: Omit<Tables["error_occurrences"], "id">[] = [];
	for (const [name, project] of projects) {
		const ids = new Map(
			(await allSpans(store, project)).map((span) => [
				`${name} ${span.traceId} ${span.spanId} ${span.start.micros} ${span.start.nanos}`,
				span,
			]),
		);
		for (const [index, span] of spans.entries()) {
			const [row, own] = [rows[index], ids.get(identityOf(span))];
			if (row === undefined || own === undefined || random() >= 0.5) continue;
			const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
			const fingerprint = pick(FINGERPRINTS);
			const group = MERGED.get(fingerprint) ?? fingerprint;
			const [kind, tool] = [pick(KINDS), pick([null, "search", "weather"])];
			found.push({ ...row, occurrence: { error_group: group, error_kind: kind, tool, key: `${name} ${group}` } });
			stored.push({
				...{ project_id: project, group_id: groupIds.get(`${project} ${group}`) ?? 0, fingerprint, kind, tool },
				...{ trace_row_id: own.traceRowId, span_row_id: own.id, start_micros: own.start.micros, version: 1 },
				trace_id: Buffer.from(own.traceId, "hex"),
				span_id: Buffer.from(own.spanId, "hex"),
				...{ message: "it broke", user_id: null, session_id: null, release: null, environment: null, model: null },
			});
		}
	}
	await store.db.write(async (transaction) => {
		for (let first = 0; first < stored.length; first += 500)
			await transaction
				.insertInto("error_occurrences")
				.values(stored.slice(first, first + 500))
				.execute();
	});
	return found;
}

/** Row numbers by project and fingerprint. */
async function insertGroups({ db }: StoreUnderTest, projects: readonly number[]): Promise<ReadonlyMap<string, number>> {
	const times = { first_seen: HOUR_0, last_seen: HOUR_0, created_at: HOUR_0, updated_at: HOUR_0 };
	return await db.write(async (transaction) => {
		const ids = new Map<string, number>();
		for (const project of projects)
			for (const fingerprint of FINGERPRINTS.filter((each) => !MERGED.has(each))) {
				const { id } = await transaction
					.insertInto("error_groups")
					.values({
						...{ project_id: project, fingerprint, total_count: 0, first_release: null, last_release: null },
						...times,
					})
					.returning("id")
					.executeTakeFirstOrThrow();
				ids.set(`${project} ${fingerprint}`, id);
			}
		return ids;
	});
}

/** Values are counted as one by one, and each is written as a filter that lists as many spans. */
async function expectValues(
	store: StoreUnderTest,
	rows: readonly TestRow[],
	project: number,
	message: string,
): Promise<void> {
	const own = rows.filter((row) => row.project === "default");
	const fields = OWN.map((name): GroupBy => ({ type: "occurrence", name }));
	const range = { startMicros: HOUR_0 - HOUR, endMicros: HOUR_0 + MINUTE };
	const inRange = own.filter(({ micros }) => micros >= range.startMicros && micros < range.endMicros);
	const counts = await store.traces.countValues({
		...{ of: "errors", projectId: project, fields, limit: 100, timeoutMs: 60_000, ...range },
	});
	for (const [place, by] of fields.entries()) {
		const expected = new Map<unknown, number>();
		for (const row of inRange)
			for (const value of valuesOf(row, by, () => project)) expected.set(value, (expected.get(value) ?? 0) + 1);
		expect(new Map(counts[place]?.values.map(({ value, rows: count }) => [value, count])), message).toEqual(expected);
		for (const [value, count] of expected) {
			const field = FILTER_FIELDS[OWN[place] ?? "tool"];
			const part = value === null ? `${field} is None` : `${field} == '${value}'`;
			const { condition } = parseFilter("span", `error_kind is not None and ${part}`);
			if (condition === undefined) throw new Error("it is an expression");
			const listed = await allPages((from) =>
				store.traces.listSpans({
					...{ projectId: project, condition, sort: "start_time", order: "desc", limit: 50, ...range },
					...(from === undefined ? {} : { from }),
				}),
			);
			expect(listed.length, `${message}: ${part}`).toBe(count);
		}
	}
}

/** Spans, traces and sessions are in the group of errors of the span itself, of their root, or of the root of their first trace. */
async function expectGroups(store: StoreUnderTest, project: number, message: string): Promise<void> {
	const stored = await store.db.read
		.selectFrom("error_occurrences as failed")
		.innerJoin("error_groups as own", "own.id", "failed.group_id")
		.select(["failed.span_row_id", "own.fingerprint"])
		.execute();
	const groups = new Map(stored.map(({ span_row_id: id, fingerprint }) => [id, fingerprint]));
	const traces = await allTraces(store, project);
	const sessions = await allSessions(store, project);
	const first = await firstTraces({ tracesOfSessions: async () => traces }, sessions);
	const spanIds = {
		spans: (await allSpans(store, project)).map(({ id }) => id),
		traces: traces.map(({ rootSpanRowId }) => rootSpanRowId),
		sessions: sessions.map(({ id }) => first.get(id)?.rootSpanRowId ?? 0),
	};
	for (const of of ["spans", "traces", "sessions"] as const) {
		const expected = new Map<string | null, number>();
		for (const id of spanIds[of]) {
			const group = groups.get(id) ?? null;
			expected.set(group, (expected.get(group) ?? 0) + 1);
		}
		const answer = await store.traces.analyze({
			...{
				of,
				projectIds: [project],
				edges: [HOUR_0 - 1_000 * HOUR, HOUR_0 + 1_000 * HOUR],
				limit: 10,
				timeoutMs: 60_000,
			},
			groupBy: [{ type: "field", name: "error_group" }],
			measures: [{ type: "named", name: "count" }],
			sort: { by: 0, descending: true },
		});
		expect(new Map(answer.groups.map(({ group, totals }) => [group[0], totals[0]])), `${message}, ${of}`).toEqual(
			expected,
		);
		expect(answer.isBehind).toBeUndefined();
	}
}

const FIELDS = ["project", "model", "kind", "name", "status", "user", "session", "release"] as const;
const OWN = ["error_group", "error_kind", "tool"] as const;
const FILTER_FIELDS = { error_group: "error_group", error_kind: "error_kind", tool: "error_tool" } as const;

const NUMBERS: readonly NumberValue[] = [
	{ type: "attribute", path: ["ttft"] },
	{ type: "field", name: "latency_ms" },
];

function randomQuestion(random: () => number, projects: readonly number[]): Question {
	const below = (limit: number) => Math.floor(random() * limit);
	const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
	const [filter, fits = () => true] = random() < 0.5 ? [] : pick(FILTERS);
	const { condition } = filter === undefined ? { condition: undefined } : parseFilter("span", filter);
	const edges = [
		HOUR_0 - HOUR,
		...[HOUR_0, HOUR_0 + 1_000, HOUR_0 + 2_500, HOUR_0 + HOUR].filter(() => random() < 0.4),
		HOUR_0 + 5 * HOUR,
	];
	const measures = Array.from({ length: 1 + below(5) }, (): Measure => {
		if (random() < 0.8) return { type: "named", name: pick(Object.keys(MEASURES.errors)) };
		return { type: "function", function: pick(["avg", "max"]), value: pick(NUMBERS) };
	});
	const own = OWN.map((name): GroupBy => ({ type: "occurrence", name }));
	const groups: GroupBy[] = [
		...FIELDS.map((name): GroupBy => ({ type: "field", name })),
		{ type: "attribute", path: ["mixed"] },
		{ type: "tag" },
	];
	const groupBy = [[], [pick(own)], [pick(own), pick(own)], [pick(groups)], [pick(own), pick(groups)]][below(5)] ?? [];
	return {
		fits,
		query: {
			of: "errors",
			projectIds: random() < 0.3 ? projects : [projects[0] ?? 0],
			...(condition === undefined ? {} : { condition }),
			edges,
			...(random() < 0.2 ? { previousEdges: edges.map((edge) => edge - HOUR) } : {}),
			groupBy,
			measures,
			sort: { by: random() < 0.2 ? "group" : below(measures.length), descending: random() < 0.7 },
			limit: 1 + below(6),
			timeoutMs: 60_000,
		},
	};
}
