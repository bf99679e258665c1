import {
	type AnnotationName,
	type Attribute,
	type Condition,
	type Field,
	PROMPT_VERSION,
	RESOURCE,
	type Rows,
	type Value,
} from "@spanward/filter-language";
import type { Cumulative, SessionSummary, SpanSummary, TraceSummary } from "../trace-store.ts";

/** In memory, everything that a filter can refer to. */
export interface AnnotationData {
	readonly kind: "annotation";
	readonly name: string;
	readonly label: string | null;
	readonly score: number | null;
	readonly explanation: string | null;
	readonly identifier: string;
	readonly annotator_kind: string;
}

export interface SpanData {
	readonly kind: "span";
	readonly summary: SpanSummary;
	readonly cumulative: Cumulative;
	/** Attributes by dotted key, as in REST. */
	readonly attributes: Readonly<Record<string, unknown>>;
	/** Those of its resource. */
	readonly resource: Readonly<Record<string, unknown>>;
	readonly annotations: readonly AnnotationData[];
	readonly trace: TraceData;
}

export interface TraceData {
	readonly kind: "trace";
	readonly summary: TraceSummary;
	readonly spans: readonly SpanData[];
	readonly annotations: readonly AnnotationData[];
}

export interface SessionData {
	readonly kind: "session";
	readonly summary: SessionSummary;
	/** By start, then trace id. */
	readonly traces: readonly TraceData[];
	readonly annotations: readonly AnnotationData[];
}

interface CostDetailData {
	readonly kind: "cost_detail";
	readonly token_type: string;
	readonly is_prompt: boolean;
	readonly cost: number;
	readonly tokens: number | null;
}

export type RowData = SpanData | TraceData | SessionData | AnnotationData | CostDetailData;
type Scalar = string | number | boolean;
type Maybe<T> = T | null;

/** Whether the condition selects the row. Slow and simple: the reference for the results of SQL. */
export function selects(condition: Condition, row: RowData): boolean {
	return new Evaluator([row]).condition(condition) === true;
}

class Evaluator {
	readonly #rows: readonly RowData[];
	readonly #picked: ReadonlyMap<string, AnnotationData>;

	constructor(rows: readonly RowData[], picked: ReadonlyMap<string, AnnotationData> = new Map()) {
		this.#rows = rows;
		this.#picked = picked;
	}

