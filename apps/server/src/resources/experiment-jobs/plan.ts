import type { Kysely } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { type JobDefinition, parseDefinition } from "./definition.ts";
import type { UnfinishedJob } from "./jobs.ts";

/** What of a job never changes. */
export interface JobPlan {
	readonly definition: JobDefinition;
	/** Positions of the evaluators that are built in: they cost nothing, and take no time to speak of. */
	readonly builtIns: readonly number[];
}

/** A job as it was when some of its tasks were taken. */
export interface JobAtWork extends JobPlan, UnfinishedJob {
	/** Its calls are those of an admin: who started the job is one now, or nobody needs to log in. */
	readonly isAdmin: boolean;
}

/** Undefined when the job is gone. */
export async function readPlan(db: Kysely<Tables>, jobId: number): Promise<JobPlan | undefined> {
	const row = await db.selectFrom("experiment_jobs").select("definition").where("id", "=", jobId).executeTakeFirst();
	if (row === undefined) return undefined;
	const definition = parseDefinition(row.definition);
	const versions = await db
		.selectFrom("evaluator_versions")
		.select("id")
		.where("id", "in", listed(definition.evaluators.map(({ versionId }) => versionId)))
		.where("kind", "=", "BUILT_IN")
		.execute();
	const builtIn = new Set(versions.map(({ id }) => id));
	const builtIns = definition.evaluators.flatMap(({ versionId }, at) => (builtIn.has(versionId) ? at : []));
	return { definition, builtIns };
}
