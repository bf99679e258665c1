import type { Steps } from "#access/sign-in/steps.ts";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseFailure } from "#storage/clickhouse/failures.ts";
import type { ClickHouseNode } from "#storage/clickhouse/node.ts";

const USER = ["SERVICE_CLICKHOUSE_USER"];
/** In the database. */
const NEEDED = ["select", "insert", "create table", "alter table", "optimize"] as const;
/** Tables of `system` that servers read. */
const READ_BY_SERVERS = ["tables", "columns", "databases", "parts", "merge_tree_settings"] as const;
/** Where a cluster is named. */
const OF_CLUSTERS = ["cluster on *.*", "select on system.clusters"] as const;
/** Those from which numbers and advice come. */
const READ_FOR_NUMBERS = ["disks", "storage_policies", "merges", "mutations", "replicas", "errors"] as const;
/** ClickHouse's codes for a right that is missing. */
const ACCESS_DENIED = 497;

/**
 * Asks for each right of `docs/clickhouse.md` whether the user has it.
 * @param isThere whether the database exists; otherwise the right to make it is needed, too
 */
export async function checkRights(
	node: ClickHouseNode,
	{ user, database, cluster }: ClickHouseSettings,
	{ isThere }: { readonly isThere: boolean },
	steps: Steps,
): Promise<void> {
	const inDatabase = (right: string) => `${right} on ${database}.*`;
	const ofSystem = (table: string) => `select on system.${table}`;
	try {
		if (!isThere) await noteMissingDatabase(node, database, steps);
		const needed = [
			...NEEDED.map(inDatabase),
			...READ_BY_SERVERS.map(ofSystem),
			...(cluster === undefined ? [] : OF_CLUSTERS),
		];
		const missing = await listMissing(node, needed);
		if (missing.length > 0)
			steps.fail("rights", `The user ${user} of ClickHouse lacks rights that a server needs.`, {
				settings: USER,
				facts: missing.map((right) => ({ name: "Run there", value: `grant ${right} to ${user}` })),
			});
		else steps.ok("rights", `The user ${user} of ClickHouse has the rights that a server needs.`);
		const helpful = await listMissing(node, READ_FOR_NUMBERS.map(ofSystem));
		if (helpful.length > 0)
			steps.warn("rights", "Without further rights, some numbers are missing from pages, metrics and this report.", {
				settings: USER,
				facts: helpful.map((right) => ({ name: "Run there", value: `grant ${right} to ${user}` })),
			});
	} catch (error) {
		if (!(error instanceof ClickHouseFailure) || error.kind !== "statement") throw error;
		steps.skip("rights", "This ClickHouse does not tell which rights its user has; a start says which one is missing.");
	}
}

async function noteMissingDatabase(node: ClickHouseNode, database: string, steps: Steps): Promise<void> {
	const settings = ["SERVICE_CLICKHOUSE_DATABASE"];
	if (await isGranted(node, `create database on ${database}.*`))
		steps.warn("schema", `There is no database ${database} in ClickHouse yet; the server creates it at the start.`, {
			settings,
		});
	else
		steps.fail("schema", `There is no database ${database} in ClickHouse, and its user may not create it.`, {
			settings,
			facts: [{ name: "Run there", value: `create database ${database}` }],
		});
}

async function listMissing(node: ClickHouseNode, rights: readonly string[]): Promise<string[]> {
	const missing: string[] = [];
	for (const right of rights) if (!(await isGranted(node, right))) missing.push(right);
	return missing;
}

/** A server may refuse to tell somebody who has no right at all there. */
async function isGranted(node: ClickHouseNode, right: string): Promise<boolean> {
	try {
		return await node.isGranted(right);
	} catch (error) {
		if (error instanceof ClickHouseFailure && error.code === ACCESS_DENIED) return false;
		throw error;
	}
}
