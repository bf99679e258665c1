import { suggest } from "@spanward/filter-language";
import type { AnalyticsRows, NumberValue } from "#storage/traces/analytics/analytics-query.ts";
import { MEASURE_FUNCTIONS, MEASURES, type Measure, type MeasureFunction } from "#storage/traces/analytics/measures.ts";
import { readAttribute } from "./group-fields.ts";
import { refuseValue } from "./refuse-value.ts";

const latency = { type: "field", name: "latency_ms" } as const;
const cost = { type: "field", name: "total_cost" } as const;
const tokens = { type: "field", name: "token_count_total" } as const;

/** Numbers of rows by the names that filters have for them. */
export const NUMBER_FIELDS: Readonly<Record<AnalyticsRows, Readonly<Record<string, NumberValue>>>> = {
	spans: { latency_ms: latency, total_cost: cost, llm_token_count_total: tokens },
	traces: { latency_ms: latency, total_cost: cost, token_count_total: tokens },
	sessions: { duration_ms: latency, total_cost: cost, token_count_total: tokens },
	annotations: { score: { type: "score" } },
	errors: { latency_ms: latency, total_cost: cost, llm_token_count_total: tokens },
	spend: {},
	ingest: {},
};

/**
 * A measure by its name, or a function of a number such as `avg(attributes['time_to_first_token'])`.
 * @throws ValidationError `unknown_measure`
 */
export function readMeasure(of: AnalyticsRows, text: string): Measure {
	if (Object.hasOwn(MEASURES[of], text)) return { type: "named", name: text };
	const [, name = "", argument = ""] = /^(\w+)\((.*)\)$/s.exec(text) ?? [];
	const value = readNumber(of, argument.trim());
	if (isFunction(name) && value !== undefined) return { type: "function", function: name, value };
	const names = Object.keys(MEASURES[of]);
	const meant = suggest(text, names);
	const more = of === "ingest" || of === "spend" ? "" : functionsOf(of);
	throw refuseValue(
		"unknown_measure",
		"measure",
		meant.length > 0
			? `Input should be a measure of ${of}; ${meant.join(", ")} may be meant`
			: `Input should be ${names.join(", ")}${more}`,
		text.slice(0, 200),
	);
}

function functionsOf(of: AnalyticsRows): string {
	const numbers = [...Object.keys(NUMBER_FIELDS[of]), "attributes['…']"];
	return `, or ${MEASURE_FUNCTIONS.join(", ")} of ${numbers.join(", ")}, such as avg(attributes['…'])`;
}

function isFunction(name: string): name is MeasureFunction {
	return (MEASURE_FUNCTIONS as readonly string[]).includes(name);
}

/** A number of rows by its name, or an attribute; undefined for anything else. */
export function readNumber(of: AnalyticsRows, text: string): NumberValue | undefined {
	const field = Object.hasOwn(NUMBER_FIELDS[of], text) ? NUMBER_FIELDS[of][text] : undefined;
	if (field !== undefined) return field;
	const attribute = readAttribute(of, text);
	return attribute === undefined ? undefined : { type: "attribute", path: attribute.path };
}
