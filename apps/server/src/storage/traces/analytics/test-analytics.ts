import type { NormalizedSpan } from "../span-batch.ts";
import { type EvaluatedTrace, expectedSessions, tracesOf } from "../test-totals.ts";
import type { GroupBy, GroupValue, NumberValue, Totals, TraceRows } from "./analytics-query.ts";
import type { Measure } from "./measures.ts";

/** What a question is answered from, by the definitions and slowly. */
export interface TestRow {
	readonly project: string;
	readonly micros: number;
	readonly kind: string | null;
	readonly model: string | null;
	readonly provider: string | null;
	readonly name: string | null;
	readonly status: string;
	readonly user: string | null;
	readonly session: string | null;
	readonly release: string | null;
	readonly environment: string | null;
	readonly api_key: string | null;
	readonly trace: string | null;
	readonly attributes: Readonly<Record<string, unknown>>;
	/** Microseconds; null while it runs. */
	readonly latency: number | null;
	readonly numbers: Readonly<Record<string, number | null>>;
	/** Whether its tokens and cost count. */
	readonly isCounted: boolean;
	/** Of a row that is an annotation; the others are those of what it is about. */
	readonly annotation?: TestAnnotationRow;
	/** Of a row that is an occurrence of an error; the others are those of its span. */
	readonly occurrence?: TestOccurrence;
	/** By what the annotations are on, and their name. */
	readonly labels?: Readonly<Record<string, readonly string[]>>;
}

export interface TestAnnotationRow {
	readonly annotation_name: string;
	readonly label: string | null;
	readonly annotator_kind: string;
	readonly identifier: string;
	readonly target: string;
	readonly score: number | null;
	/** Tells what annotations are about apart. */
	readonly key: string;
}

export interface TestOccurrence {
	readonly error_group: string;
	readonly error_kind: string;
	readonly tool: string | null;
	/** Tells groups apart, also those of several projects. */
	readonly key: string;
}

export type AttributesOf = (span: NormalizedSpan) => Readonly<Record<string, unknown>>;

const STATUSES = ["UNSET", "OK", "ERROR"];

export function testRows(of: TraceRows, spans: readonly NormalizedSpan[], attributesOf: AttributesOf): TestRow[] {
	const traces = tracesOf(spans);
	if (of === "traces") return traces.map((trace) => rowOfTrace(trace, attributesOf));
	if (of === "sessions") {
		return expectedSessions(spans).map((session) => {
			const [first] = traces
				.filter(({ trace }) => trace.project === session.project && trace.sessionId === session.sessionId)
				.sort(
					({ trace: a }, { trace: b }) =>
						a.start.micros - b.start.micros || a.start.nanos - b.start.nanos || (a.traceId < b.traceId ? -1 : 1),
				);
			if (first === undefined) throw new Error("a session has traces");
			return {
				...rowOfTrace(first, attributesOf),
				...rowOfTotals(session),
				status: session.errorCount > 0 ? "ERROR" : "UNSET",
				session: session.sessionId,
				user: session.userId,
				trace: null,
				numbers: { ...numbersOf(session), errors: Number(session.errorCount > 0), traces: session.traceCount },
			};
		});
	}
	const traceOf = new Map<NormalizedSpan, EvaluatedTrace>();
	for (const trace of traces)
		for (const span of spans)
			if (span.traceId === trace.trace.traceId && span.projectName === trace.trace.project) traceOf.set(span, trace);
	return spans.map((span) => {
		const owner = traceOf.get(span);
		if (owner === undefined) throw new Error("a span has a trace");
		const { trace, counted } = owner;
		const { tokens } = span.facts;
		const isCounted = counted.includes(span);
		const total =
			tokens.total ??
			(tokens.prompt === undefined && tokens.completion === undefined
				? null
				: (tokens.prompt ?? 0) + (tokens.completion ?? 0));
		return {
			...rowOfSpan(span, attributesOf),
			micros: span.start.micros,
			user: span.facts.user_id ?? trace.userId ?? null,
			session: span.facts.session_id ?? trace.sessionId ?? null,
			release: span.facts.release ?? trace.release,
			environment: span.facts.environment ?? trace.environment,
			trace: `${span.projectName} ${span.traceId}`,
			isCounted,
			numbers: {
				errors: Number(span.statusCode === 2),
				tokens_prompt: tokens.prompt ?? null,
				tokens_completion: tokens.completion ?? null,
				tokens_total: total,
				cost_total: span.cost?.total ?? null,
				unpriced: Number(isCounted && (total ?? 0) > 0 && span.cost === null),
			},
		};
	});
}

function rowOfSpan(span: NormalizedSpan, attributesOf: AttributesOf) {
	return {
		project: span.projectName,
		kind: span.facts.kind,
		model: span.facts.model ?? null,
		provider: span.facts.provider ?? null,
		name: span.name,
		api_key: span.apiKeyId === undefined ? null : String(span.apiKeyId),
		status: STATUSES[span.statusCode] ?? "UNSET",
		attributes: attributesOf(span),
		latency: span.isRunning ? null : Math.max(0, span.end.micros - span.start.micros),
	};
}

