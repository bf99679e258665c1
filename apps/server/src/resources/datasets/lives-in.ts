import { type RawBuilder, sql } from "kysely";

/** The condition that a revision or a membership, a table or alias with `from_version` and `to_version`, is part of a version. */
export function livesIn(alias: string, versionId: number): RawBuilder<boolean> {
	const from = sql.ref(`${alias}.from_version`);
	const to = sql.ref(`${alias}.to_version`);
	return sql<boolean>`(${from} <= ${versionId} and (${to} is null or ${to} > ${versionId}))`;
}
