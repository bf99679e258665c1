import type { AnalyticsRows, NumberValue } from "./analytics-query.ts";
import type { Cell } from "./cell.ts";
import type { Parts, Place } from "./parts.ts";

/** A measure by name, or a function over a number of each row. */
export type Measure =
	| { readonly type: "named"; readonly name: string }
	| { readonly type: "function"; readonly function: MeasureFunction; readonly value: NumberValue }
	/** The sum of a number that rows have, which the answer is made with. */
	| { readonly type: "sum"; readonly of: Quantity };

export type MeasureFunction = (typeof MEASURE_FUNCTIONS)[number];
export const MEASURE_FUNCTIONS = ["count", "sum", "avg", "min", "max", "p50", "p95"] as const;

export type MeasureUnit = "rows" | "rate" | "ms" | "tokens" | "usd" | "number";

/** A number of a row: what it is called, and which rows have it is told by `row-numbers.ts`. */
export type Quantity = string;

type Read = (cell: Cell) => number | null;

export interface NamedMeasure {
	readonly unit: MeasureUnit;
	readonly description: string;
	/** Percentiles, which are within 5 % of the true ones. */
	readonly isApproximate?: true;
	/** Counts different values, of which there may be too many. */
	readonly isDistinct?: true;
	readonly read: (parts: Parts) => Read;
}

const MICROS_OF_MS = 1_000;
const PERCENTILES = [50, 75, 90, 95, 99];

const count: NamedMeasure = { unit: "rows", description: "How many there are.", read: () => (cell) => cell.rows };

function sum(unit: MeasureUnit, of: Quantity, description: string): NamedMeasure {
	return { unit, description, read: (parts) => reader(parts.add("sum", of)) };
}

function rate(of: Quantity, description: string): NamedMeasure {
	return {
		unit: "rate",
		description,
		read: (parts) => {
			const part = parts.add("sum", of);
			return (cell) => (cell.rows === 0 ? null : cell.number(part) / cell.rows);
		},
	};
}

function cost(of: Quantity, description: string): NamedMeasure {
	return {
		unit: "usd",
		description,
		read: (parts) => {
			const part = parts.add("cost", of);
			return (cell) => cell.dollars(part);
		},
	};
}

function distinct(of: Quantity, description: string): NamedMeasure {
	return {
		unit: "rows",
		description,
		isDistinct: true,
		read: (parts) => {
			const part = parts.add("distinct", of);
			return (cell) => cell.distinct(part);
		},
	};
}

/** Milliseconds, of a quantity in microseconds that running rows do not have. */
function durations(prefix: string, of: Quantity, what: string): Record<string, NamedMeasure> {
	const scaled = (read: (parts: Parts) => Read) => (parts: Parts) => {
		const inMicros = read(parts);
		return (cell: Cell) => {
			const micros = inMicros(cell);
			return micros === null ? null : micros / MICROS_OF_MS;
		};
	};
	const measure = (description: string, read: (parts: Parts) => Read): NamedMeasure => ({
		unit: "ms",
		description: `${description} ${what}.`,
		read: scaled(read),
	});
	return {
		[`${prefix}_avg`]: measure("Mean of the", (parts) => mean(parts, of)),
		[`${prefix}_min`]: measure("Shortest", (parts) => extreme(parts, "min", of)),
		[`${prefix}_max`]: measure("Longest", (parts) => extreme(parts, "max", of)),
		...Object.fromEntries(
			PERCENTILES.map((percent) => [
				`${prefix}_p${percent}`,
				{
					...measure(`${percent} % are no longer than this`, (parts) => percentile(parts, of, percent / 100)),
					description: `The ${what} that ${percent} % do not exceed, within 5 %.`,
					isApproximate: true as const,
				},
			]),
		),
	};
}

function scores(): Record<string, NamedMeasure> {
	const measure = (description: string, read: (parts: Parts) => Read): NamedMeasure => ({
		unit: "number",
		description,
		read,
	});
	return {
		scored_count: {
			unit: "rows",
			description: "Those with a score.",
			read: (parts) => reader(parts.add("count", "score")),
		},
		score_avg: measure("Mean of the scores.", (parts) => mean(parts, "score")),
		score_min: measure("Lowest score.", (parts) => extreme(parts, "min", "score")),
		score_max: measure("Highest score.", (parts) => extreme(parts, "max", "score")),
		...Object.fromEntries(
			[10, 50, 90].map((percent) => [
				`score_p${percent}`,
				{
					...measure(`The score that ${percent} % do not exceed, within 5 %.`, (parts) =>
						percentile(parts, "score", percent / 100),
					),
					isApproximate: true as const,
				},
			]),
		),
	};
}

function mean(parts: Parts, of: Quantity): Read {
	const [total, having] = [parts.add("sum", of), parts.add("count", of)];
	return (cell) => (cell.number(having) === 0 ? null : cell.number(total) / cell.number(having));
}

