import { parseFilter } from "@spanward/filter-language";
import type { Insertable } from "kysely";
import { expect, it } from "vitest";
import { ANNOTATOR_KINDS, type Tables } from "#storage/schema.ts";
import type { AnalyticsQuery, GroupBy, TraceRows } from "../analytics/analytics-query.ts";
import { TARGET_OF } from "../analytics/annotation-reader.ts";
import { MEASURE_FUNCTIONS, MEASURES, type Measure } from "../analytics/measures.ts";
import { type TestAnnotationRow, type TestRow, testRows } from "../analytics/test-analytics.ts";
import type { NormalizedSpan } from "../span-batch.ts";
import { HOUR_0, testSpan } from "../test-spans.ts";
import { distinct, expectedSessions, expectedTraces, identityOf } from "../test-totals.ts";
import { expectAnswer, type Question, withAttributes } from "./analytics.ts";
import { batches, randomFrom, randomTestSpans } from "./random-spans.ts";
import {
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
const OF: readonly TraceRows[] = ["spans", "traces", "sessions"];

/** Filters of spans, with what they mean for the span that a row is about. */
const FILTERS: readonly (readonly [filter: string, fits: (row: TestRow) => boolean])[] = [
	["span_kind == 'LLM'", ({ kind }) => kind === "LLM"],
	["attributes['tier'] == 'gold'", ({ attributes }) => attributes["tier"] === "gold"],
	["name == 'step 1' or model == 'model-1'", ({ name, model }) => name === "step 1" || model === "model-1"],
];

type AnnotatedTestRow = TestRow & { readonly annotation: TestAnnotationRow };

export function conformsInAnalyticsOfAnnotations(open: OpenStore, questions = QUESTIONS): void {
	it("answers any question about annotations as counting them one by one does", { timeout: 180_000 }, async () => {
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
		const rows = await annotate(store, distinct(spans), (span) => attributes.get(span) ?? {}, projects, random);
		for (let number = 0; number < questions; number += 1) {
			const asked = randomQuestion(random, [...projects.values()]);
			await expectAnswer(store, asked, rows, projects, `seed ${seed}, ${JSON.stringify(asked.query)}`, new Set());
		}
		const labels = labelsBy(rows);
		for (const of of OF) {
			const keys = keysOf(of, distinct(spans));
			const labelled = testRows(of, distinct(spans), (span) => attributes.get(span) ?? {}).map((row, index) => ({
				...row,
				labels: labels.get(`${of} ${keys[index]}`) ?? {},
			}));
			for (const limit of [1, 10]) {
				const groupBy: GroupBy[] = [{ type: "label", on: of, name: "quality" }, pick(random, BESIDE_LABELS)];
				const query = { ...randomQuestion(random, [...projects.values()]).query, of, groupBy, limit, ...COUNTED };
				const { condition: _condition, ...all } = query;
				const message = `seed ${seed}, ${JSON.stringify(all)}`;
				await expectAnswer(store, { query: all, fits: () => true }, labelled, projects, message, new Set());
			}
		}
	});

	it("says how far it came with annotations when time is up, and is right as far", async () => {
		await using store = await open();
		const spans = Array.from({ length: 5_000 }, (_, number) =>
			testSpan({ trace: 1 + Math.floor(number / 100), span: 1 + number, start: number * 1_000_000 }),
		);
		for (const batch of batches(spans, 2_000, randomFrom(1))) await store.writer.write(batch, []);
		const project = await projectId(store);
		const stored = await allSpans(store, project);
		await insert(
			store,
			stored.map(({ id, traceRowId }) => ({
				...BLANK,
				target: "span" as const,
				target_row_id: id,
				span_row_id: id,
				trace_row_id: traceRowId,
				project_id: project,
			})),
		);
		const edges = Array.from({ length: 6 }, (_, bucket) => HOUR_0 + bucket * 1_000 * 1_000_000);
		const query: AnalyticsQuery = {
			of: "annotations",
			projectIds: [project],
			edges,
			groupBy: [],
			measures: [{ type: "named", name: "count" }],
			sort: { by: 0, descending: true },
			limit: 10,
			timeoutMs: 60_000,
		};
		const whole = await store.traces.analyze(query);
		expect(whole.all.values[0]).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
		const part = await store.traces.analyze({ ...query, timeoutMs: 0 });
		const covered = part.coveredMicros ?? 0;
		expect(covered).toBeGreaterThan(HOUR_0);
		expect(part.all.values[0]).toEqual(edges.slice(0, -1).map((start) => (start >= covered ? 1_000 : null)));
	});
}

const BESIDE_LABELS: readonly GroupBy[] = [{ type: "field", name: "model" }, { type: "tag" }];
const COUNTED = {
	measures: [
		{ type: "named", name: "count" },
		{ type: "named", name: "error_rate" },
	],
	sort: { by: 0, descending: true },
} as const;

function pick<T>(random: () => number, values: readonly T[]): T {
	return values[Math.floor(random() * values.length)] as T;
}

/** Labels of "quality" by what they are on, as `TestRow` has them; of a row without there is nothing. */
function labelsBy(rows: readonly AnnotatedTestRow[]): Map<string, NonNullable<TestRow["labels"]>> {
	const labels = new Map<string, NonNullable<TestRow["labels"]>>();
	for (const { annotation } of rows) {
		const { annotation_name: name, label, key } = annotation;
		const of = key.slice(0, key.indexOf(" "));
		const known = labels.get(key)?.[`${of} quality`] ?? [];
		if (name === "quality" && label !== null && !known.includes(label))
			labels.set(key, { [`${of} quality`]: [...known, label] });
	}
	return labels;
}

type NewAnnotation = Insertable<Tables["annotations"]>;

const BLANK = {
	span_row_id: null,
	trace_row_id: null,
	session_row_id: null,
	document_position: -1,
	name: "quality",
	identifier: "",
	annotator_kind: "CODE",
	label: null,
	score: null,
	explanation: null,
	metadata: "{}",
	source: "API",
	user_id: null,
	created_at: 1,
	updated_at: 1,
} as const satisfies Partial<NewAnnotation>;

/** Annotates spans, traces and sessions at random, and documents of spans, which do not count. */
async function annotate(
	store: StoreUnderTest,
	spans: readonly NormalizedSpan[],
	attributesOf: (span: NormalizedSpan) => Readonly<Record<string, unknown>>,
	projects: ReadonlyMap<string, number>,
	random: () => number,
): Promise<AnnotatedTestRow[]> {
	const ids = await idsOf(store, projects);
	const rows: AnnotatedTestRow[] = [];
	const stored: NewAnnotation[] = [];
	const below = (limit: number) => Math.floor(random() * limit);
	for (const of of OF) {
		const keys = keysOf(of, spans);
		for (const [index, row] of testRows(of, spans, attributesOf).entries()) {
			const { id, trace } = ids.get(`${of} ${keys[index]}`) ?? { id: 0, trace: 0 };
			for (const name of ["quality", "tone"])
				for (const identifier of ["", "again"]) {
					if (random() > 0.3) continue;
					const told = {
						annotator_kind: ANNOTATOR_KINDS[below(ANNOTATOR_KINDS.length)] ?? "CODE",
						label: random() < 0.6 ? (["good", "bad"][below(2)] ?? null) : null,
						score: random() < 0.7 ? (below(9) - 2) / 4 : null,
						identifier,
					};
					const target = TARGET_OF[of];
					rows.push({ ...row, annotation: { ...told, annotation_name: name, target, key: `${of} ${keys[index]}` } });
					stored.push({
						...{ ...BLANK, ...told, name, target, target_row_id: id },
						project_id: projects.get(row.project) ?? 0,
						span_row_id: of === "spans" ? id : null,
						trace_row_id: of === "sessions" ? null : trace,
						session_row_id: of === "sessions" ? id : null,
					});
					if (of === "spans")
						stored.push({
							...{ ...BLANK, ...told, name, target: "document", target_row_id: id, document_position: 0 },
							...{ project_id: projects.get(row.project) ?? 0, span_row_id: id, trace_row_id: trace },
						});
				}
		}
	}
	await insert(store, stored);
	return rows;
}

async function insert(store: StoreUnderTest, rows: readonly NewAnnotation[]): Promise<void> {
	await store.db.write(async (transaction) => {
		for (let first = 0; first < rows.length; first += 500)
			await transaction
				.insertInto("annotations")
				.values(rows.slice(first, first + 500))
				.execute();
	});
}

interface Ids {
	readonly id: number;
	readonly trace: number;
}

/** Row numbers by what the spans say. */
async function idsOf(store: StoreUnderTest, projects: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Ids>> {
	const ids = new Map<string, Ids>();
	for (const [name, project] of projects) {
		for (const { id, traceRowId, traceId, spanId, start } of await allSpans(store, project))
			ids.set(`spans ${name} ${traceId} ${spanId} ${start.micros} ${start.nanos}`, { id, trace: traceRowId });
		for (const { id, traceId } of await allTraces(store, project))
			ids.set(`traces ${name} ${traceId}`, { id, trace: id });
		for (const { id, sessionId } of await allSessions(store, project))
			ids.set(`sessions ${name} ${sessionId}`, { id, trace: 0 });
	}
	return ids;
}

/** Keys of {@link idsOf} in the order of the rows of `testRows`. */
function keysOf(of: TraceRows, spans: readonly NormalizedSpan[]): string[] {
	if (of === "spans") return spans.map(identityOf);
	if (of === "traces") return expectedTraces(spans).map(({ project, traceId }) => `${project} ${traceId}`);
	return expectedSessions(spans).map(({ project, sessionId }) => `${project} ${sessionId}`);
}

const FIELDS = ["project", "model", "kind", "name", "status", "user", "session", "release"] as const;
const OWN = ["annotation_name", "label", "annotator_kind", "identifier", "target"] as const;

function randomQuestion(random: () => number, projects: readonly number[]): Question {
	const below = (limit: number) => Math.floor(random() * limit);
	const [filter, fits = () => true] = random() < 0.6 ? [] : pick(random, FILTERS);
	const { condition } = filter === undefined ? { condition: undefined } : parseFilter("span", filter);
	const names = random() < 0.3 ? [pick(random, ["quality", "tone", "unknown"])] : undefined;
	const kinds = random() < 0.3 ? [pick(random, ANNOTATOR_KINDS), pick(random, ANNOTATOR_KINDS)] : undefined;
	const edges = [
		HOUR_0 - HOUR,
		...[HOUR_0, HOUR_0 + 1_000, HOUR_0 + 2_500, HOUR_0 + HOUR].filter(() => random() < 0.4),
		HOUR_0 + 5 * HOUR,
	];
	const measures = Array.from({ length: 1 + below(4) }, (): Measure => {
		if (random() < 0.7) return { type: "named", name: pick(random, Object.keys(MEASURES.annotations)) };
		const value = random() < 0.5 ? ({ type: "score" } as const) : ({ type: "attribute", path: ["ttft"] } as const);
		return { type: "function", function: pick(random, MEASURE_FUNCTIONS), value };
	});
	const own = OWN.map((name): GroupBy => ({ type: "annotation", name }));
	const groups: GroupBy[] = [
		...FIELDS.map((name): GroupBy => ({ type: "field", name })),
		{ type: "attribute", path: ["mixed"] },
		{ type: "tag" },
	];
	const groupBy =
		[
			[],
			[pick(random, own)],
			[pick(random, own), pick(random, own)],
			[pick(random, groups)],
			[pick(random, own), pick(random, groups)],
		][below(5)] ?? [];
	return {
		fits: (row) => {
			const { annotation } = row;
			if (annotation === undefined) throw new Error("all rows are annotations");
			if (names?.includes(annotation.annotation_name) === false) return false;
			if (kinds?.some((kind) => kind === annotation.annotator_kind) === false) return false;
			return fits(row);
		},
		query: {
			of: "annotations",
			projectIds: random() < 0.3 ? projects : [projects[0] ?? 0],
			...(condition === undefined ? {} : { condition }),
			...(names === undefined ? {} : { annotationNames: names }),
			...(kinds === undefined ? {} : { annotatorKinds: kinds }),
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