	condition(condition: Condition): Maybe<boolean> {
		switch (condition.type) {
			case "and":
			case "or": {
				const results = condition.conditions.map((part) => this.condition(part));
				const decisive = condition.type === "or";
				return results.includes(decisive) ? decisive : results.includes(null) ? null : !decisive;
			}
			case "not": {
				const result = this.condition(condition.condition);
				return result === null ? null : !result;
			}
			case "compare":
				return this.#overAnnotations([condition.left, condition.right], (inner) => {
					const [a, b] = [inner.value(condition.left), inner.value(condition.right)];
					if (a === null || b === null || typeof a !== typeof b || typeof a === "object") return null;
					const order = a === b ? 0 : before(a as Scalar, b as Scalar) ? -1 : 1;
					const { operator } = condition;
					if (operator === "==") return order === 0;
					if (operator === "!=") return order !== 0;
					if (operator === "<") return order < 0;
					if (operator === "<=") return order <= 0;
					return operator === ">" ? order > 0 : order >= 0;
				});
			case "in":
				return this.#overAnnotations([condition.value], (inner) => {
					const value = inner.value(condition.value);
					if (condition.list.length === 0) return false;
					return value === null ? null : condition.list.some((literal) => literal.value === value);
				});
			case "contains":
				return this.#overAnnotations([condition.text, condition.within], (inner) => inner.#contains(condition));
			case "is_none": {
				const value = condition.value;
				return this.#overAnnotations([value], (inner) => inner.value(value) !== null) !== true;
			}
			case "has_tag": {
				const tags = attributeOf(this.#attributes(condition.row), ["tag", "tags"]);
				if (tags === null) return null;
				return (typeof tags === "object" ? tags.map(String) : String(tags).split(",")).includes(condition.tag);
			}
			case "is_root":
				return parentOf(this.#span(condition.row)) === undefined;
			case "has_annotation":
				return this.#named(condition.annotation).length > 0;
			case "any":
				return this.#select(condition.rows).some((inner) => inner.condition(condition.condition) === true);
			case "all":
				return this.#select(condition.rows).every((inner) => inner.condition(condition.condition) === true);
		}
	}

	value(value: Value): Maybe<Scalar | readonly Scalar[]> {
		switch (value.type) {
			case "literal":
				return value.value;
			case "field":
				return this.#field(value);
			case "attribute":
				if (value.path[0] === RESOURCE)
					return attributeAs(attributeOf(this.#attributes(value.row, "resource"), value.path.slice(1)), value.as);
				if (value.path === PROMPT_VERSION) return attributeAs(null, value.as);
				return attributeAs(attributeOf(this.#attributes(value.row), value.path), value.as);
			case "annotation":
				return this.#picked.get(`${value.annotation.row} ${value.annotation.name}`)?.[value.name] ?? null;
			case "negative":
				return map(this.#number(value.value), (number) => -number);
			case "arithmetic": {
				const [a, b] = [this.#number(value.left), this.#number(value.right)];
				if (a === null || b === null) return null;
				const result = arithmetic(value.operator, a, b);
				return Number.isNaN(result) ? null : result;
			}
			case "cast": {
				const inner = this.value(value.value);
				if (inner === null || typeof inner === "object") return null;
				const isTime = value.value.type === "field" && value.value.valueType === "datetime";
				if (value.to === "text") return isTime ? isoMicros(Number(inner)) : shown(inner);
				if (typeof inner !== "string") return Number(inner);
				return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(inner) ? Number(inner) : null;
			}
			case "count":
				return this.#select(value.rows).length;
			case "sum":
			case "max":
			case "min": {
				const numbers = this.#select(value.rows).flatMap((inner) => inner.#number(value.value) ?? []);
				if (value.type === "sum") return numbers.reduce((sum, number) => sum + number, 0);
				if (numbers.length === 0) return null;
				return value.type === "max" ? Math.max(...numbers) : Math.min(...numbers);
			}
		}
	}

	#number(value: Value): Maybe<number> {
		const found = this.value(value);
		return typeof found === "number" ? found : null;
	}

	#contains({ text, within }: Condition & { type: "contains" }): Maybe<boolean> {
		const needle = this.value(text);
		const row = this.#rows[within.type === "field" ? within.row : 0];
		if (within.type === "field" && row?.kind === "session" && within.name.startsWith("any_")) {
			const side = within.name === "any_input" ? "input" : "output";
			return row.traces.some((trace) => includes(textOf(trace, side), needle) === true);
		}
		return includes(this.value(within), needle);
	}

	/** True when the comparison is true for any choice of annotations; missing (null) when it is missing for each. */
	#overAnnotations(values: readonly Value[], compare: (inner: Evaluator) => Maybe<boolean>): Maybe<boolean> {
		const next = values.flatMap(annotationsIn).find(({ row, name }) => !this.#picked.has(`${row} ${name}`));
		if (next === undefined) return compare(this);
		const results = this.#named(next).map((annotation) => {
			const picked = new Map([...this.#picked, [`${next.row} ${next.name}`, annotation]]);
			return new Evaluator(this.#rows, picked).#overAnnotations(values, compare);
		});
		return results.includes(true) ? true : results.includes(false) ? false : null;
	}

	#named({ row, name }: AnnotationName): readonly AnnotationData[] {
		const data = this.#rows[row];
		if (data === undefined || !("annotations" in data)) throw new Error(`row ${row} has no annotations`);
		return data.annotations.filter((annotation) => annotation.name === name);
	}

	#select({ row, of, collection, condition }: Rows): Evaluator[] {
		const inner = collectionOf(this.#rows[of], collection).map((data) => {
			const rows = [...this.#rows];
			rows[row] = data;
			return new Evaluator(rows);
		});
		return inner.filter((evaluator) => condition === undefined || evaluator.condition(condition) === true);
	}

	#span(row: number): SpanData {
		const data = this.#rows[row];
		if (data?.kind !== "span") throw new Error(`row ${row} is no span`);
		return data;
	}

	#attributes(row: number, of: "attributes" | "resource" = "attributes"): Readonly<Record<string, unknown>> {
		const data = this.#rows[row];
		if (data?.kind === "span") return data[of];
		const trace = data?.kind === "session" ? data.traces[0] : data;
		return (trace?.kind === "trace" ? rootOf(trace)?.[of] : undefined) ?? {};
	}

	#field({ row, ofParent, name }: Field): Maybe<Scalar> {
		const own = this.#rows[row];
		const data = ofParent ? parentOf(this.#span(row)) : own;
		if (data === undefined) return null;
		switch (data.kind) {
			case "span":
				return spanField(data, name);
			case "trace":
				return traceField(data, name);
			case "session":
				return sessionField(data, name);
			case "annotation":
				return data[name as "name"];
			case "cost_detail":
				if (name === "cost_per_token")
					return data.tokens === null || data.tokens === 0 ? null : data.cost / data.tokens;
				return data[name as "cost"];
		}
	}
}