function extreme(parts: Parts, kind: "min" | "max", of: Quantity): Read {
	const [part, having] = [parts.add(kind, of), parts.add("count", of)];
	return (cell) => (cell.number(having) === 0 ? null : cell.number(part));
}

function percentile(parts: Parts, of: Quantity, share: number): Read {
	const part = parts.add("bins", of);
	return (cell) => cell.quantile(part, share);
}

const reader =
	(part: Place): Read =>
	(cell) =>
		cell.number(part);

const tokens = {
	tokens_prompt: sum("tokens", "tokens_prompt", "Prompt tokens, none twice."),
	tokens_completion: sum("tokens", "tokens_completion", "Completion tokens, none twice."),
	tokens_total: sum("tokens", "tokens_total", "All tokens, none twice."),
};

const errors = {
	error_count: sum("rows", "errors", "Those with an error."),
	error_rate: rate("errors", "Share of those with an error."),
};

/** The measures of each kind of rows by name. */
export const MEASURES: Readonly<Record<AnalyticsRows, Readonly<Record<string, NamedMeasure>>>> = {
	spans: {
		count,
		...errors,
		...durations("latency", "latency", "time from start to end"),
		...tokens,
		tokens_cache_read: sum("tokens", "tokens_cache_read", "Prompt tokens read from a cache, none twice."),
		tokens_cache_write: sum("tokens", "tokens_cache_write", "Prompt tokens written to a cache, none twice."),
		tokens_reasoning: sum("tokens", "tokens_reasoning", "Completion tokens spent on reasoning, none twice."),
		cost_total: cost("cost_total", "US dollars, none twice."),
		cost_prompt: cost("cost_prompt", "US dollars for prompts."),
		cost_completion: cost("cost_completion", "US dollars for completions."),
		cost_cache_read: cost("cost_cache_read", "US dollars for prompt tokens read from a cache."),
		cost_cache_write: cost("cost_cache_write", "US dollars for prompt tokens written to a cache."),
		cost_reasoning: cost("cost_reasoning", "US dollars for reasoning."),
		unpriced_count: sum("rows", "unpriced", "Those with tokens and without a known cost."),
		unique_traces: distinct("trace", "Different traces."),
		unique_sessions: distinct("session", "Different sessions."),
		unique_users: distinct("user", "Different users."),
	},
	traces: {
		count,
		error_count: sum("rows", "errors", "Those with an error anywhere."),
		failed_count: sum("rows", "failed", "Those whose root span failed."),
		error_rate: rate("errors", "Share of those with an error anywhere."),
		failure_rate: rate("failed", "Share of those whose root span failed."),
		...durations("latency", "latency", "time from start to end"),
		spans: sum("rows", "spans", "Spans in them."),
		...tokens,
		cost_total: cost("cost_total", "US dollars, none twice."),
		unique_sessions: distinct("session", "Different sessions."),
		unique_users: distinct("user", "Different users."),
	},
	sessions: {
		count,
		...errors,
		...durations("duration", "latency", "time from start to end"),
		traces: sum("rows", "traces", "Traces in them."),
		...tokens,
		cost_total: cost("cost_total", "US dollars, none twice."),
		unique_users: distinct("user", "Different users."),
	},
	annotations: {
		count,
		...scores(),
		unique_targets: distinct("target", "Different spans, traces and sessions."),
	},
	errors: {
		count,
		unique_groups: distinct("group", "Different groups of errors."),
		unique_traces: distinct("trace", "Different traces."),
		unique_sessions: distinct("session", "Different sessions."),
		unique_users: distinct("user", "Different users."),
	},
	spend: {
		cost_total: cost("cost_total", "US dollars, none twice, of deleted spans too."),
		tokens_total: sum("tokens", "tokens_total", "All tokens, none twice, of deleted spans too."),
	},
	ingest: {
		accepted_spans: sum("rows", "accepted_spans", "Spans that were taken, duplicates included."),
		duplicate_spans: sum("rows", "duplicate_spans", "Those of them that were stored already, as after a retry."),
		rejected_spans: sum("rows", "rejected_spans", "Spans that were left out, and named in the answer."),
		refused_requests: sum("rows", "refused_requests", "Requests that were answered with an error."),
	},
};

/** How a measure is read from a cell, whose parts it adds to `parts`. */
export function compileMeasure(of: AnalyticsRows, measure: Measure, parts: Parts): Read {
	if (measure.type === "named") {
		const named = MEASURES[of][measure.name];
		if (named === undefined) throw new Error(`${of} have no measure ${measure.name}`);
		return named.read(parts);
	}
	if (measure.type === "sum") return reader(parts.add("sum", measure.of));
	const quantity = parts.addValue(measure.value);
	switch (measure.function) {
		case "count":
			return reader(parts.add("count", quantity));
		case "sum":
			return reader(parts.add("sum", quantity));
		case "avg":
			return mean(parts, quantity);
		case "min":
		case "max":
			return extreme(parts, measure.function, quantity);
		case "p50":
			return percentile(parts, quantity, 0.5);
		case "p95":
			return percentile(parts, quantity, 0.95);
	}
}
