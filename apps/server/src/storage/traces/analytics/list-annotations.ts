import type { Keyset, Page, SessionSummary, TraceWithoutTexts } from "../trace-store.ts";
import type { AnalyticsQuery, AnnotationGroupField, Range, TraceRows } from "./analytics-query.ts";
import {
	type AnalyticsLists,
	type AskedPage,
	type AskedRow,
	firstTraces,
	merged,
	pages,
	ROWS,
	ROWS_WITH_CONTENT,
	RowReaders,
} from "./analyze-lists.ts";
import { type AnnotatedRow, type AnnotationChoice, type AnnotationRow, TARGET_OF } from "./annotation-reader.ts";
import { AnalyticsPlan } from "./plan.ts";
import type { SpanFacts } from "./row-numbers.ts";

/** Quantities that count the annotations of spans, traces and sessions. */
export const COUNTS_OF_TARGETS = { spans: "of_spans", traces: "of_traces", sessions: "of_sessions" } as const;

/** The annotations of a project as rows, at the start of what they are about; the newest first. */
export async function* listAnnotations<Span extends SpanFacts>(
	lists: AnalyticsLists<Span>,
	plan: AnalyticsPlan,
	projectId: number,
	range: Range,
): AsyncGenerator<AskedPage> {
	const project = { lists, plan, projectId, range };
	yield* merged(
		[
			annotationsOf(project, spansOf(project)),
			annotationsOf(project, tracesOf(project)),
			annotationsOf(project, sessionsOf(project)),
		],
		range,
	);
}

interface Project<Span extends SpanFacts> {
	readonly lists: AnalyticsLists<Span>;
	readonly plan: AnalyticsPlan;
	readonly projectId: number;
	readonly range: Range;
}

/** Spans, traces or sessions that may be annotated. */
interface Targets<Row extends { readonly id: number }> {
	readonly of: TraceRows;
	/** The newest first; those of these row numbers, when given. */
	readonly list: (at: Keyset | undefined, rowIds?: readonly number[]) => Promise<Page<Row>>;
	/** Those that the question's filter selects, as far as `list` has not heeded it. */
	readonly select: (rows: readonly Row[]) => Promise<readonly Row[]>;
	readonly readWith: (plan: AnalyticsPlan, rows: readonly Row[]) => Promise<readonly AskedRow[]>;
}

async function* annotationsOf<Span extends SpanFacts, Row extends { readonly id: number }>(
	{ lists: { annotations }, plan, projectId, range }: Project<Span>,
	targets: Targets<Row>,
): AsyncGenerator<AskedPage> {
	const { annotationNames: names, annotatorKinds } = plan.query;
	const choice: AnnotationChoice = {
		projectId,
		of: targets.of,
		...(names === undefined ? {} : { names }),
		...(annotatorKinds === undefined ? {} : { annotatorKinds }),
	};
	const ofTargets = planOfTargets(plan.query, targets.of);
	const combine = combiner(plan, ofTargets, targets.of);
	const read = async (rows: readonly Row[]) => {
		const found = await annotations.annotationsOf(
			choice,
			rows.map(({ id }) => id),
		);
		const byTarget = Map.groupBy(found, ({ target_row_id }) => target_row_id);
		const selected = await targets.select(rows.filter(({ id }) => byTarget.has(id)));
		const asked = await targets.readWith(ofTargets, selected);
		return selected.flatMap(({ id }, index) => {
			const row = asked[index];
			return row === undefined ? [] : (byTarget.get(id) ?? []).map((annotation) => combine(row, annotation));
		});
	};
	const annotated = await annotations.annotated(choice, range);
	if (annotated === undefined) {
		yield* pages(range, (at) => targets.list(at), read);
		return;
	}
	for (const { rowIds, reachedMicros } of chunksOf(annotated, range, rowsAtOnce(plan))) {
		const rows: AskedRow[] = [];
		for (let at: Keyset | undefined; ; ) {
			const page = await targets.list(at, rowIds);
			rows.push(...(await read(page.items)));
			at = page.next;
			if (at === undefined) break;
		}
		yield { rows, reachedMicros };
	}
	yield { rows: [], reachedMicros: range.startMicros };
}

/** Row numbers for one page after the other, the newest first, with the start from which on nothing is left. */
function* chunksOf(
	annotated: readonly AnnotatedRow[],
	range: Range,
	size: number,
): Generator<{ readonly rowIds: readonly number[]; readonly reachedMicros: number }> {
	const sorted = annotated.toSorted((a, b) => b.start_micros - a.start_micros);
	for (let first = 0; first < sorted.length; first += size) {
		const next = sorted[first + size];
		yield {
			rowIds: sorted.slice(first, first + size).map(({ id }) => id),
			reachedMicros: next === undefined ? range.startMicros : next.start_micros + 1,
		};
	}
}

function rowsAtOnce({ needsContent }: AnalyticsPlan): number {
	return needsContent ? ROWS_WITH_CONTENT : ROWS;
}

/** What is asked of the rows that annotations are about. */
function planOfTargets(query: AnalyticsQuery, of: TraceRows): AnalyticsPlan {
	return new AnalyticsPlan({
		...query,
		of,
		groupBy: query.groupBy.filter(({ type }) => type !== "annotation"),
		measures: query.measures.filter((measure) => measure.type === "function" && measure.value.type === "attribute"),
	});
}