const STATUS_CODES = ["UNSET", "OK", "ERROR"];

function hasError(spans: readonly SpanData[]): boolean {
	return spans.some(({ summary }) => summary.statusCode === 2);
}

function spanField({ summary, cumulative, trace }: SpanData, name: string): Maybe<Scalar> {
	const { tokens, cost } = summary;
	const fields: Record<string, Maybe<Scalar> | undefined> = {
		span_id: summary.spanId,
		trace_id: summary.traceId,
		parent_id: summary.parentSpanId,
		name: summary.name,
		span_kind: summary.kind,
		status_code: STATUS_CODES[summary.statusCode],
		status_message: summary.statusMessage,
		model: summary.model,
		provider: summary.provider,
		user_id: summary.userId ?? trace.summary.userId,
		session_id: summary.sessionId ?? trace.summary.sessionId,
		release: summary.release ?? trace.summary.release,
		environment: summary.environment ?? trace.summary.environment,
		// Nothing comes with a key, and nobody groups failures here.
		api_key: null,
		error_group: null,
		error_kind: null,
		error_tool: null,
		start_time: summary.start.micros,
		end_time: summary.end.micros,
		latency_ms: isRunning(summary) ? null : (summary.end.micros - summary.start.micros) / 1_000,
		is_running: isRunning(summary),
		llm_token_count_prompt: tokens.prompt,
		llm_token_count_completion: tokens.completion,
		llm_token_count_total:
			tokens.total ?? (tokens.prompt === undefined ? tokens.completion : tokens.prompt + (tokens.completion ?? 0)),
		cumulative_llm_token_count_prompt: cumulative.tokens.prompt,
		cumulative_llm_token_count_completion: cumulative.tokens.completion,
		cumulative_llm_token_count_total: cumulative.tokens.total,
		cumulative_error_count: cumulative.errorCount,
		total_cost: cost?.total ?? 0,
		prompt_cost: cost?.prompt ?? 0,
		completion_cost: cost?.completion ?? 0,
	};
	return known(fields, name);
}

function isRunning({ heardMicros }: SpanSummary): boolean {
	return heardMicros !== undefined;
}

function traceField(trace: TraceData, name: string): Maybe<Scalar> {
	const { summary, spans } = trace;
	const fields: Record<string, Maybe<Scalar> | undefined> = {
		trace_id: summary.traceId,
		session_id: summary.sessionId,
		user_id: summary.userId,
		release: summary.release,
		environment: summary.environment,
		name: summary.rootName,
		root_kind: summary.rootKind,
		root_status_code: STATUS_CODES[summary.rootStatusCode],
		status_code: hasError(spans) ? "ERROR" : STATUS_CODES[summary.rootStatusCode],
		start_time: summary.start.micros,
		end_time: summary.end.micros,
		latency_ms: spans.some((span) => isRunning(span.summary))
			? null
			: (summary.end.micros - summary.start.micros) / 1_000,
		is_running: spans.some((span) => isRunning(span.summary)),
		num_spans: spans.length,
		error_count: spans.filter((span) => span.summary.statusCode === 2).length,
		...rollups(spans, summary.tokens),
		input: textOf(trace, "input"),
		output: textOf(trace, "output"),
	};
	return known(fields, name);
}

