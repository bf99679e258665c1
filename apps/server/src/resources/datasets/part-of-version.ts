import { type RawBuilder, sql } from "kysely";

/** SQL condition: a row of `alias`, which has the columns `from_version` and `to_version`, is part of the version. */
export function isPartOfVersion(alias: string, versionId: number): RawBuilder<boolean> {
	const from = sql.ref(`${alias}.from_version`);
	const to = sql.ref(`${alias}.to_version`);
	return sql<boolean>`(${from} <= ${versionId} and (${to} is null or ${to} > ${versionId}))`;
}
