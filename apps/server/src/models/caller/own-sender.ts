import type { Kysely } from "kysely";
import type { ExportSender, SenderRights } from "#access/rights/sender-rights.ts";
import { notFound } from "#base/errors.ts";
import { monotonicMs } from "#base/monotonic.ts";
import { readRightsVersion } from "#storage/projects/rights-version.ts";
import type { Tables } from "#storage/schema.ts";

/** Where spans of this service go. */
export type SpanProject =
	/** The name of one that is made where it is missing: for what nobody may not see. */
	| string
	/** One that is there. Once it is gone its spans are not stored, as another one of its name may have other readers. */
	| { readonly id: number; readonly name: string };

/**
 * This service as the sender of spans to a project that is there.
 * @returns undefined when it is gone
 */
export async function ownSender(
	db: Kysely<Tables>,
	id: number,
): Promise<{ readonly name: string; readonly sender: ExportSender } | undefined> {
	const found = await readProject(db, id);
	if (found === undefined) return undefined;
	const { name, rights } = found;
	const lookAgain = async () => {
		const now = await readProject(db, id);
		if (now?.name !== name) throw notFound("project_not_found", "The project was deleted.");
		return now.rights;
	};
	return { name, sender: { id: `project ${id} ${name}`, rights, lookAgain } };
}

async function readProject(
	db: Kysely<Tables>,
	id: number,
): Promise<{ readonly name: string; readonly rights: SenderRights } | undefined> {
	// Before the name: a write by it fails if another project may have the name since.
	const decidedBy = await readRightsVersion(db);
	const row = await db.selectFrom("projects").select("name").where("id", "=", id).executeTakeFirst();
	if (row === undefined) return undefined;
	return { name: row.name, rights: { maker: null, makesNone: true, decidedAtMs: monotonicMs(), decidedBy } };
}