/** How an annotation and the row that it is about are seen as one row. */
function combiner(
	{ query, parts }: AnalyticsPlan,
	ofTargets: AnalyticsPlan,
	of: TraceRows,
): (row: AskedRow, annotation: AnnotationRow) => AskedRow {
	const groupsOfTargets = query.groupBy.filter(({ type }) => type !== "annotation");
	const groups = query.groupBy.map((by) => {
		if (by.type === "annotation") return (annotation: AnnotationRow) => GROUPS[by.name](annotation, of);
		const place = groupsOfTargets.indexOf(by);
		return (_annotation: AnnotationRow, row: AskedRow) => row.groups[place] ?? null;
	});
	const quantities = parts.quantities.map((name) => {
		if (name === "score") return ({ score }: AnnotationRow) => score;
		const place = ofTargets.parts.quantities.indexOf(name);
		if (place !== -1) return (_annotation: AnnotationRow, row: AskedRow) => row.quantities[place] ?? null;
		const isCounted = Number(name === COUNTS_OF_TARGETS[of]);
		return () => isCounted;
	});
	return (row, annotation) => ({
		micros: row.micros,
		groups: groups.map((read) => read(annotation, row)),
		quantities: quantities.map((read) => read(annotation, row)),
		identities: parts.identities.map(() => `${of} ${annotation.target_row_id}`),
	});
}

const GROUPS: Readonly<Record<AnnotationGroupField, (annotation: AnnotationRow, of: TraceRows) => string | null>> = {
	annotation_name: ({ name }) => name,
	label: ({ label }) => label,
	annotator_kind: ({ annotator_kind }) => annotator_kind,
	identifier: ({ identifier }) => identifier,
	target: (_annotation, of) => TARGET_OF[of],
};

function spansOf<Span extends SpanFacts>({ lists, plan, projectId, range }: Project<Span>): Targets<Span> {
	const { condition, text } = plan.query;
	return {
		of: "spans",
		list: (from, rowIds) =>
			lists.spans({
				...range,
				...{ projectId, sort: "start_time", order: "desc", limit: rowsAtOnce(plan) },
				...(condition === undefined ? {} : { condition }),
				...(text === undefined ? {} : { text }),
				...(rowIds === undefined ? {} : { rowIds }),
				...(from === undefined ? {} : { from }),
			}),
		select: async (rows) => rows,
		readWith: (ofTargets, rows) => new RowReaders(lists, ofTargets).spans(rows),
	};
}

function tracesOf<Span extends SpanFacts>(project: Project<Span>): Targets<TraceWithoutTexts> {
	const { lists, plan, projectId, range } = project;
	return {
		of: "traces",
		list: (after, rowIds) =>
			lists.traces({
				...range,
				...{ projectId, withTexts: false, sort: "start_time", order: "desc", limit: rowsAtOnce(plan) },
				...(rowIds === undefined ? {} : { rowIds }),
				...(after === undefined ? {} : { after }),
			}),
		select: (rows) => selectBySpan(project, rows, ({ rootSpanRowId }) => rootSpanRowId),
		readWith: (ofTargets, rows) => new RowReaders(lists, ofTargets).traces(rows),
	};
}

function sessionsOf<Span extends SpanFacts>(project: Project<Span>): Targets<SessionSummary> {
	const { lists, plan, projectId, range } = project;
	return {
		of: "sessions",
		list: (from, rowIds) =>
			lists.sessions({
				...range,
				...{ projectId, sort: "start_time", order: "desc", limit: rowsAtOnce(plan) },
				...(rowIds === undefined ? {} : { rowIds }),
				...(from === undefined ? {} : { from }),
			}),
		select: async (rows) => {
			if (!hasFilter(plan.query) || rows.length === 0) return rows;
			const first = await firstTraces(lists, rows);
			return await selectBySpan(project, rows, ({ id }) => first.get(id)?.rootSpanRowId ?? 0);
		},
		readWith: (ofTargets, rows) => new RowReaders(lists, ofTargets).sessions(rows),
	};
}

function hasFilter({ condition, text }: AnalyticsQuery): boolean {
	return condition !== undefined || text !== undefined;
}

/** The rows whose span fits the question's filter. */
async function selectBySpan<Span extends SpanFacts, Row>(
	{ lists, plan, projectId }: Pick<Project<Span>, "lists" | "plan" | "projectId">,
	rows: readonly Row[],
	spanOf: (row: Row) => number,
): Promise<readonly Row[]> {
	const { condition, text } = plan.query;
	if (!hasFilter(plan.query) || rows.length === 0) return rows;
	const fitting = new Set<number>();
	for (let from: Keyset | undefined; ; ) {
		const page = await lists.spans({
			...{ projectId, rowIds: rows.map(spanOf), sort: "id", order: "desc", limit: rows.length },
			...(condition === undefined ? {} : { condition }),
			...(text === undefined ? {} : { text }),
			...(from === undefined ? {} : { from }),
		});
		for (const { id } of page.items) fitting.add(id);
		from = page.next;
		if (from === undefined) return rows.filter((row) => fitting.has(spanOf(row)));
	}
}
