import { parseFilter } from "@spanward/filter-language";
import { expect, it } from "vitest";
import type {
	AnalyticsQuery,
	Cells,
	GroupBy,
	GroupValue,
	NumberValue,
	TraceRows,
} from "../analytics/analytics-query.ts";
import { TARGETS } from "../analytics/analyze-lists.ts";
import { hashOfGroup } from "../analytics/group-index.ts";
import { MEASURE_FUNCTIONS, MEASURES, type Measure } from "../analytics/measures.ts";
import { expectedTotals, type TestRow, testRows, valuesOf } from "../analytics/test-analytics.ts";
import { HOUR_0, type TestSpan, testSpan } from "../test-spans.ts";
import { distinct } from "../test-totals.ts";
import { batches, randomFrom, randomTestSpans } from "./random-spans.ts";
import { type OpenStore, projectId, type StoreUnderTest } from "./store-under-test.ts";

const QUESTIONS = 60;
const PROJECTS = ["default", "other"];
const HOUR = 3_600_000_000;
const OF = ["spans", "traces", "sessions"] as const;

/** Filters that a row of each kind understands, with what they mean. */
const FILTERS: readonly (readonly [filter: string, of: readonly string[], fits: (row: TestRow) => boolean])[] = [
	["name == 'step 1'", ["spans", "traces"], ({ name }) => name === "step 1"],
	["span_kind == 'LLM'", ["spans"], ({ kind }) => kind === "LLM"],
	["attributes['tier'] == 'gold'", OF, ({ attributes }) => attributes["tier"] === "gold"],
	["error_count > 0", ["traces", "sessions"], ({ status }) => status === "ERROR"],
	[
		"model == 'model-1' or status_code == 'ERROR'",
		["spans"],
		(row) => row.model === "model-1" || row.status === "ERROR",
	],
	["user_id == 'user-1'", ["traces", "sessions"], ({ user }) => user === "user-1"],
];

export function conformsInAnalytics(open: OpenStore, questions = QUESTIONS): void {
	it.each(OF)("answers any question about %s as counting them one by one does", { timeout: 180_000 }, async (of) => {
		await using store = await open();
		const { rows, numbers, seed, sources } = await askAtRandom(store, of, questions);
		expect(sources.has("totals")).toBe(of === "spans");
		await expectValues(store, of, rows, numbers.get("default") ?? 0, `seed ${seed}`);
		if (of === "traces") await expectUsers(store, rows, numbers.get("default") ?? 0, `seed ${seed}`);
	});

	it("says how far it came when time is up, and is right as far", async () => {
		await using store = await open();
		const spans = Array.from({ length: 6_000 }, (_, number) =>
			testSpan({ trace: 1 + Math.floor(number / 100), span: 1 + number, start: number * 1_000_000 }),
		);
		for (const batch of batches(spans, 2_000, randomFrom(1))) await store.writer.write(batch, []);
		const project = await projectId(store);
		const edges = Array.from({ length: 7 }, (_, bucket) => HOUR_0 + bucket * 1_000 * 1_000_000);
		const query = { of: "spans", projectIds: [project], edges, ...EVERYTHING, timeoutMs: 60_000 } as const;
		const whole = await store.traces.analyze(query);
		expect(whole.all.values[0]).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 1_000]);
		expect(whole.coveredMicros).toBeUndefined();
		const text = { text: "step" };
		const part = await store.traces.analyze({ ...query, ...text, timeoutMs: 0 });
		const covered = part.coveredMicros ?? 0;
		expect(covered).toBeGreaterThan(HOUR_0);
		expect(part.all.values[0]).toEqual(edges.slice(0, -1).map((start) => (start >= covered ? 1_000 : null)));
		expect(part.all.totals[0]).toBeLessThan(6_000);
	});
}

/**
 * Writes random rows, and compares answers about them with counting.
 * @param isWritten resolves once they can be read
 */
