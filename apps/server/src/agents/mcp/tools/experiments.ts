import { z } from "zod";
import type { Comparison, Experiment as ExperimentSchema } from "#resources/experiments/schemas.ts";
import { counted, durationText } from "#resources/text-forms/budget.ts";
import { fence, visibleLine } from "#resources/text-forms/untrusted.ts";
import { cursor, limit, link, maxTokens, nextCursor } from "../arguments.ts";
import { path } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import { dataset, findDataset, shortJson } from "./datasets.ts";
import { listed, type RestPage } from "./listed.ts";

type Experiment = z.output<typeof ExperimentSchema>;
type Compared = z.output<typeof Comparison>;

const count = z.int();
const experimentId = z.string().min(1).max(1_024).describe("Id of the experiment, from list_experiments.");
const score = z.object({ name: z.string(), mean: z.number(), count });
const ExperimentRow = z.object({
	...{ id: z.string(), name: z.string(), dataset_id: z.string(), created_at: z.string(), tags: z.array(z.string()) },
	...{ example_count: count, successful_run_count: count, failed_run_count: count, missing_run_count: count },
	scores: z.array(score).describe("Means over the examples."),
	...{
		average_latency_ms: z.number().nullable(),
		error_rate: z.number().nullable(),
		total_cost: z.number().nullable(),
	},
	link,
});
const MOST_SCORES = 20;

function toExperimentRow(experiment: Experiment, address: string): z.output<typeof ExperimentRow> {
	return {
		...{ id: experiment.id, name: visibleLine(experiment.name, 200), dataset_id: experiment.dataset_id },
		...{ created_at: experiment.created_at, tags: experiment.tags.slice(0, 20).map((tag) => visibleLine(tag, 100)) },
		...{ example_count: experiment.example_count, successful_run_count: experiment.successful_run_count },
		...{ failed_run_count: experiment.failed_run_count, missing_run_count: experiment.missing_run_count },
		scores: Object.entries(experiment.scores)
			.slice(0, MOST_SCORES)
			.map(([name, { mean, count: examples }]) => ({ name: visibleLine(name, 100), mean, count: examples })),
		...{ average_latency_ms: experiment.average_latency_ms, error_rate: experiment.error_rate },
		...{ total_cost: experiment.total_cost, link: address },
	};
}

function experimentLine(row: z.output<typeof ExperimentRow>): string {
	const facts = [
		counted(row.successful_run_count, "run"),
		...(row.failed_run_count > 0 ? [`${row.failed_run_count} failed`] : []),
		...(row.missing_run_count > 0 ? [`${row.missing_run_count} missing`] : []),
		...(row.average_latency_ms === null ? [] : [durationText(row.average_latency_ms)]),
		...row.scores.map(({ name, mean }) => `${name} ${Number(mean.toPrecision(4))}`),
	];
	return `- ${row.name} [${row.id}] ${row.created_at}: ${facts.join(", ")}${row.tags.length > 0 ? `; tags ${row.tags.join(", ")}` : ""}`;
}

const listExperiments = defineTool({
	name: "list_experiments",
	title: "List experiments",
	description:
		"Experiments, newest first, of one dataset or of all: how an application did on the examples, with mean scores.",
	access: "read",
	input: z.object({ dataset: dataset.optional(), limit, cursor, max_tokens: maxTokens }),
	output: z.object({ experiments: z.array(ExperimentRow), next_cursor: nextCursor }),
	async run(args, { rest, links }) {
		const id = args.dataset === undefined ? undefined : (await findDataset(rest, args.dataset)).id;
		const {
			rows,
			nextCursor: next,
			text,
		} = await listed({
			maxTokens: args.max_tokens,
			limit: args.limit,
			heading: "Experiments.",
			noun: ["experiment", "experiments"],
			read: (most) =>
				rest.get<RestPage<Experiment>>("/v1/experiments", { limit: most, cursor: args.cursor, dataset_id: id }),
			toRow: (experiment) => toExperimentRow(experiment, links.experiments(experiment.dataset_id)),
			toText: experimentLine,
		});
		return { data: { experiments: rows, next_cursor: next }, text };
	},
});

