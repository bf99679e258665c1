import type { Culprit } from "@spanward/error-groups";
import { type Kysely, sql } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { GroupRow } from "./find-groups.ts";

const MOST_SIMILAR = 10;
/** Of the same kind and type, those that were seen last are compared. */
const MOST_COMPARED = 500;

/** Row numbers of other groups of the project with the same kind and type, in the same place, the last seen first. */
export async function findSimilar(db: Kysely<Tables>, group: GroupRow): Promise<number[]> {
	const { rows } = await sql<{ id: number; culprit: string }>`
		select error_groups.id as id, named.culprit as culprit
		from error_groups
		join error_group_fingerprints as named
			on named.project_id = error_groups.project_id and named.fingerprint = error_groups.fingerprint
		where error_groups.project_id = ${group.project_id}
			and error_groups.id <> ${group.id}
			and named.kind = ${group.kind}
			and coalesce(named.type, '') = ${group.type ?? ""}
		order by error_groups.last_seen desc, error_groups.id desc
		limit ${MOST_COMPARED}`.execute(db);
	const place = placeOf(group.culprit);
	return rows
		.filter(({ culprit }) => placeOf(culprit) === place)
		.slice(0, MOST_SIMILAR)
		.map(({ id }) => id);
}

/** Names of spans have no say where a tool or a provider is known. */
function placeOf(json: string): string {
	const { tool, provider, span_name: name }: Culprit = JSON.parse(json);
	return tool ?? provider ?? name;
}
