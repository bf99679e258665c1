import { EXIT, usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { formatTable } from "../table.ts";

/** One metric of one experiment beside the base's; programs read it as it is. */
interface Row {
	readonly experiment_id: string;
	readonly experiment_name: string;
	readonly metric: string;
	readonly base_mean: number | null;
	readonly mean: number | null;
	readonly improved: number;
	readonly regressed: number;
	readonly equal: number;
	readonly missing: number;
	/** Whether more examples have become worse than better. */
	readonly is_regression: boolean;
}

/** `spanward experiments compare`: against the first one; exit code 1 with `--fail-on-regression` when one is worse. */
export async function compareExperiments(invocation: Invocation): Promise<number | undefined> {
	const { terminal, positionals } = invocation;
	const { experiments } = await invocation.connect();
	const compared = await Promise.all(positionals.map((id) => experiments.get(id)));
	const [base] = compared;
	if (base === undefined) throw usageFailure("An argument is missing.");
	if (compared.some(({ dataset_id: dataset }) => dataset !== base.dataset_id))
		throw usageFailure("These experiments are of different datasets: there is nothing to compare.");
	const { summary } = await experiments.compare(base.dataset_id, {
		experiment_id: compared.map(({ id }) => id),
		limit: 1,
	});
	const metrics = invocation.values("metric");
	const baseMetrics = summary.find(({ experiment_id: id }) => id === base.id)?.metrics ?? {};
	const rows = summary
		.filter(({ experiment_id: id }) => id !== base.id)
		.flatMap(({ experiment_id: id, metrics: own }) =>
			Object.entries(own).map(
				([metric, { mean, improved, regressed, equal, missing }]): Row => ({
					experiment_id: id,
					experiment_name: compared.find((one) => one.id === id)?.name ?? id,
					metric,
					base_mean: baseMetrics[metric]?.mean ?? null,
					mean,
					...{ improved, regressed, equal, missing },
					is_regression: regressed > improved,
				}),
			),
		)
		.filter(({ metric }) => metrics.length === 0 || metrics.includes(metric));
	const unknown = metrics.filter((metric) => !rows.some((row) => row.metric === metric));
	if (unknown.length > 0) throw usageFailure(`No experiment has the metric ${unknown.join(", ")}.`);
	if (terminal.isJson) for (const row of rows) await terminal.printJson(row);
	else if (rows.length > 0) for (const line of tableOf(invocation, rows)) await terminal.print(line);
	const worse = rows.filter((row) => row.is_regression);
	if (worse.length === 0 || !invocation.has("fail-on-regression")) return undefined;
	const names = worse.map(({ metric, experiment_name: name }) => terminal.oneLine(`${metric} of ${name}`));
	invocation.io.stderr.write(`Regressed: ${names.join(", ")}.\n`);
	return EXIT.condition;
}

function tableOf({ terminal }: Invocation, rows: readonly Row[]): string[] {
	const number = (value: number | null) => (value === null ? "" : String(Number(value.toPrecision(5))));
	return formatTable(
		terminal,
		[
			{ title: "METRIC", value: ({ metric }) => metric, isText: true },
			{ title: "EXPERIMENT", value: ({ experiment_name: name }) => name, isText: true, rank: 4 },
			{ title: "BASE", value: ({ base_mean: mean }) => number(mean), isNumber: true, rank: 1 },
			{ title: "MEAN", value: ({ mean }) => number(mean), isNumber: true },
			{ title: "BETTER", value: ({ improved }) => improved, isNumber: true, rank: 2 },
			{
				title: "WORSE",
				value: ({ regressed }) => regressed,
				isNumber: true,
				style: ({ is_regression: isRegression }) => (isRegression ? ["red"] : []),
			},
			{ title: "SAME", value: ({ equal }) => equal, isNumber: true, rank: 5 },
			{ title: "MISSING", value: ({ missing }) => missing, isNumber: true, rank: 6 },
		],
		rows,
	);
}