const getExperiment = defineTool({
	name: "get_experiment",
	title: "Read an experiment",
	description: "One experiment: its runs, failures, mean scores, time and cost.",
	access: "read",
	input: z.object({ experiment_id: experimentId }),
	output: ExperimentRow,
	async run(args, { rest, links }) {
		const { data } = await rest.get<{ data: Experiment }>(path("v1", "experiments", args.experiment_id));
		const row = toExperimentRow(data, links.experiments(data.dataset_id));
		return { data: row, text: `An experiment.\nPage: ${row.link}\n${fence(experimentLine(row), "")}` };
	},
});

const compareExperiments = defineTool({
	name: "compare_experiments",
	title: "Compare experiments",
	description:
		"Experiments of one dataset against the first of them, the examples that became worse first: what was expected, what each answered, and the change of scores.",
	access: "read",
	input: z.object({
		dataset,
		experiment_ids: z.array(experimentId).min(2).max(5).describe("The first is what the others are compared with."),
		metric: z
			.string()
			.max(1_000)
			.optional()
			.describe("The score by which worse is meant; the first experiment's first if absent."),
		...{ limit, cursor, max_tokens: maxTokens },
	}),
	output: z.object({
		summary: z.array(
			z.object({
				...{ experiment_id: z.string(), metric: z.string(), mean: z.number().nullable() },
				...{ improved: count, regressed: count, equal: count, missing: count },
			}),
		),
		examples: z.array(
			z.object({
				...{ example_id: z.string(), input: z.string(), expected: z.string() },
				experiments: z.array(
					z.object({
						...{ experiment_id: z.string(), output: z.string(), error: z.string().nullable() },
						scores: z.array(z.object({ name: z.string(), mean: z.number(), change: z.number().nullable() })),
					}),
				),
			}),
		),
		...{ next_cursor: nextCursor, link },
	}),
	async run(args, { rest, links }) {
		const { id } = await findDataset(rest, args.dataset);
		let summary: Compared["summary"] = [];
		const page = `${links.experiments(id)}`;
		const {
			rows,
			nextCursor: next,
			text,
		} = await listed({
			// What is above the examples takes part of it.
			maxTokens: Math.floor(args.max_tokens * 0.7),
			limit: args.limit,
			heading: `Examples, the most worse first.\nPage: ${page}`,
			noun: ["example", "examples"],
			read: async (most) => {
				const answer = await rest.get<Compared>(`${path("v1", "datasets", id)}/experiments/compare`, {
					...{ experiment_id: args.experiment_ids, sort: "regression", metric: args.metric },
					...{ limit: most, cursor: args.cursor },
				});
				summary = answer.summary;
				return answer;
			},
			toRow: ({ example, experiments }) => ({
				example_id: visibleLine(example.id, 255),
				...{ input: shortJson(example.input, 400), expected: shortJson(example.output, 400) },
				experiments: experiments.map(({ experiment_id, runs, scores, deltas }) => ({
					experiment_id,
					output: shortJson(runs[0]?.output ?? null, 400),
					error: runs[0]?.error == null ? null : visibleLine(runs[0].error, 200),
					scores: Object.entries(scores)
						.slice(0, 8)
						.map(([name, { mean }]) => ({ name: visibleLine(name, 60), mean, change: deltas[name] ?? null })),
				})),
			}),
			toText: (row) =>
				[
					`- ${row.example_id}\n  input: ${row.input}\n  expected: ${row.expected}`,
					...row.experiments.map(
						({ experiment_id, output, error, scores }) =>
							`  ${experiment_id}: ${error === null ? output : `failed: ${error}`} · ${scores.map(({ name, mean, change }) => `${name} ${mean}${change === null ? "" : ` (${change > 0 ? "+" : ""}${change})`}`).join(", ")}`,
					),
				].join("\n"),
		});
		const metrics = summary.flatMap(({ experiment_id, metrics: all }) =>
			Object.entries(all)
				.slice(0, 4)
				.map(([metric, { mean, improved, regressed, equal, missing }]) => ({
					...{ experiment_id, metric: visibleLine(metric, 60), mean, improved, regressed, equal, missing },
				})),
		);
		const lines = metrics.map(
			(each) =>
				`${each.experiment_id} ${each.metric}: mean ${each.mean ?? "none"}, ${each.improved} better, ${each.regressed} worse, ${each.equal} equal, ${each.missing} missing`,
		);
		return {
			data: { summary: metrics, examples: rows, next_cursor: next, link: page },
			text: `${fence(lines.join("\n"), "")}\n${text}`,
		};
	},
});

export const EXPERIMENT_TOOLS: readonly Tool[] = [listExperiments, getExperiment, compareExperiments];
