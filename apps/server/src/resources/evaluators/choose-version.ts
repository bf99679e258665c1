import type { Kysely } from "kysely";
import { UserError } from "#base/errors.ts";
import type { EvaluatorVersion } from "#evaluation/evaluator-version.ts";
import { type Mapping, mappingProblems, mergeMappings, type TargetKind } from "#evaluation/mapping.ts";
import type { Tables } from "#storage/schema.ts";
import { type EvaluatorRow, getEvaluator, getVersion } from "./queries.ts";
import { parseVersion } from "./to-evaluator.ts";

/** A version that somebody chose to evaluate with. */
export interface ChosenVersion {
	readonly evaluator: EvaluatorRow;
	readonly versionId: number;
	readonly version: EvaluatorVersion;
}

/**
 * The version of an evaluator that somebody names, the newest one where they name none.
 * @param choice.mapping for targets of the kind `target`, beside that of the version
 * @throws UserError 404 for what is not there; 409 for an evaluator that is archived; 422 for a version of another, and
 * for a mapping that does not fit its inputs
 */
export async function chooseVersion(
	db: Kysely<Tables>,
	choice: {
		readonly evaluator: string;
		readonly versionId: string | null | undefined;
		readonly mapping: Mapping | null | undefined;
		readonly target: TargetKind;
	},
): Promise<ChosenVersion> {
	const evaluator = await getEvaluator(db, choice.evaluator);
	if (evaluator.archived_at !== null)
		throw new UserError(409, "evaluator_archived", `${evaluator.name} is archived: restore it, or choose another.`);
	const named = choice.versionId == null ? undefined : await getVersion(db, choice.versionId);
	if (named !== undefined && named.evaluator_id !== evaluator.id)
		throw new UserError(422, "version_of_another", `The version is none of ${evaluator.name}.`);
	const version = parseVersion(named?.definition ?? evaluator.definition);
	const mapping = mergeMappings(version.mapping?.[choice.target], choice.mapping ?? undefined);
	const [problem] = mappingProblems(version.inputs, mapping);
	if (problem !== undefined) throw new UserError(422, "mapping_does_not_fit", `${evaluator.name}: ${problem.message}`);
	return { evaluator, versionId: named?.id ?? evaluator.version_id, version };
}
