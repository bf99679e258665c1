import { suggest } from "@spanward/filter-language";
import type {
	AnalyticsRows,
	DistributionQuery,
	DistributionScale,
	NumberValue,
} from "#storage/traces/analytics/analytics-query.ts";
import { NUMBER_FIELDS, readNumber } from "./read-measures.ts";
import { refuseValue } from "./refuse-value.ts";

const BINS = 40;

/** Numbers by the same names for all rows of traces, besides those that filters have. */
const NAMES: Readonly<Record<string, NumberValue>> = {
	latency_ms: { type: "field", name: "latency_ms" },
	total_cost: { type: "field", name: "total_cost" },
	token_count_total: { type: "field", name: "token_count_total" },
};

/** Parameters that a distribution has no use for. */
const OTHERS = ["measure", "group_by", "compare", "sort"] as const;

type Asked = Readonly<Partial<Record<(typeof OTHERS)[number], unknown>>> & {
	readonly of: AnalyticsRows;
	readonly distribution?: string | undefined;
	readonly bins?: number | undefined;
	readonly scale?: DistributionScale | undefined;
};

/**
 * The distribution that is asked for and the number that is spread; undefined where none is.
 * @throws ValidationError 422
 */
export function readDistribution(asked: Asked): { query: DistributionQuery; value: NumberValue } | undefined {
	const { of, distribution, bins = BINS, scale } = asked;
	if (distribution === undefined) {
		for (const name of ["bins", "scale"] as const)
			if (asked[name] !== undefined)
				throw refuseValue("invalid_parameter", name, "Input should be absent without `distribution`");
		return undefined;
	}
	for (const name of OTHERS)
		if (asked[name] !== undefined)
			throw refuseValue("invalid_parameter", name, "Input should be absent where a distribution is asked for");
	const ofTraces = of !== "annotations" && of !== "ingest" && of !== "spend";
	const named = ofTraces && Object.hasOwn(NAMES, distribution) ? NAMES[distribution] : undefined;
	const value = named ?? readNumber(of, distribution);
	if (value === undefined) throw unknownNumber(of, distribution, ofTraces);
	const fitting = value.type === "field" ? "log" : "linear";
	return { query: { bins, scale: scale ?? fitting }, value };
}

function unknownNumber(of: AnalyticsRows, text: string, ofTraces: boolean) {
	const names = [...new Set([...(ofTraces ? Object.keys(NAMES) : []), ...Object.keys(NUMBER_FIELDS[of])])];
	const meant = suggest(text, names);
	return refuseValue(
		"unknown_number",
		"distribution",
		`Input should be ${[...names, "attributes['…']"].join(", ")}${meant.length > 0 ? `; ${meant[0]} is probably meant` : ""}`,
		text.slice(0, 200),
	);
}
