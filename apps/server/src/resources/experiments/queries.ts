import { randomBytes } from "node:crypto";
import type { Insertable, Kysely, Selectable, Transaction, Updateable } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Rights } from "#http/rights.ts";
import { isSeenHome, isSeenProject } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { insertProject, type ProjectToInsert } from "../projects/queries.ts";

/** An experiment whose dataset exists. */
export interface ExperimentRow extends Selectable<Tables["experiments"]> {
	/** Null when the project was deleted, or is not seen. */
	readonly project_name: string | null;
	/** Project in which the dataset lives; null is the library. */
	readonly home: number | null;
}

function experiments(db: Kysely<Tables>, rights: Rights) {
	return db
		.selectFrom("experiments")
		.innerJoin("datasets", "datasets.id", "experiments.dataset_id")
		.leftJoin("projects", (join) =>
			join.onRef("projects.id", "=", "experiments.project_id").on(isSeenProject("projects.id", rights)),
		)
		.where("datasets.state", "=", "ready")
		.selectAll("experiments")
		.select(["projects.name as project_name", "datasets.project_id as home"]);
}

/** Experiments on datasets that are seen, with the newest first, from `fromId` downwards. */
export async function listExperiments(
	db: Kysely<Tables>,
	rights: Rights,
	{ datasetId, limit, fromId }: { datasetId?: number | undefined; limit: number; fromId?: number | undefined },
): Promise<ExperimentRow[]> {
	let query = experiments(db, rights)
		.where(isSeenHome("datasets.project_id", rights))
		.orderBy("experiments.id", "desc")
		.limit(limit);
	if (datasetId !== undefined) query = query.where("experiments.dataset_id", "=", datasetId);
	if (fromId !== undefined) query = query.where("experiments.id", "<=", fromId);
	return await query.execute();
}

/**
 * The experiment of a global id, among those that the actor sees. The actor enters the home of its dataset.
 * @throws UserError 422 when the text is not a global id, 404 when there is no such experiment, 403 `project_role_needed`
 */
export async function getExperiment(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	globalId: string,
): Promise<ExperimentRow> {
	const id = parseExperimentId(globalId);
	const row = await experiments(db, actor.rights).where("experiments.id", "=", id).executeTakeFirst();
	if (row === undefined || !enterSeen(actor, row.home)) throw experimentNotFound(globalId);
	return row;
}

/** An experiment on a dataset that the caller sees. */
export async function findExperimentOf(
	db: Kysely<Tables>,
	rights: Rights,
	{ datasetId, id }: { readonly datasetId: number; readonly id: number },
): Promise<ExperimentRow | undefined> {
	return await experiments(db, rights)
		.where("experiments.id", "=", id)
		.where("experiments.dataset_id", "=", datasetId)
		.executeTakeFirst();
}

function parseExperimentId(text: string): number {
	const id = decodeGlobalId(text, "Experiment");
	if (id !== undefined) return id;
	throw invalidExperimentId(text);
}

export function invalidExperimentId(text: string): UserError {
	return new UserError(422, "invalid_experiment_id", `Invalid experiment ID: ${text.slice(0, 200)}`);
}

export function experimentNotFound(globalId: string): UserError {
	return notFound("experiment_not_found", `Experiment with ID ${globalId.slice(0, 200)} does not exist`);
}

type NewExperiment = Omit<Insertable<Tables["experiments"]>, "project_id" | "updated_at">;

/** Inserts the experiment, on a dataset that lives in `home`, and the project that receives its spans. */
export async function insertExperiment(
	transaction: Transaction<Tables>,
	experiment: NewExperiment,
	{ home, ...project }: Pick<ProjectToInsert, "description" | "pinnedAccess"> & { home: number | null },
): Promise<ExperimentRow> {
	const made = await insertProject(transaction, {
		...project,
		name: `Experiment-${randomBytes(12).toString("hex")}`,
		origin: "experiment",
		// Who manages it is who manages the home of the dataset.
		maker: null,
		now: experiment.created_at,
	});
	if (made === undefined) throw new Error("two random names are equal");
	const row = await transaction
		.insertInto("experiments")
		.values({ ...experiment, project_id: made.id, updated_at: experiment.created_at })
		.returningAll()
		.executeTakeFirstOrThrow();
	return { ...row, project_name: made.name, home };
}

export async function updateExperiment(
	transaction: Transaction<Tables>,
	experiment: ExperimentRow,
	change: Pick<Updateable<Tables["experiments"]>, "name" | "description" | "metadata">,
	now: number,
): Promise<ExperimentRow> {
	const row = await transaction
		.updateTable("experiments")
		.set({ ...change, updated_at: Math.max(now, experiment.updated_at + 1) })
		.where("id", "=", experiment.id)
		.returningAll()
		.executeTakeFirstOrThrow();
	return { ...row, project_name: experiment.project_name, home: experiment.home };
}
