import type { Project } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { pageSize, printList } from "../listing.ts";
import { formatCost, formatTime } from "../quantities.ts";
import type { Column } from "../table.ts";

const total = (counts: readonly number[] | undefined) => counts?.reduce((sum, count) => sum + count, 0);

const COLUMNS: readonly Column<Project>[] = [
	{ title: "NAME", value: ({ name }) => name, isText: true },
	{ title: "SPANS 24H", value: ({ activity }) => total(activity?.span_counts), isNumber: true, rank: 1 },
	{
		title: "ERRORS",
		value: ({ activity }) => total(activity?.error_counts),
		isNumber: true,
		rank: 2,
		style: ({ activity }) => ((total(activity?.error_counts) ?? 0) > 0 ? ["red"] : []),
	},
	{ title: "COST", value: ({ activity }) => formatCost(activity?.total_cost), isNumber: true, rank: 4 },
	{ title: "NEWEST TRACE", value: ({ activity }) => formatTime(activity?.newest_trace_start_time), rank: 3 },
	{ title: "DESCRIPTION", value: ({ description }) => description, isText: true, rank: 5 },
];

/** `spanward projects list` */
export async function listProjects(invocation: Invocation): Promise<undefined> {
	const spanward = await invocation.connect();
	const name = invocation.value("name");
	const projects = spanward.projects.list({
		limit: pageSize(invocation),
		include: ["activity"],
		...(name !== undefined && { name_contains: name }),
	});
	return await printList(invocation, projects, COLUMNS, "There is no such project.");
}
