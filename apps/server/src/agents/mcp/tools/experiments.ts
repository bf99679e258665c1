import { z } from "zod";
import type { Comparison, Experiment as ExperimentSchema } from "#resources/experiments/schemas.ts";
import { byteLength, bytesOfTokens, counted, durationText } from "#resources/text-forms/budget.ts";
import { fence, visibleLine } from "#resources/text-forms/untrusted.ts";
import { link, maxTokens, nextCursor } from "../arguments.ts";
import { path } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import { dataset, findDataset, shortJson } from "./datasets.ts";
import { defineListTool, listed, PAGING, type RestPage } from "./listed.ts";

type Experiment = z.output<typeof ExperimentSchema>;
type Compared = z.output<typeof Comparison>;

const count = z.int();
const experimentId = z.string().min(1).max(1_024).describe("Id of the experiment, from list_experiments.");
const score = z.object({ name: z.string(), mean: z.number(), count });
const ExperimentRow = z.object({
	...{ id: z.string(), name: z.string(), dataset_id: z.string(), created_at: z.string(), tags: z.array(z.string()) },
	...{ example_count: count, successful_run_count: count, failed_run_count: count, missing_run_count: count },
	scores: z.array(score).describe("Means over the examples."),
	...{ scores_left_out: count, tags_left_out: count },
	...{
		average_latency_ms: z.number().nullable(),
		error_rate: z.number().nullable(),
		total_cost: z.number().nullable(),
	},
	link,
});
const MOST_SCORES = 20;

/** @param most of its scores, and of its tags */
function toExperimentRow(experiment: Experiment, address: string, most = MOST_SCORES): z.output<typeof ExperimentRow> {
	const scores = Object.entries(experiment.scores);
	return {
		...{ id: experiment.id, name: visibleLine(experiment.name, 200), dataset_id: experiment.dataset_id },
		...{ created_at: experiment.created_at, tags: experiment.tags.slice(0, most).map((tag) => visibleLine(tag, 100)) },
		...{ example_count: experiment.example_count, successful_run_count: experiment.successful_run_count },
		...{ failed_run_count: experiment.failed_run_count, missing_run_count: experiment.missing_run_count },
		...{
			scores_left_out: Math.max(0, scores.length - most),
			tags_left_out: Math.max(0, experiment.tags.length - most),
		},
		scores: scores
			.slice(0, most)
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
		...(row.scores_left_out > 0 ? [`… ${counted(row.scores_left_out, "more score")}`] : []),
	];
	const tags = [...row.tags, ...(row.tags_left_out > 0 ? [`… ${row.tags_left_out} more`] : [])];
	return `- ${row.name} [${row.id}] ${row.created_at}: ${facts.join(", ")}${tags.length > 0 ? `; tags ${tags.join(", ")}` : ""}`;
}

const listExperiments = defineListTool({
	name: "list_experiments",
	title: "List experiments",
	description:
		"Experiments, newest first, of one dataset or of all: how an application did on the examples, with mean scores.",
	input: z.object({ dataset: dataset.optional() }),
	...{ member: "experiments", row: ExperimentRow, noun: ["experiment", "experiments"] },
	heading: () => "Experiments.",
	read: async ({ dataset: of }, page, { rest }) =>
		await rest.get<RestPage<Experiment>>("/v1/experiments", {
			...{ ...page, dataset_id: of === undefined ? undefined : (await findDataset(rest, of)).id },
		}),
	toRow: (experiment: Experiment, links) => toExperimentRow(experiment, links.experiments(experiment.dataset_id)),
	toText: experimentLine,
});

const getExperiment = defineTool({
	name: "get_experiment",
	title: "Read an experiment",
	description: "One experiment: its runs, failures, mean scores, time and cost.",
	access: "read",
	input: z.object({ experiment_id: experimentId, max_tokens: maxTokens }),
	output: ExperimentRow,
	async run(args, { rest, links }) {
		const { data } = await rest.get<{ data: Experiment }>(path("v1", "experiments", args.experiment_id));
		const maxBytes = bytesOfTokens(args.max_tokens);
		for (let most = Math.max(data.tags.length, Object.keys(data.scores).length); ; most = Math.floor(most * 0.7)) {
			const row = toExperimentRow(data, links.experiments(data.dataset_id), most);
			const text = `An experiment.\nPage: ${row.link}\n${fence(experimentLine(row), "")}`;
			if (most === 0 || (byteLength(text) <= maxBytes && byteLength(JSON.stringify(row)) <= maxBytes))
				return { data: row, text };
		}
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
		...PAGING,
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
	async run(args, call) {
		const { rest, links } = call;
		const { id } = await findDataset(rest, args.dataset);
		let summary: Compared["summary"] = [];
		const page = links.experiments(id);
		const {
			rows,
			nextCursor: next,
			text,
		} = await listed(call, args, {
			...{ heading: `Examples, the most worse first.\nPage: ${page}`, noun: ["example", "examples"] },
			// What is above the examples takes part of it.
			otherBytes: bytesOfTokens(args.max_tokens) * 0.3,
			read: async (asked) => {
				const answer = await rest.get<Compared>(`${path("v1", "datasets", id)}/experiments/compare`, {
					...{ experiment_id: args.experiment_ids, sort: "regression", metric: args.metric },
					...asked,
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
