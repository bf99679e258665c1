import { randomBytes } from "node:crypto";
import type { Insertable, Kysely, Selectable, Transaction, Updateable } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import { insertProject } from "../projects/queries.ts";

/** An experiment whose dataset exists. */
export interface ExperimentRow extends Selectable<Tables["experiments"]> {
	/** Null when the project was deleted. */
	readonly project_name: string | null;
}

function experiments(db: Kysely<Tables>) {
	return db
		.selectFrom("experiments")
		.innerJoin("datasets", "datasets.id", "experiments.dataset_id")
		.leftJoin("projects", "projects.id", "experiments.project_id")
		.where("datasets.state", "=", "ready")
		.selectAll("experiments")
		.select("projects.name as project_name");
}

/** Experiments with the newest first, from `fromId` downwards. */
export async function listExperiments(
	db: Kysely<Tables>,
	{ datasetId, limit, fromId }: { datasetId?: number | undefined; limit: number; fromId?: number | undefined },
): Promise<ExperimentRow[]> {
	let query = experiments(db).orderBy("experiments.id", "desc").limit(limit);
	if (datasetId !== undefined) query = query.where("experiments.dataset_id", "=", datasetId);
	if (fromId !== undefined) query = query.where("experiments.id", "<=", fromId);
	return await query.execute();
}

/**
 * The experiment of a global id.
 * @throws UserError 422 when the text is not a global id, 404 when there is no such experiment
 */
export async function getExperiment(db: Kysely<Tables>, globalId: string): Promise<ExperimentRow> {
	const id = parseExperimentId(globalId);
	const row = await experiments(db).where("experiments.id", "=", id).executeTakeFirst();
	if (row === undefined) throw experimentNotFound(globalId);
	return row;
}

function parseExperimentId(text: string): number {
	const id = decodeGlobalId(text, "Experiment");
	if (id !== undefined) return id;
	throw new UserError(422, "invalid_experiment_id", `Invalid experiment ID: ${text.slice(0, 200)}`);
}

export function experimentNotFound(globalId: string): UserError {
	return notFound("experiment_not_found", `Experiment with ID ${globalId.slice(0, 200)} does not exist`);
}

type NewExperiment = Omit<Insertable<Tables["experiments"]>, "project_id" | "updated_at">;

/** Inserts the experiment and the project that receives its spans. */
export async function insertExperiment(
	transaction: Transaction<Tables>,
	experiment: NewExperiment,
	projectDescription: string,
): Promise<ExperimentRow> {
	const project = await insertProject(transaction, {
		name: `Experiment-${randomBytes(12).toString("hex")}`,
		description: projectDescription,
		origin: "experiment",
		now: experiment.created_at,
	});
	if (project === undefined) throw new Error("two random names are equal");
	const row = await transaction
		.insertInto("experiments")
		.values({ ...experiment, project_id: project.id, updated_at: experiment.created_at })
		.returningAll()
		.executeTakeFirstOrThrow();
	return { ...row, project_name: project.name };
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
	return { ...row, project_name: experiment.project_name };
}
