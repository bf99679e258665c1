import type { Kysely } from "kysely";
import { prepared } from "../prepared.ts";
import type { Tables } from "../schema.ts";

/** Which version of the rights is stored, and up to which project they are known. */
export interface RightsVersion {
	readonly version: number;
	readonly lastProject: number;
}

/** In SQL of both databases; a row with `version` and `last`, which may be null. */
export const FIND_RIGHTS_VERSION =
	"select (select version from access_policy) as version, (select max(id) from projects) as last";

/** In SQL of both databases: says in a transaction that rights changed. */
export const NOTE_RIGHTS_CHANGE = `insert into access_policy (id, version, library_access) values (1, 1, 'open')
	on conflict (id) do update set version = access_policy.version + 1`;

/** Reads the version alone, which tells whether the rest is still as it was. */
export async function readRightsVersion(db: Kysely<Tables>): Promise<RightsVersion> {
	const row = await prepared(db)
		.selectNoFrom(({ selectFrom }) => [
			selectFrom("access_policy").select("version").as("version"),
			selectFrom("projects")
				.select(({ fn }) => fn.max("id").as("id"))
				.as("last"),
		])
		.executeTakeFirstOrThrow();
	return toRightsVersion(row);
}

export function toRightsVersion({ version, last }: Record<"version" | "last", number | null>): RightsVersion {
	return { version: version ?? 0, lastProject: last ?? 0 };
}

/** What a write was to store was decided by rights that are others by now: nothing was written. */
export class RightsChanged extends Error {
	override readonly name = "RightsChanged";

	constructor() {
		super("the rights changed after it was decided what is written");
	}
}

/** @throws RightsChanged when `stored` is not what was decided by */
export function assertDecidedBy(decidedBy: readonly RightsVersion[], stored: RightsVersion): void {
	for (const { version, lastProject } of decidedBy)
		if (version !== stored.version || lastProject !== stored.lastProject) throw new RightsChanged();
}
