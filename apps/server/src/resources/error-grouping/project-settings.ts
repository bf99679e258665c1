import { ERROR_KINDS, type ErrorKind } from "@spanward/error-groups";
import type { Kysely } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";

/** How the failures of a project are grouped. */
export interface ErrorSettings {
	/** The attribute of spans, or else of resources, that has the release; null for the usual ones. */
	readonly releaseKey: string | null;
	/** Parts of paths, and beginnings of modules, of code of one's own. */
	readonly ownCode: readonly string[];
	/** The kinds of failures that are collected. */
	readonly kinds: ReadonlySet<ErrorKind>;
}

const DEFAULTS: ErrorSettings = { releaseKey: null, ownCode: [], kinds: new Set(ERROR_KINDS) };

/** The settings of projects, by row number; the defaults for those without any. */
export async function readErrorSettings(
	db: Kysely<Tables>,
	projectIds: readonly number[],
): Promise<(projectId: number) => ErrorSettings> {
	const rows = await db
		.selectFrom("error_settings")
		.selectAll()
		.where("project_id", "in", listed(projectIds))
		.execute();
	const byProject = new Map(
		rows.map(({ project_id, release_key, own_code, kinds }) => [
			project_id,
			{
				releaseKey: release_key,
				ownCode: JSON.parse(own_code) as string[],
				kinds: kinds === null ? DEFAULTS.kinds : new Set(JSON.parse(kinds) as ErrorKind[]),
			},
		]),
	);
	return (projectId) => byProject.get(projectId) ?? DEFAULTS;
}
