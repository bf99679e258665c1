import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";

/** What would not work any more without a connection. */
export interface ConnectionUse {
	readonly type: "evaluator" | "experiment_job";
	readonly id: string;
	readonly name: string;
}

const UNFINISHED = ["waiting", "running", "paused"] as const;

/** Evaluators that use a connection in their newest version or in one that a dataset has chosen, and unfinished jobs. */
export async function listUses(db: Kysely<Tables>, connectionId: number): Promise<readonly ConnectionUse[]> {
	const id = encodeGlobalId("ModelConnection", connectionId);
	const ofVersion = [id, id.replace(/=+$/, "")].map((written) => `"connection_id":"${written}"`);
	const ofJob = [",", "}"].map((end) => `"connectionId":${connectionId}${end}`);
	const evaluators = await db
		.selectFrom("evaluators")
		.select(["id", "name"])
		.where("archived_at", "is", null)
		.where((of) =>
			of.exists(
				of
					.selectFrom("evaluator_versions as versions")
					.select("versions.id")
					.whereRef("versions.evaluator_id", "=", "evaluators.id")
					.where(hasAny("versions.definition", ofVersion))
					.where((version) =>
						version.or([
							version(
								"versions.number",
								"=",
								version
									.selectFrom("evaluator_versions as all")
									.select(({ fn }) => fn.max<number>("all.number").as("newest"))
									.whereRef("all.evaluator_id", "=", "evaluators.id"),
							),
							version(
								"versions.id",
								"in",
								version.selectFrom("dataset_evaluators").select("version_id").where("version_id", "is not", null),
							),
						]),
					),
			),
		)
		.orderBy("name")
		.execute();
	const jobs = await db
		.selectFrom("experiment_jobs")
		.select(["id", "name"])
		.where("state", "in", UNFINISHED)
		.where(hasAny("definition", ofJob))
		.orderBy("id")
		.execute();
	return [
		...evaluators.map(({ id, name }) => ({ type: "evaluator", id: encodeGlobalId("Evaluator", id), name }) as const),
		...jobs.map(({ id, name }) => ({ type: "experiment_job", id: encodeGlobalId("ExperimentJob", id), name }) as const),
	];
}

/** Definitions are stored as `JSON.stringify` writes them; in a text in one the quotation marks would be escaped. */
function hasAny(column: string, parts: readonly string[]): Expression<SqlBool> {
	return sql<SqlBool>`(${sql.join(
		parts.map((part) => sql`${sql.ref(column)} like ${`%${part.replace(/[\\%_]/g, "\\$&")}%`} escape '\\'`),
		sql` or `,
	)})`;
}
