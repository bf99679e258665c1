import type { z } from "zod";
import type { EvaluatorVersion } from "#evaluation/evaluator-version.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { fromJsonText } from "#http/json-values.ts";
import { formatTime } from "#http/wire-times.ts";
import type { EvaluatorRow, VersionRow } from "./queries.ts";
import type { Evaluator, ListedEvaluatorVersion } from "./schemas.ts";

/** @param text of a version, as this service stored it */
export function parseVersion(text: string): EvaluatorVersion {
	return fromJsonText(text) as EvaluatorVersion;
}

export function toEvaluator(row: EvaluatorRow): z.output<typeof Evaluator> {
	return {
		id: encodeGlobalId("Evaluator", row.id),
		name: row.name,
		description: row.description,
		kind: row.kind,
		is_archived: row.archived_at !== null,
		latest_version: { id: encodeGlobalId("EvaluatorVersion", row.version_id), number: row.version_number },
		outputs: parseVersion(row.definition).outputs.map(({ name }) => name),
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}

export function toVersion(row: VersionRow): z.output<typeof ListedEvaluatorVersion> {
	return {
		id: encodeGlobalId("EvaluatorVersion", row.id),
		evaluator_id: encodeGlobalId("Evaluator", row.evaluator_id),
		number: row.number,
		template: row.template,
		version: parseVersion(row.definition),
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		created_at: formatTime(row.created_at),
	};
}
