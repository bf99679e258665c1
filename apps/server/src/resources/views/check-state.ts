import type { FilterTarget } from "@spanward/filter-language";
import { ValidationError } from "#base/errors.ts";
import { parseFilter } from "#http/filter-param.ts";
import type { ViewPage } from "#storage/schema.ts";
import type { ViewState } from "./schemas.ts";

interface PageOfViews {
	/** What its filter is about. */
	readonly target: FilterTarget;
	/** The parts of its state besides those that every list has. */
	readonly parts: readonly (keyof ViewState)[];
	/** What it is sorted by, besides `score.` and the name of annotations. */
	readonly sorts: readonly string[];
	readonly hasScores: boolean;
}

const EVERY: readonly (keyof ViewState)[] = [
	...(["filter", "q", "columns", "sort", "order"] as const),
	...(["range", "start_time", "end_time"] as const),
];
const OF_ROWS = ["error", "min_latency_ms", "max_latency_ms", "name", "user_id", "session_id", "model"] as const;
const FIGURES = ["start_time", "latency_ms", "total_cost", "token_count_total"] as const;

const PAGES: Readonly<Record<ViewPage, PageOfViews>> = {
	traces: { target: "trace", parts: OF_ROWS, sorts: [...FIGURES, "error_count", "span_count"], hasScores: true },
	spans: { target: "span", parts: [...OF_ROWS, "span_kind"], sorts: [...FIGURES, "status_code"], hasScores: true },
	sessions: {
		target: "session",
		parts: ["error", "user_id"],
		sorts: ["start_time", "end_time", "trace_count", "error_count", "token_count_total", "total_cost"],
		hasScores: true,
	},
	users: {
		target: "trace",
		parts: [],
		sorts: [
			...["cost_total", "last_seen", "first_seen", "traces", "sessions", "errors"],
			...["tokens_total", "latency_p95"],
		],
		hasScores: false,
	},
	errors: {
		target: "span",
		parts: ["state", "error_kind", "assignee", "release", "environment", "user_id"],
		sorts: ["last_seen", "first_seen", "count", "users"],
		hasScores: false,
	},
};

/**
 * Looks whether a list can show this state.
 * @throws ValidationError when the page does not have a part of it; UserError 422 `invalid_filter`
 */
export function checkState(page: ViewPage, state: ViewState): void {
	const { target, parts, sorts, hasScores } = PAGES[page];
	for (const part of Object.keys(state) as (keyof ViewState)[]) {
		if (!EVERY.includes(part) && !parts.includes(part))
			throw refuse(part, "extra_forbidden", `Extra inputs are not permitted; a list of ${page} does not have it`);
	}
	const { sort, range, start_time: start, end_time: end, filter } = state;
	if (sort !== undefined && !sorts.includes(sort) && !(hasScores && /^score\../.test(sort)))
		throw refuse("sort", "literal_error", `Input should be ${sorts.map((each) => `'${each}'`).join(" or ")}`);
	if (range !== undefined && start !== undefined)
		throw refuse("range", "value_error", "Input should be absent where start_time is given");
	if (start !== undefined && end !== undefined && Date.parse(end) <= Date.parse(start))
		throw refuse("end_time", "value_error", "Input should be later than start_time");
	parseFilter(target, filter, { status: 422, prefix: "Invalid filter: " });
}

function refuse(part: keyof ViewState, type: string, msg: string): ValidationError {
	return new ValidationError([{ type, loc: ["body", "state", part], msg }]);
}