export async function askAtRandom(
	store: Pick<StoreUnderTest, "traces" | "writer" | "db">,
	of: TraceRows,
	questions: number,
	isWritten: () => Promise<void> = async () => undefined,
) {
	const seed = Math.floor(Math.random() * 1e9);
	const random = randomFrom(seed);
	const sent = withAttributes(randomTestSpans(random, 400, PROJECTS), random);
	const spans = sent.map(testSpan);
	const attributes = new Map(spans.map((span, index) => [span, sent[index]?.attributes ?? {}]));
	for (const batch of batches(spans, 60, random)) await store.writer.write(batch, []);
	await isWritten();
	const rows = testRows(of, distinct(spans), (span) => attributes.get(span) ?? {});
	const numbers = new Map(
		await Promise.all(PROJECTS.map(async (name) => [name, await projectId(store, name)] as const)),
	);
	const sources = new Set<string>();
	for (let number = 0; number < questions; number += 1) {
		const asked = randomQuestion(of, random, [...numbers.values()]);
		await expectAnswer(store, asked, rows, numbers, `seed ${seed}, ${JSON.stringify(asked.query)}`, sources);
	}
	return { rows, numbers, seed, sources };
}

const FIELDS = [
	...(["project", "model", "provider", "kind", "name", "status"] as const),
	...(["user", "session", "release", "environment", "api_key"] as const),
] as const;
const OF_TOTALS = ["count", "error_count", "error_rate", "latency_p50", "latency_p95", "tokens_prompt", "cost_total"];

const EVERYTHING = {
	groupBy: [],
	measures: [{ type: "named", name: "count" }],
	sort: { by: 0, descending: true },
	limit: 10,
} as const;

/** Attributes of several types under one key, tags, and numbers. */
export function withAttributes(spans: readonly TestSpan[], random: () => number): TestSpan[] {
	const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
	return spans.map((span) => ({
		...span,
		attributes: {
			...(random() < 0.7 ? { mixed: pick<string | number | boolean>([3, "3", true, "true", 1, 0.5]) } : {}),
			...(random() < 0.5 ? { tier: pick(["gold", "silver"]) } : {}),
			...(random() < 0.4 ? { "tag.tags": pick([["a", "b"], ["b"], ["a", "a", "c"]]) } : {}),
			...(random() < 0.6 ? { ttft: Math.round(random() * 1_000 - 100) / 8 } : {}),
		},
	}));
}

export interface Question {
	readonly query: AnalyticsQuery;
	readonly fits: (row: TestRow) => boolean;
}

function randomQuestion(of: TraceRows, random: () => number, projects: readonly number[]): Question {
	const below = (limit: number) => Math.floor(random() * limit);
	const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
	// Totals of hours know less, so that they would rarely be asked.
	const isOfTotals = of === "spans" && random() < 0.4;
	const [filter, , fits = () => true] =
		isOfTotals || random() < 0.5 ? [] : pick(FILTERS.filter(([, rows]) => rows.includes(of)));
	const { condition } = filter === undefined ? { condition: undefined } : parseFilter(TARGETS[of], filter);
	const edges = [HOUR_0 - HOUR, HOUR_0 + 5 * HOUR];
	const cuts = [HOUR_0, HOUR_0 + 1_000, HOUR_0 + 2_500, HOUR_0 + HOUR, HOUR_0 + HOUR + 1];
	const inner = cuts.filter(() => random() < 0.4);
	const named = Object.keys(MEASURES[of]).filter((name) => !/cache|reasoning|cost_(prompt|completion)/.test(name));
	const values: NumberValue[] = [
		{ type: "field", name: "latency_ms" },
		{ type: "field", name: "token_count_total" },
		{ type: "field", name: "total_cost" },
		{ type: "attribute", path: ["ttft"] },
	];
	const measure = (): Measure =>
		random() < 0.3
			? { type: "function", function: pick(MEASURE_FUNCTIONS), value: pick(values) }
			: { type: "named", name: pick(named) };
	const fields = isOfTotals ? (["project", "model", "kind"] as const) : FIELDS;
	const groups: GroupBy[] = fields.map((name): GroupBy => ({ type: "field", name }));
	if (!isOfTotals) groups.push({ type: "attribute", path: ["mixed"] }, { type: "tag" });
	const groupBy = [groups, groups, []].slice(below(3)).flatMap((all) => (all.length === 0 ? [] : [pick(all)]));
	const measures = Array.from({ length: 1 + below(5) }, () =>
		isOfTotals ? ({ type: "named", name: pick(OF_TOTALS) } as const) : measure(),
	);
	return {
		fits,
		query: {
			of,
			projectIds: random() < 0.3 ? projects : [projects[0] ?? 0],
			...(condition === undefined ? {} : { condition }),
			edges: [edges[0] ?? 0, ...inner, edges[1] ?? 0],
			...(random() < 0.3 ? { previousEdges: [edges[0] ?? 0, ...inner, edges[1] ?? 0].map((edge) => edge - HOUR) } : {}),
			groupBy,
			measures,
			sort: { by: random() < 0.2 ? "group" : below(measures.length), descending: random() < 0.7 },
			limit: 1 + below(6),
			timeoutMs: 60_000,
		},
	};
}

