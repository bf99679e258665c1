import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { type CursorForm, decodeIdCursor, decodeKeyset, encodeKeyset } from "#http/cursors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { MAX_PAGE_BYTES } from "#http/page-size.ts";
import { getDataset } from "../datasets/queries.ts";
import {
	type Compared,
	countDifferences,
	type ExamplePage,
	findComparedExamples,
	findComparedRuns,
	findMinimized,
	pageByExample,
	pageByRegression,
} from "./compare.ts";
import { confidenceInterval, needsScores } from "./confidence-interval.ts";
import { findEvaluations } from "./evaluations.ts";
import { experimentNotFound, getExperiment } from "./queries.ts";
import { CompareQuery, Comparison, type MetricSummary } from "./schemas.ts";
import { toComparedExample, toMetricSummary } from "./to-comparison.ts";
import { exampleMeans, type ScoreTotals, scoreTotals } from "./totals.ts";

type Sort = z.output<typeof CompareQuery>["sort"];

export function compareRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/datasets/:dataset_id/experiments/compare",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "compareExperiments",
				tags: ["experiments"],
				summary: "Compare experiments example by example with a base, and metric by metric",
				description:
					"Higher values of a metric are better, unless there is an annotation config of its name whose `optimization_direction` is `MINIMIZE`.",
				params: z.object({ dataset_id: z.string() }),
				querystring: CompareQuery,
				response: { 200: Comparison },
			},
		},
		async ({ params, query, actor }) => {
			const dataset = await getDataset(db.read, actor, params.dataset_id);
			const experiments = await getCompared(actor, dataset.id, query.experiment_id);
			const totals = await scoreTotals(
				db.read,
				experiments.map(({ id }) => id),
			);
			const names = [...new Set([...totals.values()].flatMap((scores) => [...scores.keys()]))].sort();
			const minimized = await findMinimized(db.read, names);
			const metric = query.metric ?? firstOf(totals.get(experiments[0].id)) ?? names[0] ?? "";
			const page = await findPage(experiments, query, metric, minimized.has(metric));
			return {
				data: await toRows(experiments, page.ids),
				summary: await toSummary(experiments, totals, names, minimized),
				next_cursor: nextCursor(query.sort, metric, page),
			};
		},
	);

	async function getCompared(actor: Actor, datasetId: number, ids: readonly string[]): Promise<Compared> {
		const [base, ...others] = await Promise.all(ids.map((id) => getExperiment(db.read, actor, id)));
		if (base === undefined || new Set(ids).size < ids.length) {
			throw new UserError(422, "same_experiment", "An experiment cannot be compared with itself");
		}
		const experiments: Compared = [base, ...others];
		const foreign = experiments.findIndex(({ dataset_id }) => dataset_id !== datasetId);
		if (foreign !== -1) throw experimentNotFound(present(ids[foreign], "an id that was asked for"));
		return experiments;
	}

	async function findPage(
		experiments: Compared,
		{ sort, cursor, limit }: z.output<typeof CompareQuery>,
		metric: string,
		isMinimized: boolean,
	): Promise<ExamplePage> {
		const bounds = { limit, maxBytes: MAX_PAGE_BYTES };
		if (sort === "example") {
			return await pageByExample(db.read, experiments, { ...bounds, fromId: decodeIdCursor("DatasetExample", cursor) });
		}
		const from = decodeKeyset(byMetric(metric), cursor);
		return await pageByRegression(db.read, experiments, { ...bounds, metric, isMinimized, from });
	}

	async function toRows(experiments: Compared, exampleIds: readonly number[]) {
		const examples = await findComparedExamples(db.read, experiments, exampleIds);
		const runs = await findComparedRuns(db.read, experiments, exampleIds);
		const evaluations = await findEvaluations(
			db.read,
			runs.map(({ id }) => id),
		);
		const byExample = Map.groupBy(runs, (run) => run.example_id);
		return exampleIds.flatMap((id) => {
			const example = examples.get(id);
			return example === undefined
				? []
				: [toComparedExample(example, experiments, byExample.get(id) ?? [], evaluations)];
		});
	}

	async function toSummary(
		experiments: Compared,
		totals: ReadonlyMap<number, ReadonlyMap<string, ScoreTotals>>,
		names: readonly string[],
		minimized: ReadonlySet<string>,
	) {
		const differences = await countDifferences(db.read, experiments);
		return await Promise.all(
			experiments.map(async ({ id, example_count }, index) => {
				const metrics: [string, z.output<typeof MetricSummary>][] = [];
				for (const name of names) {
					const score = totals.get(id)?.get(name);
					const ofBase = { compared: score?.count ?? 0, higher: 0, lower: 0 };
					const counts = index === 0 ? ofBase : differences.get(id)?.get(name);
					const interval = score && (await intervalOf(id, name, score));
					metrics.push([name, toMetricSummary(example_count, score, interval, counts, minimized.has(name))]);
				}
				return { experiment_id: encodeGlobalId("Experiment", id), metrics: Object.fromEntries(metrics) };
			}),
		);
	}

	async function intervalOf(id: number, name: string, score: ScoreTotals) {
		return confidenceInterval(score, needsScores(score) ? await exampleMeans(db.read, id, name) : []);
	}
}

function firstOf(scores: ReadonlyMap<string, ScoreTotals> | undefined): string | undefined {
	return scores?.keys().next().value;
}

function byMetric(metric: string): CursorForm {
	return { kind: "FLOAT", sort: metric };
}

function nextCursor(sort: Sort, metric: string, { next }: ExamplePage): string | null {
	if (next === undefined) return null;
	return sort === "example" ? encodeGlobalId("DatasetExample", next.id) : encodeKeyset(byMetric(metric), next);
}
