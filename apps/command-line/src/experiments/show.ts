import type { Invocation } from "../invocation.ts";
import { formatCost, formatDuration, formatTime } from "../quantities.ts";
import { formatFields, formatTable } from "../table.ts";

/** `spanward experiments show` */
export async function showExperiment(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const { experiments } = await invocation.connect();
	const experiment = await experiments.get(invocation.argument(0));
	if (terminal.isJson) {
		await terminal.printJson(experiment);
		return undefined;
	}
	const fields = formatFields(terminal, [
		["name", experiment.name],
		["description", experiment.description],
		["made", formatTime(experiment.created_at)],
		["dataset", experiment.dataset_id],
		["project", experiment.project_name],
		["tags", experiment.tags.join(", ")],
		["examples", experiment.example_count],
		["runs", experiment.successful_run_count],
		["failed", experiment.failed_run_count],
		["missing", experiment.missing_run_count],
		["latency", formatDuration(experiment.average_latency_ms)],
		["tokens", experiment.total_tokens],
		["cost", formatCost(experiment.total_cost)],
	]);
	for (const line of fields) await terminal.print(line);
	const scores = Object.entries(experiment.scores);
	if (scores.length === 0) return undefined;
	const table = formatTable(
		terminal,
		[
			{ title: "SCORE", value: ([name]) => name, isText: true },
			{ title: "MEAN", value: ([, { mean }]) => mean.toFixed(4), isNumber: true },
			{ title: "SE", value: ([, { standard_error: error }]) => error?.toFixed(4), isNumber: true, rank: 2 },
			{ title: "EXAMPLES", value: ([, { count }]) => count, isNumber: true, rank: 1 },
		],
		scores,
	);
	for (const line of ["", ...table]) await terminal.print(line);
	return undefined;
}