export async function expectAnswer(
	store: Pick<StoreUnderTest, "traces">,
	{ query, fits }: Question,
	rows: readonly TestRow[],
	projects: ReadonlyMap<string, number>,
	message: string,
	sources: Set<string>,
): Promise<void> {
	const { groupBy, edges, previousEdges, limit, sort } = query;
	const answer = await store.traces.analyze(query);
	sources.add(answer.source);
	const asked = rows.filter((row) => query.projectIds.includes(projects.get(row.project) ?? 0) && fits(row));
	const inEdges = (of: readonly number[]) =>
		asked.filter(({ micros }) => micros >= (of[0] ?? 0) && micros < (of.at(-1) ?? 0));
	const groupsOf = (row: TestRow): readonly (readonly GroupValue[])[] => {
		const [first = [], second] = groupBy.map((by) => valuesOf(row, by, (name) => projects.get(name) ?? 0));
		if (groupBy.length === 0) return [];
		return first.flatMap((a) => (second === undefined ? [[a]] : second.map((b) => [a, b])));
	};
	const keys = (row: TestRow) => new Set(groupsOf(row).map((group) => JSON.stringify(group)));
	const all = new Set(inEdges(edges).flatMap((row) => [...keys(row)]));
	expect(answer.groupCount, message).toBe(all.size);
	expect(answer.groups.length, message).toBe(Math.min(limit, all.size));
	const expectCells = (cells: Cells, of: readonly TestRow[], bounds: readonly number[]) => {
		const inside = of.filter(({ micros }) => micros >= (bounds[0] ?? 0) && micros < (bounds.at(-1) ?? 0));
		expectNumbers(cells.totals, expectedTotals(inside, query.measures), query.measures, message);
		for (const [bucket, start] of bounds.slice(0, -1).entries()) {
			const own = inside.filter(({ micros }) => micros >= start && micros < (bounds[bucket + 1] ?? 0));
			expectNumbers(
				cells.values.map((values) => values[bucket] ?? null),
				expectedTotals(own, query.measures),
				query.measures,
				message,
			);
		}
	};
	const expectBoth = (cells: Cells & { readonly previous?: Cells }, of: readonly TestRow[]) => {
		expectCells(cells, of, edges);
		expect(cells.previous === undefined, message).toBe(previousEdges === undefined);
		if (cells.previous !== undefined && previousEdges !== undefined) expectCells(cells.previous, of, previousEdges);
	};
	const shown = new Set(answer.groups.map(({ group }) => JSON.stringify(group)));
	for (const cells of answer.groups)
		expectBoth(
			cells,
			asked.filter((row) => keys(row).has(JSON.stringify(cells.group))),
		);
	expectBoth(answer.all, asked);
	expect(answer.others === undefined, message).toBe(all.size <= limit);
	if (answer.others !== undefined)
		expectBoth(
			answer.others,
			asked.filter((row) => [...keys(row)].some((key) => !shown.has(key))),
		);
	if (sort.by === "group") return;
	const by = sort.by;
	const isApproximate = query.measures[by]?.type === "named" && /_p\d+$/.test(JSON.stringify(query.measures[by]));
	const sorted = answer.groups.flatMap(({ totals }) => totals[by] ?? []);
	if (!isApproximate) expect(sorted, message).toEqual(sorted.toSorted((a, b) => (sort.descending ? b - a : a - b)));
}

