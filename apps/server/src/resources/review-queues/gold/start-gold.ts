import type { FastifyRequest } from "fastify";
import type { Transaction } from "kysely";
import type { z } from "zod";
import { ValidationError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { limitedSenderOf, userOf } from "#http/principal.ts";
import type { Home } from "#http/rights.ts";
import { toHome } from "#http/seen-homes.ts";
import { decodeConfigId } from "#resources/annotation-configs/queries.ts";
import { BUSY, isBusy, reserveVersion, whenFree } from "#resources/datasets/change-dataset.ts";
import { datasetExists, getDataset, listDatasets } from "#resources/datasets/queries.ts";
import { findNamed, insertUpload, insertUploading } from "#resources/datasets/upload/queries.ts";
import { chooseHome, homesOfProjects, toProjectId, widenIn } from "#resources/projects/homes.ts";
import type { Tables } from "#storage/schema.ts";
import { questionsOf } from "../questions.ts";
import { getQueue, type QueueRow } from "../queues.ts";
import { exampleKind } from "../targets.ts";
import { countGoldItems, type GoldQuery, projectsOfGold } from "./gold-items.ts";
import { type GoldRunRow, insertGoldRun } from "./gold-runs.ts";
import type { StartGoldRunBody } from "./schemas.ts";

type Body = z.output<typeof StartGoldRunBody>;

/** Where the examples go. */
interface Destination {
	readonly home: Home;
	/** Undefined for a dataset that is to be made. */
	readonly datasetId: number | undefined;
	readonly name: string;
}

/**
 * Starts a run that makes the gold answers of a queue a version of a dataset. Until it has ended, nothing else changes the
 * dataset, and a new one is not seen.
 * @throws UserError 404, 403 `project_role_needed`, 409 when more people would see what spans have, for a dataset of this
 * name that is not seen, too many runs, or when another change of the dataset takes too long; ValidationError
 */
export async function startGoldRun(
	context: Context,
	request: FastifyRequest,
	body: Body,
	id: string,
): Promise<GoldRunRow> {
	const { db, events } = context;
	const { actor } = request;
	const queue = await getQueue(db.read, id);
	exampleKind(queue);
	const outputConfigId = readOutput(queue, body);
	const query = { queue, rights: actor.rights, onlyDecisions: body.gold === "decisions" };
	const run = await whenFree(async () => {
		const projects = await projectsOfGold(db.read, query);
		const sources = await homesOfProjects(context, projects);
		const destination = await findDestination(context, actor, body, sources);
		return await actor.change(async (transaction) => {
			const version = await reserve(transaction, context, actor, destination);
			if (version === BUSY) return BUSY;
			const widening = { from: sources, to: destination.home, isAllowed: body.allow_wider_access };
			const target = { type: "dataset", id: version.datasetId, name: destination.name } as const;
			await widenIn(transaction, context, actor, widening, { action: "gold", target, request });
			return await insert(transaction, context, request, { query, body, outputConfigId, ...version });
		});
	});
	events.emit("review_gold_asked");
	return run;
}

/** @returns row number of the annotation config @throws ValidationError */
function readOutput(queue: QueueRow, { annotation_config_id: sent }: Body): number | undefined {
	if (sent === undefined) return undefined;
	const id = decodeConfigId(sent);
	const question = questionsOf(queue).find(({ configId }) => configId === id);
	if (question !== undefined && (question.type === "FREEFORM" || question.note)) return question.configId;
	const msg = "Input should be the id of a question of the queue for a text, or with a note";
	throw new ValidationError([{ type: "unknown_question", loc: ["body", "annotation_config_id"], msg }]);
}

/** The actor enters it as an editor. */
async function findDestination(
	context: Context,
	actor: Actor,
	{ dataset_id, dataset_name, project }: Body,
	sources: ReadonlySet<Home>,
): Promise<Destination> {
	const { read } = context.db;
	if ((dataset_id === undefined) === (dataset_name === undefined)) {
		const msg = "Either `dataset_id` or `dataset_name` should be given";
		throw new ValidationError([{ type: "dataset_needed", loc: ["body", "dataset_id"], msg }]);
	}
	if (project !== undefined && dataset_id !== undefined) {
		const msg = "Only a new dataset is put somewhere";
		throw new ValidationError([{ type: "extra_forbidden", loc: ["body", "project"], msg }]);
	}
	const [found] =
		dataset_name === undefined
			? [await getDataset(read, actor, dataset_id ?? "")]
			: await listDatasets(read, actor.rights, { limit: 1, name: dataset_name });
	if (found === undefined)
		return {
			home: await chooseHome(context, actor, { project, sources }),
			datasetId: undefined,
			name: dataset_name ?? "",
		};
	const home = toHome(found.project_id);
	actor.enter(home, "editor");
	return { home, datasetId: found.id, name: found.name };
}

/** @returns {@link BUSY} also when the dataset was made, deleted, renamed or moved since it was looked up */
async function reserve(
	transaction: Transaction<Tables>,
	{ now }: Context,
	actor: Actor,
	{ home, datasetId: known, name }: Destination,
): Promise<{ readonly datasetId: number; readonly versionId: number } | typeof BUSY> {
	const named = await findNamed(transaction, name);
	// Names are unique among all datasets, so a hidden one cannot be hidden entirely.
	if (known === undefined && named !== undefined && !enterSeen(actor, named.project_id)) throw datasetExists(name);
	if ((known === undefined) !== (named === undefined) || named?.state === "uploading") return BUSY;
	if (named !== undefined && toHome(named.project_id) !== home) return BUSY;
	if (known !== undefined && (await isBusy(transaction, known))) return BUSY;
	const time = now();
	const projectId = toProjectId(home);
	const datasetId = known ?? (await insertUploading(transaction, { name, description: null, projectId, now: time }));
	const versionId = await reserveVersion(transaction, datasetId);
	await insertUpload(transaction, { datasetId, versionId, now: time });
	return { datasetId, versionId };
}

interface Reserved {
	readonly query: GoldQuery;
	readonly body: Body;
	readonly outputConfigId: number | undefined;
	readonly datasetId: number;
	readonly versionId: number;
}

async function insert(
	transaction: Transaction<Tables>,
	{ auth, now }: Context,
	request: FastifyRequest,
	{ query, body, outputConfigId, datasetId, versionId }: Reserved,
): Promise<GoldRunRow> {
	const { principal } = request;
	const { queue } = query;
	const row = await insertGoldRun(transaction, {
		...{ queue_id: queue.id, dataset_id: datasetId, version_id: versionId },
		total_items: await countGoldItems(transaction, query),
		parameters: {
			onlyDecisions: query.onlyDecisions,
			...(outputConfigId === undefined ? {} : { outputConfigId }),
			...(body.allow_wider_access === true ? { allowWiderAccess: true } : {}),
			...limitedSenderOf(principal),
		},
		...{ user_id: userOf(principal)?.id ?? null, now: now() },
	});
	await auth.audit.recordIn(transaction, {
		...{ action: "review_queue.gold", outcome: "success", principal, request },
		target: { type: "review_queue", id: queue.id, name: queue.name },
		details: { dataset: datasetId },
	});
	return row;
}
