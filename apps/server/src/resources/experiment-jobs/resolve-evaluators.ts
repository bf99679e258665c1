import type { Kysely } from "kysely";
import { UserError } from "#base/errors.ts";
import type { EvaluatorVersion } from "#evaluation/evaluator-version.ts";
import type { Tables } from "#storage/schema.ts";
import { chooseVersion } from "../evaluators/choose-version.ts";
import { listAttached } from "../evaluators/of-dataset.ts";
import { parseVersion } from "../evaluators/to-evaluator.ts";
import type { JobEvaluator } from "./definition.ts";
import type { GivenEvaluator } from "./schemas.ts";

/** An evaluator with the names of what it gives. */
export type ResolvedEvaluator = JobEvaluator & { readonly outputNames: readonly string[] };

/**
 * The evaluators of a job with the versions that they have to its end: those that were given, else those of the dataset
 * that run automatically.
 * @throws UserError 404 for one that is not there; 409 for one that is archived; 422 for a version of another, a mapping
 * that does not fit, or two that give metrics of the same name
 */
export async function resolveEvaluators(
	db: Kysely<Tables>,
	{ datasetId, given }: { readonly datasetId: number; readonly given: readonly GivenEvaluator[] | undefined },
): Promise<ResolvedEvaluator[]> {
	const resolved = given === undefined ? await resolveAttached(db, datasetId) : await resolveGiven(db, given);
	const seen = new Set<string>();
	for (const name of resolved.flatMap(({ outputNames }) => outputNames)) {
		if (seen.has(name))
			throw new UserError(422, "same_metric_twice", `Two of the evaluators give ${name}: leave one of them out.`);
		seen.add(name);
	}
	return resolved;
}

/** Those of the dataset that run automatically, with the versions that they have now. */
export async function resolveAttached(db: Kysely<Tables>, datasetId: number): Promise<ResolvedEvaluator[]> {
	const attached = await listAttached(db, datasetId);
	return await Promise.all(
		attached
			.filter((each) => each.run_automatically)
			.map(async ({ evaluator, version_id, mapping }) => {
				const version =
					version_id === null
						? { id: evaluator.version_id, definition: evaluator.definition }
						: await db
								.selectFrom("evaluator_versions")
								.select(["id", "definition"])
								.where("id", "=", version_id)
								.executeTakeFirstOrThrow();
				return {
					...{ evaluatorId: evaluator.id, versionId: version.id, ...(mapping === null ? {} : { mapping }) },
					outputNames: outputNamesOf(parseVersion(version.definition)),
				};
			}),
	);
}

async function resolveGiven(db: Kysely<Tables>, given: readonly GivenEvaluator[]): Promise<ResolvedEvaluator[]> {
	return await Promise.all(
		given.map(async ({ evaluator_id, version_id, mapping }) => {
			const { evaluator, versionId, version } = await chooseVersion(db, {
				...{ evaluator: evaluator_id, versionId: version_id, mapping, target: "run" },
			});
			return {
				...{ evaluatorId: evaluator.id, versionId },
				...(mapping == null ? {} : { mapping }),
				outputNames: outputNamesOf(version),
			};
		}),
	);
}

function outputNamesOf({ outputs }: EvaluatorVersion): string[] {
	return outputs.map(({ name }) => name);
}