/** The values of fields are those of rows that are counted one by one. */
async function expectValues(
	store: StoreUnderTest,
	of: AnalyticsQuery["of"],
	rows: readonly TestRow[],
	project: number,
	message: string,
): Promise<void> {
	const own = rows.filter((row) => row.project === "default");
	const promoted: GroupBy[] = FIELDS.map((name) => ({ type: "field", name }));
	for (const fields of [promoted, [{ type: "attribute", path: ["mixed"] } as const, { type: "tag" } as const]])
		for (const [filter, , fits] of [undefined, ...FILTERS.filter(([, targets]) => targets.includes(of))].map(
			(each) => each ?? (["", [], () => true] as const),
		)) {
			const { condition } = parseFilter(TARGETS[of], filter);
			const counts = await store.traces.countValues({
				...{ of, projectId: project, fields, limit: 1_000, timeoutMs: 60_000 },
				...{ startMicros: HOUR_0 - HOUR, endMicros: HOUR_0 + HOUR },
				...(condition === undefined ? {} : { condition }),
			});
			const asked = own.filter((row) => fits(row) && row.micros >= HOUR_0 - HOUR && row.micros < HOUR_0 + HOUR);
			for (const [place, by] of fields.entries()) {
				const expected = new Map<GroupValue, number>();
				for (const value of asked.flatMap((row) => valuesOf(row, by, () => project)))
					expected.set(value, (expected.get(value) ?? 0) + 1);
				const found = counts[place];
				const of = `${message}: ${JSON.stringify(by)} ${filter}`;
				expect(new Map(found?.values.map(({ value, rows: count }) => [value, count])), of).toEqual(expected);
				expect([found?.distinct, found?.isPartial], of).toEqual([expected.size, false]);
			}
		}
}

/** Pages of groups are all groups in their order, of the rows that were there first; users are known by their first trace. */
async function expectUsers(
	store: StoreUnderTest,
	rows: readonly TestRow[],
	project: number,
	message: string,
): Promise<void> {
	const own = rows.filter((row) => row.project === "default");
	const users = new Set(own.flatMap(({ user }) => user ?? []));
	const ofRow = (name: "row" | "start", operation: "min" | "max"): Measure => ({
		...{ type: "function", function: operation, value: { type: "field", name } },
	});
	const query: AnalyticsQuery = {
		...{ of: "traces", projectIds: [project], edges: [0, 8e15], groupBy: [{ type: "field", name: "user" }] },
		...{ limit: 1_000, leavesOutNull: true, timeoutMs: 60_000 },
		measures: [
			{ type: "named", name: "cost_total" },
			{ type: "named", name: "count" },
			ofRow("row", "max"),
			ofRow("start", "min"),
		],
		sort: { by: 0, descending: true },
	};
	const whole = await store.traces.analyze(query);
	expect(new Set(whole.groups.map(({ group }) => group[0])), message).toEqual(users);
	expect(whole.all.totals[1], message).toBe(own.length);
	const firstSeen = await store.traces.findFirstSeen(project);
	expect(new Map(whole.groups.map(({ group, totals }) => [group[0], totals[3]])), message).toEqual(firstSeen);
	const some = [...users].slice(0, 2);
	expect([...(await store.traces.findFirstSeen(project, [...some, "nobody"])).keys()].toSorted()).toEqual(
		some.toSorted(),
	);
	const lastRow = whole.all.totals[2] ?? 0;
	await store.writer.write([testSpan({ trace: 900_000, span: 900_001, start: 5 })], []);
	const paged: (readonly GroupValue[])[] = [];
	for (let after: AnalyticsQuery["after"]; ; ) {
		const page = await store.traces.analyze({ ...query, limit: 2, lastRow, ...(after === undefined ? {} : { after }) });
		expect(page.all, message).toEqual(whole.all);
		paged.push(...page.groups.map(({ group }) => group));
		const last = page.groups.at(-1);
		if (last === undefined) break;
		after = { value: last.totals[0] ?? null, hash: hashOfGroup(last.group) };
	}
	expect(paged, message).toEqual(whole.groups.map(({ group }) => group));
}

function expectNumbers(
	found: readonly (number | null)[],
	expected: readonly (number | null)[],
	measures: readonly Measure[],
	message: string,
): void {
	for (const [index, want] of expected.entries()) {
		const [got, measure] = [found[index] ?? null, measures[index]];
		if (want === null || got === null || measure === undefined) {
			expect(got, message).toBe(want);
			continue;
		}
		const name = measure.type === "function" ? measure.function : measure.type === "named" ? measure.name : measure.of;
		const allowed = /p\d+$/.test(name) ? Math.abs(want) * 0.05 + 1e-3 : Math.abs(want) * 1e-9 + 1e-9;
		expect(Math.abs(got - want), `${message}: ${name} is ${got}, not ${want}`).toBeLessThanOrEqual(allowed);
	}
}
