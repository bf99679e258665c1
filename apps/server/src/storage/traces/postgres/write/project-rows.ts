import type { ClientBase } from "pg";
import { present } from "#base/present.ts";
import { kyselyWithin } from "#storage/postgres/kysely-driver.ts";
import { insertProjects } from "#storage/projects/insert-projects.ts";
import {
	assertDecidedBy,
	FIND_RIGHTS_VERSION,
	RightsChanged,
	type RightsVersion,
	toRightsVersion,
} from "#storage/projects/rights-version.ts";
import type { ProjectsOfWrite } from "#storage/traces/span-batch.ts";

export interface ProjectNumbers {
	/** Row numbers by name. */
	readonly numbers: ReadonlyMap<string, number>;
	/** The rights as they were then. */
	readonly version: RightsVersion;
}

/**
 * Row numbers of projects by name; creates missing ones. Within a transaction, while which none of them can be deleted.
 * @throws RightsChanged
 */
export async function projectNumbers(
	client: ClientBase,
	names: readonly string[],
	projects: ProjectsOfWrite,
): Promise<ProjectNumbers> {
	for (let isFirst = true; ; isFirst = false) {
		const { rows } = await client.query<{ id: number; name: string }>({
			name: "project numbers",
			text: "select id, name from projects where name = any ($1) order by name for key share",
			values: [names],
		});
		const version = await readVersion(client, projects);
		// Afterwards, it is of what this transaction made.
		if (isFirst) assertDecidedBy(projects.decidedBy, version);
		const numbers = new Map(rows.map(({ id, name }) => [name, id]));
		const missing = names.filter((name) => !numbers.has(name)).sort();
		if (missing.length === 0) return { numbers, version };
		await make(client, missing, projects);
	}
}

async function make(client: ClientBase, names: readonly string[], projects: ProjectsOfWrite): Promise<void> {
	const now = Date.now() * 1_000;
	const wanted = names.map((name) => {
		const maker = projects.makerOf(name);
		if (maker === undefined) throw new RightsChanged();
		return { name, description: null, maker, created_at: now, updated_at: now };
	});
	projects.onMade?.();
	const made = await insertProjects(kyselyWithin(client), wanted, projects.pinnedAccess);
	// What somebody else has just made may be hidden from a sender.
	if (made.length < names.length && projects.decidedBy.length > 0) throw new RightsChanged();
}

const UNKNOWN: RightsVersion = { version: 0, lastProject: 0 };

/** Not read where nothing was decided by it. */
async function readVersion(client: ClientBase, { decidedBy }: ProjectsOfWrite): Promise<RightsVersion> {
	if (decidedBy.length === 0) return UNKNOWN;
	const { rows } = await client.query<{ version: number | null; last: number | null }>({
		name: "rights version",
		text: FIND_RIGHTS_VERSION,
	});
	return toRightsVersion(present(rows[0], "the version of the rights"));
}