function rowOfTrace({ trace, root }: EvaluatedTrace, attributesOf: AttributesOf): TestRow {
	return {
		...rowOfSpan(root, attributesOf),
		...rowOfTotals(trace),
		status: trace.errorCount > 0 ? "ERROR" : (STATUSES[trace.rootStatusCode] ?? "UNSET"),
		user: trace.userId,
		session: trace.sessionId,
		release: trace.release,
		environment: trace.environment,
		trace: `${trace.project} ${trace.traceId}`,
		isCounted: true,
		numbers: {
			...numbersOf(trace),
			errors: Number(trace.errorCount > 0),
			failed: Number(trace.rootStatusCode === 2),
			spans: trace.spanCount,
		},
	};
}

type WithTotals = Pick<EvaluatedTrace["trace"], "start" | "end" | "runningCount" | "tokens" | "totalCost">;

function rowOfTotals(row: WithTotals) {
	const latency = row.runningCount > 0 ? null : Math.max(0, row.end.micros - row.start.micros);
	return { micros: row.start.micros, latency, isCounted: true };
}

function numbersOf({ tokens, totalCost }: WithTotals) {
	return {
		tokens_prompt: tokens.prompt,
		tokens_completion: tokens.completion,
		tokens_total: tokens.total,
		cost_total: totalCost,
	};
}

/** The values of a row for one `group_by`. */
export function valuesOf(row: TestRow, by: GroupBy, projectNumber: (name: string) => number): readonly GroupValue[] {
	if (by.type === "tag") {
		const tags = row.attributes["tag.tags"];
		return Array.isArray(tags) && tags.length > 0 ? [...new Set(tags as string[])] : [null];
	}
	if (by.type === "attribute") return [scalarOf(row.attributes[by.path.join(".")])];
	if (by.type === "label") return row.labels?.[`${by.on} ${by.name}`] ?? [null];
	if (by.type === "export") return [null];
	if (by.type === "occurrence") return [row.occurrence?.[by.name] ?? null];
	if (by.type === "annotation") return [row.annotation?.[by.name] ?? null];
	if (by.name === "error_group") return [row.occurrence?.error_group ?? null];
	return [by.name === "project" ? projectNumber(row.project) : row[by.name]];
}

function scalarOf(value: unknown): GroupValue {
	return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

/** The measures of some rows; percentiles exact. */
export function expectedTotals(rows: readonly TestRow[], measures: readonly Measure[]): Totals {
	return measures.map((measure) => expectedMeasure(rows, measure));
}

function expectedMeasure(rows: readonly TestRow[], measure: Measure): number | null {
	if (measure.type === "function") {
		const numbers = rows.flatMap((row) => numberOf(row, measure.value) ?? []);
		if (measure.function === "count") return numbers.length;
		if (measure.function === "sum") return sum(numbers);
		return statistic(numbers, measure.function);
	}
	if (measure.type === "sum") throw new Error("only an answer is made with such a measure");
	const { name } = measure;
	const [prefix, rest] = [name.slice(0, name.lastIndexOf("_")), name.slice(name.lastIndexOf("_") + 1)];
	const scores = rows.flatMap(({ annotation }) => annotation?.score ?? []);
	if (prefix === "score") return statistic(scores, rest);
	if (prefix === "latency" || prefix === "duration") {
		const found = statistic(
			rows.flatMap((row) => row.latency ?? []),
			rest,
		);
		return found === null ? null : found / 1_000;
	}
	const count = (of: string) => sum(rows.flatMap((row) => row.numbers[of] ?? []));
	const counted = (of: string) =>
		sum(rows.filter(({ isCounted }) => isCounted).flatMap((row) => row.numbers[of] ?? []));
	const different = (of: "trace" | "session" | "user") =>
		new Set(rows.flatMap((row) => (row[of] === null ? [] : of === "session" ? `${row.project} ${row[of]}` : row[of])))
			.size;
	switch (name) {
		case "count":
			return rows.length;
		case "error_count":
			return count("errors");
		case "error_rate":
			return rows.length === 0 ? null : count("errors") / rows.length;
		case "failed_count":
			return count("failed");
		case "failure_rate":
			return rows.length === 0 ? null : count("failed") / rows.length;
		case "unpriced_count":
			return count("unpriced");
		case "unique_groups":
			return new Set(rows.map(({ occurrence }) => occurrence?.key)).size;
		case "unique_traces":
			return different("trace");
		case "unique_sessions":
			return different("session");
		case "unique_users":
			return different("user");
		case "scored_count":
			return scores.length;
		case "unique_targets":
			return new Set(rows.map(({ annotation }) => annotation?.key)).size;
		case "spans":
		case "traces":
			return count(name);
		default:
			return counted(name);
	}
}

function numberOf(row: TestRow, value: NumberValue): number | null {
	if (value.type === "score") return row.annotation?.score ?? null;
	if (value.type === "attribute") {
		const found = row.attributes[value.path.join(".")];
		return typeof found === "number" ? found : null;
	}
	if (value.name === "latency_ms") return row.latency === null ? null : row.latency / 1_000;
	return row.numbers[value.name === "total_cost" ? "cost_total" : "tokens_total"] ?? null;
}

function statistic(numbers: readonly number[], name: string): number | null {
	if (numbers.length === 0) return null;
	if (name === "avg") return sum(numbers) / numbers.length;
	const sorted = numbers.toSorted((a, b) => a - b);
	if (name === "min") return sorted[0] ?? null;
	if (name === "max") return sorted.at(-1) ?? null;
	const share = Number(name.slice(1)) / 100;
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((all, number) => all + number, 0);
}
