import type { Trace } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { pageSize, printList } from "../listing.ts";
import { formatCost, formatDuration, formatTime } from "../quantities.ts";
import { selectionOf, withWarnings } from "../span-query.ts";
import type { Column } from "../table.ts";

export const TRACE_COLUMNS: readonly Column<Trace>[] = [
	{ title: "TRACE", value: ({ trace_id: id }) => id },
	{ title: "STARTED", value: ({ start_time: start }) => formatTime(start), rank: 2 },
	{
		title: "NAME",
		value: ({ root_name: name }) => name,
		isText: true,
		rank: 1,
		style: ({ error_count: errors }) => (errors > 0 ? ["red"] : []),
	},
	{
		title: "TOOK",
		value: ({ latency_ms: ms, state }) => (ms === null ? state : formatDuration(ms)),
		isNumber: true,
		rank: 3,
	},
	{ title: "SPANS", value: ({ span_count: count }) => count, isNumber: true, rank: 5 },
	{ title: "ERRORS", value: ({ error_count: count }) => count, isNumber: true, rank: 4 },
	{ title: "TOKENS", value: ({ token_count_total: count }) => count, isNumber: true, rank: 6 },
	{ title: "COST", value: ({ total_cost: cost }) => formatCost(cost), isNumber: true, rank: 7 },
	{ title: "INPUT", value: ({ first_input: input }) => input?.slice(0, 500), isText: true, rank: 8 },
];

/** `spanward traces list` */
export async function listTraces(invocation: Invocation): Promise<undefined> {
	const spanward = await invocation.connect();
	const query = { ...selectionOf(invocation), limit: pageSize(invocation) };
	const sort = invocation.value("sort");
	const path = { project_identifier: invocation.project };
	const traces = withWarnings(invocation, (cursor) =>
		spanward.api.get("/v1/projects/{project_identifier}/traces", {
			path,
			query: { ...query, ...(sort !== undefined && { sort }), ...cursor },
		}),
	);
	return await printList(invocation, traces, TRACE_COLUMNS, "No trace matches.");
}
