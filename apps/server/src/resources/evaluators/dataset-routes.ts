import { z } from "zod";
import { notFound } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { toJsonText } from "#http/json-values.ts";
import { userOf } from "#http/principal.ts";
import { formatTime } from "#http/wire-times.ts";
import { getDataset } from "../datasets/queries.ts";
import { chooseVersion } from "./choose-version.ts";
import { type AttachedEvaluator, attach, detach, listAttached } from "./of-dataset.ts";
import { getEvaluator } from "./queries.ts";
import { DatasetEvaluator, PutDatasetEvaluatorBody } from "./schemas.ts";
import { toEvaluator } from "./to-evaluator.ts";

const ofDataset = z.object({ dataset_id: z.string() });
const params = ofDataset.extend({ evaluator_identifier: z.string() });
const tags = ["evaluators"];
const OneAttached = z.object({ data: DatasetEvaluator });

/** Which evaluators look at the runs of a dataset's experiments. */
export function datasetRoutes(app: App, { db, now }: Context): void {
	app.get(
		"/v1/datasets/:dataset_id/evaluators",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listDatasetEvaluators",
				tags,
				summary: "The evaluators of a dataset, by name",
				params: ofDataset,
				response: { 200: z.object({ data: z.array(DatasetEvaluator) }) },
			},
		},
		async ({ actor, params }) => {
			const dataset = await getDataset(db.read, actor, params.dataset_id);
			return { data: (await listAttached(db.read, dataset.id)).map(toAttached) };
		},
	);

	app.put(
		"/v1/datasets/:dataset_id/evaluators/:evaluator_identifier",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "putDatasetEvaluator",
				tags,
				summary: "Have an evaluator look at the runs of a dataset's experiments, or change how it does",
				params,
				body: PutDatasetEvaluatorBody,
				response: { 200: OneAttached },
			},
		},
		async ({ actor, body, params, principal }) => {
			await getDataset(db.read, actor, params.dataset_id);
			const attached = await actor.change(async (transaction) => {
				const dataset = await getDataset(transaction, actor, params.dataset_id);
				const { evaluator, versionId } = await chooseVersion(transaction, {
					...{ evaluator: params.evaluator_identifier, versionId: body.version_id, mapping: body.mapping },
					target: "run",
				});
				const attachment = {
					...{
						dataset_id: dataset.id,
						evaluator_id: evaluator.id,
						version_id: body.version_id == null ? null : versionId,
					},
					mapping: body.mapping == null ? null : toJsonText(body.mapping),
					run_automatically: body.run_automatically ? (1 as const) : (0 as const),
					user_id: userOf(principal)?.id ?? null,
				};
				await attach(transaction, attachment, now());
				const all = await listAttached(transaction, dataset.id);
				return all.find((each) => each.evaluator.id === evaluator.id);
			});
			if (attached === undefined) throw new Error("an evaluator that was just attached is not there");
			return { data: toAttached(attached) };
		},
	);

	app.delete(
		"/v1/datasets/:dataset_id/evaluators/:evaluator_identifier",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "deleteDatasetEvaluator",
				tags,
				summary: "Take an evaluator out of a dataset; its results stay",
				params,
				response: { 204: z.null() },
			},
		},
		async ({ actor, params }, reply) => {
			await getDataset(db.read, actor, params.dataset_id);
			await actor.change(async (transaction) => {
				const dataset = await getDataset(transaction, actor, params.dataset_id);
				const evaluator = await getEvaluator(transaction, params.evaluator_identifier);
				if (await detach(transaction, dataset.id, evaluator.id)) return;
				throw notFound("dataset_evaluator_not_found", `The dataset does not have ${evaluator.name}`);
			});
			return reply.code(204).send(null);
		},
	);
}

function toAttached(attached: AttachedEvaluator): z.output<typeof DatasetEvaluator> {
	const { evaluator, version_id, mapping, run_automatically, updated_at } = attached;
	return {
		evaluator: toEvaluator(evaluator),
		version_id: version_id === null ? null : encodeGlobalId("EvaluatorVersion", version_id),
		...{ mapping, run_automatically, updated_at: formatTime(updated_at) },
	};
}
