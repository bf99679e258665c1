import type { Span } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { pageSize, printList } from "../listing.ts";
import { formatCost, formatDuration, formatTime } from "../quantities.ts";
import { selectionOf, withWarnings } from "../span-query.ts";
import type { Column } from "../table.ts";

const COLUMNS: readonly Column<Span>[] = [
	{ title: "SPAN", value: ({ context }) => context.span_id },
	{ title: "STARTED", value: ({ start_time: start }) => formatTime(start), rank: 4 },
	{
		title: "NAME",
		value: ({ name }) => name,
		isText: true,
		rank: 1,
		style: ({ status_code: status }) => (status === "ERROR" ? ["red"] : []),
	},
	{ title: "KIND", value: ({ span_kind: kind }) => kind, rank: 3 },
	{
		title: "TOOK",
		value: ({ latency_ms: ms, state }) => (ms === null ? state : formatDuration(ms)),
		isNumber: true,
		rank: 2,
	},
	{ title: "TOKENS", value: ({ token_count_total: count }) => count, isNumber: true, rank: 6 },
	{ title: "COST", value: ({ total_cost: cost }) => formatCost(cost), isNumber: true, rank: 7 },
	{ title: "TRACE", value: ({ context }) => context.trace_id, rank: 5 },
	{ title: "MESSAGE", value: ({ status_message: message }) => message, isText: true, rank: 8 },
];

/** `spanward spans list`. Programs get attributes and events as well. */
export async function listSpans(invocation: Invocation): Promise<undefined> {
	const spanward = await invocation.connect();
	const query = { ...selectionOf(invocation), limit: pageSize(invocation) };
	const path = { project_identifier: invocation.project };
	const sort = invocation.value("sort");
	const spans = withWarnings(invocation, (cursor) =>
		spanward.api.get("/v1/projects/{project_identifier}/spans", {
			path,
			query: {
				...query,
				view: invocation.terminal.isJson ? "full" : "summary",
				...(sort !== undefined && { sort }),
				...cursor,
			},
		}),
	);
	return await printList(invocation, spans, COLUMNS, "No span matches.");
}
