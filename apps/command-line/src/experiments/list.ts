import type { Experiment } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { printList } from "../listing.ts";
import { formatCost, formatDuration, formatTime } from "../quantities.ts";
import type { Column } from "../table.ts";

const COLUMNS: readonly Column<Experiment>[] = [
	{ title: "EXPERIMENT", value: ({ id }) => id },
	{ title: "NAME", value: ({ name }) => name, isText: true, rank: 1 },
	{ title: "MADE", value: ({ created_at: created }) => formatTime(created), rank: 4 },
	{
		title: "RUNS",
		value: ({ successful_run_count: done, failed_run_count: failed, missing_run_count: missing }) =>
			`${done}/${done + failed + missing}`,
		isNumber: true,
		rank: 3,
	},
	{
		title: "SCORES",
		value: ({ scores }) =>
			Object.entries(scores)
				.map(([name, { mean }]) => `${name} ${mean.toFixed(3)}`)
				.join(", "),
		isText: true,
		rank: 2,
	},
	{ title: "LATENCY", value: ({ average_latency_ms: ms }) => formatDuration(ms), isNumber: true, rank: 5 },
	{ title: "COST", value: ({ total_cost: cost }) => formatCost(cost), isNumber: true, rank: 6 },
];

/** `spanward experiments list` */
export async function listExperiments(invocation: Invocation): Promise<undefined> {
	const { datasets, experiments } = await invocation.connect();
	const dataset = invocation.value("dataset");
	const list = experiments.list(dataset === undefined ? {} : { datasetId: await datasets.idOf(dataset) });
	return await printList(invocation, list, COLUMNS, "There is no experiment.");
}
