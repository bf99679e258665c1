import type { Session } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { pageSize, printList } from "../listing.ts";
import { formatCost, formatTime } from "../quantities.ts";
import { selectionOf, withWarnings } from "../span-query.ts";
import type { Column } from "../table.ts";

const COLUMNS: readonly Column<Session>[] = [
	{ title: "SESSION", value: ({ session_id: id }) => id, isText: true },
	{ title: "LAST", value: ({ end_time: end }) => formatTime(end), rank: 2 },
	{ title: "TRACES", value: ({ trace_count: count }) => count, isNumber: true, rank: 3 },
	{ title: "ERRORS", value: ({ error_count: count }) => count, isNumber: true, rank: 4 },
	{ title: "TOKENS", value: ({ token_count_total: count }) => count, isNumber: true, rank: 6 },
	{ title: "COST", value: ({ total_cost: cost }) => formatCost(cost), isNumber: true, rank: 7 },
	{ title: "USER", value: ({ user_id: user }) => user, isText: true, rank: 5 },
	{ title: "INPUT", value: ({ first_input: input }) => input?.slice(0, 500), isText: true, rank: 1 },
];

/** `spanward sessions list`: the latest first. */
export async function listSessions(invocation: Invocation): Promise<undefined> {
	const spanward = await invocation.connect();
	const query = { ...selectionOf(invocation), limit: pageSize(invocation), sort: "end_time", order: "desc" } as const;
	const path = { project_identifier: invocation.project };
	const sessions = withWarnings(invocation, (cursor) =>
		spanward.api.get("/v1/projects/{project_identifier}/sessions", { path, query: { ...query, ...cursor } }),
	);
	return await printList(invocation, sessions, COLUMNS, "No session matches.");
}