function sessionField({ summary, traces }: SessionData, name: string): Maybe<Scalar> {
	const spans = traces.flatMap((trace) => trace.spans);
	const [first] = traces;
	const last = traces.at(-1);
	const fields: Record<string, Maybe<Scalar> | undefined> = {
		session_id: summary.sessionId,
		user_id: first?.summary.userId,
		status_code: hasError(spans) ? "ERROR" : "UNSET",
		start_time: summary.start.micros,
		end_time: summary.end.micros,
		duration_ms: (summary.end.micros - summary.start.micros) / 1_000,
		is_running: spans.some((span) => isRunning(span.summary)),
		num_traces: traces.length,
		num_traces_with_error: traces.filter((trace) => trace.spans.some((span) => span.summary.statusCode === 2)).length,
		num_spans: spans.length,
		error_count: spans.filter((span) => span.summary.statusCode === 2).length,
		...rollups(spans, summary.tokens),
		first_input: first === undefined ? null : textOf(first, "input"),
		last_output: last === undefined ? null : textOf(last, "output"),
	};
	return known(fields, name);
}

function rollups(spans: readonly SpanData[], tokens: TraceSummary["tokens"]): Record<string, number> {
	const counted = spans.filter(isCounted);
	const sum = (part: "total" | "prompt" | "completion") =>
		counted.reduce((total, { summary }) => total + (summary.cost?.[part] ?? 0), 0);
	return {
		token_count_prompt: tokens.prompt,
		token_count_completion: tokens.completion,
		token_count_total: tokens.total,
		total_cost: sum("total"),
		prompt_cost: sum("prompt"),
		completion_cost: sum("completion"),
		tool_span_count: spans.filter((span) => span.summary.kind === "TOOL").length,
		llm_span_count: spans.filter((span) => span.summary.kind === "LLM").length,
	};
}

/** Whether the span's tokens count in totals: they are no aggregate, and no descendant reports tokens. */
function isCounted(span: SpanData): boolean {
	const hasUsage = ({ summary }: SpanData) =>
		!summary.tokensAreAggregate && Object.values(summary.tokens).some((count) => count > 0);
	const below = [...childrenOf(span)];
	for (const child of below) below.push(...childrenOf(child));
	return !span.summary.tokensAreAggregate && !below.some(hasUsage);
}

function known(fields: Readonly<Record<string, Maybe<Scalar> | undefined>>, name: string): Maybe<Scalar> {
	if (!(name in fields)) throw new Error(`no field ${name}`);
	return fields[name] ?? null;
}

function collectionOf(data: RowData | undefined, collection: Rows["collection"]): readonly RowData[] {
	if (data === undefined || data.kind === "annotation" || data.kind === "cost_detail") throw new Error("no collection");
	const traces = data.kind === "session" ? data.traces : data.kind === "trace" ? [data] : [];
	const spans = data.kind === "span" ? [data] : traces.flatMap((trace) => trace.spans);
	switch (collection) {
		case "traces":
			return traces;
		case "spans":
			return spans;
		case "children":
			return data.kind === "span" ? childrenOf(data) : [];
		case "siblings":
			return data.kind === "span" ? siblingsOf(data) : [];
		case "annotations":
		case "trace_annotations":
		case "session_annotations":
			return data.annotations;
		case "span_annotations":
			return spans.flatMap((span) => span.annotations);
		case "cost_details":
		case "span_cost_details":
			return spans.flatMap(costDetailsOf);
	}
}

function costDetailsOf({ summary: { cost, tokens } }: SpanData): CostDetailData[] {
	const detail = (
		token_type: string,
		is_prompt: boolean,
		partCost: number | undefined,
		partTokens: number | undefined,
	): CostDetailData[] =>
		partCost === undefined
			? []
			: [{ kind: "cost_detail", token_type, is_prompt, cost: partCost, tokens: partTokens ?? null }];
	const less = (whole: number | undefined, ...parts: readonly (number | undefined)[]) =>
		parts.reduce<number | undefined>((rest, part) => (rest === undefined ? undefined : rest - (part ?? 0)), whole);
	return [
		...detail(
			"input",
			true,
			less(cost?.prompt, cost?.cache_read, cost?.cache_write),
			less(tokens.prompt, tokens.cache_read, tokens.cache_write),
		),
		...detail("output", false, less(cost?.completion, cost?.reasoning), less(tokens.completion, tokens.reasoning)),
		...detail("cache_read", true, cost?.cache_read, tokens.cache_read),
		...detail("cache_write", true, cost?.cache_write, tokens.cache_write),
		...detail("reasoning", false, cost?.reasoning, tokens.reasoning),
	];
}

function childrenOf({ summary: { spanId }, trace }: SpanData): SpanData[] {
	return trace.spans.filter(({ summary }) => summary.parentSpanId === spanId && summary.spanId !== spanId);
}

function siblingsOf(span: SpanData): SpanData[] {
	const { parentSpanId } = span.summary;
	if (parentSpanId === null) return [];
	return span.trace.spans.filter((other) => other !== span && other.summary.parentSpanId === parentSpanId);
}

function parentOf({ summary: { parentSpanId, spanId }, trace }: SpanData): SpanData | undefined {
	return trace.spans.find(({ summary }) => summary.spanId === parentSpanId && parentSpanId !== spanId);
}

function rootOf({ summary, spans }: TraceData): SpanData | undefined {
	return spans.find((span) => span.summary.spanId === summary.rootSpanId);
}

function textOf(trace: TraceData, side: "input" | "output"): Maybe<string> {
	const sent = attributeAs(attributeOf(rootOf(trace)?.attributes ?? {}, [side, "value"]), "searched");
	const shownText = side === "input" ? trace.summary.firstInput : trace.summary.lastOutput;
	return typeof sent === "string" ? sent : shownText;
}

function attributeOf(
	attributes: Readonly<Record<string, unknown>>,
	path: readonly string[],
): Maybe<Scalar | readonly Scalar[]> {
	const key = path.join(".");
	const exact = attributes[key];
	const below = Object.keys(attributes)
		.filter((other) => other.startsWith(`${key}.`))
		.flatMap((other) => scalarsOf(attributes[other]));
	if (below.length > 0) return [...scalarsOf(exact), ...below];
	if (exact === undefined) return null;
	return Array.isArray(exact) ? scalarsOf(exact) : (scalarsOf(exact)[0] ?? null);
}

function scalarsOf(value: unknown): Scalar[] {
	if (Array.isArray(value)) return value.flatMap(scalarsOf);
	return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? [value] : [];
}

function attributeAs(value: Maybe<Scalar | readonly Scalar[]>, as: Attribute["as"]): Maybe<Scalar | readonly Scalar[]> {
	if (value === null || as === "any") return value;
	if (as === "searched") return typeof value === "object" ? value.map(String).join("\n") : String(value);
	const type = as === "text" ? "string" : as;
	return typeof value === type ? value : null;
}

function annotationsIn(value: Value): AnnotationName[] {
	if (value.type === "annotation") return [value.annotation];
	if (value.type === "arithmetic") return [...annotationsIn(value.left), ...annotationsIn(value.right)];
	return value.type === "negative" || value.type === "cast" ? annotationsIn(value.value) : [];
}

function arithmetic(operator: string, a: number, b: number): number {
	if (operator === "+") return a + b;
	if (operator === "-") return a - b;
	if (operator === "*") return a * b;
	if (b === 0) return Number.NaN;
	return operator === "/" ? a / b : a - b * Math.floor(a / b);
}

function includes(within: Maybe<Scalar | readonly Scalar[]>, text: Maybe<Scalar | readonly Scalar[]>): Maybe<boolean> {
	if (typeof within !== "string" || typeof text !== "string") return null;
	return within.toLowerCase().includes(text.toLowerCase());
}

function before(a: Scalar, b: Scalar): boolean {
	return typeof a === "string" && typeof b === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 : a < b;
}

function shown(value: Scalar): string {
	return typeof value === "boolean" ? (value ? "True" : "False") : String(value);
}

function isoMicros(micros: number): string {
	return `${new Date(Math.floor(micros / 1_000)).toISOString().replace("Z", "")}${String(micros % 1_000).padStart(3, "0")}Z`;
}

function map<T, U>(value: Maybe<T>, use: (value: T) => U): Maybe<U> {
	return value === null ? null : use(value);
}
